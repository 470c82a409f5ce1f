"""`tilewright.dot`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy

from tilewright.arrays.errors import ShapeError, describe
from tilewright.arrays.foreign import by_lender
from tilewright.arrays.library_array import check_out as check_library_out
from tilewright.arrays.library_array import deliver, described, in_one_type, promoted
from tilewright.arrays.numpy import check_exactly
from tilewright.arrays.places import CUDA, CUPY, NUMPY_HOST, library_of, place_of
from tilewright.arrays.stores.opened import STORED_NAMES, is_stored
from tilewright.arrays.streams import on_stream

from .arguments import check_precision
from .contractions import check_gpu_options, in_wider_type, through_numpy, vectors_on_gpu, way_of
from .door import Call, taken
from .host_product import compute, multiply
from .matmul import matmul
from .numpys_protocols import asked_first
from .repeated_product import Options, again
from .shapes import dot_shape
from .tensordot import contract_on_gpu
from .way import NOT_ASKED, check_way


def dot(
    a: object,
    b: object,
    out: object = None,
    *,
    kernel: str = "auto",
    device: str | list[str] = "auto",
    tile: int | None = None,
    precision: str = "auto",
    stream: object = None,
    dtype: object = None,
    memory_limit: int | str | None = None,
    resume: bool = False,
    progress: bool | Callable[[int, int], object] = False,
    engine: object = None,
) -> Any:
    """The dot product as defined by `numpy.dot`: for two vectors the sum over p of A[p] B[p] (seed 004).

    For matrices it is their product. In general it sums over the last axis of A and the second-to-last of B; the result
    has the remaining axes of A, then those of B. A number scales the other operand. Nothing is conjugated, unlike in
    `tilewright.vecdot`.

    Args:
        a: A (..., k), an array that `tilewright.matmul` takes, with any strides.
        b: B (k,) or (..., k, n), of the same library and device.
        out: an array of exactly the result's shape that takes the result; it may be A or B. NumPy's and CuPy's
            have its type, and rows without gaps, as `numpy.dot` wants them.
        kernel: for two vectors of the host "auto", "single_thread", "tiled", "sequential" or "numpy".
        device: for two vectors of the host "auto", "host", "gpu" or "emulator", as for matmul.
        tile: threads per block of the tiled kernel, a power of two; None takes its default.
        precision: how float32 is multiplied, as for matmul.
        stream: for arrays on a GPU, as for matmul.
        dtype: for two vectors the type of the sum: the inputs' own, or a wider one.
        memory_limit: as for matmul; two vectors or two matrices may then be stored arrays. The sums over panels of two
            vectors of float32 or 16 bits are added in float64.
        resume: as for matmul.
        progress: as for matmul.
        engine: as for matmul, for two matrices.

    Returns:
        An array of the inputs' library and device, a NumPy scalar for two vectors of NumPy's, or `out`. The tiled
        kernel leaves one partial sum per block, which the host adds. On a GPU, sums of two vectors have the same bits
        in every call: they are rounded once from float64, those of float64 from twice its precision (Dot2, by Ogita,
        Rump and Oishi).

    Raises:
        ShapeError: the shapes do not fit; the message names both, and both types.
        DtypeError: the types, libraries or devices of the arrays are not accepted.
        PlanError: no such device, or a kernel, tile, precision or stream that cannot do this.
        UnknownKernelError: no kernel has that name.
        DeviceUnavailableError: the machine cannot be used here.
        StoreError: as for matmul.
    """
    if memory_limit is not None or resume or progress or engine is not None:
        how: dict[str, Any] = {"memory_limit": memory_limit, "resume": resume, "progress": progress}
        how |= {"stream": stream, "engine": engine}
        return _streamed(a, b, out, kernel, device, tile, precision, dtype, **how)
    if stream is not None:
        with on_stream(stream, A=a, B=b, out=out):
            return _dot(a, b, out, kernel, device, tile, precision, dtype)
    return _dot(a, b, out, kernel, device, tile, precision, dtype)


def _dot(
    a: object, b: object, out: object, kernel: object, device: object, tile: object, precision: object, dtype: object
) -> Any:
    remembered = again((a, b, None, None, out), _options(kernel, device, tile, precision, dtype))
    if remembered is not None:
        return remembered
    names = type(a).__name__, type(b).__name__, type(out).__name__
    if not STORED_NAMES.isdisjoint(names) and is_stored(a, b, out):
        return _streamed(a, b, out, kernel, device, tile, precision, dtype)
    if dtype is not None:
        return _summed_in(dtype, a, b, out, kernel, device, tile, precision)
    if _is_number(a) != _is_number(b):
        library = library_of(b if _is_number(a) else a)
        if library is not None:
            check_gpu_options("dot", kernel, device, tile)
            return _scaled(a, b, out, library)
    options: dict[str, Any] = {"kernel": kernel, "device": device, "tile": tile, "precision": precision}
    result = taken(Call(dot, "dot", a, b, options, out))
    return dot_here(a, b, out, **options) if result is NotImplemented else result


def _streamed(
    a: object,
    b: object,
    out: object,
    kernel: object,
    device: object,
    tile: object,
    precision: object,
    dtype: object,
    **how: Any,
) -> Any:
    """A product of stored arrays, or one within a memory limit."""
    from .streamed.product import multiply_streamed

    chosen: dict[str, Any] = {"kernel": kernel, "device": device, "tile": tile, "precision": precision, "dtype": dtype}
    return multiply_streamed("dot", a, b, out, **how, **chosen)


def _options(kernel: object, device: object, tile: object, precision: object, dtype: object) -> Options:
    """What a product of two vectors depends on, in the order of OPTIONS: its kernel's name is none of matmul's."""
    name = "dot" if type(kernel) is str and kernel == "auto" else None
    return (dtype, 1, 0, None, name, tile, device, precision)


def _summed_in(
    dtype: object, a: Any, b: Any, out: object, kernel: object, device: object, tile: object, precision: object
) -> Any:
    library, on_gpu = way_of("dot", a, b, out)
    if on_gpu:
        check_gpu_options("dot", kernel, device, tile)
    else:
        a, b = in_wider_type("dot", a, b, library, dtype)
    left, right = described(a), described(b)
    if left.ndim != 1 or right.ndim != 1:
        raise ShapeError(f"dtype goes with two vectors, but {describe(left, right)}.")
    if not on_gpu:
        return _dot(a, b, out, kernel, device, tile, precision, None)
    options = _options("auto", device, None, check_precision(precision), dtype)

    def compute(a: object, b: object, out: object, library: str) -> Any:
        return vectors_on_gpu(a, b, (0, 0), dot_shape(left, right), library, out, options)

    return by_lender(compute, a, b, out) if library == CUDA else compute(a, b, out, library)


def dot_here(
    a: object, b: object, out: object, *, kernel: object, device: object, tile: object, precision: object
) -> Any:
    """`dot` of arrays with values, for calls that no library takes over."""
    place = place_of(A=a, B=b, out=out)
    if place.on_gpu:
        check_gpu_options("dot", kernel, device, tile)
        on_gpu = partial(_on_gpu, precision=check_precision(precision))
        if place.library == CUDA:
            return by_lender(on_gpu, a, b, out)
        return on_gpu(a, b, out, place.library)
    way = check_way("dot", kernel, device, tile, precision)
    if place == NUMPY_HOST and way == NOT_ASKED:
        result = asked_first("dot", a, b, out)
        if result is not NotImplemented:
            return result
    if way.by_numpy and way.tile is None:
        return through_numpy("dot", a, b, out, place.library, dot_shape, numpy.dot, precision=way.precision)
    if place == NUMPY_HOST:
        return multiply("dot", a, b, way, out)
    computed = partial(compute, "dot", way=way)
    return through_numpy("dot", a, b, out, place.library, dot_shape, computed, precision=way.precision)


def _on_gpu(a: Any, b: Any, out: object, library: str, precision: str = "auto") -> Any:
    left, right = described(a), described(b)
    shape = dot_shape(left, right)
    if library == CUPY and out is not None:
        check_exactly(out, promoted(a, b))
    if left.ndim and 1 <= right.ndim <= 2 and (left.ndim > 1 or right.ndim > 1):
        return matmul(a, b, out, precision=precision)
    if left.ndim == right.ndim == 1:
        options = _options("auto", "auto", None, precision, None)
        return vectors_on_gpu(a, b, (0, 0), shape, library, out, options)
    a, b = in_one_type(a, b, library)
    check_library_out(out, library, shape, described(a).dtype)
    product = contract_on_gpu(a, b, ((-1,), (-2,)), precision) if left.ndim and right.ndim else a * b
    return deliver(product, out)


def _is_number(given: object) -> bool:
    """Whether it is a Python number, which takes on the type of the array beside it."""
    return isinstance(given, int | float | complex) and not isinstance(given, numpy.generic)


def _scaled(a: Any, b: Any, out: object, library: str) -> Any:
    product = a * b
    if out is not None:
        place_of(A=product, out=out)
        check_library_out(out, library, described(product).shape, described(product).dtype)
    return deliver(product, out)
