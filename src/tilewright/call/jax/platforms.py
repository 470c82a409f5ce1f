"""Compiles a product for the platform of its arrays, which JAX knows only when it lowers the code.

While JAX traces, arrays have no devices, and the default platform may be a different one. So both variants are traced,
and the errors of a variant are raised only if that variant is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
from jax.extend.core import Primitive
from jax.interpreters import mlir

from tilewright.arrays.errors import DtypeError, ShapeError
from tilewright.choose import PlanError
from tilewright.kernels import UnknownKernelError

from . import gpu as jax_gpu

Array = Any
Way = Callable[..., Array]


def by_platform(result: jax.ShapeDtypeStruct, on_host: Way, on_gpu: Way, arrays: tuple[Array | None, ...]) -> Array:
    """The result of ``on_host`` or ``on_gpu``, of the shape and type of ``result``.

    Raises:
        DtypeError, PlanError, ShapeError, UnknownKernelError: the compiled variant refuses; immediately if JAX has no
            GPU.
    """
    if not jax_gpu.is_there():
        return on_host(*arrays)
    ways = {"cpu": partial(_or_refused, on_host, result), jax_gpu.PLATFORM: partial(_or_refused, on_gpu, result)}
    return jax.lax.platform_dependent(arrays, **ways)


def _or_refused(way: Way, result: jax.ShapeDtypeStruct, arrays: tuple[Array | None, ...]) -> Array:
    try:
        return way(*arrays)
    except (DtypeError, PlanError, ShapeError, UnknownKernelError) as error:
        return _refused.bind(error=error, result=result)


_refused = Primitive("tilewright_refused")
_refused.def_abstract_eval(lambda *, error, result: jax.core.ShapedArray(result.shape, result.dtype))  # noqa: ARG005


def _lowered(_context: Any, *, error: Exception, result: Any) -> Any:  # noqa: ARG001
    raise error


mlir.register_lowering(_refused, _lowered)
