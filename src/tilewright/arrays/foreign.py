"""Arrays on a GPU of an unknown library, as arrays of a known one: torch, or CuPy without torch.

They share memory, except for arrays with negative strides, which torch does not support: those are copied.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from tilewright.kernels.operand import DTYPE_BYTES

from .cuda_array import check_interface, packed_strides
from .dlpack import is_read_only
from .errors import DtypeError
from .memory import lender_of, memory
from .places import CUDA, TORCH

BFLOAT16_BITS = "<i2"
"""The type string under which bfloat16 is read: `__cuda_array_interface__` has none for it."""


def by_lender(compute: Callable[[Any, Any, Any, str], Any], a: object, b: object, out: object = None) -> Any:
    """Call ``compute`` with two such arrays and `out`, as the lender's, and the lender's name; return the result.

    Raises:
        DtypeError: the lender cannot take an array over.
        ValueError: `out` is read-only.
    """
    left, right = borrowed(a, "A"), borrowed(b, "B")
    if out is None:
        return compute(left, right, None, lender_of(CUDA))
    check_writable(out)
    compute(left, right, borrowed(out, "out"), lender_of(CUDA))
    return out


def borrowed(given: object, name: str) -> Any:
    """The array as one of torch's or CuPy's that shares its memory; the current stream waits for pending writes."""
    lender = lender_of(CUDA)
    try:
        if hasattr(given, "__cuda_array_interface__"):
            return _by_interface(given, name, lender)
        return _module(lender).from_dlpack(given)
    except DtypeError:
        raise
    except (AssertionError, AttributeError, BufferError, KeyError, RuntimeError, TypeError, ValueError) as error:
        said = " ".join(str(error).split())
        raise DtypeError(f"{name} is a {type(given).__qualname__} that {lender} cannot take over: {said}") from error


def check_writable(out: Any) -> None:
    """Raise ValueError for a read-only `out`."""
    interface = getattr(out, "__cuda_array_interface__", None)
    if interface is None:
        device = out.__dlpack_device__()[1]
        refused = is_read_only(out, memory(CUDA).stream(device))
    else:
        refused = interface["data"][1]
    if refused:
        raise ValueError(f"out is a {type(out).__qualname__} that is read-only.")


class _Shown:
    """An object with an array's `__cuda_array_interface__`, which keeps the array's owner alive."""

    def __init__(self, owner: object, interface: dict[str, Any]) -> None:
        self.owner, self.__cuda_array_interface__ = owner, interface


def _by_interface(given: Any, name: str, lender: str) -> Any:
    interface = given.__cuda_array_interface__
    check_interface(interface, name)
    shape, type_string = tuple(interface["shape"]), interface["typestr"]
    is_bfloat16 = type_string[1:] == "V2" and str(getattr(given, "dtype", "")) == "bfloat16"
    size = DTYPE_BYTES["bfloat16"] if is_bfloat16 else int(type_string[2:])
    strides = interface.get("strides") or [stride * size for stride in packed_strides(shape)]
    address, turned = interface["data"][0] or 0, []
    if lender == TORCH and prod(shape):
        turned = [axis for axis, stride in enumerate(strides) if stride < 0]
        if turned and name == "out":
            raise DtypeError(f"out has strides of {tuple(strides)} bytes, and torch has no tensors with negative ones.")
        address += sum(strides[axis] * (shape[axis] - 1) for axis in turned)
        strides = [abs(stride) for stride in strides]
    shown = {
        "shape": shape,
        "strides": tuple(strides),
        "typestr": BFLOAT16_BITS if is_bfloat16 else type_string,
        "data": (address, False),
        "version": 3,
    }
    array = _taken_over(_Shown(given, shown), lender, is_bfloat16=is_bfloat16)
    if interface.get("stream") is not None:
        from tilewright.launch.cuda.device import cuda_device, device_of

        device = device_of(address) if address else 0
        cuda_device(device).wait_for(memory(CUDA).stream(device), interface["stream"])
    return array.flip(turned) if turned else array


def _taken_over(shown: _Shown, lender: str, *, is_bfloat16: bool) -> Any:
    module = _module(lender)
    if lender == TORCH:
        tensor = module.as_tensor(shown)
        return tensor.view(module.bfloat16) if is_bfloat16 else tensor
    array = module.asarray(shown)
    if is_bfloat16:
        from ml_dtypes import bfloat16  # whose type it must have had

        return array.view(bfloat16)
    return array


def _module(lender: str) -> Any:
    if lender == TORCH:
        import torch

        return torch
    import cupy

    return cupy
