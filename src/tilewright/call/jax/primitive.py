"""A product as a primitive of JAX's: what its transformations see of one, before it is compiled.

Its operands are A, B and, where they are given, c and bias. Derivatives are in derivatives.py, `jax.vmap` in
batches.py; compiled.py says how it is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
from jax import numpy as jnp
from jax.extend.core import Primitive, jaxpr_as_fun
from jax.interpreters import mlir

from .axes import axes_of, varying
from .compiled import compiled, with_values
from .options import Options

Array = Any

PRODUCT = Primitive("tilewright_product")


def product(options: Options, a: Array, b: Array, c: Array | None = None, bias: Array | None = None) -> Array:
    """The product of arrays of which JAX traces any, or none."""
    arrays = [jnp.asarray(array) for array in (a, b, c, bias) if array is not None]
    axes = axes_of(arrays)
    given = [varying(array, axes) for array in arrays]
    chosen: dict[str, Any] = {"options": options, "has_c": c is not None}
    types = [jax.typeof(array) for array in given]
    if jax.device_count() == 1 and all(each.sharding.mesh.empty for each in types):
        return PRODUCT.bind(*given, body=None, **chosen)
    # JAX looks into this for what is split over devices; its result is also of the right type inside of a mesh.
    return PRODUCT.bind(*given, body=jax.make_jaxpr(partial(_compiled, **chosen))(*types), **chosen)


def all_four(arrays: Sequence[Any], *, has_c: bool) -> tuple[Any, Any, Any, Any]:
    """A, B, c and bias of a primitive's operands, None for those not given."""
    a, b, *others = arrays
    c, bias = [*([] if has_c else [None]), *others, None, None][:2]
    return a, b, c, bias


def _described(a: Any, b: Any, *_beside: Any, options: Options, body: Any, **_chosen: object) -> Any:
    if body is not None:
        return body.out_avals[0]
    result = options.result(a, b)
    return jax.core.ShapedArray(result.shape, result.dtype)


PRODUCT.def_abstract_eval(_described)


def _with_values(*arrays: Array, options: Options, has_c: bool, **_chosen: object) -> Array:
    return with_values(options, *all_four(arrays, has_c=has_c))


PRODUCT.def_impl(_with_values)


def _compiled(*arrays: Array, options: Options, has_c: bool) -> Array:
    return compiled(options, *all_four(arrays, has_c=has_c))


def _lowered(*arrays: Array, body: Any, **chosen: Any) -> Array:
    return _compiled(*arrays, **chosen) if body is None else jaxpr_as_fun(body)(*arrays)[0]


mlir.register_lowering(PRODUCT, mlir.lower_fun(_lowered, multiple_results=False))
