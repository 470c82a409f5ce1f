"""Operands whose sums of products need C's own type: kept in a narrower one they overflow or are rounded.

So are those of 32 bits in a float.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.lab.check.element_types import BFLOAT16, EXACT, as_type

Array = NDArray[Any]
_FACTORS = {(1, 4): 12, (1, 8): 12, (2, 4): 100, (2, 8): 100, (4, 8): 30_000}
"""What whole numbers of up to 7 are multiplied by, by the bytes of A and B and those of C."""
OF_ALL = 4600
"""The same of 16 bits beside 64, where a file speaks of all numbers that they hold: up to 32,200."""
MOST_OF_32 = 301
"""The same of 32 bits beside 32, with which a float does not hold the sum of some hundred products."""
LARGEST = 15
"""Of the parts that a 16-bit element has: the products are exact in that type, long sums of them are not."""
_PARTS = {numpy.dtype("float16"): 8, BFLOAT16: 4}
"""Of 1, of which the elements are multiples."""
MOST_TERMS = 1 << 15
"""Of a sum that is exact in 32 bits."""


def wide_operands(
    a: Array,
    b: Array,
    dtypes: Mapping[str, numpy.dtype[Any]],
    generator: numpy.random.Generator,
    *,
    takes_all: bool = False,
) -> tuple[Array, Array]:
    """Return A and B for a C of a wider type, or else as they are.

    takes_all: whether numbers of 16 bits may be as large as they can; a sum of two products fits in 32 bits, then.
    """
    own, c = {dtypes["A"], dtypes["B"]}, dtypes["C"]
    if all(each.kind in "iu" for each in (*own, c)):
        (bytes_of, *others) = {each.itemsize for each in own}
        factor = _FACTORS.get((bytes_of, c.itemsize), 1) if not others else 1
        factor = _that_fits(max(*a.shape, *b.shape)) if not others and (bytes_of, c.itemsize) == (4, 4) else factor
        factor = OF_ALL if takes_all and not others and (bytes_of, c.itemsize) == (2, 8) else factor
        return a * a.dtype.type(factor), b * b.dtype.type(factor)
    is_wide = own <= set(EXACT) and c.kind == "f" and c.itemsize >= 4
    if not is_wide or max(*a.shape, *b.shape) > MOST_TERMS:
        return a, b
    return _in_parts(a, generator), _in_parts(b, generator)


def _that_fits(terms: int) -> int:
    """Return an odd factor of whole numbers of up to 7, with which 32 bits hold four sums of so many products."""
    return max(1, min(isqrt((1 << 31) // (4 * 49 * terms)), MOST_OF_32) - 1) | 1


def _in_parts(array: Array, generator: numpy.random.Generator) -> Array:
    values = generator.integers(-LARGEST, LARGEST + 1, array.shape) / _PARTS[array.dtype]
    return as_type(values, array.dtype)
