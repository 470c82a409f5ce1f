"""`tilewright.matmul`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from operator import is_
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy

from tilewright.arrays.places import NUMPY_HOST, place_of
from tilewright.arrays.stores.opened import STORED_NAMES, is_stored
from tilewright.arrays.streams import on_stream

from . import bfloat16_tensors, small_arrays, small_tensors
from .cuda_product import multiply_on_gpu
from .door import Call, taken
from .host_product import multiply_on_host
from .numpys_protocols import asked_first
from .repeated_product import OPTIONS, Options, again

if TYPE_CHECKING:
    from typing import Unpack

    from .numpys_keywords import MatmulKeywords

LEFT_OUT = (None, None, None, None, 1, 0, None, "auto", None, "auto", "auto")
"""out, c, bias, out_dtype, alpha, beta, activation, kernel, tile, device and precision of `matmul`."""
NO_OPTIONS: Options = LEFT_OUT[3:]

Function = TypeVar("Function", bound=Callable[..., Any])


def _arrays_alone_first(declared: Function) -> Function:
    """`matmul` as it is declared, but that a call without options does not wait for the defaults of twenty.

    Python fills them in one by one, which takes a third of what a small product does.
    """

    @wraps(declared)
    def multiply(a: Any, b: Any, out: Any = None, **options: Any) -> Any:
        if options:
            return declared(a, b, out, **options)
        if type(a) is numpy.ndarray:
            result = small_arrays.product(a, b, out)
        elif getattr(a, "is_cpu", False) is True:
            result = small_tensors.product(a, b, out)
            if result is None and out is None:
                result = bfloat16_tensors.product(a, b)
        else:
            result = None
        if result is None:
            result = again((a, b, None, None, out), NO_OPTIONS)
        return _looked_at(a, b, None, None, out, NO_OPTIONS) if result is None else result

    return cast("Function", multiply)


@_arrays_alone_first
def matmul(
    a: Any,
    b: Any,
    out: object = None,
    *,
    out_dtype: object = None,
    alpha: float = 1,
    beta: float = 0,
    c: object = None,
    bias: object = None,
    activation: str | None = None,
    kernel: str = "auto",
    tile: int | tuple[int, int] | None = None,
    device: str | list[str] = "auto",
    precision: str = "auto",
    stream: object = None,
    memory_limit: int | str | None = None,
    resume: bool = False,
    progress: bool | Callable[[int, int], object] = False,
    engine: object = None,
    invariant: bool = False,
    **keywords: Unpack[MatmulKeywords],
) -> Any:
    """The matrix product C = activation(alpha A B + beta c + bias), for A B as `numpy.matmul` defines it.

    Arrays on a GPU stay there: the product runs asynchronously on their library's current stream. Sums are float32 for
    float16, bfloat16 and float32, and float64 for float64; a 16-bit result is rounded once, after the epilogue. The
    seeds are 000, 001, 002 and 004.

    Args:
        a: A (..., m, k) or (k,), with any strides: an array of NumPy, torch, CuPy or JAX, nested lists, or an object
            with `__cuda_array_interface__` or DLPack. All arrays of a call belong to one library and one device.
        b: B (..., k, n) or (k,). Leading dimensions broadcast, without a copy on a GPU.
        out: an array of exactly C's shape and type that takes the result; it may be A, B or c. NumPy's and CuPy's may
            have a type to which "same_kind" casts, and NumPy's more or longer leading axes, filled with C. Its elements
            must not share memory.
        out_dtype: the result's type: the inputs' own or, for 16-bit inputs, also float32.
        alpha: a number that scales A B. It is applied as written: 0 times NaN is NaN.
        beta: a number that scales c; if it is 0, c is not read.
        c: an array that broadcasts to C's shape, on a GPU in the result's type.
        bias: a vector (n,), added to every row; on a GPU in the result's type.
        activation: "relu", "gelu" (the exact one, with the error function: torch's default) or "silu".
        kernel: "auto", or a kernel of the catalogue such as "tiled" (also "matmul/tiled", "sequential", "numpy").
        tile: the kernel's tile; None takes its default. Kernels for 16 bits take (rows, columns) of C.
        device: "auto", or for host arrays also "host", "gpu" or "emulator", to which they are copied and back. "auto"
            is the arrays' own device; a kernel that does not run on the host runs on the GPU, or else on the emulator.
            With a memory limit also "cuda:1", or a list such as ["cuda:0", "cuda:1"], which share the tiles.
        precision: how float32 is multiplied: "auto" (as accurately as SGEMM), "ieee" (fused multiply-adds) or "tf32"
            (numbers rounded to 11 bits: errors of 2^-11 |A||B|), "bf16x6", "fp16x3" on the tensor cores of chips that
            have a kernel for it. Other types take "auto". torch's and JAX's own settings are not read.
        stream: the CUDA stream for arrays on a GPU: one of torch, CuPy or Numba, an object with `__cuda_stream__`, or
            its address. None is the current stream of the arrays' library.
        memory_limit: what the call may take of the host's memory, and of the GPU's, beside the arrays given: bytes, or
            a size such as "4GiB". Then A, B and `out` may be larger than a memory: `numpy.memmap`, arrays of zarr 3,
            datasets of h5py, or any of the host's, in any mixture. Of zarr's and h5py's alone it may be left out.
        resume: continue an earlier run into the same `out` from the tiles that are whole there (docs/streaming.md).
        progress: True for a bar on standard error, or a function of (steps done, all steps).
        engine: a `distributed.Client` of Dask's: its workers compute C, a tile to each task (docs/clusters.md). Then A,
            B and `out` lie where all workers see them, and memory_limit is that of one task.
        invariant: True for rows of C whose bits do not depend on how many other rows there are, nor on the batch
            (docs/reproducible.md). Of 16-bit types, float32 and float64; "auto" then multiplies float32 as "ieee".
        **keywords: those of `numpy.matmul` for NumPy's and CuPy's arrays, without other options: `axes`, `casting`,
            `dtype`, `order`, `subok`, and for NumPy's also `signature`.

    Returns:
        C (..., m, n), an array of the inputs' library and device, or `out`.

    Raises:
        ShapeError: the shapes do not fit; the message names both, and both types. Or elements of `out` share memory.
        DtypeError: the types, libraries or devices of the arrays are not accepted.
        ValueError: `out` is read-only, as all of JAX's arrays are.
        PlanError: a number, kernel, tile, device, precision or stream that cannot do this.
        UnknownKernelError: no kernel has that name.
        DeviceUnavailableError: the machine cannot be used here.
        OutOfMemoryError: the GPU's memory does not suffice.
        StoreError: a stored array cannot be read or written, or another process writes `out`.
        MachineError: a GPU fails, or an engine lost its scheduler or all workers.
    """
    if keywords or invariant:
        chosen = (out_dtype, alpha, beta, activation, kernel, tile, device, precision)
        streaming = {"memory_limit": memory_limit, "resume": resume, "progress": progress, "engine": engine}
        if invariant:
            from .invariant import multiply_invariant

            return multiply_invariant(a, b, c, bias, out, chosen, stream, invariant, **streaming, **keywords)
        from .numpys_keywords import with_keywords

        named = {**dict(zip(OPTIONS, chosen, strict=True)), "c": c, "bias": bias, **streaming}
        return with_keywords(matmul, a, b, out, {**keywords}, stream, **named)
    # Equal values, such as True for 1, are handled later.
    options = (out_dtype, alpha, beta, activation, kernel, tile, device, precision)
    streams = memory_limit is not None or resume or progress or engine is not None
    if not streams and stream is None and _are_left_out(None, c, bias, *options):
        return matmul(a, b, out)
    if streams:
        return _streamed(a, b, c, bias, out, options, stream, memory_limit, resume, progress, engine)
    if stream is not None:
        with on_stream(stream, A=a, B=b, out=out, c=c, bias=bias):
            result = again((a, b, c, bias, out), options)
            return _looked_at(a, b, c, bias, out, options) if result is None else result
    result = again((a, b, c, bias, out), options)
    return _looked_at(a, b, c, bias, out, options) if result is None else result


def _looked_at(a: object, b: object, c: object, bias: object, out: object, options: Options) -> Any:
    """A product that is not a repetition, of arrays of any library."""
    names = type(a).__name__, type(b).__name__, type(out).__name__
    if not STORED_NAMES.isdisjoint(names) and is_stored(a, b, out):
        return _streamed(a, b, c, bias, out, options, None)
    result = taken(Call(matmul, "matmul", a, b, dict(zip(OPTIONS, options, strict=True)), out, c, bias))
    return multiply_here(a, b, c, bias, out, options) if result is NotImplemented else result


def _streamed(
    a: object,
    b: object,
    c: object,
    bias: object,
    out: object,
    options: Options,
    stream: object,
    memory_limit: object = None,
    resume: object = False,
    progress: object = False,
    engine: object = None,
) -> Any:
    """A product of stored arrays, one within a memory limit, or one by a cluster."""
    from .streamed.product import multiply_streamed

    named = dict(zip(OPTIONS, options, strict=True)) | {"c": c, "bias": bias, "stream": stream}
    how: dict[str, Any] = {"memory_limit": memory_limit, "resume": resume, "progress": progress, "engine": engine}
    return multiply_streamed("matmul", a, b, out, **how, **named)


def multiply_here(a: object, b: object, c: object, bias: object, out: object, options: Options) -> Any:
    """`matmul` of arrays with values, for calls that no library takes over. ``options``: in the order of OPTIONS."""
    place = place_of(A=a, B=b, out=out, c=c, bias=bias)
    if place.on_gpu:
        return multiply_on_gpu(a, b, c, bias, out, place.library, options)
    if place == NUMPY_HOST and _are_left_out(None, c, bias, *options):
        result = asked_first("matmul", a, b, out)
        if result is not NotImplemented:
            return result
    return multiply_on_host(a, b, c, bias, out, place.library, options)


def _are_left_out(*given: object) -> bool:
    """Whether these are exactly the defaults; equal values, such as True for 1, are handled later."""
    return all(map(is_, given, LEFT_OUT))
