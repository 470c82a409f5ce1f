"""Compares arrays with expected ones: integers exactly, floating-point numbers within a bound of their type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.lab.check.element_types import is_integer

Array = NDArray[Any]

RELATIVE = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-10}
"""The largest error of an element, relative to its expected value plus the mean size of all expected values.

The mean accounts for elements near 0, whose rounding errors come from larger terms. Products have a bound derived from
the operation; for other kernels nothing is known to derive one from.
"""


@dataclass(frozen=True)
class Nearness:
    """An array compared with the expected one. is_right: per element. error, bound: of the one closest to its bound."""

    is_right: NDArray[numpy.bool_]
    error: float
    bound: float

    @property
    def passed(self) -> bool:
        """Whether all elements are right."""
        return bool(self.is_right.all())

    @property
    def share(self) -> float:
        """The largest error as a share of its bound; infinite for NaN where a number should be."""
        if numpy.isnan(self.error):
            return numpy.inf
        return self.error / self.bound if self.bound else self.error

    @property
    def first_wrong(self) -> int:
        """The first wrong element, counted in reading order."""
        return int((~self.is_right).ravel().argmax())


def nearness(got: Array, expected: Array) -> Nearness:
    """Compare two arrays of the same shape; the type of `got` sets the bound. NaN is right only where expected."""
    if is_integer(got.dtype):
        return Nearness(numpy.asarray(got == expected), float(_largest(_distance(got, expected))), 0.0)
    with numpy.errstate(over="ignore"):
        held = expected.astype(got.dtype)
    # What the type does not hold is expected to be infinite in it.
    wanted = numpy.where(numpy.isinf(held), held, expected).astype(numpy.float64)
    is_same = numpy.asarray(got == held)
    is_same |= numpy.isnan(got) & numpy.isnan(wanted)
    finite = numpy.abs(wanted[numpy.isfinite(wanted)])
    bound = RELATIVE[got.dtype.name] * (numpy.abs(wanted) + (finite.mean() if finite.size else 0.0))
    distance = _distance(got, wanted)
    with numpy.errstate(invalid="ignore"):
        is_right = is_same | (numpy.isfinite(wanted) & (distance <= bound))
        shares = numpy.where(
            is_same | (distance == 0), 0, distance / numpy.where(bound > 0, bound, numpy.finfo(float).tiny)
        )
    at = int(numpy.nan_to_num(shares, nan=numpy.inf).argmax()) if shares.size else 0
    error = 0.0 if not shares.size or is_same.flat[at] else float(distance.flat[at])
    return Nearness(is_right, error, float(bound.flat[at]) if bound.size else 0.0)


def _distance(got: Array, expected: Array) -> Array:
    with numpy.errstate(invalid="ignore", over="ignore"):
        return numpy.abs(got.astype(numpy.float64) - expected.astype(numpy.float64))


def _largest(distances: Array) -> float:
    return float(distances.max()) if distances.size else 0.0
