"""The roofline: how fast a kernel can be on a chip, given what it loads for each operation.

Seed 001's arithmetic: two float32 loads per multiply-add are 4 bytes per operation, so a G80's 86.4 GB/s allow 21.6
GFLOP/s, and a tile of 16 allows 16 times that. Nothing here is measured: every number comes from a chip's data sheet
or is computed from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod

from tilewright.choose import notebook
from tilewright.choose.chips import chip_names, find_chip
from tilewright.choose.occupancy.limits import why_no_block_fits
from tilewright.choose.occupancy.resident import device_named, kernel_named
from tilewright.choose.phase import Phase, phase_of
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.problem import Problem
from tilewright.kernels.refusals import PlanError
from tilewright.kernels.taught import TaughtKernel

EVERY_LOAD = "every load comes from memory, as without caches"
LARGE = "multiply-adds and loads alone, as for large matrices"
EACH_ONCE = "each element moves once, as with a perfect cache"
GIVEN = "given"
PEAK_FIELDS = {"float32": "fp32_gflops", "float64": "fp64_gflops"}


@dataclass(frozen=True)
class Roof:
    """One point under the roofline: the bytes moved per operation, and the rate that they allow.

    ``traffic`` says which bytes are counted. ``needed_gb_per_s`` is the bandwidth needed to reach the chip's peak.
    """

    traffic: str
    flops_per_byte: float
    attainable_gflops: float
    needed_gb_per_s: float
    bound: str


@dataclass(frozen=True)
class Roofline:
    """A kernel under a chip's roofline.

    ``every_load`` counts every load and store of every thread, as without caches: a lower bound of the rate.
    ``each_once`` counts every matrix once, as with a perfect cache: an upper bound; None if no sizes were given.
    ``where`` gives the source of each number.
    """

    device: DeviceFacts
    kernel: str | None
    tile: int | None
    dtype: str
    sizes: tuple[int, int, int] | None
    peak_gflops: float
    bandwidth_gb_per_s: float
    every_load: Roof
    each_once: Roof | None
    phase: Phase | None
    where: dict[str, str]

    @property
    def ridge_flops_per_byte(self) -> float:
        """The operations per byte above which the peak, not the bandwidth, is the limit."""
        return self.peak_gflops / self.bandwidth_gb_per_s

    @property
    def flops_per_byte(self) -> float:
        """The arithmetic intensity: operations per byte loaded or stored by any thread."""
        return self.every_load.flops_per_byte

    @property
    def attainable_gflops(self) -> float:
        """The rate in GFLOP/s that the chip allows at this intensity, without caches."""
        return self.every_load.attainable_gflops

    @property
    def bound(self) -> str:
        """What limits that rate: "memory" or "compute"."""
        return self.every_load.bound

    def __str__(self) -> str:
        """Return the answer in sentences."""
        what = f"{self.flops_per_byte:.4g} FLOP per byte" if self.kernel is None else self.kernel
        what += "" if self.tile is None else f" with tile {self.tile}"
        roof, chip = self.every_load, self.device.name
        does = "" if self.kernel is None else f"does {roof.flops_per_byte:.4g} FLOP per byte and "
        if roof.bound == "memory":
            first = (
                f"{what} {does}is bound by memory on {chip}: {rate(self.bandwidth_gb_per_s)} GB/s allow "
                f"{rate(roof.attainable_gflops)} GFLOP/s of {rate(self.peak_gflops)}, which would take "
                f"{rate(roof.needed_gb_per_s)} GB/s."
            )
        else:
            first = (
                f"{what} {does}is bound by computing on {chip}: {rate(self.peak_gflops)} GFLOP/s take "
                f"{rate(roof.needed_gb_per_s)} of its {rate(self.bandwidth_gb_per_s)} GB/s."
            )
        if self.each_once is None:
            return first
        return (
            f"{first} If caches let each element move once, it is bound by "
            f"{'memory' if self.each_once.bound == 'memory' else 'computing'}, at "
            f"{rate(self.each_once.attainable_gflops)} GFLOP/s."
        )

    def _repr_html_(self) -> str:
        """Return the points under the roofline as HTML."""
        columns = ("what moves", "FLOP per byte", "attainable GFLOP/s", "needed GB/s", "bound by")
        roofs = [roof for roof in (self.every_load, self.each_once) if roof is not None]
        rows = [
            (
                roof.traffic,
                f"{roof.flops_per_byte:.4g}",
                rate(roof.attainable_gflops),
                rate(roof.needed_gb_per_s),
                roof.bound,
            )
            for roof in roofs
        ]
        caption = (
            f"{self.device.name}, {self.dtype}: {rate(self.peak_gflops)} GFLOP/s, {rate(self.bandwidth_gb_per_s)} GB/s"
        )
        points = notebook.table(columns, rows, caption=caption, words=(0, 4))
        return notebook.together(points, notebook.sentences([str(self)]))


def rate(value: float) -> str:
    """Return a rate as text: one decimal below 1,000, as in "21.6"; none from 1,000 on, as in "1,386"."""
    return f"{value:,.0f}" if value >= 999.95 or value == int(value) else f"{value:.1f}"


def roofline(
    kernel: str | TaughtKernel | float,
    device: str | DeviceFacts,
    *,
    tile: int | None = None,
    dtype: str = "float32",
    size: tuple[int, int, int] | None = None,
) -> Roofline:
    """Return how fast a kernel can be on a chip, and whether memory or compute is the limit. No device is needed.

    Args:
        kernel: a kernel of the catalogue or its name ("matmul/tiled"), or its operations per byte as a number.
        device: a chip of the table by name (`tilewright.chip_names()`), or facts with bandwidth and peak.
        tile: the kernel's tile; None: its default.
        dtype: the element type, "float32" or "float64".
        size: (m, n, k) of the problem whose loads and stores are counted; None: the ratio for large matrices.

    Raises:
        UnknownChipError: no such chip. UnknownKernelError: no such kernel.
        PlanError: no such tile, type or sizes, or the chip's bandwidth or peak is not known, or a block does not fit.
    """
    facts = device_named(device)
    peak, bandwidth = _rates(facts, dtype)
    if isinstance(kernel, (str, TaughtKernel)):
        found, tile = kernel_named(kernel, tile, dtype)
        once = None
        if (reason := why_no_block_fits(facts, prod(found.block(tile)), found.shared_bytes(tile, dtype))) is not None:
            with_tile = "" if tile is None else f" with tile {tile}"
            raise PlanError(f"{found.name}{with_tile} does not fit on {facts.name}: {reason}.")
        if size is None:
            intensity, traffic = _of_large_matrices(found, tile, dtype), f"{EVERY_LOAD}; {LARGE}"
        else:
            if (refusal := found.refusal(Problem.of(found.operation, *size, dtype), None, tile)) is not None:
                raise PlanError(refusal)
            intensity, traffic = _of_size(found, size, tile, dtype), EVERY_LOAD
            once = _roof(EACH_ONCE, _each_once(found, size, dtype), peak, bandwidth)
        name, phase = found.name, phase_of(found, tile)
    else:
        if tile is not None or size is not None:
            raise PlanError("Operations per byte given as a number have neither a tile nor a size.")
        if not kernel > 0:
            raise PlanError(f"Operations per byte are more than 0, not {kernel}.")
        name, phase, once, intensity, traffic = None, None, None, float(kernel), GIVEN
    return Roofline(
        device=facts,
        kernel=name,
        tile=tile,
        dtype=dtype,
        sizes=size,
        peak_gflops=peak,
        bandwidth_gb_per_s=bandwidth,
        every_load=_roof(traffic, intensity, peak, bandwidth),
        each_once=once,
        phase=phase,
        where={
            "peak_gflops": facts.source_of(PEAK_FIELDS[dtype]),
            "bandwidth_gb_per_s": facts.source_of("bandwidth_gb_per_s"),
            "ridge_flops_per_byte": "modelled: peak / bandwidth",
            "flops_per_byte": GIVEN if name is None else f"modelled: {traffic}",
            "attainable_gflops": "modelled: the lesser of the peak and bandwidth x flops_per_byte",
            "needed_gb_per_s": "modelled: peak / flops_per_byte",
        },
    )


def _rates(facts: DeviceFacts, dtype: str) -> tuple[float, float]:
    if dtype not in PEAK_FIELDS:
        raise PlanError(f"A roofline is for {' or '.join(PEAK_FIELDS)}, not {dtype}.")
    peak, bandwidth = facts.peak_gflops(dtype), facts.bandwidth_gb_per_s
    if peak is None or bandwidth is None:
        missing = f"{dtype} peak" if peak is None else "memory bandwidth"
        raise PlanError(
            f"There is no roofline of {facts.name} in {dtype}: its {missing} is not known ({facts.source}). "
            f"There is one of {', '.join(_chips_with_rates(dtype))}."
        )
    return peak, bandwidth


def _chips_with_rates(dtype: str) -> list[str]:
    return [name for name in chip_names() if find_chip(name).peak_gflops(dtype) and find_chip(name).bandwidth_gb_per_s]


def _roof(traffic: str, flops_per_byte: float, peak: float, bandwidth: float) -> Roof:
    allowed = bandwidth * flops_per_byte
    return Roof(
        traffic=traffic,
        flops_per_byte=flops_per_byte,
        attainable_gflops=min(peak, allowed),
        needed_gb_per_s=peak / flops_per_byte,
        bound="memory" if allowed < peak else "compute",
    )


def _of_large_matrices(kernel: TaughtKernel, tile: int | None, dtype: str) -> float:
    """Return FLOP per byte: each multiply-add (2 FLOP) loads elements of A and B, which a tile of threads may share."""
    shared_by = tile if kernel.loads_once_per_block and tile is not None else 1
    loads = Fraction(2 * kernel.about.row_group, shared_by)
    return float(2 / (loads * DTYPE_BYTES[dtype]))


def _of_size(kernel: TaughtKernel, size: tuple[int, int, int], tile: int | None, dtype: str) -> float:
    moved = kernel.predicted_global_loads(*size, tile) + kernel.c_elements(*size, tile)
    return kernel.about.flops(*size) / (moved * DTYPE_BYTES[dtype])


def _each_once(kernel: TaughtKernel, size: tuple[int, int, int], dtype: str) -> float:
    problem = Problem.of(kernel.operation, *size, dtype)
    return problem.flops / problem.least_bytes
