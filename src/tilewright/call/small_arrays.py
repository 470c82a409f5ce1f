"""Small products of NumPy's arrays, which NumPy multiplies at once: looking at them would take longer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tilewright.choose.trip import LEAST_FLOPS


def extents_of(a: Any, b: Any) -> tuple[int, int] | None:
    """Rows and columns of A B, if these are small NumPy arrays that fit, of one type of its BLAS; None for others."""
    if a.__class__ is not numpy.ndarray or b.__class__ is not numpy.ndarray:
        return None
    dtype, shape, shape_of_b = a.dtype, a.shape, b.shape
    if len(shape) != 2 or len(shape_of_b) != 2 or dtype != b.dtype or dtype.char not in "fd":
        return None
    (m, k), (rows, n) = shape, shape_of_b
    return (m, n) if k == rows and 2 * m * n * k < LEAST_FLOPS else None


def product(a: Any, b: Any, out: Any) -> Any:
    """A B of small arrays, or `out`; None for others, and where NumPy would refuse `out` or fill more than C."""
    extents = extents_of(a, b)
    if extents is None:
        return None
    if out is None:
        return numpy.matmul(a, b)
    if out.__class__ is not numpy.ndarray or out.dtype != a.dtype or out.shape != extents:
        return None
    try:
        return numpy.matmul(a, b, out)
    except ValueError:  # it is read-only, which is said elsewhere
        return None


def planned(a: Any, b: Any) -> Callable[[Any, Any], Any] | None:
    """A function that multiplies small arrays of these layouts, and returns None for others; None without any."""
    if extents_of(a, b) is None:
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
