"""Derivatives of products, by our own products: forwards along each operand, and backwards as those transposed.

A product is linear in A and in B. Only products without c, bias and activation are transposed.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
from jax import numpy as jnp
from jax.interpreters import ad

from tilewright.call.epilogue import EpilogueNumbers
from tilewright.call.library_product import pair_sums

from .options import Options
from .primitive import PRODUCT, all_four, product
from .sums import ACTIVATIONS, as_matrices, with_epilogue

Array = Any


def _forwards(
    primals: tuple[Array, ...], tangents: tuple[Any, ...], *, options: Options, has_c: bool, **_body: object
) -> Any:
    """The product and its derivative along the tangents. matmul's 16-bit shares are added in float32, then rounded."""
    a, b, c, bias = all_four(primals, has_c=has_c)
    given = [None if type(each) is ad.Zero else each for each in tangents]
    along_a, along_b, along_c, along_bias = all_four(given, has_c=has_c)
    value, numbers = product(options, a, b, c, bias), options.numbers
    linear = _without_epilogue(options, a, b)
    shares = []
    if along_a is not None:
        shares.append(product(linear, along_a, b))
    if along_b is not None:
        shares.append(product(linear, a, along_b))
    if along_c is not None or along_bias is not None:
        zeros = jnp.zeros(value.shape, linear.result(a, b).dtype)
        scaled = Options(options.operation, EpilogueNumbers(beta=numbers.beta))
        shares.append(with_epilogue(scaled, zeros, along_c, along_bias))
    total: Any = sum(shares[1:], shares[0])
    if numbers.activation is not None:
        before = Options("matmul", EpilogueNumbers(numbers.alpha, numbers.beta), linear.out_dtype, options.precision)
        beside = (None if each is None else each.astype(total.dtype) for each in (c, bias))
        _, total = jax.jvp(ACTIVATIONS[numbers.activation], (product(before, a, b, *beside),), (total,))
    return value, total.astype(value.dtype)


ad.primitive_jvps[PRODUCT] = _forwards


def _without_epilogue(options: Options, a: Array, b: Array) -> Options:
    """What is linear in A and in B, where the operation allows it unrounded."""
    if options.operation != "matmul":
        return Options(options.operation, precision=options.precision)
    numbers = EpilogueNumbers(alpha=options.numbers.alpha)
    return Options("matmul", numbers, _unrounded(a, b), precision=options.precision)


def _unrounded(a: Any, b: Any) -> str | None:
    return "float32" if a.dtype == b.dtype and a.dtype.itemsize == 2 else None


def _backwards(gradient: Any, *operands: Any, options: Options, **_chosen: object) -> list[Any]:
    """The gradient of the operand in which the product is linear; JAX's gradients are not conjugated."""
    a, b, *beside = operands
    if beside or options.numbers.activation is not None:
        raise NotImplementedError(
            "A product with c, bias or activation is not linear: transpose that of A and B alone."
        )
    of_a = ad.is_undefined_primal(a)
    a, b = (each.aval if ad.is_undefined_primal(each) else each for each in (a, b))
    if type(gradient) is ad.Zero:
        found = ad.Zero(a if of_a else b)
    elif options.operation == "matmul" and a.ndim > 1 < b.ndim:
        found = _of_a(options, a, b, gradient) if of_a else _of_b(options, a, b, gradient)
    else:
        by_matrices = partial(_by_matrices, options, b=b) if of_a else partial(_by_matrices, options, a)
        (found,) = jax.linear_transpose(by_matrices, a if of_a else b)(gradient)
    return [found, None] if of_a else [None, found]


ad.primitive_transposes[PRODUCT] = _backwards


def _by_matrices(options: Options, a: Array, b: Array) -> Array:
    """The same by a product of matrices, with JAX's own functions around it."""
    result = options.result(a, b)
    plain = Options("matmul", options.numbers, options.out_dtype, precision=options.precision)
    if options.operation == "matmul":
        rows, columns = a if a.ndim > 1 else a[None, :], b if b.ndim > 1 else b[:, None]
    elif options.operation == "reduced_matmul":
        rows, columns = pair_sums(a.astype(result.dtype), b.astype(result.dtype))
    elif a.ndim and b.ndim:
        rows, columns = as_matrices(a, b)
    else:
        return a * b
    return product(plain, rows, columns).reshape(result.shape)


def _of_a(options: Options, a: Any, b: Array, gradient: Array) -> Array:
    return _summed(product(*_halved(options, a, b, gradient), jnp.swapaxes(b, -1, -2)), a)


def _of_b(options: Options, a: Array, b: Any, gradient: Array) -> Array:
    backwards, gradient = _halved(options, a, b, gradient)
    return _summed(product(backwards, jnp.swapaxes(a, -1, -2), gradient), b)


def _halved(options: Options, a: Any, b: Any, gradient: Array) -> tuple[Options, Array]:
    """How to multiply a gradient, and that in A's type, where 16-bit operands left their product in float32."""
    backwards = _without_epilogue(options, a, b)
    return backwards, gradient if backwards.out_dtype is None else gradient.astype(a.dtype)


def _summed(gradient: Array, like: Any) -> Array:
    """The gradient summed over broadcast dimensions, in the shape and type of the input ``like``."""
    extra = gradient.ndim - like.ndim
    summed = gradient.sum(tuple(range(extra))) if extra > 0 else gradient
    axes = tuple(axis for axis, extent in enumerate(like.shape) if extent == 1 and summed.shape[axis] != 1)
    return summed.sum(axes, keepdims=True).astype(like.dtype) if axes else summed.astype(like.dtype)
