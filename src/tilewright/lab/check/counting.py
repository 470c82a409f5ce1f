"""A kernel's counts beside those of the catalogue's kernels, of the same product, all counted by execution."""

from __future__ import annotations

from collections.abc import Mapping

import numpy

from tilewright.compile import compile_kernel
from tilewright.kernels import Problem, TaughtKernel, taught_kernels_of

from .candidate import Found
from .execution import Argument, Geometry, Pointer, Stand
from .products import operands
from .result import CountsRow
from .sizes import Sizes
from .verdicts import Judgement, budget_of

DTYPES = ("float32", "float64")


def counted_beside(found: Found, judgement: Judgement) -> list[CountsRow]:
    """Return the kernel's counts and those of the catalogue's at the sizes that were judged for traffic."""
    if judgement.counted is None:
        return []
    sizes, own = judgement.counted
    counted = [CountsRow("this kernel", own.sizes, own.counts)]
    dtype = str(found.dtypes["C"])
    if dtype in DTYPES:
        for kernel in taught_kernels_of(found.roles.operation):
            tile = _tile(kernel, found.tile)
            if (
                "emulator" in kernel.runs_on
                and kernel.refusal(Problem.of(kernel.operation, *_mnk(sizes), dtype), None, tile) is None
            ):
                counted.append(_count(kernel, sizes, tile, dtype, own.sizes))
    return counted


def _count(kernel: TaughtKernel, sizes: Sizes, tile: int | None, dtype: str, named: Mapping[str, int]) -> CountsRow:
    program = compile_kernel(kernel, dtype, tile)
    stand = Stand(program.ptx or "", program.entry)
    m, n, k = _mnk(sizes)
    types = dict.fromkeys("ABC", numpy.dtype(dtype))
    a, b = operands(kernel.operation, sizes, types, numpy.random.default_rng(0))
    c = numpy.zeros(max(1, kernel.c_elements(m, n, k, tile)), dtype)
    numbers = [k] if kernel.operation == "dot" else [m, n, k]
    arguments: list[Argument] = [Pointer("A", a), Pointer("B", b), Pointer("C", c), *numbers]
    geometry = Geometry(kernel.grid(m, n, k, tile), kernel.block(tile))
    outcome = stand.run(arguments, geometry, budget=budget_of(sizes))
    name = kernel.name if tile is None else f"{kernel.name} {tile}"
    return CountsRow(name, named, outcome.counts.as_dict() if outcome.counts else {})


def _tile(kernel: TaughtKernel, tile: int) -> int | None:
    if kernel.tile is None:
        return None
    return tile if kernel.tile.accepts(tile) else kernel.tile.default


def _mnk(sizes: Sizes) -> tuple[int, int, int]:
    return sizes.rows, sizes.cols, sizes.inner
