"""Whether elements of an array share a place in memory: as `out` it could not hold the result."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.lib.stride_tricks import as_strided

from .errors import ShapeError

Shape = tuple[int, ...]

MOST_WORK = 2**16
"""Steps after which the search for two elements at one place is given up. Nobody lays arrays out that take so many."""


def check_places(shape: Shape, strides: Shape, dtype: str) -> None:
    """Raise ShapeError for an `out` of these extents and strides (in elements) of which two elements are one place."""
    if shares_places(shape, strides):
        raise ShapeError(
            f"out is {shape} {dtype} with strides {strides}, so that some of its elements share a place in memory, and "
            "an out with a place for each element is accepted."
        )


def shares_places(shape: Shape, strides: Shape) -> bool:
    """Whether two elements of an array with these extents and strides are at one place."""
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
    """Whether each stride steps over all that the smaller ones reach: then no two elements share a place."""
    reach = 0
    for stride, extent in _walked(shape, strides):
        if stride <= reach:
            return False
        reach += stride * (extent - 1)
    return True


def _walked(shape: Shape, strides: Shape) -> list[tuple[int, int]]:
    """Strides without their signs, smallest first, each with its extent, where that is more than one."""
    return sorted((abs(stride), extent) for stride, extent in zip(strides, shape, strict=True) if extent > 1)
