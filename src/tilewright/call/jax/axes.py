"""Axes of a mesh over which an array varies inside of `jax.shard_map`, which asks that types say so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import jax

if TYPE_CHECKING:
    from jax import Array


def axes_of(arrays: Iterable[Array | None]) -> frozenset[str]:
    """Return the axes over which any of the arrays varies."""
    return frozenset[str]().union(*(_manual_axes(array) for array in arrays if array is not None))


def varying(array: Array, axes: frozenset[str]) -> Array:
    """Return an array as one that varies over these axes as well."""
    more = axes - _manual_axes(array)
    return jax.lax.pcast(array, tuple(sorted(more)), to="varying") if more else array


def _manual_axes(array: Array) -> frozenset[str]:
    kind = jax.typeof(array)
    found: frozenset[str] = kind.mat.varying if hasattr(kind, "mat") else kind.vma  # its name before JAX 0.10
    return found
