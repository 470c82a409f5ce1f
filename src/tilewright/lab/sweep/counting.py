"""Counts what a launch does, on the emulator: all of it, or some blocks in place of all.

A launch of moderate size is executed whole. Of a larger one, blocks from the grid's corner are executed, on the real
sizes, and their counts scaled by the number of blocks; that costs accuracy only where blocks differ, at an edge that
the tile does not divide. Bank conflicts and lines are what observers see in a few blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isqrt, prod

import numpy
from numpy.typing import NDArray

from tilewright.choose import EMULATOR_FACTS, Plan, PlanError, choose_plan
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL
from tilewright.emulate.observers.banks.observer import BankConflictObserver
from tilewright.emulate.observers.observer import EventRecorder
from tilewright.kernels.launch import Extent, ceil_divide
from tilewright.kernels.taught import Arrangement
from tilewright.lab.on_zeros import run_on_zeros

WHOLE_STEPS = 2**22
"""Steps of warps along k that a launch may have to be executed whole; about a second."""
SAMPLE_STEPS = 2**19
MOST_ELEMENTS = 2**26
LINE_BYTES = 128
RECORDED_EVENTS = 50_000
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_"
COUNTED = (
    "warp_instructions",
    "thread_instructions",
    "global_load_requests",
    "global_load_sectors",
    "global_store_requests",
    "global_store_sectors",
    "shared_load_requests",
    "shared_store_requests",
    "barriers",
)


@dataclass(frozen=True)
class LaunchCounts:
    """The counts of a launch, scaled from `blocks_run` of its blocks unless these are all.

    global_loads: elements, counted where all blocks ran, by the seeds' formula otherwise. values: the names of COUNTED.
    lines_per_request: lines of 128 bytes per request of global memory; wavefronts and conflicts: of shared memory.
    These three are from `blocks_observed` blocks, scaled by the requests.
    """

    blocks: int
    blocks_run: int
    blocks_observed: int
    global_loads: int
    values: dict[str, int]
    lines_per_request: float
    shared_wavefronts: int
    bank_conflicts: int

    @property
    def whole(self) -> bool:
        """Whether every block was executed, so that counts are exact."""
        return self.blocks_run == self.blocks

    @property
    def global_lines(self) -> float:
        """The lines that all requests of global memory name."""
        return self.lines_per_request * (self.values["global_load_requests"] + self.values["global_store_requests"])


def count_launch(plan: Plan) -> LaunchCounts:
    """Count what a plan's launch does.

    Raises:
        PlanError: its matrices have more elements than are laid out for counting.
        CompileError, CompilerMissingError: the kernel cannot be compiled here.
    """
    refuse_large(plan)
    blocks, run = prod(plan.grid), _run_grid(plan)
    counts, _, _ = _launch(plan, run, observed=False)
    scale = blocks / prod(run)
    values = {name: round(counts[name] * scale) for name in COUNTED}
    whole = prod(run) == blocks
    formula = plan.predicted_global_loads
    assert formula is not None
    observed_grid = _cut(plan.grid, 2 if plan.grid[1] > 1 else 4)
    seen, lines, conflicts = _launch(plan, observed_grid, observed=True)
    requests = seen["shared_load_requests"] + seen["shared_store_requests"]
    wanted = values["shared_load_requests"] + values["shared_store_requests"]
    per_request = (conflicts[0] / requests, conflicts[1] / requests) if requests else (0.0, 0.0)
    return LaunchCounts(
        blocks=blocks,
        blocks_run=prod(run),
        blocks_observed=prod(observed_grid),
        global_loads=counts["global_loads"] if whole else formula,
        values=values,
        lines_per_request=lines,
        shared_wavefronts=round(per_request[0] * wanted),
        bank_conflicts=round(per_request[1] * wanted),
    )


def refuse_large(plan: Plan) -> None:
    """Refuse matrices that are too large to lay out."""
    problem = plan.problem
    largest = max(prod(problem.a_shape), prod(problem.b_shape), prod(problem.c_shape))
    if largest > MOST_ELEMENTS:
        raise PlanError(
            f"sweep lays out matrices of at most {MOST_ELEMENTS:,} elements to count what kernels do, and the largest "
            f"of m = {problem.m}, n = {problem.n}, k = {problem.k} has {largest:,}; use smaller sizes."
        )


def _run_grid(plan: Plan) -> Extent:
    """All blocks, or as many from a corner as take SAMPLE_STEPS."""
    along_k = 1 if _is_line(plan) else max(plan.problem.k, 1)
    steps_per_block = ceil_divide(prod(plan.block), 32) * along_k
    blocks = prod(plan.grid)
    if blocks * steps_per_block <= WHOLE_STEPS:
        return plan.grid
    wanted = max(SAMPLE_STEPS // steps_per_block, 4)
    return _cut(plan.grid, min(isqrt(wanted), 8) if plan.grid[1] > 1 else min(wanted, 4096))


def _is_line(plan: Plan) -> bool:
    return plan.taught is not None and plan.taught.arrangement is Arrangement.LINE_OVER_K


def _cut(grid: Extent, side: int) -> Extent:
    return (min(grid[0], side), min(grid[1], side), 1)


def _launch(plan: Plan, grid: Extent, *, observed: bool) -> tuple[dict[str, int], float, tuple[int, int]]:
    """Run some blocks: their counts and, observed, lines per request, and wavefronts and conflicts."""
    m, n, k = plan.problem.sizes
    if _is_line(plan):  # a grid-stride loop: fewer blocks take a shorter problem
        assert plan.side is not None
        shorter = plan.problem.resized(m, n, min(k, grid[0] * plan.side))
        plan = choose_plan(shorter, EMULATOR_FACTS, plan.kernel.name, plan.tile)
    (launch,) = plan.launches
    some = replace(plan, launches=(replace(launch, grid=grid),))
    recorder = EventRecorder(RECORDED_EVENTS, ev.mask(ev.LOAD, ev.STORE), ev.mask(GLOBAL))
    banks = BankConflictObserver()
    watching = [recorder, banks] if observed else []
    counts = run_on_zeros(some, observers=watching, workers=1 if observed else None).counts.as_dict()
    if not observed:
        return counts, 0.0, (0, 0)
    sums = [sum(banks.totals[f"{metric}{way}.sum"] for way in ("ld", "st")) for metric in (WAVEFRONTS, CONFLICTS)]
    return counts, lines_per_request(recorder.rows), (sums[0], sums[1])


def lines_per_request(rows: NDArray[numpy.int64]) -> float:
    """Return the mean number of 128-byte lines that an access in rows of events (emulate/execute/events.py) names."""
    if not len(rows):
        return 0.0
    active = rows[:, ev.LANES, None] >> numpy.arange(32) & 1
    lines = numpy.where(active == 1, rows[:, ev.ADDRESSES : ev.ADDRESSES + 32] // LINE_BYTES, -1)
    lines.sort(axis=1)
    different = (numpy.diff(lines, axis=1) != 0).sum(axis=1) + (lines[:, 0] >= 0)
    return float(different.mean())
