"""Our products in JAX code compiled for a GPU: XLA calls the compiled extra, on XLA's stream and memory.

While JAX traces, a product is planned and its kernels are loaded; the compiled code then launches them without
Python. Importing this imports JAX.

JAX knows the platform of arrays only when it lowers the code: while it traces, they have no devices, and the default
platform may be a different one. So a product is traced for both, and errors are raised for the compiled one only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import jax
import numpy
from jax import numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import mlir

from tilewright.arrays.cuda_array import CudaArray, packed_strides
from tilewright.arrays.errors import DtypeError, ShapeError
from tilewright.arrays.memory import AsDescribed
from tilewright.call.epilogue import EpilogueNumbers
from tilewright.call.library_product import pair_sums
from tilewright.choose import PlanError
from tilewright.kernels import UnknownKernelError
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.launch.cuda import native

from .axes import axes_of, varying

if TYPE_CHECKING:
    from tilewright.launch.cuda.planned import PlannedRun


Array = Any

PLATFORM = "cuda"
"""JAX's name of the platform."""

TARGET = "tilewright_launch"
A, B, C, C_OPERAND, BIAS, WORKSPACE = range(6)
"""The indices of a plan's buffers."""
Way = Callable[..., Array]


def refusal() -> DtypeError:
    """The error if JAX compiles for a GPU without the compiled extra."""
    return DtypeError(
        "JAX compiles this for a GPU, from where tilewright's kernels are called through its compiled extra: "
        "pip install ./native in a checkout. Nothing is computed on the host in silence; without the extra, call this "
        "outside of jax.jit."
    )


def is_there() -> bool:
    """Whether JAX has a GPU in this process."""
    try:
        return bool(jax.local_devices(backend="gpu"))
    except RuntimeError:  # its way to say no
        return False


def product(
    operation: str,
    a: Array,
    b: Array,
    c: Array,
    bias: Array,
    result: Any,
    numbers: EpilogueNumbers,
    **chosen: object,
) -> Array:
    """The product as part of JAX's compiled code. Raises DtypeError without the extra, and the errors of matmul."""
    dtype = jnp.promote_types(a.dtype, b.dtype)
    if dtype.name not in DTYPE_BYTES:
        return jnp.matmul(*(pair_sums(a, b) if operation == "reduced_matmul" else (a, b)))
    if 0 in result.shape:
        return jnp.zeros(result.shape, result.dtype)
    a, b = a.astype(dtype), b.astype(dtype)
    given = {A: a, B: b}
    if c is not None:
        given[C_OPERAND] = c.astype(result.dtype)
    if bias is not None:
        given[BIAS] = bias.astype(result.dtype)
    lying = tuple((place, tuple(array.shape), array.dtype.name) for place, array in given.items())
    programs, workspace_bytes, platform = prepared(lying, result.dtype.name, numbers, operation=operation, **chosen)
    results, places = [result], [*given, C]
    if workspace_bytes:
        results.append(jax.ShapeDtypeStruct((workspace_bytes,), jnp.uint8))
        places.append(WORKSPACE)
    call = jax.ffi.ffi_call(TARGET, results)
    order = sum(place << 4 * index for index, place in enumerate(places))
    return call(
        *given.values(),
        programs=numpy.int64(id(programs)),
        places=numpy.int64(order),
        on_stream=numpy.int64(platform != "cpu"),
    )[0]


@cache  # what JAX has compiled holds the addresses of these, so that they are never let go
def prepared(
    lying: tuple[tuple[int, tuple[int, ...], str], ...],
    out_dtype: str,
    numbers: EpilogueNumbers,
    **chosen: object,
) -> tuple[Any, int, str]:
    """The extra's launches of a product of packed arrays, their workspace in bytes, and JAX's platform.

    These are the launches on JAX's first GPU. Those on another GPU are made when the product is called there, since the
    GPU is not known while JAX traces.
    """
    register("CUDA")

    def planned(ordinal: int) -> PlannedRun:
        from tilewright.call.cuda_product import prepare_described

        arrays = {
            place: CudaArray(0, extents, packed_strides(extents), dtype, ordinal, owner=None)
            for place, extents, dtype in lying
        }
        options = {
            "out_dtype": out_dtype,
            **vars(numbers),
            "c": arrays.get(C_OPERAND),
            "bias": arrays.get(BIAS),
            **chosen,
        }
        return prepare_described(arrays[A], arrays[B], AsDescribed(), **options)

    def launches_on(ordinal: int) -> Any:
        run = planned(ordinal)
        if run.workspace_bytes > first.workspace_bytes:
            raise PlanError(
                f"JAX compiled this with the {first.workspace_bytes} bytes to work in that it takes on GPU "
                f"{ordinal_of_first}, and on GPU {ordinal}, which is of another kind, it takes {run.workspace_bytes}."
            )
        return _launches(run)

    ordinal_of_first = jax.local_devices(backend="gpu")[0].local_hardware_id
    first = planned(ordinal_of_first)
    programs = native.extra().Programs(ordinal_of_first, _launches(first), launches_on)
    return programs, first.workspace_bytes, "CUDA"


def _launches(run: PlannedRun) -> Any:
    launches = native.compiled_launches(run)
    if launches is None:
        raise DtypeError(
            "The plan of this product has more launches than one call of XLA's makes; use smaller batches."
        )
    return launches


@cache
def register(platform: str) -> None:
    """Register the extra's handler with XLA. Raises DtypeError without the extra."""
    import ctypes

    module = native.extra()
    if module is None:
        raise refusal()
    handler = ctypes.CFUNCTYPE(None)(module.XLA_HANDLER)
    jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(handler), platform=platform)


def by_platform(result: jax.ShapeDtypeStruct, on_host: Way, on_gpu: Way, arrays: tuple[Array | None, ...]) -> Array:
    """The result of ``on_host`` or ``on_gpu``, of the shape and type of ``result``.

    Raises:
        DtypeError, PlanError, ShapeError, UnknownKernelError: the compiled variant refuses; immediately if JAX has no
            GPU.
    """
    if not is_there():
        return on_host(*arrays)
    ways = {"cpu": partial(_or_refused, on_host, result), PLATFORM: partial(_or_refused, on_gpu, result)}
    return jax.lax.platform_dependent(arrays, **ways)


def _or_refused(way: Way, result: jax.ShapeDtypeStruct, arrays: tuple[Array | None, ...]) -> Array:
    try:
        found = way(*arrays)
    except (DtypeError, PlanError, ShapeError, UnknownKernelError) as error:
        found = _refused.bind(error=error, result=result)
    return varying(found, axes_of(arrays))


_refused = Primitive("tilewright_refused")
_refused.def_abstract_eval(lambda *, error, result: jax.core.ShapedArray(result.shape, result.dtype))  # noqa: ARG005


def _lowered(_context: Any, *, error: Exception, result: Any) -> Any:  # noqa: ARG001
    raise error


mlir.register_lowering(_refused, _lowered)
