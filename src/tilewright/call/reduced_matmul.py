"""`tilewright.reduced_matmul`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tilewright.arrays.host_array import is_16_bit
from tilewright.arrays.places import NUMPY_HOST, place_of
from tilewright.arrays.stores.opened import STORED_NAMES, is_stored
from tilewright.arrays.streams import on_stream

from .contractions import through_numpy
from .cuda_product import multiply_on_gpu
from .door import Call, taken
from .host_product import compute, multiply, multiply_on_host, runs_in_16_bits
from .repeated_product import Options, again, options_of
from .shapes import check_shapes
from .way import check_way


def reduced_matmul(
    a: object,
    b: object,
    out: object = None,
    *,
    kernel: str = "auto",
    device: str | list[str] = "auto",
    tile: int | None = None,
    precision: str = "auto",
    stream: object = None,
    memory_limit: int | str | None = None,
    resume: bool = False,
    progress: bool | Callable[[int, int], object] = False,
    engine: object = None,
) -> Any:
    """The reduced matrix product (RMM) of seed 003: sums of row pairs of A times sums of column pairs of B.

    C[i, j] = sum over p of (A[2i, p] + A[2i+1, p]) (B[p, 2j] + B[p, 2j+1]).

    On a GPU, and on the emulator for 16-bit types, pairs are added once and matmul's kernels multiply the sums. A pair
    sum of a 16-bit type is made in float32 and rounded once to that type, which changes C[i, j] by at most
    (2 u + u^2) sum over p of |A[2i, p] + A[2i+1, p]| |B[p, 2j] + B[p, 2j+1]|, with u = 2^-11 for float16 (whose pair
    sums must stay below 65,520) and 2^-8 for bfloat16. Inputs in float32 are not rounded so.

    Args:
        a: A (..., m, k), m even, an array that `tilewright.matmul` takes, with any strides.
        b: B (..., k, n), n even, of the same library and device.
        out: an array of exactly C's shape that takes the result; it may be A or B.
        kernel: "auto", "pair_sums", "fused" or a seed's "naive_4p", "naive_p" or "tiled"; on the host "sequential" or
            "numpy".
        device: "auto", "host", "gpu" or "emulator", as for matmul.
        tile: the kernel's tile; None takes its default.
        precision: how float32 is multiplied, as for matmul.
        stream: for arrays on a GPU, as for matmul.
        memory_limit: as for matmul; then A and B may be stored arrays, and only pair sums of panels are made.
        resume: as for matmul.
        progress: as for matmul.
        engine: as for matmul.

    Returns:
        C (..., m/2, n/2), an array of the inputs' library and device, or `out`. Products of 16-bit types are added in
        float32, and C is rounded once.

    Raises:
        ShapeError: the shapes do not fit or are odd; the message names both, and both types.
        DtypeError: the types, libraries or devices of the arrays are not accepted.
        PlanError: no such device, or a kernel, tile, precision or stream that cannot do this.
        UnknownKernelError: no kernel has that name.
        DeviceUnavailableError: the machine cannot be used here.
        StoreError: as for matmul.
    """
    names = type(a).__name__, type(b).__name__, type(out).__name__
    is_stream = memory_limit is not None or resume or progress or engine is not None
    if is_stream or (not STORED_NAMES.isdisjoint(names) and is_stored(a, b, out)):
        from .streamed.product import multiply_streamed

        how: dict[str, Any] = {"memory_limit": memory_limit, "resume": resume, "progress": progress}
        how |= {"stream": stream, "engine": engine}
        chosen: dict[str, Any] = {"kernel": kernel, "device": device, "tile": tile, "precision": precision}
        return multiply_streamed("reduced_matmul", a, b, out, **how, **chosen)
    if stream is not None:
        with on_stream(stream, A=a, B=b, out=out):
            return _reduced(a, b, out, kernel, device, tile, precision)
    return _reduced(a, b, out, kernel, device, tile, precision)


def _reduced(a: object, b: object, out: object, kernel: object, device: object, tile: object, precision: object) -> Any:
    result = _again(a, b, out, kernel, device, tile, precision)
    if result is not None:
        return result
    options = {"kernel": kernel, "device": device, "tile": tile, "precision": precision}
    result = taken(Call(reduced_matmul, "reduced_matmul", a, b, options, out))
    return _multiplied_here(a, b, out, **options) if result is NotImplemented else result


def reduced_matmul_here(
    a: object, b: object, out: object, *, kernel: object, device: object, tile: object, precision: object
) -> Any:
    """`reduced_matmul` of arrays with values, for calls that no library takes over."""
    result = _again(a, b, out, kernel, device, tile, precision)
    return _multiplied_here(a, b, out, kernel, device, tile, precision) if result is None else result


def _multiplied_here(
    a: object, b: object, out: object, kernel: object, device: object, tile: object, precision: object
) -> Any:
    place, options = place_of(A=a, B=b, out=out), _options(kernel, device, tile, precision)
    if place.on_gpu:
        return multiply_on_gpu(a, b, None, None, out, place.library, options, "reduced_matmul")
    way = check_way("reduced_matmul", kernel, device, tile, precision)
    if place == NUMPY_HOST and not is_16_bit(a, b):
        return multiply("reduced_matmul", a, b, way, out)
    if runs_in_16_bits("reduced_matmul", a, b, place.library, way):
        return multiply_on_host(a, b, None, None, out, place.library, options, "reduced_matmul")
    return through_numpy(
        "reduced_matmul",
        a,
        b,
        out,
        place.library,
        partial(check_shapes, "reduced_matmul"),
        partial(compute, "reduced_matmul", way=way),
        precision=way.precision,
    )


def _again(a: object, b: object, out: object, kernel: object, device: object, tile: object, precision: object) -> Any:
    return again((a, b, None, None, out), options_of("reduced_matmul", _options(kernel, device, tile, precision)))


def _options(kernel: object, device: object, tile: object, precision: object) -> Options:
    """The options of a product without an epilogue, in the order of matmul's."""
    return (None, 1, 0, None, kernel, tile, device, precision)
