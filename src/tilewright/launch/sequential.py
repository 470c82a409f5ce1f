"""The triple loops of `kernels/*/sequential.c` as single-threaded Numba twins: the golden reference for small sizes.

Each function does what its C text does, in the same order and in the type of the arrays: no fastmath, no reordering,
no parallel loop, so its time is the thesis's first column (seed 003) and its rounding is the C compiler's without fma.
Importing this module imports Numba.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def _twin(function: Callable[[Any, Any, Any], None]) -> Callable[[Any, Any, Any], None]:
    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no folder is writable, so that every process compiles anew
        compiled = numba.njit(nogil=True)(function)
    twin: Callable[[Any, Any, Any], None] = compiled
    return twin


@_twin
def matmul(a: Any, b: Any, c: Any) -> None:
    """C = A B: a (m, k), b (k, n), c (m, n), all float32 or all float64 (seed 000)."""
    m, k = a.shape
    n = b.shape[1]
    for row in range(m):
        for column in range(n):
            total = c.dtype.type(0)
            for p in range(k):
                total += a[row, p] * b[p, column]
            c[row, column] = total


@_twin
def reduced_matmul(a: Any, b: Any, c: Any) -> None:
    """Reduced C: a (m, k), b (k, n), c (m/2, n/2), m and n even (seed 003)."""
    k = a.shape[1]
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            total = c.dtype.type(0)
            for p in range(k):
                total += (a[2 * i, p] + a[2 * i + 1, p]) * (b[p, 2 * j] + b[p, 2 * j + 1])
            c[i, j] = total


@_twin
def dot(a: Any, b: Any, c: Any) -> None:
    """c[0] = sum of a[p] b[p]: a (k,), b (k,), c (1,) (seed 004)."""
    total = c.dtype.type(0)
    for p in range(a.shape[0]):
        total += a[p] * b[p]
    c[0] = total
