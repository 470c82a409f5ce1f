"""Products as JAX's own functions compute them: the sums, what follows them, and `dot` as a product of matrices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import jax
from jax import numpy as jnp

from .options import Options

Array = Any

ACTIVATIONS: dict[str | None, Callable[[Array], Array]] = {
    "relu": jax.nn.relu,
    "gelu": partial(jax.nn.gelu, approximate=False),
    "silu": jax.nn.silu,
}


def by_xla(operation: str, a: Array, b: Array) -> Array:
    """The sums of a product by XLA's own kernels: float32 for 16-bit types, else the type of both."""
    dtype = jnp.promote_types(a.dtype, b.dtype)
    a, b = a.astype(dtype), b.astype(dtype)
    wide = wide_of(dtype)
    if operation == "reduced_matmul":
        rows, columns = a.astype(wide), b.astype(wide)
        a = (rows[..., 0::2, :] + rows[..., 1::2, :]).astype(dtype)
        b = (columns[..., 0::2] + columns[..., 1::2]).astype(dtype)
    multiply = jnp.dot if operation == "dot" else jnp.matmul
    return multiply(a, b, precision="highest", preferred_element_type=wide)


def wide_of(dtype: Any) -> Any:
    """The type in which sums of products are kept."""
    return jnp.dtype("float32") if jnp.issubdtype(dtype, jnp.floating) and dtype.itemsize == 2 else dtype


def as_matrices(a: Array, b: Array) -> tuple[Array, Array]:
    """A and B of `dot` as matrices: the axes of A but the last are rows, those of B but the last but one columns."""
    k, moved = a.shape[-1], jnp.moveaxis(b, -2, 0) if b.ndim > 1 else b
    return a.reshape(prod(a.shape[:-1]), k), moved.reshape(k, prod(moved.shape[1:]))


def with_epilogue(options: Options, total: Array, c: Array, bias: Array) -> Array:
    """The epilogue of sums in float32 or wider, unrounded."""
    numbers = options.numbers
    total = total if numbers.alpha == 1 else numbers.alpha * total
    if c is not None:
        total = total + numbers.beta * c.astype(total.dtype)
    if bias is not None:
        total = total + (bias if total.ndim and bias.shape[-1] == total.shape[-1] else bias[0]).astype(total.dtype)
    return total if numbers.activation is None else ACTIVATIONS[numbers.activation](total)
