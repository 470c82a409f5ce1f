"""Products that tell a careful sum from a careless one, with what must come out of each; for any library and device.

Numbers are exact in their type. Where a product has one term for each element it must be exact, subnormal numbers
included; else it is within the rounding of its sums, whose bound is derived in tilewright/call/reference.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

import tilewright

M, K, N = 18, 40, 17
"""Sizes that are multiples of no tile's."""
DTYPES = ("float16", "bfloat16", "float32", "float64")


@dataclass(frozen=True)
class Type:
    """A type of floating-point numbers: significant bits, and the exponents of its least normal and subnormal number.

    ``sums`` are the significant bits of the type that it is summed in, and ``span`` the exponents whose products no sum
    loses: to minus and plus that.
    """

    digits: int
    normal: int
    least: int
    sums: int
    span: int


TYPES = {
    "float16": Type(11, -14, -24, 24, 6),
    "bfloat16": Type(8, -126, -133, 24, 50),
    "float32": Type(24, -126, -149, 24, 50),
    "float64": Type(53, -1022, -1074, 53, 400),
}


@dataclass(frozen=True)
class Graded:
    """A and B, in float64, and whether C must be exact."""

    a: NDArray[numpy.float64]
    b: NDArray[numpy.float64]
    is_exact: bool = False


def exponents_far_apart(kind: Type, random: numpy.random.Generator) -> Graded:
    """Each row of A and column of B has exponents of its own, and each element one far from its neighbours'."""
    half = kind.span // 2
    rows, columns = random.integers(-half, half, (M, 1)), random.integers(-half, half, (1, N))
    a = _rounded(random.uniform(1, 2, (M, K)), kind) * 2.0 ** (rows + random.integers(-half, half, (M, K)))
    b = _rounded(random.uniform(1, 2, (K, N)), kind) * 2.0 ** (columns + random.integers(-half, half, (K, N)))
    return Graded(a * random.choice([-1, 1], a.shape), b)


def one_of_each_row(kind: Type, random: numpy.random.Generator) -> Graded:
    """One 1 in each row of A: rows of C are rows of B, bit by bit."""
    return Graded(numpy.eye(K)[random.integers(0, K, M)], _rounded(random.standard_normal((K, N)), kind), is_exact=True)


def subnormal(kind: Type, random: numpy.random.Generator) -> Graded:
    """Subnormal numbers in B, and powers of 2 in A that leave them subnormal or make them normal."""
    a = numpy.eye(K)[random.integers(0, K, M)] * 2.0 ** random.integers(0, kind.digits, (M, 1))
    digits = random.integers(-(2 ** (kind.digits - 1)), 2 ** (kind.digits - 1), (K, N))
    b = numpy.ldexp(digits.astype(numpy.float64), kind.least)
    return Graded(a, b, is_exact=True)


def rows_of_zeros(kind: Type, random: numpy.random.Generator) -> Graded:
    """A third of A's rows and of B's columns is 0, and so is what they give."""
    a, b = _rounded(random.standard_normal((M, K)), kind), _rounded(random.standard_normal((K, N)), kind)
    a[::3], b[:, 1::3] = 0.0, 0.0
    return Graded(a, b)


def cancelling(kind: Type, random: numpy.random.Generator) -> Graded:
    """Each term has its negative further on: sums are small beside their terms."""
    half = _rounded(random.standard_normal((M, K // 2)), kind)
    lower = _rounded(random.standard_normal((K // 2, N)), kind)
    return Graded(numpy.concatenate([half, -half], 1), numpy.concatenate([lower, lower]))


PRODUCTS = {
    each.__name__: each for each in (exponents_far_apart, one_of_each_row, subnormal, rows_of_zeros, cancelling)
}


def check(library: Any, name: str, dtype: str, *, out: bool = False, **options: object) -> None:
    """Multiply by a library's arrays, into an ``out`` of NaN if asked, and compare each element.

    ``library`` has ``array(values, dtype)`` and ``values(array)``.
    """
    kind, random = TYPES[dtype], numpy.random.default_rng()
    product = PRODUCTS[name](kind, random)
    a, b = library.array(product.a, dtype), library.array(product.b, dtype)
    for array, values in ((a, product.a), (b, product.b)):  # or what follows would compare something else
        numpy.testing.assert_array_equal(library.values(array), values)
    if out:
        target = library.array(numpy.full((M, N), numpy.nan), dtype)
        result = tilewright.matmul(a, b, out=target, **options)  # type: ignore[arg-type]
        assert result is target
    else:
        result = tilewright.matmul(a, b, **options)  # type: ignore[arg-type]
    found = library.values(result)
    exact, sizes = product.a @ product.b, numpy.abs(product.a) @ numpy.abs(product.b)
    if product.is_exact:
        numpy.testing.assert_array_equal(found, exact)
        return
    sums = 2 * (K + 16) * 2.0**-kind.sums * sizes  # twice, as the reference is itself a sum in float64
    rounding = (
        0 if kind.sums == kind.digits else 2.0**-kind.digits * (numpy.abs(exact) + sums) + 2.0 ** (kind.least - 1)
    )
    assert (numpy.abs(found - exact) <= sums + rounding).all()
    assert (found[sizes == 0] == 0).all()


def _rounded(values: NDArray[Any], kind: Type) -> NDArray[numpy.float64]:
    """The nearest numbers of the type, of numbers within its range."""
    last = numpy.maximum(numpy.frexp(values)[1] - kind.digits, kind.least)
    return numpy.asarray(numpy.ldexp(numpy.rint(numpy.ldexp(values, -last)), last), numpy.float64)
