"""The products to be timed: drawn at random by regime, or as a user writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random

from tilewright.kernels.operand import Operand, packed
from tilewright.kernels.problem import INPUT_DTYPES, Problem
from tilewright.kernels.refusals import PlanError

SIZE = 14_000
MOST_ELEMENTS, LEAST_FLOPS = 2**27, 2**10
MOST_FLOPS = {True: 1e12, False: 5e10}
"""Of drawn products, in 16-bit types and in wider ones: about two milliseconds each."""
MULTIPLE = 8
SHAPE = re.compile(r"[1-9][0-9]{0,17}(?:x[1-9][0-9]{0,17}){2,}", re.ASCII)


@dataclass(frozen=True)
class Regime:
    """A range of shapes: the least and the most rows, inner size and columns; and products in a batch."""

    name: str
    rows: tuple[int, int]
    inner: tuple[int, int]
    columns: tuple[int, int]
    batch: tuple[int, int] = (1, 1)


REGIMES = (
    Regime("few rows", (1, 16), (512, SIZE), (512, 60_000)),
    Regime("few columns", (512, 60_000), (512, SIZE), (1, 16)),
    Regime("tiny k", (512, SIZE), (1, 64), (512, SIZE)),
    Regime("huge k", (16, 512), (16_384, 2**20), (16, 512)),
    Regime("small", (16, 512), (16, 512), (16, 512)),
    Regime("large", (1024, SIZE), (1024, SIZE), (1024, SIZE)),
    Regime("batched", (16, 1024), (16, 1024), (16, 1024), (2, 512)),
)


def drawn(seed: int, dtypes: Sequence[str]) -> Iterator[tuple[str, Problem]]:
    """Yield products without end, each after its regime: the regimes in turn, the types in turn.

    Half of them have multiples of 8, half any sizes; operands lie along rows or columns.
    """
    random = Random(seed)  # noqa: S311  (nothing secret)
    for number in count():
        regime = REGIMES[number % len(REGIMES)]
        dtype = dtypes[(number // len(REGIMES) + number % len(REGIMES)) % len(dtypes)]
        yield regime.name, _drawn(regime, dtype, random)


def _drawn(regime: Regime, dtype: str, random: Random) -> Problem:
    multiple = random.choice((1, MULTIPLE))
    while True:
        m, k, n = (_log_uniform(limits, multiple, random) for limits in (regime.rows, regime.inner, regime.columns))
        batch = () if regime.batch == (1, 1) else (_log_uniform(regime.batch, 1, random),)
        problem = product((*batch, m, k, n), dtype, random.choice(("", "a", "b", "ab")))
        elements = max(each.distinct_elements for each in (problem.a, problem.b, problem.c))
        if elements <= MOST_ELEMENTS and LEAST_FLOPS <= problem.flops <= MOST_FLOPS[dtype in INPUT_DTYPES]:
            return problem


def _log_uniform(limits: tuple[int, int], multiple: int, random: Random) -> int:
    least, most = limits
    size = int(least * (most / least) ** random.random())
    return max(multiple, size // multiple * multiple)


def product(shape: Sequence[int], dtype: str, transposed: str = "", precision: str = "auto") -> Problem:
    """Return the product of packed matrices: rows, inner size and columns, after the extents of a batch.

    ``transposed``: the operands, "a", "b" or "ab", that lie along columns. ``precision``: how float32 is multiplied.
    """
    *batch, m, k, n = shape
    a, b = _operand((*batch, m, k), "a" in transposed), _operand((*batch, k, n), "b" in transposed)
    how = precision if dtype == "float32" else None
    return Problem(a, b, packed((*batch, m, n)), dtype, dtype, precision=how)


def _operand(shape: Sequence[int], along_columns: bool) -> Operand:
    *batch, rows, columns = shape
    return packed((*batch, columns, rows)).transposed if along_columns else packed(shape)


def shape_of(text: str) -> tuple[int, ...]:
    """Return the sizes that a user wrote, as in ``4096x4096x1000`` or, with a batch, ``8x128x64x128``.

    Raises:
        PlanError: it is no such text.
    """
    if not SHAPE.fullmatch(text):
        raise PlanError(
            "A shape is rows x inner size x columns, such as 4096x4096x1000, or with a batch 8x128x64x128, "
            f"not {text!r}."
        )
    return tuple(map(int, text.split("x")))
