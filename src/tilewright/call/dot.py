"""`tilewright.dot`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy

from tilewright.arrays.foreign import by_lender
from tilewright.arrays.library_array import check_out as check_library_out
from tilewright.arrays.library_array import deliver, described, in_one_type
from tilewright.arrays.places import CUDA, NUMPY_HOST, library_of, place_of
from tilewright.arrays.streams import on_stream

from .contractions import check_gpu_options, through_numpy, vectors_on_gpu
from .door import Call, taken
from .host_product import compute, multiply
from .matmul import matmul
from .shapes import dot_shape
from .tensordot import contract_on_gpu
from .way import check_way


def dot(
    a: object,
    b: object,
    out: object = None,
    *,
    kernel: str = "auto",
    device: str = "auto",
    tile: int | None = None,
    stream: object = None,
) -> Any:
    """The dot product as defined by `numpy.dot`: for two vectors the sum over p of A[p] B[p] (seed 004).

    For matrices it is their product. In general it sums over the last axis of A and the second-to-last of B; the result
    has the remaining axes of A, then those of B. A number scales the other operand. Nothing is conjugated, unlike in
    `tilewright.vecdot`.

    Args:
        a: A (..., k), an array that `tilewright.matmul` takes, with any strides.
        b: B (k,) or (..., k, n), of the same library and device.
        out: an array of exactly the result's shape that takes the result; it may be A or B.
        kernel: for two vectors of the host "auto", "single_thread", "tiled", "sequential" or "numpy".
        device: for two vectors of the host "auto", "host", "gpu" or "emulator", as for matmul.
        tile: threads per block of the tiled kernel, a power of two; None takes its default.
        stream: for arrays on a GPU, as for matmul.

    Returns:
        An array of the inputs' library and device, a NumPy scalar for two vectors of NumPy's, or `out`. The tiled
        kernel leaves one partial sum per block, which the host adds.

    Raises:
        ShapeError: the shapes do not fit; the message names both, and both types.
        DtypeError: the types, libraries or devices of the arrays are not accepted.
        PlanError: no such device, or a kernel, tile or stream that cannot do this.
        UnknownKernelError: no kernel has that name.
        DeviceUnavailableError: the machine cannot be used here.
    """
    if stream is not None:
        with on_stream(stream, A=a, B=b, out=out):
            return _dot(a, b, out, kernel, device, tile)
    return _dot(a, b, out, kernel, device, tile)


def _dot(a: object, b: object, out: object, kernel: object, device: object, tile: object) -> Any:
    if _is_number(a) != _is_number(b):
        library = library_of(b if _is_number(a) else a)
        if library is not None:
            check_gpu_options("dot", kernel, device, tile)
            return _scaled(a, b, out, library)
    options = {"kernel": kernel, "device": device, "tile": tile}
    result = taken(Call(dot, "dot", a, b, options, out))
    return dot_here(a, b, out, **options) if result is NotImplemented else result


def dot_here(a: object, b: object, out: object, *, kernel: object, device: object, tile: object) -> Any:
    """`dot` of arrays with values, for calls that no library takes over."""
    place = place_of(A=a, B=b, out=out)
    if place.on_gpu:
        check_gpu_options("dot", kernel, device, tile)
        if place.library == CUDA:
            return by_lender(_on_gpu, a, b, out)
        return _on_gpu(a, b, out, place.library)
    way = check_way("dot", kernel, device, tile)
    if way.by_numpy and way.tile is None:
        return through_numpy("dot", a, b, out, place.library, dot_shape, numpy.dot)
    if place == NUMPY_HOST:
        return multiply("dot", a, b, way, out)
    return through_numpy("dot", a, b, out, place.library, dot_shape, partial(compute, "dot", way=way))


def _on_gpu(a: Any, b: Any, out: object, library: str) -> Any:
    left, right = described(a), described(b)
    shape = dot_shape(left, right)
    if left.ndim and 1 <= right.ndim <= 2 and (left.ndim > 1 or right.ndim > 1):
        return matmul(a, b, out)
    if left.ndim == right.ndim == 1:
        return vectors_on_gpu(a, b, 0, 0, shape, library, out)
    a, b = in_one_type(a, b, library)
    check_library_out(out, library, shape, described(a).dtype)
    product = contract_on_gpu(a, b, ((-1,), (-2,))) if left.ndim and right.ndim else a * b
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
