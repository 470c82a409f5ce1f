"""`tilewright.sweep`: each tile planned, counted, modelled and, on a GPU, timed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy

from tilewright.call.arguments import check_size, check_tile
from tilewright.call.reference import check
from tilewright.choose import EMULATOR_FACTS, DeviceFacts, Plan, PlanError, Problem, choose_plan, find_chip
from tilewright.choose.occupancy.resident import kernel_named
from tilewright.kernels import TaughtKernel, taught_kernels_of
from tilewright.kernels.launch import ceil_divide
from tilewright.kernels.taught import Arrangement
from tilewright.lab.compiled_occupancy import compiled_occupancy
from tilewright.lab.sweep.counting import LaunchCounts, count_launch, refuse_large
from tilewright.lab.sweep.explaining import sentences
from tilewright.lab.sweep.model import Work, check_chip, modelled_time
from tilewright.lab.sweep.result import Sweep, SweepRow
from tilewright.launch import MachineError, facts_of
from tilewright.launch.plan_run import run_plan

DEFAULT_SIZES = {"matmul": (1024, 1024, 1024), "reduced_matmul": (1024, 1024, 1024), "dot": (1, 1, 2**20)}
DEFAULT_CHIP = "h200"
TIMING_SECONDS = 0.5
Progress = Callable[[int, int], None]


def sweep(
    kernel: str | TaughtKernel = "matmul/tiled",
    *,
    size: tuple[int, int, int] | None = None,
    tiles: Iterable[int] | None = None,
    dtype: str = "float32",
    chip: str | DeviceFacts | None = None,
    device: str = "emulator",
    progress: Progress | None = None,
) -> Sweep:
    """Run a kernel at each of its tiles and say which one is fastest on a chip, and why, by counts.

    Counts are executed on the emulator; the same call gives the same numbers each time. Larger launches are counted in
    some of their blocks, and scaled: each row says so.

    Args:
        kernel: a kernel of the catalogue that has tiles, or its name.
        size: (m, n, k); None: 1,024 each, or k = 1,048,576 for dot, which takes k alone.
        tiles: the tiles; None: the kernel's usual ones, without those that the sizes do not allow.
        dtype: "float32" or "float64".
        chip: what is modelled: a chip of the table (`tilewright.chip_names()`) of compute capability 7.0 or newer, or
            facts. None: an H200, or the GPU that is timed.
        device: "emulator", or "gpu" to time each tile on the GPU at hand as well.
        progress: called with (tiles done, tiles).

    Raises:
        UnknownKernelError, UnknownChipError: no such kernel or chip.
        PlanError: the kernel has no tiles, takes none of those, or not the sizes or the type; the chip has no model.
        CompileError, CompilerMissingError: the kernel cannot be compiled here.
        DeviceUnavailableError, MachineError: there is no GPU to time on, or it fails.
    """
    if device not in ("emulator", "gpu"):
        raise PlanError(f"sweep runs on the emulator, or on the gpu to time as well, not on {device!r}.")
    found, _ = kernel_named(kernel, None, dtype)
    sizes = _sizes(found, size)
    facts = find_chip(chip) if isinstance(chip, str) else chip or _default_chip(device)
    gpu = facts_of("gpu") if device == "gpu" else None
    plans, left_out = _plans(found, sizes, dtype, tiles)
    check_chip(facts, dtype)
    rows: list[SweepRow] = []
    for plan in plans:
        if progress is not None:
            progress(len(rows), len(plans))
        rows.append(_row(plan, facts))
    if gpu is not None:
        rows = [replace(row, timed_us=_timed_us(row.plan, gpu)) for row in rows]
    timed_on = None if gpu is None else gpu.name
    found_rows = Sweep(found.name, sizes, dtype, facts, tuple(rows), left_out, (), timed_on)
    return replace(found_rows, sentences=sentences(found_rows.ranking, facts, timed_on))


def _sizes(kernel: TaughtKernel, size: tuple[int, int, int] | None) -> tuple[int, int, int]:
    m, n, k = check_size(size or DEFAULT_SIZES[kernel.operation])
    if kernel.tile is None or "emulator" not in kernel.runs_on:
        with_tiles = [
            other.name for other in taught_kernels_of(kernel.operation) if other.tile and "emulator" in other.runs_on
        ]
        why = "has no tile to sweep" if kernel.tile is None else "does not run on the emulator, which counts"
        raise PlanError(f"{kernel.name} {why}; sweep takes {', '.join(with_tiles)}.")
    if min(m, n, k) < 1:
        raise PlanError(f"sweep takes sizes of 1 or more, not m = {m}, n = {n}, k = {k}.")
    return (1, 1, k) if kernel.operation == "dot" else (m, n, k)


def _default_chip(device: str) -> DeviceFacts:
    return find_chip(DEFAULT_CHIP if device == "emulator" else facts_of("gpu").name.removeprefix("NVIDIA "))


def _plans(
    kernel: TaughtKernel, sizes: tuple[int, int, int], dtype: str, tiles: Iterable[int] | None
) -> tuple[list[Plan], dict[int, str]]:
    """A plan for each tile in order, and why there is none; a tile that was asked for is refused instead."""
    assert kernel.tile is not None
    asked = kernel.tile.usual if tiles is None else [check_tile(tile) for tile in tiles]
    plans: list[Plan] = []
    left_out: dict[int, str] = {}
    for tile in sorted({tile for tile in asked if tile is not None}):
        try:
            plan = choose_plan(Problem.of(kernel.operation, *sizes, dtype), EMULATOR_FACTS, kernel.name, tile)
            refuse_large(plan)
        except PlanError as error:
            if tiles is not None or len(asked) == len(left_out) + 1:
                raise
            left_out[tile] = str(error)
        else:
            plans.append(plan)
    if not plans:
        raise PlanError(f"sweep takes at least one tile; {kernel.name} takes tiles {kernel.tile}.")
    return plans, left_out


def _row(plan: Plan, chip: DeviceFacts) -> SweepRow:
    assert plan.side is not None
    assert plan.taught is not None
    occupancy, registers_from = compiled_occupancy(plan.taught, chip, tile=plan.side, dtype=plan.problem.dtype)
    if not occupancy.blocks_per_sm:
        raise PlanError(str(occupancy))
    counts = count_launch(plan)
    work = work_of(plan, counts, occupancy.blocks_per_sm)
    return SweepRow(plan.side, plan, counts, occupancy, registers_from, modelled_time(work, chip, plan.problem.dtype))


def work_of(plan: Plan, counts: LaunchCounts, blocks_per_sm: int) -> Work:
    """Return what the model needs to know of a launch."""
    problem = plan.problem
    assert plan.taught is not None
    return Work(
        blocks=counts.blocks,
        blocks_per_sm=blocks_per_sm,
        phases=_phases(plan.taught, problem.k, plan.side),
        flops=problem.flops,
        least_bytes=problem.least_bytes,
        warp_instructions=counts.values["warp_instructions"],
        shared_wavefronts=counts.shared_wavefronts,
        global_lines=counts.global_lines,
    )


def _phases(kernel: TaughtKernel, k: int, tile: int | None) -> int:
    """How often a block loads and waits; 0 for a kernel without barriers."""
    if kernel.arrangement is Arrangement.LINE_OVER_K:
        return 1
    return ceil_divide(k, tile) if kernel.loads_once_per_block and tile is not None else 0


def _timed_us(plan: Plan, gpu: DeviceFacts) -> tuple[float, ...]:
    """Time a plan's kernel on the GPU, on random matrices; raise MachineError if its result is wrong."""
    problem = plan.problem
    on_gpu = choose_plan(problem, gpu, plan.kernel.name, plan.tile)
    generator = numpy.random.default_rng(0)
    kind = numpy.dtype(problem.dtype).type
    a, b = (generator.standard_normal(shape, dtype=kind) for shape in (problem.a_shape, problem.b_shape))
    run = run_plan(on_gpu, a, b, timing_seconds=TIMING_SECONDS, poison=True)
    verdict = check(problem.operation, a, b, run.c, multiplied_out=plan.kernel.idea == "naive_4p")
    if not verdict.passed:
        raise MachineError(f"{plan.kernel.name} with tile {plan.tile} gave a wrong result on {gpu.name}.")
    return tuple(1e6 * seconds for seconds in run.kernel_seconds_all)
