"""The epilogue, activation(alpha A B + beta c + bias): checks of its arguments, and its computation on the host."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.arrays.errors import DtypeError, ShapeError, described
from tilewright.arrays.numpy import type_name
from tilewright.choose import PlanError
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.problem import ACTIVATIONS, INPUT_DTYPES

from .shapes import broadcast

Array = NDArray[Any]

ERF_STEP = 1 / 256
ERF_END = 6.0
"""Beyond this, erf is 1 in float64."""


@dataclass(frozen=True)
class EpilogueNumbers:
    """The checked alpha, beta and activation of an epilogue."""

    alpha: float = 1.0
    beta: float = 0.0
    activation: str | None = None


PLAIN = EpilogueNumbers()
"""The epilogue of a plain product."""


def check_epilogue(alpha: object, beta: object, c_operand: object, activation: object) -> EpilogueNumbers:
    """The epilogue's numbers as Python's own.

    Raises:
        PlanError: alpha or beta is not a real number, beta is given without c, or the activation is unknown.
    """
    if activation is None and type(alpha) is type(beta) is int and (alpha, beta) == (1, 0):
        return PLAIN
    if activation is not None and not (isinstance(activation, str) and activation in ACTIVATIONS):
        names = ", ".join(map(repr, ACTIVATIONS))
        raise PlanError(f"activation is {described(activation)}, and None, {names} are accepted.")
    checked = EpilogueNumbers(_number(alpha, "alpha"), _number(beta, "beta"), activation)
    if checked.beta != 0 and c_operand is None:
        raise PlanError(f"beta is {checked.beta:g} and scales c, but no c was given.")
    return checked


def check_out_dtype(asked: object, dtype: str, given: str) -> str:
    """The name of the result's type, A B's where none is asked for. Raises DtypeError for one that it cannot have."""
    name = dtype if asked is None else type_name(asked)
    accepted = (dtype, "float32") if dtype in INPUT_DTYPES else (dtype,)
    if name not in accepted:
        raise DtypeError(f"out_dtype is {name}, and {' or '.join(accepted)} is accepted; {given}.")
    return name


def check_has_epilogue(dtype: str, numbers_: EpilogueNumbers, bias: object, given: str) -> None:
    """Raise DtypeError for an epilogue of a product in a type that has none."""
    if dtype not in DTYPE_BYTES and (numbers_ != PLAIN or bias is not None):
        raise DtypeError(f"alpha, beta, bias and activation go with {', '.join(DTYPE_BYTES)}, but {given}.")


def check_c_operand_shape(shape: tuple[int, ...], result: tuple[int, ...], given: str) -> None:
    """Raise ShapeError unless a C operand of this shape broadcasts to the result's."""
    try:
        fits = broadcast(tuple(shape), tuple(result)) == result
    except ValueError:
        fits = False
    if not fits:
        raise ShapeError(f"c is {shape}, which does not broadcast to the result's {result}; {given}.")


def check_bias_shape(shape: tuple[int, ...], columns: int, given: str) -> None:
    """Raise ShapeError unless a bias has one element for each column of B."""
    if shape != (columns,):
        raise ShapeError(f"bias is {shape}, and {(columns,)} is accepted, an element for each column of B; {given}.")


def finish(product: Array, numbers_: EpilogueNumbers, c_operand: Array | None, bias: Array | None) -> Array:
    """Apply the epilogue in the product's own type, float32 or float64. With beta = 0 the C operand is not read.

    ``bias`` is added along the product's last dimension; it is a number if B was a vector.
    """
    with numpy.errstate(all="ignore"):  # Inf and NaN are as right here as on a GPU, which does not warn
        value = product if numbers_.alpha == 1 else product * product.dtype.type(numbers_.alpha)
        if c_operand is not None and numbers_.beta != 0:
            value = value + c_operand.astype(product.dtype) * product.dtype.type(numbers_.beta)
        if bias is not None:
            value = value + bias.astype(product.dtype)
        if numbers_.activation is not None:
            value = _ACTIVATIONS[numbers_.activation](value)
    return numpy.asarray(value, dtype=product.dtype)


def relu(x: Array) -> Array:
    """The maximum of x and 0; NaN stays NaN."""
    return numpy.asarray(numpy.maximum(x, x.dtype.type(0)))


def gelu(x: Array) -> Array:
    """Multiply x by the cumulative distribution function of the normal distribution (torch's default gelu)."""
    half = x.dtype.type(0.5)
    share = (1 + erf(x * x.dtype.type(math.sqrt(0.5)))).astype(x.dtype)
    return numpy.asarray(half * x * share)


def silu(x: Array) -> Array:
    """Multiply x by its logistic function."""
    return numpy.asarray(x / (1 + numpy.exp(-x)))


def erf(x: Array) -> Array:
    """The error function in float64, to a few ulp: Taylor's series about the nearest point of a grid.

    The derivatives of erf are Hermite polynomials times 2/sqrt(pi) exp(-x^2); five terms over half of ERF_STEP leave
    less than 1e-17 (Abramowitz and Stegun, 7.1.19).
    """
    size = numpy.minimum(numpy.abs(x.astype(numpy.float64)), ERF_END)
    nearest = numpy.rint(size / ERF_STEP)
    at, h = nearest * ERF_STEP, size - nearest * ERF_STEP
    index = numpy.nan_to_num(nearest).astype(numpy.intp)
    slope = 2 / math.sqrt(math.pi) * numpy.exp(-at * at)
    square = at * at
    fourth, fifth = at * (2 * square - 3) / 6, (4 * square * (square - 3) + 3) / 30
    series = h * (1 - h * (at - h * ((2 * square - 1) / 3 - h * (fourth - h * fifth))))
    return numpy.asarray(numpy.copysign(_erf_at_the_grid()[index] + slope * series, x))


@cache
def _erf_at_the_grid() -> Array:
    return numpy.array([math.erf(index * ERF_STEP) for index in range(round(ERF_END / ERF_STEP) + 1)])


_ACTIVATIONS: dict[str, Callable[[Array], Array]] = {"relu": relu, "gelu": gelu, "silu": silu}


def _number(value: object, name: str) -> float:
    """A real number of any type as a float, so that equal ones (1, True, 1 + 0j) are the same option."""
    real: Any = value.real if isinstance(value, numbers.Complex) and value.imag == 0 else value
    try:
        if isinstance(real, numbers.Real | Decimal | numpy.bool_):
            return float(real) + 0.0  # -0.0 equals 0
    except (OverflowError, ValueError):  # beyond float64; a Decimal that is no number
        pass
    raise PlanError(f"{name} is {described(value)}, and a real number is accepted.")
