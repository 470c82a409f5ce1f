"""Our operations beside the same written in JAX, and shapes that each takes."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright


def reduced(a, b):
    """`tilewright.reduced_matmul` by JAX's own product."""
    return (a[..., 0::2, :] + a[..., 1::2, :]) @ (b[..., 0::2] + b[..., 1::2])


def pair(jax, name: str) -> tuple[Any, Any]:
    """Our function and JAX's."""
    return getattr(tilewright, name), reduced if name == "reduced_matmul" else getattr(jax.numpy, name)


def drawn(jax, *shape, seed=0, dtype="float64"):
    """Random numbers."""
    return jax.numpy.asarray(numpy.random.default_rng(seed).standard_normal(shape), dtype)


def agree(jax, found, expected, tolerance=1e-10):
    """Every array of both has the same type, shape and, but for rounding, numbers."""
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        numpy.testing.assert_allclose(
            numpy.asarray(one, "f8"), numpy.asarray(other, "f8"), rtol=tolerance, atol=tolerance
        )


SHAPES = [
    ("matmul", (3, 4), (4, 5)),
    ("matmul", (4,), (2, 4, 5)),
    ("matmul", (2, 1, 3, 4), (3, 4, 2)),
    ("matmul", (3, 4), (4,)),
    ("matmul", (4,), (4,)),
    ("reduced_matmul", (2, 4, 3), (3, 6)),
    ("dot", (2, 3), (4, 3, 2)),
    ("dot", (3,), (3,)),
    ("dot", (), (3, 2)),
    ("vecdot", (2, 3), (3,)),
]
"""An operation, and the shapes of A and B."""
