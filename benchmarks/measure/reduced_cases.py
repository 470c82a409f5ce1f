"""Reduced products to be measured: shapes, operands, and what torch's users do instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from tilewright.kernels.batches import slices
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul.line_pairs import of_first_lines
from tilewright.kernels.problem import Problem
from tilewright.kernels.reduced_matmul import fused, fused_float64

SQUARES = (128, 256, 512, 1024, 2048, 4096, 8192, 16384)
ODD_K = ((128, 127, 128), (512, 511, 512), (1024, 1023, 1024), (2048, 333, 2048), (4096, 4095, 4096))
RECTANGLES = ((512, 8192, 2048), (4096, 512, 1024), (8192, 4096, 14336), (256, 4096, 256))
THIN = ((2, 8192, 8192), (16, 8192, 8192), (8192, 8192, 16), (64, 4096, 4096), (4096, 4096, 128), (8192, 64, 8192))
HELD_BACK, HELD_BACK_SEED = 6, 20261124
DTYPES = ("bfloat16", "float16", "float32", "float64")
MOST_POOLED = 1024
"""Above this in rows and columns, four times the products cannot be the fastest way."""


@dataclass(frozen=True)
class ReducedCase:
    """A reduced product of packed matrices: rows of A, inner size, columns of B."""

    group: str
    dtype: str
    rows: int
    inner: int
    columns: int

    @property
    def flops(self) -> int:
        """The operations once pairs are added."""
        return 2 * self.rows * self.columns // 4 * self.inner

    def __str__(self) -> str:
        """Return the sizes."""
        return f"{self.rows}x{self.inner}x{self.columns}"

    def operands(self) -> tuple[Any, Any]:
        """Return A and B on the current GPU, filled with random normal numbers."""
        import torch

        dtype = getattr(torch, self.dtype)
        return (
            torch.randn((self.rows, self.inner), dtype=dtype, device="cuda"),
            torch.randn((self.inner, self.columns), dtype=dtype, device="cuda"),
        )


def shapes() -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Yield groups and sizes: rows, inner, columns."""
    yield from (("square", (size, size, size)) for size in SQUARES)
    yield from (("odd k", shape) for shape in ODD_K)
    yield from (("rectangle", shape) for shape in RECTANGLES)
    yield from (("thin", shape) for shape in THIN)
    random = Random(HELD_BACK_SEED)  # noqa: S311  (nothing secret)
    for _ in range(HELD_BACK):
        rows, inner, columns = (int(2 ** random.uniform(5, 13)) for _ in range(3))
        yield "held back", (2 * (rows // 2), inner, 2 * (columns // 2))


def cases(dtype: str) -> Iterator[ReducedCase]:
    """Yield what is measured of a type."""
    yield from (ReducedCase(group, dtype, *shape) for group, shape in shapes())


def fused_ways(problem: Problem, facts: DeviceFacts) -> Iterator[tuple[str, float, Callable[[], Launches]]]:
    """Yield the ways of reduced_matmul/fused by tile and splits: a name, the modelled time in us, and its launches.

    For a product of at most two batch extents on a chip whose SMs are counted.
    """
    if problem.dtype != "float64":
        for each in fused.divisions(problem, facts):
            name = f"{each.tile.block_m}x{each.tile.block_n} / {each.splits}{' T' if each.is_transposed else ''}"
            us = fused.us(problem, each, facts.sm_count or 1)
            yield name, us, partial(fused.divided, slices(problem), each, facts)
        return
    (part,) = slices(of_first_lines(problem))
    for us, tile, shares in fused_float64.KERNEL.choices(part, facts):
        name = f"{tile.block_m}x{tile.block_n} / {shares.splits}"
        yield name, us, partial(fused_float64.KERNEL.divided, part, facts, tile, shares)


def summed_before(a: Any, b: Any) -> Any:
    """The pairs are added first, then the sums are multiplied."""
    import torch

    return torch.matmul(a[0::2] + a[1::2], b[:, 0::2] + b[:, 1::2])


def pooled(a: Any, b: Any) -> Any:
    """All is multiplied, then squares of 2 x 2 are added."""
    import torch

    return torch.nn.functional.avg_pool2d(torch.matmul(a, b)[None, None], 2, divisor_override=1)[0, 0]


def rivals(case: ReducedCase, a: Any, b: Any, compiled: Callable[..., Any] | None) -> dict[str, Callable[[], Any]]:
    """Return torch's ways by name; ``compiled`` is torch.compile's of `summed_before`."""
    ways: dict[str, Callable[[], Any]] = {"summed before": lambda: summed_before(a, b)}
    if compiled is not None:
        ways["compiled"] = lambda: compiled(a, b)
    if min(case.rows, case.columns) <= MOST_POOLED:
        ways["pooled"] = lambda: pooled(a, b)
    return ways
