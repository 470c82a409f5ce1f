"""Time kernels on a GPU side by side: in rounds, one launch of each kernel per round, between two events."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

import numpy

from benchmarks.kernel_run import KernelRun, Launch, Operands
from tilewright.launch.machine import Machine

FEWEST_ROUNDS = 5
MOST_ROUNDS = 50
BUDGET_SECONDS = 0.5
HOW = (
    "kernel time between two CUDA events around one launch, its operands not in the L2 cache; in rounds of one launch "
    f"of each kernel, up to {MOST_ROUNDS} rounds, {FEWEST_ROUNDS} for a kernel that takes more than {BUDGET_SECONDS} s "
    "in all; after a checked warm-up launch, on random normal inputs; a kernel that does nothing takes floor_us"
)


def open_gpu() -> Machine:
    """The GPU, brought to its working clocks by a second of work."""
    from tilewright.launch.cuda.machine import CudaMachine

    machine = CudaMachine()
    launch = Launch("matmul/tiled", "float32", 32, 2048, 2048, 2048)
    operands = Operands(machine, launch, numpy.random.default_rng())
    run = KernelRun(machine, launch, operands)
    seconds = 0.0
    while seconds < 1:
        seconds += run.run().kernel_seconds
    run.close()
    operands.close()
    return machine


def time_kernels(machine: Machine, launches: Sequence[Launch]) -> list[dict[str, Any]]:
    """Time launches of the same sizes and type on shared inputs; a row with all samples for each."""
    # Comparing all of C with float64 on the host is cheap up to a few thousand rows; eight random ones do for more.
    checked_rows = 8 if launches[0].m * launches[0].n * launches[0].k > 2**33 else None
    operands = Operands(machine, launches[0], numpy.random.default_rng(), checked_rows)
    runs = [KernelRun(machine, launch, operands) for launch in launches]
    for run in runs:
        run.run_checked()
    samples: list[list[float]] = [[] for _ in runs]
    for rounds in range(MOST_ROUNDS):
        for run, seconds in zip(runs, samples, strict=True):
            if rounds < FEWEST_ROUNDS or sum(seconds) < BUDGET_SECONDS:
                seconds.append(run.run().kernel_seconds)
    for run in runs:
        run.close()
    operands.close()
    return [as_row(launch, seconds) for launch, seconds in zip(launches, samples, strict=True)]


def as_row(launch: Launch, seconds: Sequence[float]) -> dict[str, Any]:
    """A launch and its samples in microseconds."""
    samples = [round(1e6 * second, 3) for second in seconds]
    print(f"{launch}: {median(samples):,.1f} us ({min(samples):,.1f} to {max(samples):,.1f}, {len(samples)} launches)")
    return {**vars(launch), "median_us": round(median(samples), 3), "samples_us": samples}


def floor_us(machine: Machine) -> float:
    """The median time of a launch that does nothing: what two events and a launch cost."""
    return float(time_kernels(machine, [Launch("dot/single_thread", "float32", None, 1, 1, 0)])[0]["median_us"])
