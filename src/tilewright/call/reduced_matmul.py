"""`tilewright.reduced_matmul`."""

from __future__ import annotations

from functools import partial
from typing import Any

from tilewright.arrays.foreign import by_lender
from tilewright.arrays.host_array import is_16_bit
from tilewright.arrays.library_array import check_out as check_library_out
from tilewright.arrays.library_array import deliver, described, in_one_type
from tilewright.arrays.places import CUDA, NUMPY_HOST, place_of
from tilewright.arrays.streams import on_stream
from tilewright.arrays.torch import namespace_of
from tilewright.kernels.problem import INPUT_DTYPES

from .contractions import check_gpu_options, through_numpy
from .door import Call, taken
from .host_product import compute, multiply
from .matmul import matmul
from .shapes import check_shapes
from .way import check_way


def reduced_matmul(
    a: object,
    b: object,
    out: object = None,
    *,
    kernel: str = "auto",
    device: str = "auto",
    tile: int | None = None,
    stream: object = None,
) -> Any:
    """The reduced matrix product (RMM) of seed 003: sums of row pairs of A times sums of column pairs of B.

    C[i, j] = sum over p of (A[2i, p] + A[2i+1, p]) (B[p, 2j] + B[p, 2j+1]).

    Args:
        a: A (..., m, k), m even, an array that `tilewright.matmul` takes, with any strides.
        b: B (..., k, n), n even, of the same library and device.
        out: an array of exactly C's shape that takes the result; it may be A or B.
        kernel: "auto" or, for arrays of the host, "naive_4p", "naive_p", "tiled", "sequential" or "numpy".
        device: "auto", "host", "gpu" or "emulator", as for matmul.
        tile: the kernel's tile; None takes its default.
        stream: for arrays on a GPU, as for matmul.

    Returns:
        C (..., m/2, n/2), an array of the inputs' library and device, or `out`. For 16-bit types, pairs and products
        are added in float32, and C is rounded once.

    Raises:
        ShapeError: the shapes do not fit or are odd; the message names both, and both types.
        DtypeError: the types, libraries or devices of the arrays are not accepted.
        PlanError: no such device, or a kernel, tile or stream that cannot do this.
        UnknownKernelError: no kernel has that name.
        DeviceUnavailableError: the machine cannot be used here.
    """
    if stream is not None:
        with on_stream(stream, A=a, B=b, out=out):
            return _reduced(a, b, out, kernel, device, tile)
    return _reduced(a, b, out, kernel, device, tile)


def _reduced(a: object, b: object, out: object, kernel: object, device: object, tile: object) -> Any:
    options = {"kernel": kernel, "device": device, "tile": tile}
    result = taken(Call(reduced_matmul, "reduced_matmul", a, b, options, out))
    return reduced_matmul_here(a, b, out, **options) if result is NotImplemented else result


def reduced_matmul_here(a: object, b: object, out: object, *, kernel: object, device: object, tile: object) -> Any:
    """`reduced_matmul` of arrays with values, for calls that no library takes over."""
    place = place_of(A=a, B=b, out=out)
    if place.on_gpu:
        check_gpu_options("reduced_matmul", kernel, device, tile)
        if place.library == CUDA:
            return by_lender(_on_gpu, a, b, out)
        return _on_gpu(a, b, out, place.library)
    way = check_way("reduced_matmul", kernel, device, tile)
    if place == NUMPY_HOST and not is_16_bit(a, b):
        return multiply("reduced_matmul", a, b, way, out)
    return through_numpy(
        "reduced_matmul",
        a,
        b,
        out,
        place.library,
        partial(check_shapes, "reduced_matmul"),
        partial(compute, "reduced_matmul", way=way),
    )


def _on_gpu(a: Any, b: Any, out: object, library: str) -> Any:
    """Let the arrays' library add the pairs, so that each element takes k multiplications, not 4 k."""
    a, b = in_one_type(a, b, library)
    shape, dtype = check_shapes("reduced_matmul", described(a), described(b)), described(a).dtype
    check_library_out(out, library, shape, dtype)
    xp, given_dtype = namespace_of(a), a.dtype
    if dtype in INPUT_DTYPES:
        a, b = xp.astype(a, xp.float32), xp.astype(b, xp.float32)
    product = matmul(a[..., 0::2, :] + a[..., 1::2, :], b[..., 0::2] + b[..., 1::2])
    return deliver(xp.astype(product, given_dtype) if dtype in INPUT_DTYPES else product, out)
