"""The keyword `stream` of the calls: makes the caller's CUDA stream the current one of the arrays' library.

Memory, ordering and lifetimes then follow the library's own rules; nothing is synchronized.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy

from tilewright.kernels.refusals import PlanError

from .errors import described
from .jax import is_traced_by_jax
from .memory import lender_of, memory
from .places import CUPY, JAX, TORCH, place_of
from .torch_modes import is_traced

LEGACY, PER_THREAD = 1, 2
"""The numbers of the default streams in CUDA (cudaStreamLegacy, cudaStreamPerThread) and DLPack."""

ADDRESS_BYTES = 8
"""A stream's address is that of a C++ object, so it is a multiple of this."""

ACCEPTED = (
    "a stream of torch, CuPy or Numba, an object with __cuda_stream__, or the address of a cudaStream_t "
    "(1 is the legacy default stream, 2 the per-thread one) is accepted"
)


@contextmanager
def on_stream(stream: object, **given: object) -> Iterator[None]:
    """Make ``stream`` current, for this thread and on the GPU of A, in the library of the arrays ``given``.

    Args:
        stream: not None; see `address_of`.
        given: the call's arrays by their names in messages, A first; None for those not given.

    Raises:
        PlanError: it is not a stream, or belongs to another GPU; or the arrays are the host's or JAX's; or
            torch.compile traces the call.
        DtypeError: the arrays belong to two libraries or devices.
    """
    arrays = [array for array in given.values() if array is not None]
    if any(map(is_traced, arrays)):
        raise PlanError(
            "stream is given in code that torch.compile reads, which queues on streams of its own choice; leave stream "
            "away, and call the compiled function under torch.cuda.stream."
        )
    address = address_of(stream)
    place = None if is_traced_by_jax(*arrays) else place_of(**given)
    if place is None or place.library == JAX:
        raise PlanError(
            "stream is given and the arrays are JAX's, which orders its work itself and shows no streams; leave stream "
            "away."
        )
    if not place.on_gpu:
        raise PlanError(
            "stream is given and the arrays are on the host, whose products run on no stream; leave stream away, or "
            "pass arrays that are on a GPU."
        )
    device, of = _device_of(arrays[0], place.library), _device_said(stream)
    if of not in {None, device}:
        raise PlanError(f"stream is of GPU {of} and A is on GPU {device}; a stream of GPU {device} is accepted.")
    if lender_of(place.library) == TORCH:
        from .torch import made_current
    else:
        from .cupy import made_current
    with made_current(stream, 0 if address == LEGACY else address, device):
        yield


def address_of(stream: object) -> int:
    """The address of a cudaStream_t: 0 and 1 for the legacy default stream, 2 for the per-thread one.

    ``stream`` is that number, or an object with `__cuda_stream__` (CUDA Python's protocol: version 0 and the address),
    or a stream of torch (`cuda_stream`), CuPy (`ptr`) or Numba (`handle`). 0, which DLPack lacks, is NULL: the legacy
    default stream in CUDA's driver, torch and CuPy.

    Raises:
        PlanError: it is none of these, or not an address.
    """
    address = _number(_said_by(stream))
    if address is None:
        raise PlanError(f"stream is {described(stream)}, and {ACCEPTED}.")
    if address not in {0, LEGACY, PER_THREAD} and (address < 0 or address % ADDRESS_BYTES):
        raise PlanError(f"stream is at {address}, which is no address of a stream; {ACCEPTED}.")
    return address


def _said_by(stream: object) -> object:
    protocol = getattr(stream, "__cuda_stream__", None)
    if callable(protocol) and not isinstance(stream, type):
        match protocol():
            case (0, address):
                return address
            case said:
                raise PlanError(
                    f"stream says {said!r} by __cuda_stream__, and (0, address of a cudaStream_t) is accepted."
                )
    # Events and pointers have such fields as well.
    if any(kind.__name__.endswith("Stream") for kind in type(stream).__mro__):
        for field in ("cuda_stream", "ptr", "handle"):
            if hasattr(stream, field):
                found = getattr(stream, field)
                # Of ctypes, where NULL is None.
                return (found.value or 0) if hasattr(found, "value") else found
    return stream


def _number(given: object) -> int | None:
    if isinstance(given, bool | numpy.bool_):
        return None
    try:
        return operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        return None


def _device_of(array: Any, library: str) -> int:
    if library == TORCH:
        return int(array.get_device())
    return int(array.device.id) if library == CUPY else memory(library).describe(array, "A").device


def _device_said(stream: object) -> int | None:
    """The GPU of a stream of torch or CuPy; None for others."""
    for field in ("device_index", "device_id"):
        found = getattr(stream, field, None)
        if isinstance(found, int) and found >= 0:
            return found
    return None
