"""GPU times of several contenders in turn, each with a cold L2 cache and queued ahead of the GPU.

Between two measurements other data is read through all of L2, often enough that the GPU is busy for longer than Python
takes to queue the next one. So a measurement is the GPU's time between two events, not the host's. If the host is late
all the same, the measurement is dropped and counted, and the GPU is kept busy longer.

Each measurement waits for the one before, and all use the same two events: then all are made under the same conditions.
Eight measurements in a queue, each with events of its own, were tried: products of 128 to 1,024, each beside itself on
an H200, had ratios of their medians from 0.92 to 1.02, since places in the queue differ by up to 0.8 us. There every
fourth launch of a process, whatever it is, also took up to 1 us longer than the others: so a number of launches that
chance decides goes before each measurement, lest this fall on one contender alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median, quantiles
from typing import Any

from tilewright.lab.bench.clock import Clock, TorchClock
from tilewright.lab.bench.products import AGREES_WITHIN, MeasuredProduct, contenders, disagreement, epilogue_contenders

LEAST_ROUNDS, MOST_ROUNDS = 7, 60
WARM_UP = 5
LEAST_READING_US_PER_BYTE = 1 / 8e6
"""No GPU's memory is faster than 8 TB/s: the flush takes so long at least."""
HOST_TIMES_COVERED = 3
MOST_READINGS = 400
LAUNCHES_IN_TURN = 4
SEED = 1
OURS = "tilewright"
NOT_MEASURED = (
    "Not measured: the host's time for a call, copies to and from the GPU, a warm cache, other activity on the GPU, "
    "and clocks under a load of hours."
)


@dataclass(frozen=True)
class Times:
    """The measurements of one contender, in us, and how many were dropped because the host was late."""

    us: tuple[float, ...]
    dropped: int

    @property
    def median_us(self) -> float:
        """The middle one."""
        return median(self.us)

    @property
    def quartiles_us(self) -> tuple[float, float]:
        """A quarter of the measurements is below the first, and a quarter above the second."""
        if len(self.us) < 2:
            return (self.us[0], self.us[0])
        low, _, high = quantiles(self.us, n=4)
        return (low, high)


class ColdTimer:
    """Times calls on a clock's stream: torch's current one where none is given."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = TorchClock() if clock is None else clock
        self._random = Random(SEED)  # noqa: S311  (nothing secret)
        self._reading_us = self._clock.flush_bytes * LEAST_READING_US_PER_BYTE

    def time(self, contenders: Mapping[str, Callable[[], object]], seconds: float) -> dict[str, Times]:
        """Call each in turn, one after the other in every round, until about so many seconds are over.

        At least 7 rounds and at most 60; every other round goes through the contenders backwards.
        """
        readings = {name: self._readings(call) for name, call in contenders.items()}
        us: dict[str, list[float]] = {name: [] for name in contenders}
        dropped = dict.fromkeys(contenders, 0)
        begun, rounds = time.perf_counter(), 0
        while rounds < LEAST_ROUNDS or (time.perf_counter() - begun < seconds and rounds < MOST_ROUNDS):
            for name in list(contenders) if rounds % 2 == 0 else list(contenders)[::-1]:
                measured_us = self._measured(contenders[name], readings[name])
                if measured_us is None:
                    dropped[name] += 1
                    readings[name] = min(MOST_READINGS, 2 * readings[name])
                else:
                    us[name].append(measured_us)
            rounds += 1
        return {name: self._times(name, us[name], dropped[name]) for name in contenders}

    def _readings(self, call: Callable[[], object]) -> int:
        """Warm up; how many readings of the flush cover the host's time for a call."""
        host_us = 0.0
        for _ in range(WARM_UP):
            self._clock.wait()
            begun = time.perf_counter()
            call()
            host_us = 1e6 * (time.perf_counter() - begun)
        self._clock.wait()
        return min(MOST_READINGS, 1 + int(HOST_TIMES_COVERED * host_us / self._reading_us))

    def _measured(self, call: Callable[[], object], readings: int) -> float | None:
        """One call in us, or None where the host was late."""
        clock = self._clock
        for _ in range(self._random.randrange(LAUNCHES_IN_TURN)):
            clock.launch()
        for _ in range(readings):
            clock.read_other_data()
        clock.start()
        call()
        clock.end()
        was_late = clock.has_started()
        measured_us = clock.us()
        return None if was_late else measured_us

    @staticmethod
    def _times(name: str, us: list[float], dropped: int) -> Times:
        if not us:
            raise HostLateError(f"The host was late in all {dropped} measurements of {name}; is the processor busy?")
        return Times(tuple(us), dropped)


class HostLateError(RuntimeError):
    """The GPU waited for the host in every measurement, so that none is the GPU's time."""


class WrongProductError(RuntimeError):
    """Two contenders do not compute the same; the message says how far apart they are."""


@dataclass(frozen=True)
class Comparison:
    """What was measured of a product: times by contender, ``tilewright`` among them."""

    product: MeasuredProduct
    times: dict[str, Times]

    def ratio(self, rival: str) -> float:
        """How many times as long the rival takes, by the medians: above 1, tilewright is faster."""
        return self.times[rival].median_us / self.times[OURS].median_us

    def tflops(self, name: str) -> float:
        """The product's operations per second, in 10^12."""
        return self.product.flops / self.times[name].median_us * 1e-6

    def gb_per_s(self, name: str) -> float:
        """What must move at least, per second, in 10^9 bytes."""
        return self.product.least_bytes / self.times[name].median_us * 1e-3

    def record(self) -> dict[str, Any]:
        """Everything, raw."""
        product = self.product
        return {
            "rows": product.rows,
            "inner": product.inner,
            "columns": product.columns,
            "batch": product.batch,
            "dtype": product.dtype,
            "layout": product.layout,
            **({"epilogue": product.epilogue} if product.epilogue else {}),
            "us": {name: [round(each, 2) for each in times.us] for name, times in self.times.items()},
            "dropped": {name: times.dropped for name, times in self.times.items()},
        }


def compare_products(
    product: MeasuredProduct,
    timer: ColdTimer,
    seconds: float,
    rivals: Sequence[str] = ("torch",),
    precision: str = "auto",
) -> Comparison:
    """Measure a product for about so many seconds of GPU time; one with an epilogue has torch alone for a rival.

    Raises:
        WrongProductError: a contender's result is not that of tilewright.
        RuntimeError: the GPU has no room for the matrices, as torch says it.
    """
    import torch

    a, b = product.operands()
    ways = epilogue_contenders(product, a, b) if product.epilogue else contenders(a, b, [OURS, *rivals], precision)
    ours = ways[OURS]()
    for name in rivals:
        apart = disagreement(ours, ways[name]())
        if not apart <= AGREES_WITHIN:
            raise WrongProductError(
                f"{product} in {product.dtype}: {OURS} and {name} differ by {apart:.2g} of the norm."
            )
    del ours
    times = timer.time(ways, seconds)
    del a, b, ways
    torch.cuda.empty_cache()
    return Comparison(product, times)
