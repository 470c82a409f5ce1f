"""The float64 reference of a result, and the error bound of its elements.

Derivation of the bound. Let u be the unit roundoff of the kernel's type (2**-24 for float32, 2**-53 for float64) and
gamma_s = s u / (1 - s u). An inner product of length k, summed in whatever order, with or without fma, rounds each of
its terms at most k times: once in the product (not at all in an fma) and at most k - 1 times in additions, since the
first addition is to an exact 0 and the tiles' padding adds exact zeros. So, with |A| the matrix of absolute values
(Higham, Accuracy and Stability of Numerical Algorithms, 3.1),

    matmul, dot:      |C - AB| <= gamma_k (|A| |B|)                                        element by element.

In the reduced product the two sums before the multiplication round once each, so a term is rounded k + 2 times; the
variant that multiplies out (`naive_4p`) rounds a term in its product, in three additions within the expression and in
k - 1 outside it, k + 3 times. One bound serves both:

    reduced_matmul:   |C - ref| <= gamma_{k+3} (|A0| + |A1|) (|B0| + |B1|),

A0, A1 the even and odd rows of A, and B0, B1 the even and odd columns of B.

Products of 16-bit numbers are exact in float32, and their sums are float32 (u = 2**-24). A tensor core adds them
sixteen at a time and cuts off the bits that it shifts out, which 16 more roundings cover: gamma_{k+16} |A| |B|.
Products of numbers rounded to tf32 are exact in float32, too: the bound is that of the rounded matrices.

The reference is computed in float64 and
has an error of the same form, with float64's u, which is added; so is half of the smallest subnormal number for every
product that can underflow. Nothing is fitted to what was observed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

Array = NDArray[Any]
Matrix = NDArray[numpy.float64]

SEED_004_TOLERANCE = 1e-5
"""MAX_ERR of seed 004, for its own inputs in double."""
TENSOR_CORE_ROUNDINGS = 16
"""Those of a term's way through a tensor core, beside the k of a sum one by one."""


@dataclass(frozen=True)
class Verdict:
    """The comparison of a result with its reference.

    error, bound: of the element that comes closest to its bound, or goes furthest beyond it; absolute.
    rule: which bound that is. note: what is special about the inputs, in words, or "".
    """

    passed: bool
    error: float
    bound: float
    rule: str
    note: str = ""


def reference(operation: str, a: Array, b: Array, *, multiplied_out: bool = False) -> Matrix:
    """The result in float64: () for dot, (m, n) for matmul, (m/2, n/2) for reduced_matmul; of many, in front of that.

    multiplied_out: reduced_matmul as the sum of four products, which differs only where an input is infinite.
    """
    with numpy.errstate(all="ignore"):
        a, b = a.astype(numpy.float64), b.astype(numpy.float64)
        if operation != "reduced_matmul":
            return _product(a, b)
        if multiplied_out:
            rows, columns = (a[..., 0::2, :], a[..., 1::2, :]), (b[..., 0::2], b[..., 1::2])
            return numpy.asarray(sum(_product(row, column) for row in rows for column in columns))
        return _product(a[..., 0::2, :] + a[..., 1::2, :], b[..., 0::2] + b[..., 1::2])


def as_tf32(values: Array) -> Array:
    """Numbers of float32 rounded to tf32, 11 significant bits, as the copy engine does it: ties to even."""
    bits = numpy.ascontiguousarray(values, numpy.float32).view(numpy.uint32)
    rounded = ((bits + 0xFFF + (bits >> 13 & 1)) & numpy.uint32(0xFFFFE000)).view(numpy.float32)
    return numpy.where(numpy.isfinite(values), rounded, values)


def check(
    operation: str, a: Array, b: Array, c: Array, *, multiplied_out: bool = False, tensor_cores: bool = False
) -> Verdict:
    """Compare C with the reference under the derived bound. C is float32 or float64; A and B are, too, or 16-bit.

    NaN and Inf must stand where IEEE arithmetic puts them. Elements whose sums can exceed the type's range may be
    anything that is not finite.
    """
    finite = bool(numpy.isfinite(a).all() and numpy.isfinite(b).all())
    expected = reference(operation, a, b, multiplied_out=multiplied_out and not finite)
    more = TENSOR_CORE_ROUNDINGS if tensor_cores else 0
    bound, may_overflow = error_bound(operation, a, b, c.dtype, more)
    rule = "gamma_{k+16} |A| |B|" if tensor_cores else "gamma_k |A| |B|"
    rule = "gamma_{k+3} (|A0|+|A1|) (|B0|+|B1|)" if operation == "reduced_matmul" else rule
    note = ""
    if not finite:
        note = "an input holds NaN or Inf, which spread as IEEE arithmetic says"
        may_overflow &= numpy.isfinite(expected)
    if may_overflow.any():
        note = note or f"the products can exceed the range of {c.dtype}; such elements may be Inf or NaN"
    return _verdict(c, expected, bound, may_overflow, (rule, note))


def check_seed_004(operation: str, c: Array, k: int) -> Verdict:
    """Compare C with what sqrt(2) everywhere gives: 2K in every element (8K reduced), within seed 004's 1e-5."""
    expected = numpy.full(c.shape, (8.0 if operation == "reduced_matmul" else 2.0) * k)
    bound = numpy.full(c.shape, SEED_004_TOLERANCE)
    factor = "8K" if operation == "reduced_matmul" else "2K"
    return _verdict(c, expected, bound, numpy.zeros(c.shape, bool), (f"1e-5 from {factor}, as in seed 004", ""))


def _product(a: Matrix, b: Matrix) -> Matrix:
    if numpy.isfinite(a).all() and numpy.isfinite(b).all():
        return numpy.asarray(numpy.matmul(a, b))
    # A BLAS may skip a zero of one matrix and with it the NaN that 0 * Inf is; einsum's own loop does not.
    return numpy.asarray(numpy.einsum("k,k->" if b.ndim == 1 else "ik,kj->ij", a, b))


def error_bound(
    operation: str, a: Array, b: Array, dtype: numpy.dtype[Any], more: int = 0
) -> tuple[Matrix, NDArray[numpy.bool_]]:
    """The bound of every element of the result in `dtype`, and which elements may exceed the type's range.

    more: roundings of a term beside those of the operation.
    """
    with numpy.errstate(all="ignore"):
        absolute = reference(operation, numpy.abs(a), numpy.abs(b))
        k = a.shape[-1]
        roundings = (k + 3 if operation == "reduced_matmul" else k) + more
        information = numpy.finfo(dtype)
        own, of_reference = _gamma(roundings, dtype), _gamma(roundings, numpy.dtype(numpy.float64))
        absolute = absolute / (1 - of_reference)  # |A| |B| was itself rounded
        underflow = 2 * roundings * float(information.smallest_subnormal)
        bound = (own + of_reference) * absolute + underflow
        return bound, ~(absolute * (1 + own) <= float(information.max)) & ~numpy.isnan(absolute)


def _gamma(roundings: int, dtype: numpy.dtype[Any]) -> float:
    product = roundings * float(numpy.finfo(dtype).eps) / 2
    # From s u = 1 on gamma has no meaning, but s u itself bounds sums of any length (Jeannerod and Rump, 2013).
    return product / (1 - product) if product < 0.5 else product


def _verdict(
    c: Array, expected: Matrix, bound: Matrix, excused: NDArray[numpy.bool_], words: tuple[str, str]
) -> Verdict:
    rule, note = words
    if c.size == 0:
        return Verdict(passed=True, error=0.0, bound=0.0, rule=rule, note=note)
    with numpy.errstate(all="ignore"):
        result = c.astype(numpy.float64)
        error = numpy.abs(result - expected)
        same = (numpy.isnan(result) & numpy.isnan(expected)) | (result == expected)
        finite = numpy.isfinite(expected)
        right = same | (finite & (error <= bound)) | (excused & ~numpy.isfinite(result))
        closeness = numpy.where(right, numpy.where(finite & (bound > 0), error / bound, 0.0), numpy.inf)
    worst = int(numpy.nanargmax(closeness.ravel()))
    return Verdict(
        passed=bool(right.all()),
        error=float(error.ravel()[worst]) if not same.ravel()[worst] else 0.0,
        bound=float(bound.ravel()[worst]),
        rule=rule,
        note=note,
    )
