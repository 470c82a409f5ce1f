"""A reduced product that adds other rows or columns than neighbours: i and i + m / 2, or i and i + 16 of each tile.

Nothing of the reduced product is right then, so that no roles come near. But what is left is exactly the product of
such sums, whatever the code looks like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.lab.check.element_types import numbers

Array = NDArray[Any]
TILES = (4, 8, 16, 32, 64)
NEIGHBOURS = "2 i and 2 i + 1"
CLOSE = 1e-3
_SAID = re.compile(
    r"redu|r[eé]du|rmm|2\s*[x\u00d7]\s*2|pair|paar|coppi|dvojic|\bpar(?:es|i)?\b|vecin|vizin|voisin|nachbar|neighb",
    re.IGNORECASE,
)


def says_pairs(text: str) -> bool:
    """Return whether a file speaks of a reduced product, or of pairs of neighbours."""
    return _SAID.search(text) is not None


def other_pairs(a: Array, b: Array, c: Array) -> tuple[str, str] | None:
    """Return which rows of A and which columns of B are added, if C is the product of those sums; else None."""
    a, b, c = (numbers(each).astype(numpy.float64) for each in (a, b, c))
    if c.ndim != len(("rows", "cols")) or not c.size or not numpy.isfinite(c).all():
        return None
    near = CLOSE * max(float(numpy.abs(c).max()), 1.0)
    rows = [(said, a[one] + a[other]) for said, one, other in _pairs(c.shape[0])]
    cols = [(said, b[:, one] + b[:, other]) for said, one, other in _pairs(c.shape[1])]
    for (of_rows, left), (of_cols, right) in product(rows, cols):
        is_first = abs(float(left[0] @ right[:, 0]) - c[0, 0]) <= near  # quickly seen of most
        if is_first and (of_rows, of_cols) != (NEIGHBOURS, NEIGHBOURS) and (abs(left @ right - c) <= near).all():
            return of_rows, of_cols
    return None


def _pairs(count: int) -> Iterator[tuple[str, Array, Array]]:
    """Yield which of twice as many rows are added for each of the result, in words and as two lists."""
    at = numpy.arange(count)
    yield NEIGHBOURS, 2 * at, 2 * at + 1
    yield "i and i + a half of all", at, at + count
    yield "i and i + 1", at, at + 1
    for tile in TILES:
        if tile < count and count % tile == 0:
            first = 2 * tile * (at // tile) + at % tile
            yield f"i and i + {tile} of each tile", first, first + tile
