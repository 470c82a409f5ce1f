"""A kernel's counts beside those of the catalogue's kernels for the same product, all counted by execution."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.choose import EMULATOR_FACTS, choose_plan
from tilewright.emulate import EmulationError
from tilewright.kernels import Problem, TaughtKernel, taught_kernels_of
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.report.result import CountsRow
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.on_zeros import run_on_zeros

from .verdicts import Judgement, budget_of

DTYPES = ("float32", "float64")


def counted_beside(found: Found, judgement: Judgement) -> list[CountsRow]:
    """Return the counts of the kernel and of the catalogue's kernels at the sizes that were judged for traffic."""
    if judgement.counted is None or found.roles.batched:
        return []
    sizes, own = judgement.counted
    counted = [CountsRow("this kernel", own.sizes, own.counts)]
    dtype = str(found.dtypes["C"])
    if dtype in DTYPES and found.roles.operation not in KINDS:
        for kernel in taught_kernels_of(found.roles.operation):
            tile = _tile(kernel, found.tile)
            if (
                "emulator" in kernel.runs_on
                and kernel.refusal(Problem.of(kernel.operation, *_mnk(sizes), dtype), None, tile) is None
            ):
                counted.append(_count(kernel, sizes, tile, dtype, own.sizes))
    return counted


def _count(kernel: TaughtKernel, sizes: Sizes, tile: int | None, dtype: str, named: Mapping[str, int]) -> CountsRow:
    plan = choose_plan(Problem.of(kernel.operation, *_mnk(sizes), dtype), EMULATOR_FACTS, kernel.name, tile)
    try:
        counts = run_on_zeros(plan, budget=budget_of(sizes)).counts.as_dict()
    except EmulationError:
        counts = {}
    name = kernel.name if tile is None else f"{kernel.name} {tile}"
    return CountsRow(name, named, counts)


def _tile(kernel: TaughtKernel, tile: int) -> int | None:
    if kernel.tile is None:
        return None
    return tile if kernel.tile.accepts(tile) else kernel.tile.default


def _mnk(sizes: Sizes) -> tuple[int, int, int]:
    return sizes.rows, sizes.cols, sizes.inner
