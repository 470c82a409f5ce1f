"""Small products of NumPy's arrays, which NumPy multiplies at once: looking at them would take longer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tilewright.choose.trip import LEAST_FLOPS


def are_small(a: Any, b: Any) -> bool:
    """Whether these are small NumPy arrays that fit, of one type of its BLAS, which NumPy can multiply at once."""
    if a.__class__ is not numpy.ndarray or b.__class__ is not numpy.ndarray:
        return False
    dtype = a.dtype
    if a.ndim != 2 or b.ndim != 2 or dtype != b.dtype or dtype.char not in "fd":
        return False
    (m, k), (rows, n) = a.shape, b.shape
    return bool(k == rows and 2 * m * n * k < LEAST_FLOPS)


def takes(out: Any, a: Any, b: Any) -> bool:
    """Whether NumPy writes the product of small arrays to `out` as it is; what it refuses is refused elsewhere."""
    return (
        out.__class__ is numpy.ndarray
        and out.dtype == a.dtype
        and out.shape == (a.shape[0], b.shape[1])
        and out.flags.writeable
    )


def planned(a: Any, b: Any) -> Callable[[Any, Any], Any] | None:
    """A function that multiplies small arrays of these layouts, and returns None for others; None without any."""
    if not are_small(a, b):
        return None
    array, product, dtype = numpy.ndarray, numpy.matmul, a.dtype
    shape, strides, shape_of_b, strides_of_b = a.shape, a.strides, b.shape, b.strides

    def multiply(left: Any, right: Any) -> Any:
        if (
            left.__class__ is array
            and right.__class__ is array
            and left.shape == shape
            and right.shape == shape_of_b
            and left.strides == strides
            and right.strides == strides_of_b
            and left.dtype == dtype
            and right.dtype == dtype
        ):
            return product(left, right)
        return None

    return multiply
