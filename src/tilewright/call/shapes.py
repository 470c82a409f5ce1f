"""The shapes of all operations: the axes summed over, and the result's shape."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy

from tilewright.arrays.errors import DtypeError, Shaped, ShapeError, describe, described
from tilewright.kernels import find_operation

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Contraction:
    """The axes of A and of B that are summed over, counted from the front, and the result's shape."""

    a_axes: tuple[int, ...]
    b_axes: tuple[int, ...]
    shape: Shape


def check_shapes(operation: str, a: Shaped, b: Shaped) -> Shape:
    """The shape of the result. Raises ShapeError when A and B do not fit the operation."""
    dimensions, dimensions_of_b = len(a.shape), len(b.shape)
    if operation == "dot":
        if dimensions != 1 or dimensions_of_b != 1:
            raise ShapeError(f"dot takes two vectors, but {describe(a, b)}; matmul multiplies matrices.")
        if a.shape != b.shape:
            raise ShapeError(f"dot takes two vectors of the same length, but {describe(a, b)}.")
        return ()
    if operation == "reduced_matmul" and (dimensions < 2 or dimensions_of_b < 2):
        raise ShapeError(f"reduced_matmul takes matrices A (m, k) and B (k, n), but {describe(a, b)}.")
    if dimensions == 0 or dimensions_of_b == 0:
        raise ShapeError(f"{operation} takes arrays of one or more dimensions, but {describe(a, b)}.")
    k, k_of_b = a.shape[-1], b.shape[-2] if dimensions_of_b > 1 else b.shape[0]
    if k != k_of_b:
        raise ShapeError(
            f"{operation} takes A (m, k) and B (k, n), but {describe(a, b)}: the inner sizes {k} and {k_of_b} differ."
        )
    m, n = a.shape[-2] if dimensions > 1 else 1, b.shape[-1] if dimensions_of_b > 1 else 1
    about = find_operation(operation)
    refusal = about.refusal(m, n, k)
    if refusal is not None:
        raise ShapeError(f"{refusal[:-1]}; {describe(a, b)}.")
    try:
        batch = broadcast(tuple(a.shape[:-2]), tuple(b.shape[:-2])) if max(dimensions, dimensions_of_b) > 2 else ()
    except ValueError as error:
        raise ShapeError(
            f"{operation} broadcasts the leading dimensions, but {describe(a, b)}: those do not fit."
        ) from error
    rows, columns = about.c_shape(m, n)
    return batch + ((rows,) if dimensions > 1 else ()) + ((columns,) if dimensions_of_b > 1 else ())


def broadcast(left: Shape, right: Shape) -> Shape:
    """The shape to which both broadcast, also of symbols that JAX has for extents. Raises ValueError for others."""
    missing = len(right) - len(left)
    pairs = list(zip((1,) * missing + left, (1,) * -missing + right, strict=True))
    if any(extent not in (1, other) and other != 1 for extent, other in pairs):
        raise ValueError(left, right)
    return tuple(other if extent == 1 else extent for extent, other in pairs)


def dot_shape(a: Shaped, b: Shaped) -> Shape:
    """The shape of NumPy's dot: a sum over the last axis of A and the second-to-last (or only) one of B."""
    if a.ndim == 0 or b.ndim == 0:
        return tuple(a.shape) + tuple(b.shape)
    inner, inner_of_b = a.shape[-1], b.shape[-2] if b.ndim > 1 else b.shape[0]
    if inner != inner_of_b:
        raise ShapeError(
            f"dot sums over the last axis of A and the last but one of B, but {describe(a, b)}: "
            f"the sizes {inner} and {inner_of_b} differ."
        )
    return tuple(a.shape[:-1]) + tuple(b.shape[:-2]) + (tuple(b.shape[-1:]) if b.ndim > 1 else ())


def vecdot_shape(a: Shaped, b: Shaped, axis: object) -> tuple[int, int, Shape]:
    """The axes of A and of B that are summed over (they do not broadcast), and the result's shape."""
    if a.ndim == 0 or b.ndim == 0:
        raise ShapeError(f"vecdot takes arrays of one or more dimensions, but {describe(a, b)}.")
    number = _whole(axis, "axis")
    if any(not -array.ndim <= number < array.ndim for array in (a, b)):
        raise ShapeError(f"axis is {number}, which A and B do not both have: {describe(a, b)}.")
    a_axis, b_axis = number % a.ndim, number % b.ndim
    if a.shape[a_axis] != b.shape[b_axis]:
        raise ShapeError(
            f"vecdot sums over axis {number} of both, but {describe(a, b)}: "
            f"the sizes {a.shape[a_axis]} and {b.shape[b_axis]} differ."
        )
    others = [array.shape[:at] + array.shape[at + 1 :] for array, at in ((a, a_axis), (b, b_axis))]
    try:
        return a_axis, b_axis, broadcast(*others)
    except ValueError as error:
        raise ShapeError(f"vecdot broadcasts all axes but one, but {describe(a, b)}: those do not fit.") from error


def tensordot_shape(a: Shaped, b: Shaped, axes: object) -> Contraction:
    """The contraction over `axes`: a count (the last axes of A, the first of B), or the axes of A and those of B."""
    a_axes, b_axes = _axes_of_both(a, axes)
    for name, array, chosen in (("A", a, a_axes), ("B", b, b_axes)):
        outside = [axis for axis in chosen if not -array.ndim <= axis < array.ndim]
        if outside:
            raise ShapeError(f"axes names axis {outside[0]} of {name}, which has {array.ndim}: {describe(a, b)}.")
    a_axes, b_axes = tuple(axis % a.ndim for axis in a_axes), tuple(axis % b.ndim for axis in b_axes)
    for name, chosen in (("A", a_axes), ("B", b_axes)):
        if len(set(chosen)) < len(chosen):
            raise ShapeError(f"axes names an axis of {name} twice: {chosen}; {describe(a, b)}.")
    sizes, sizes_of_b = [a.shape[axis] for axis in a_axes], [b.shape[axis] for axis in b_axes]
    if sizes != sizes_of_b:
        raise ShapeError(
            f"tensordot sums over axes {a_axes} of A and {b_axes} of B, whose sizes differ: {describe(a, b)}."
        )
    left = [extent for axis, extent in enumerate(a.shape) if axis not in a_axes]
    right = [extent for axis, extent in enumerate(b.shape) if axis not in b_axes]
    return Contraction(a_axes, b_axes, (*left, *right))


def _axes_of_both(a: Shaped, axes: object) -> tuple[tuple[int, ...], tuple[int, ...]]:
    several = _several(axes)
    if several is not None and len(several) == 2:
        first, second = (_axis_list(each) for each in several)
        if len(first) != len(second):
            raise ShapeError(
                f"axes names {len(first)} axes of A and {len(second)} of B, and as many of each are accepted."
            )
        return first, second
    count = _whole(axes, "axes")
    count = max(count, 0)  # fewer than none are none, as in NumPy
    return tuple(range(a.ndim - count, a.ndim)), tuple(range(count))


def _axis_list(given: object) -> tuple[int, ...]:
    several = _several(given)
    return tuple(_whole(axis, "axes") for axis in ([given] if several is None else several))


def _several(given: object) -> Sequence[object] | None:
    """A sequence, or an array of one or more dimensions, as a sequence; None for anything else."""
    if isinstance(given, numpy.ndarray):
        return list(given) if given.ndim else None
    return given if isinstance(given, Sequence) and not isinstance(given, str | bytes) else None


def _whole(given: object, name: str) -> int:
    try:
        return int(operator.index(given))  # type: ignore[arg-type]
    except TypeError as error:
        raise DtypeError(f"{name} is {described(given)}, and whole numbers are accepted.") from error
