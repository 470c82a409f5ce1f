"""Inputs of an operation, its float64 reference, and the comparison of a kernel's C with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.call.reference import error_bound, reference
from tilewright.lab.check.element_types import EXACT, fresh, is_integer, numbers, unset
from tilewright.lab.check.kinds import KINDS, is_partial
from tilewright.lab.check.sizes import Sizes

from .launches import LaunchError

PRODUCT_WORDS = (
    r"mul|gemm|mm\b|dot|produ|linear|skalar|scal|mno[z\u017e\u017c]|iloczyn|sou[c\u010d]in|n[aá]sob|szorz|[cç]arp[i\u0131]|kali\b|perkal|vermenig|"
    r"kerto|tulo\b|korrut|reizin|sandaug|biderk|ginom|\u03b3\u03b9\u03bd\u03cc\u03bc|\u03b3\u03b9\u03bd\u03bf\u03bc|\u0443\u043c\u043d\u043e\u0436|\u043f\u0435\u0440\u0435\u043c\u043d|\u043f\u0440\u043e\u0438\u0437\u0432\u0435\u0434|\u043c\u043d\u043e\u0436\u0435\u043d|\u0434\u043e\u0431\u0443\u0442|nh[aâ]n\b|t[ií]ch\b|\u4e58|\u79ef|\u7a4d|\ud589\ub82c|\uacf1|\u0917\u0941\u0923|\u0636\u0631\u0628|\u05db\u05e4\u05dc|\u05de\u05db\u05e4\u05dc"
)
"""What kernels that compute products are called, or their comments say, in many languages."""

Array = NDArray[Any]
Dtypes = Mapping[str, numpy.dtype[Any]]


@dataclass(frozen=True)
class Comparison:
    """C compared with the reference. right: a mask of C's shape. error, bound: of the worst element."""

    right: NDArray[numpy.bool_]
    expected: Array
    bound: Array
    error: float
    bound_there: float

    @property
    def passed(self) -> bool:
        """Whether every element is right."""
        return bool(self.right.all())

    @property
    def first_wrong(self) -> tuple[int, ...] | None:
        """The index of the first wrong element in reading order; None when all are right."""
        if self.passed:
            return None
        return tuple(int(i) for i in numpy.unravel_index(int(numpy.argmin(self.right.ravel())), self.right.shape))


def operands(operation: str, sizes: Sizes, dtypes: Dtypes, generator: numpy.random.Generator) -> tuple[Array, Array]:
    """Return random A and B: of both signs for matrices, positive for dot, whose sum must not cancel out."""
    if operation in KINDS:
        a_shape, b_shape = sizes.ab_shapes(operation)
        return KINDS[operation].operands({"A": a_shape, "B": b_shape, "C": sizes.c_shape(operation)}, dtypes, generator)
    shapes = zip("AB", sizes.ab_shapes(operation), strict=True)
    a, b = (_fresh(generator, shape, dtypes, name, positive=operation == "dot") for name, shape in shapes)
    return a, b


def _fresh(
    generator: numpy.random.Generator, shape: tuple[int, ...], dtypes: Dtypes, name: str, *, positive: bool
) -> Array:
    """Return a random operand; beside an array of 16 bits one of floats holds whole numbers, too, for exact sums."""
    own, coarse = dtypes[name], [dtype for dtype in dtypes.values() if dtype in EXACT]
    if not coarse or own in EXACT or is_integer(own):
        return fresh(generator, shape, own, positive=positive)
    least = min(coarse, key=lambda dtype: EXACT[dtype])
    return numbers(fresh(generator, shape, least, positive=positive)).astype(own)


def starting(operation: str, a: Array, b: Array, c: Array) -> Array:
    """Return what C holds before the launch: an operand, for what is computed in place or left there, or else `c`."""
    starts = KINDS[operation].starts or KINDS[operation].holds if operation in KINDS else ""
    return {"A": a, "B": b}[starts].ravel().astype(c.dtype) if starts else c


def compare(
    operation: str,
    a: Array,
    b: Array,
    c: Array,
    *,
    alpha: float = 1.0,
    c_operand: Array | None = None,
    activation: Callable[[Array], Array] | None = None,
) -> Comparison:
    """Compare C with the reference: equal for integers, within the error bound of the coarsest type for floats.

    With 16-bit types, A and B are `fresh` whole numbers and all sums of them exact, so C must be equal. With alpha and
    a C operand, C is alpha times the product, plus that operand. activation: of that, which grows no faster.
    """
    is_exact = any(x.dtype in EXACT for x in (a, b, c))
    a, b, c = numbers(a), numbers(b), numbers(c)
    if is_integer(c.dtype):
        exact = _reference(operation, a, b) + (0 if c_operand is None else c_operand)  # below 2**53 exact in float64
        exact = exact if activation is None else activation(exact)
        expected = numpy.asarray(exact).astype(numpy.int64).astype(c.dtype)
        right = numpy.asarray(c == expected)
        error = numpy.abs(c.astype(numpy.float64) - expected)
        return Comparison(right, expected, numpy.zeros(c.shape), float(error.max(initial=0)), 0.0)
    expected = numpy.asarray(_reference(operation, a, b))
    coarsest = max((x.dtype for x in (a, b, c) if x.dtype.kind == "f"), key=lambda dtype: numpy.finfo(dtype).eps)
    of_sums = numpy.dtype(numpy.float32) if is_exact else coarsest
    if operation in KINDS:
        kind = KINDS[operation]
        bound = kind.roundings * float(numpy.finfo(coarsest).eps) * (numpy.abs(expected) + kind.scale)
    else:
        bound = numpy.asarray(error_bound(operation, a, b, of_sums)[0]) * (0 if is_exact and c_operand is None else 1)
    if c_operand is not None:
        expected = alpha * expected + c_operand
        # Two products and a sum round once each, in the type of C; sums that begin with the operand do at each step.
        steps = numpy.finfo(of_sums).eps * a.shape[-1] * numpy.abs(c_operand)
        bound = alpha * bound + 4 * numpy.finfo(coarsest).eps * (numpy.abs(expected) + numpy.abs(c_operand)) + steps
        expected = expected if activation is None else activation(expected)
        bound = bound + (0 if activation is None else 4 * numpy.finfo(coarsest).eps)
    with numpy.errstate(all="ignore"):
        error = numpy.abs(c.astype(numpy.float64) - expected)
        right = numpy.asarray((error <= bound) | numpy.isnan(expected))  # of which nothing is expected
        shares = error / numpy.where(bound > 0, bound, 1)
        closeness = numpy.where(right, shares, numpy.inf) if not is_exact else numpy.where(right, 0, error)
    worst = int(numpy.argmax(closeness.ravel()))
    return Comparison(right, expected, bound, float(error.ravel()[worst]), float(bound.ravel()[worst]))


def _reference(operation: str, a: Array, b: Array) -> Array:
    if operation not in KINDS:
        return reference(operation, a, b)
    return numpy.asarray(KINDS[operation].result(a.astype(numpy.float64), b.astype(numpy.float64)))


MOST_PARTIAL_SUMS = 1 << 24
LEAST_TOLD_BYTES = 4
"""Of integers that tell whether they were written; numbers with a fraction do in any size."""


def c_elements(operation: str, sizes: Sizes, blocks: int, slices: int = 1) -> int:
    """Return the number of elements in C's buffer: those of C, or for dot and the like one per block.

    slices: of the inner dimension, of which each leaves a product of its own. Raises LaunchError for more partial sums
    than are looked at.
    """
    if is_partial(operation) and blocks > MOST_PARTIAL_SUMS:
        raise LaunchError(f"A grid of {blocks} blocks leaves more partial sums than the {MOST_PARTIAL_SUMS} looked at.")
    if is_partial(operation):
        return blocks
    return slices * int(numpy.prod(sizes.c_shape(operation)))


def result_of(operation: str, sizes: Sizes, buffer: Array) -> Array:
    """Return C from its buffer: with the operation's shape, or for dot the sum of the blocks' partial sums.

    So is the sum of the slices of a product that are behind each other. bfloat16 becomes float32.
    """
    dtype, buffer = buffer.dtype, numbers(buffer)
    if not is_partial(operation):
        slices = buffer.reshape(-1, *sizes.c_shape(operation))
        wide = numpy.float64 if buffer.dtype.kind == "f" else numpy.int64
        whole = slices[0] if len(slices) == 1 else slices.sum(axis=0, dtype=wide).astype(buffer.dtype)
        return numpy.asarray(whole)
    combine = KINDS[operation].combine if operation in KINDS else None
    is_written = ~numpy.isnan(buffer) if buffer.dtype.kind == "f" else buffer != unset(1, dtype)
    # A number of 8 or 16 bits may be a sum of the vectors' and look unwritten.
    tells = combine is not None or buffer.dtype.kind == "f" or dtype.itemsize >= LEAST_TOLD_BYTES
    written = buffer[is_written] if tells else buffer
    if not written.size:
        return numpy.asarray(numpy.nan)
    if written.dtype.kind == "f":
        written = written.astype(numpy.float64)
    return numpy.asarray((combine or numpy.add).reduce(written))
