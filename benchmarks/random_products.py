"""Products drawn at random, by regime: what a library that takes any shape is judged by.

Sizes are log-uniform; a third of the products have multiples of 8, a third even sizes that are no multiples of 8, a
third odd ones. Operands lie along rows or columns, in matrices of their own or as views of wider ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from tilewright.kernels.operand import Operand, packed
from tilewright.kernels.problem import Problem
from tilewright.lab.tune import products as regimes
from tilewright.lab.tune.products import SIZE, Regime

KINDS = ("multiples of 8", "even", "odd")
MAJORS = ("NN", "NT", "TN", "TT")
DTYPES = ("bfloat16", "float16")
MOST_ELEMENTS, LEAST_MULTIPLICATIONS = 2**28, 2**6
MOST = 8e12
"""The most operations of a product."""
VIEWS = 0.25
GAP = 8
"""The share of operands that are views of wider matrices, and by how many elements these are wider."""


REGIMES = (Regime("any", (1, SIZE), (1, SIZE), (1, SIZE)), *regimes.REGIMES)


@dataclass(frozen=True)
class RandomProduct:
    """A (batch, rows, inner) times B (batch, inner, columns). ``majors``: N where an operand lies along its rows, T
    along its columns; ``gaps``: how many elements its matrix is wider than it. ``batch`` is None for one product.
    """

    regime: str
    kind: str
    dtype: str
    rows: int
    inner: int
    columns: int
    batch: int | None
    majors: str
    gaps: tuple[int, int]

    @property
    def flops(self) -> int:
        """The floating-point operations."""
        return 2 * (self.batch or 1) * self.rows * self.inner * self.columns

    def __str__(self) -> str:
        """Return sizes, layout and type, as in ``64 x (127x63x127) NT gaps (0, 8) bfloat16``."""
        sizes = f"{self.rows}x{self.inner}x{self.columns}"
        sizes = sizes if self.batch is None else f"{self.batch} x ({sizes})"
        gaps = f" gaps {self.gaps}" if any(self.gaps) else ""
        return f"{sizes} {self.majors}{gaps} {self.dtype}"

    @property
    def problem(self) -> Problem:
        """The problem of its operands and a C of packed rows."""
        a, b = self._operand(self.rows, self.inner, 0), self._operand(self.inner, self.columns, 1)
        batch = () if self.batch is None else (self.batch,)
        return Problem(a, b, packed((*batch, self.rows, self.columns)), self.dtype, self.dtype)

    def _operand(self, rows: int, columns: int, which: int) -> Operand:
        lines, width = (rows, columns) if self.majors[which] == "N" else (columns, rows)
        line = width + self.gaps[which]
        batch = () if self.batch is None else (self.batch,)
        steps = (lines * line,) * len(batch)
        row, column = (line, 1) if self.majors[which] == "N" else (1, line)
        return Operand(rows, columns, row, column, batch, steps)

    def operands(self) -> tuple[Any, Any]:
        """Return A and B on the current GPU, filled with random normal numbers."""
        return self._matrix(self.rows, self.inner, 0), self._matrix(self.inner, self.columns, 1)

    def _matrix(self, rows: int, columns: int, which: int) -> Any:
        import torch

        lines, width = (rows, columns) if self.majors[which] == "N" else (columns, rows)
        batch = () if self.batch is None else (self.batch,)
        shape = (*batch, lines, width + self.gaps[which])
        whole = torch.randn(shape, dtype=getattr(torch, self.dtype), device="cuda")[..., :width]
        return whole if self.majors[which] == "N" else whole.mT


def drawn(seed: str, count: int, dtypes: tuple[str, ...] = DTYPES, most_flops: float = MOST) -> Iterator[RandomProduct]:
    """Yield so many products of each regime; the same for the same seed."""
    for regime in REGIMES:
        random = Random(f"{seed} {regime.name}")  # noqa: S311  (nothing secret)
        for number in range(count):
            yield _product(regime, KINDS[number % len(KINDS)], random, dtypes, most_flops)


def _product(regime: Regime, kind: str, random: Random, dtypes: tuple[str, ...], most_flops: float) -> RandomProduct:
    while True:
        rows, inner, columns = (_size(limits, kind, random) for limits in (regime.rows, regime.inner, regime.columns))
        batch = None if regime.batch == (1, 1) else _log_uniform(regime.batch, random)
        gaps = tuple(GAP if random.random() < VIEWS else 0 for _ in range(2))
        product = RandomProduct(
            *(regime.name, kind, random.choice(dtypes), rows, inner, columns, batch, random.choice(MAJORS)),
            gaps=(gaps[0], gaps[1]),
        )
        elements = (batch or 1) * max(rows * inner, inner * columns, rows * columns)
        if elements <= MOST_ELEMENTS and LEAST_MULTIPLICATIONS <= product.flops <= most_flops:
            return product


def _size(limits: tuple[int, int], kind: str, random: Random) -> int:
    size, most = _log_uniform(limits, random), limits[1]
    if kind == "multiples of 8":
        return max(8, size // 8 * 8)
    if kind == "odd":
        return size if size % 2 else size + 1 if size < most else size - 1
    size = max(2, size // 2 * 2)
    return size + 2 if size % 8 == 0 and size + 2 <= max(most, 2) else size - 2 if size % 8 == 0 else size


def _log_uniform(limits: tuple[int, int], random: Random) -> int:
    least, most = limits
    return min(most, int(least * (most / least) ** random.random()))
