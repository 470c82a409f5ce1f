"""Takes over calls with arrays that JAX traces, or that are weakly typed."""

from __future__ import annotations

from typing import Any

from tilewright.arrays.jax import is_spread, is_traced_by_jax
from tilewright.call.door import Call

from .weak_types import are_all_weak, by_strong_ones

OPERATIONS = ("matmul", "reduced_matmul", "dot")
"""The operations that JAX compiles; the others are built from these."""


def take(call: Call) -> Any:
    """The traced product, or that of arrays on several devices, or a weak one; NotImplemented for other arrays."""
    if are_all_weak(call):
        return by_strong_ones(call)
    if call.operation not in OPERATIONS:
        return NotImplemented
    given = call.a, call.b, call.c, call.bias
    if not is_traced_by_jax(*given) and not is_spread(*given):
        return NotImplemented
    from .functions import by_jax

    return by_jax(call.operation, call.a, call.b, call.out, c=call.c, bias=call.bias, **call.options)
