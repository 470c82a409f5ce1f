"""`jax.vmap` of products: the mapped axis is one more batch dimension of one product."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import jax
from jax import numpy as jnp
from jax.interpreters import batching

from tilewright.call.epilogue import EpilogueNumbers

from .options import Options
from .primitive import PRODUCT, all_four, product
from .sums import as_matrices, wide_of, with_epilogue

Array = Any


def _mapped(
    arrays: tuple[Array, ...], axes: tuple[int | None, ...], *, options: Options, has_c: bool, **_body: object
) -> tuple[Array, int]:
    """The product of arrays of which those with an axis here have one more, and where that is in the result."""
    first = [each if axis is None else jnp.moveaxis(each, axis, 0) for each, axis in zip(arrays, axes, strict=True)]
    a, b, c, bias = all_four(first, has_c=has_c)
    of_a, of_b, of_c, of_bias = (axis is not None for axis in all_four(axes, has_c=has_c))
    if options.operation == "dot":
        return _of_dots(options, a, b, of_a=of_a, of_b=of_b)
    if of_bias or not (of_a or of_b):  # one bias, and as many C operands as products, are what a kernel takes
        sums = _unrounded(options, a, b, of_a=of_a, of_b=of_b)
        in_axes = [0 if mapped else None for mapped in (of_a or of_b, of_c, of_bias)]
        finished = jax.vmap(partial(with_epilogue, options), in_axes)(sums, c, bias)
        return finished.astype(options.out_dtype or jnp.promote_types(a.dtype, b.dtype)), 0
    return _of_matrices(options, a, b, c, bias, of_a=of_a, of_b=of_b, of_c=of_c), 0


batching.primitive_batchers[PRODUCT] = _mapped


def _unrounded(options: Options, a: Array, b: Array, *, of_a: bool, of_b: bool) -> Array:
    wide = wide_of(jnp.promote_types(a.dtype, b.dtype)).name
    plain = replace(options, numbers=EpilogueNumbers(), out_dtype=wide)
    if not (of_a or of_b):
        return product(plain, a, b)
    return _of_matrices(plain, a, b, None, None, of_a=of_a, of_b=of_b, of_c=False)


def _of_matrices(
    options: Options, a: Array, b: Array, c: Array, bias: Array, *, of_a: bool, of_b: bool, of_c: bool
) -> Array:
    """A batch of products. Vectors are rows of one matrix where B is the same for all, else matrices of one row."""
    rank_of_c = len(options.result(*(each[0] if mapped else each for each, mapped in ((a, of_a), (b, of_b)))).shape)
    is_column = of_b and b.ndim == 2
    b = b[..., None] if is_column else b
    is_row = of_a and a.ndim == 2 and (of_b or b.ndim > 2)
    a = a[..., None, :] if is_row else a
    rank = max(a.ndim - of_a, b.ndim - of_b)
    a, b = (_padded(each, rank) if mapped and each.ndim > 2 else each for each, mapped in ((a, of_a), (b, of_b)))
    if c is not None:
        c = _padded(c, rank_of_c) if of_c else jnp.broadcast_to(c, (1,) * (rank_of_c - c.ndim) + c.shape)
        c = c[..., None] if is_column else c
        c = jnp.expand_dims(c, -2) if is_row else c
    result = product(options, a, b, c, bias)
    result = result.squeeze(-2) if is_row else result
    return result.squeeze(-1) if is_column else result


def _padded(array: Array, rank: int) -> Array:
    """The array, with ones behind its first axis, so that ``rank`` axes follow it."""
    return jnp.expand_dims(array, range(1, 2 + rank - array.ndim))


def _of_dots(options: Options, a: Array, b: Array, *, of_a: bool, of_b: bool) -> tuple[Array, int]:
    rank_of_a, rank_of_b = a.ndim - of_a, b.ndim - of_b
    if rank_of_a == 0 or rank_of_b == 0:
        return jax.vmap(jnp.multiply, (0 if of_a else None, 0 if of_b else None))(a, b), 0
    if not of_b:
        return product(options, a, b), 0
    if not of_a:  # B's own axes but the last but one come last in the result
        return product(options, a, b.T if rank_of_b == 1 else b), rank_of_a - 1
    if not options.may_be_sharded:  # a kernel of dot, by its name
        return jax.lax.map(lambda both: product(options, *both), (a, b)), 0
    one = options.result(a[0], b[0])
    plain = Options("matmul", precision=options.precision)
    return product(plain, *jax.vmap(as_matrices)(a, b)).reshape(a.shape[0], *one.shape), 0
