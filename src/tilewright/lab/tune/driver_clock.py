"""A stream of the driver's as a clock: what `lab/bench` does with torch, without it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from tilewright.choose import choose_plan
from tilewright.kernels.launch import BUFFERS
from tilewright.kernels.problem import Problem
from tilewright.lab.bench.clock import flush_bytes
from tilewright.launch.cuda.planned import PlannedRun
from tilewright.launch.cuda.staging import StagedCopies

FLOAT32_BYTES = 4
SMALL_BYTES = 256
"""Of a sum, with a workspace behind it."""


class DriverClock:
    """The stream of a GPU's copies as `Clock`; use within `opened`, which holds the memory that is read."""

    def __init__(self, copies: StagedCopies, nbytes: int) -> None:
        self._copies, self.flush_bytes = copies, nbytes
        self._device, driver = copies.device, copies.device.driver
        timing = driver.CUevent_flags.CU_EVENT_DEFAULT
        self._start, self._end = (self._device.call("cuEventCreate", timing) for _ in range(2))
        self._reading = dot_run(copies, nbytes // FLOAT32_BYTES, "float32", "float32")
        self._flush = self._small = 0

    @classmethod
    @contextmanager
    def opened(cls, copies: StagedCopies) -> Iterator[DriverClock]:
        """Yield a clock with memory to read of eight times the L2 cache or more."""
        driver = copies.device.driver
        clock = cls(copies, flush_bytes(copies.device.l2_bytes))
        try:
            clock._flush = copies.allocate(clock.flush_bytes)
            clock._small = copies.allocate(SMALL_BYTES + clock._reading.workspace_bytes)
            copies.device.call("cuMemsetD8Async", clock._flush, 0, clock.flush_bytes, copies.stream)
            yield clock
        finally:
            for address in filter(None, (clock._flush, clock._small)):
                copies.free(address)
            for event in (clock._start, clock._end):
                driver.cuEventDestroy(event)

    def read_other_data(self) -> None:
        """Multiply a long vector by itself: it is read once."""
        held = {"A": self._flush, "B": self._flush, "C": self._small, "workspace": self._small + SMALL_BYTES}
        self._reading.run([held.get(name, 0) for name in BUFFERS], self._copies.stream)

    def launch(self) -> None:
        """Clear a number."""
        self._device.call("cuMemsetD8Async", self._small, 0, FLOAT32_BYTES, self._copies.stream)

    def start(self) -> None:
        """Record the first event."""
        self._device.call("cuEventRecord", self._start, self._copies.stream)

    def end(self) -> None:
        """Record the second event."""
        self._device.call("cuEventRecord", self._end, self._copies.stream)

    def has_started(self) -> bool:
        """Whether the GPU has reached the first event."""
        return not self._device.driver.cuEventQuery(self._start)[0]

    def us(self) -> float:
        """Wait for the second event; the time between the two."""
        self._device.call("cuEventSynchronize", self._end)
        return 1e3 * float(self._device.call("cuEventElapsedTime", self._start, self._end))

    def wait(self) -> None:
        """Wait for the stream."""
        self._copies.wait()


def dot_run(copies: StagedCopies, elements: int, dtype: str, out_dtype: str) -> PlannedRun:
    """Return the run of a dot product of vectors without gaps."""
    problem = replace(Problem.of("dot", 1, 1, elements, dtype), out_dtype=out_dtype)
    return PlannedRun(choose_plan(problem, copies.device.facts), copies.device)
