"""Models the time of a launch on a chip from counts: the slowest of its parts.

No time here was measured. The clock follows from the chip's peak; what an SM does per clock is from
the CUDA C++ Programming Guide (arithmetic throughput by compute capability, 32 banks of 32 bits, four schedulers).
Only `PHASE_CYCLES` is fitted: to tiles 1 and 2 of the tile sweep on an H200, which spend their time waiting.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from tilewright.choose import DeviceFacts, PlanError, chip_names, find_chip
from tilewright.kernels.launch import ceil_divide

FLOAT_LANES = {
    (7, 0): 64,
    (7, 2): 64,
    (7, 5): 64,
    (8, 0): 64,
    (8, 6): 128,
    (8, 7): 128,
    (8, 9): 128,
    (9, 0): 128,
    (10, 0): 128,
    (10, 3): 128,
    (12, 0): 128,
    (12, 1): 128,
}
"""Float32 multiply-adds per clock and SM, by compute capability."""
SCHEDULERS = 4
PHASE_CYCLES = 500
"""From a phase's loads to the end of its second barrier, in a block that waits for nothing else."""

MODEL = (
    "modelled: the slowest of issuing the counted instructions, of passing the counted lines and wavefronts through "
    "the SM's load-store pipe, of computing, of waiting for each phase, and of moving each matrix once; no time is "
    "measured"
)


@dataclass(frozen=True)
class Work:
    """What a launch does, counted or by formula. lines: of 128 bytes, over all requests of global memory."""

    blocks: int
    blocks_per_sm: int
    phases: int
    flops: int
    least_bytes: int
    warp_instructions: float
    shared_wavefronts: float
    global_lines: float


@dataclass(frozen=True)
class ModelledTime:
    """The time of each part of the work alone, in us on a chip. The slowest is the modelled time.

    issue: four warp instructions per clock and SM. load_store: a wavefront of shared memory or a line of global memory
    per clock. compute: the operations at the chip's peak. waiting: the phases of all rounds of blocks, one after
    another. memory: A, B and C once at the chip's bandwidth.
    """

    issue_us: float
    load_store_us: float
    compute_us: float
    waiting_us: float
    memory_us: float

    @property
    def parts(self) -> dict[str, float]:
        """The five by name, such as "load_store", in us."""
        return {name.removesuffix("_us"): value for name, value in asdict(self).items()}

    @property
    def us(self) -> float:
        """The slowest."""
        return max(self.parts.values())

    @property
    def bound(self) -> str:
        """The name of the slowest part."""
        return max(self.parts, key=self.parts.__getitem__)


IN_WORDS = {
    "issue": "issuing instructions",
    "load_store": "the load-store pipe",
    "compute": "computing",
    "waiting": "waiting for loads and barriers",
    "memory": "memory bandwidth",
}


def clock_ghz(chip: DeviceFacts) -> float:
    """Return the clock that a chip's float32 peak implies.

    Raises:
        PlanError: the model does not know the chip; the message names some that it knows.
    """
    lanes = FLOAT_LANES.get(chip.compute_capability or (0, 0))
    if lanes is None or chip.fp32_gflops is None or chip.sm_count is None or chip.bandwidth_gb_per_s is None:
        known = ", ".join(name for name in chip_names() if _is_known(find_chip(name)))
        raise PlanError(
            f"sweep has no model of {chip.name}: it needs compute capability 7.0 or newer, and the chip's SMs, peak "
            f"and bandwidth, as known of {known}."
        )
    return chip.fp32_gflops / (chip.sm_count * 2 * lanes)


def check_chip(chip: DeviceFacts, dtype: str) -> None:
    """Refuse a chip that the model does not know.

    Raises:
        PlanError: it does not know the chip, or not its peak for the element type.
    """
    clock_ghz(chip)
    if chip.peak_gflops(dtype) is None:
        raise PlanError(f"sweep has no model of {chip.name} in {dtype}: its peak is not known ({chip.source}).")


def modelled_time(work: Work, chip: DeviceFacts, dtype: str) -> ModelledTime:
    """Return what the work takes on a chip; the busiest SM has a block more than others where they do not share evenly.

    Raises:
        PlanError: as check_chip.
    """
    check_chip(chip, dtype)
    sms, peak, bandwidth = chip.sm_count, chip.peak_gflops(dtype), chip.bandwidth_gb_per_s
    assert sms is not None
    assert peak is not None
    assert bandwidth is not None
    cycles_per_us = 1e3 * clock_ghz(chip)
    of_busiest = ceil_divide(work.blocks, sms) / work.blocks
    rounds = ceil_divide(work.blocks, sms * work.blocks_per_sm)
    return ModelledTime(
        issue_us=work.warp_instructions * of_busiest / SCHEDULERS / cycles_per_us,
        load_store_us=(work.shared_wavefronts + work.global_lines) * of_busiest / cycles_per_us,
        compute_us=work.flops * of_busiest / (peak * 1e3 / sms),
        waiting_us=rounds * work.phases * PHASE_CYCLES / cycles_per_us,
        memory_us=work.least_bytes / (bandwidth * 1e3),
    )


def _is_known(chip: DeviceFacts) -> bool:
    needed = (chip.fp32_gflops, chip.sm_count, chip.bandwidth_gb_per_s)
    return chip.compute_capability in FLOAT_LANES and None not in needed
