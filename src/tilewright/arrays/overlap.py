"""Whether elements of an array share memory, in which case it cannot hold a result as `out`."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.lib.stride_tricks import as_strided

from .errors import ShapeError

Shape = tuple[int, ...]

MOST_WORK = 2**16
"""The most steps of the search for two elements at one address; no array in practice needs more."""


def check_places(shape: Shape, strides: Shape, dtype: str) -> None:
    """Raise ShapeError for an `out` with two elements at one address. Strides are in elements."""
    if shares_places(shape, strides):
        raise ShapeError(
            f"out is {shape} {dtype} with strides {strides}, so that some of its elements share a place in memory, and "
            "an out with a place for each element is accepted."
        )


def shares_places(shape: Shape, strides: Shape) -> bool:
    """Whether two elements of an array with these extents and strides are at the same address."""
    if 0 in shape:
        return False
    if is_nested(shape, strides):
        return False
    walked = _walked(shape, strides)
    if walked[0][0] == 0:
        return True
    # Of two elements at one place, one is the first along some axis and the other is not, once both are shifted there.
    shares_memory: Any = numpy.shares_memory  # whose stubs know no other number than -1 and 0
    array = as_strided(numpy.empty(1, numpy.uint8), [extent for _, extent in walked], [stride for stride, _ in walked])
    try:
        return any(
            shares_memory(turned[:1], turned[1:], max_work=MOST_WORK)
            for turned in (numpy.moveaxis(array, axis, 0) for axis in range(array.ndim))
        )
    except numpy.exceptions.TooHardError:
        return False


def is_nested(shape: Shape, strides: Shape) -> bool:
    """Whether each stride steps over all smaller ones, so that no two elements share an address."""
    reach = 0
    for stride, extent in _walked(shape, strides):
        if stride <= reach:
            return False
        reach += stride * (extent - 1)
    return True


def _walked(shape: Shape, strides: Shape) -> list[tuple[int, int]]:
    """Absolute strides, the smallest first, each with its extent; dimensions of extent 1 are left out."""
    return sorted((abs(stride), extent) for stride, extent in zip(strides, shape, strict=True) if extent > 1)
