"""Products of arrays all of which are weakly typed: the results are, too, as those of JAX's own functions."""

from __future__ import annotations

from typing import Any

from tilewright.call.door import Call


def are_all_weak(call: Call) -> bool:
    """Whether all arrays of a call are weakly typed, and no type is asked for. This does not import JAX."""
    if not (_is_weak(call.a) and _is_weak(call.b)):
        return False
    asked = call.options.get("out_dtype") or call.options.get("dtype")
    return call.out is None and asked is None and all(_is_weak(x) for x in (call.c, call.bias) if x is not None)


def _is_weak(array: object) -> bool:
    return getattr(array, "weak_type", False) is True  # torch.fx's proxies have any attribute


def by_strong_ones(call: Call) -> Any:
    """The weakly typed result of such a call: that of the same numbers with types of their own."""
    import jax
    from jax import numpy as jnp

    dtype = jnp.result_type(call.a, call.b)
    added = {"c": call.c, "bias": call.bias}
    strong = {name: jnp.asarray(array, dtype) for name, array in added.items() if array is not None}
    result = call.function(jnp.asarray(call.a, dtype), jnp.asarray(call.b, dtype), **strong, **call.options)
    return jax.lax.convert_element_type_p.bind(result, new_dtype=result.dtype, weak_type=True, sharding=None)
