"""Which axes `axes`, `axis` and `keepdims` name: NumPy's rules for generalized ufuncs, for CuPy's arrays.

A core axis is one of the axes of a matrix or a vector; all others are looped over.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from tilewright.arrays.errors import DtypeError, Shaped, ShapeError, describe, described


@dataclass(frozen=True)
class CoreAxes:
    """The core axes of A and B, counted from the front, and those of the result as they were given.

    keeps: the result keeps the axis summed over, with extent 1.
    """

    a: tuple[int, ...]
    b: tuple[int, ...]
    out: tuple[int, ...]
    keeps: bool = False


def core_axes(operation: str, a: Shaped, b: Shaped, keywords: dict[str, Any]) -> CoreAxes:
    """The axes of a call of "matmul" or "vecdot" with keywords ``axes``, ``axis``, ``keepdims``.

    Raises:
        ShapeError: there are no such axes, or too few or too many are named.
        DtypeError: what is given is no list of whole numbers and tuples of them, or not for this operation.
    """
    given = describe(a, b)
    if min(a.ndim, b.ndim) == 0:
        raise ShapeError(f"{operation} takes arrays of one or more dimensions, but {given}.")
    counts = _counts(operation, a, b)
    keepdims, axis, axes = keywords.get("keepdims"), keywords.get("axis"), keywords.get("axes")
    if keepdims is not None and not isinstance(keepdims, bool):
        raise DtypeError(f"keepdims is {described(keepdims)}, and True or False is accepted.")
    for name, value in (("keepdims", keepdims), ("axis", axis)):
        if value is not None and operation != "vecdot":
            raise DtypeError(f"{name} is for sums along one axis, as vecdot's, and {operation} takes axes alone.")
    if axis is not None and axes is not None:
        raise DtypeError("axis and axes say the same; leave one out.")
    if axis is not None:
        axes = [axis, axis, axis] if keepdims else [axis, axis]
    if keepdims:
        counts = (*counts[:2], 1)
    entries = [tuple(range(-count, 0)) for count in counts] if axes is None else _entries(axes, counts)
    inputs = [_from_the_front(entry, array, given) for entry, array in zip(entries, (a, b), strict=False)]
    return CoreAxes(inputs[0], inputs[1], entries[2], keeps=bool(keepdims))


def _counts(operation: str, a: Shaped, b: Shaped) -> tuple[int, int, int]:
    """How many core axes A, B and the result have. A vector has one, and then the result lacks it."""
    if operation == "vecdot":
        return 1, 1, 0
    rows, columns = a.ndim > 1, b.ndim > 1
    return 1 + rows, 1 + columns, int(rows) + int(columns)


def _entries(axes: object, counts: tuple[int, int, int]) -> list[tuple[int, ...]]:
    if not isinstance(axes, list):
        raise DtypeError(f"axes is {described(axes)}, and a list of tuples, one for each array, is accepted.")
    if len(axes) not in ({2, 3} if counts[2] == 0 else {3}):
        raise ShapeError(f"axes has {len(axes)} entries, and one for each of A, B and the result is accepted.")
    entries = [_entry(entry) for entry in axes]
    if len(entries) == 2:
        entries.append(())
    for name, entry, count in zip(("A", "B", "the result"), entries, counts, strict=True):
        if len(entry) != count:
            raise ShapeError(f"axes names {len(entry)} of {name}'s axes, {entry}, and {count} are accepted.")
    return entries


def _entry(given: object) -> tuple[int, ...]:
    try:
        return tuple(int(operator.index(axis)) for axis in (given if isinstance(given, tuple) else (given,)))
    except TypeError as error:
        raise DtypeError(f"axes holds {given!r}, and whole numbers and tuples of them are accepted.") from error


def _from_the_front(entry: tuple[int, ...], array: Shaped, given: str) -> tuple[int, ...]:
    if any(not -array.ndim <= axis < array.ndim for axis in entry):
        raise ShapeError(f"axes names {entry} of an array with {array.ndim} axes: {given}.")
    places = tuple(axis % array.ndim for axis in entry)
    if len(set(places)) < len(places):
        raise ShapeError(f"axes names an axis twice, {entry}: {given}.")
    return places
