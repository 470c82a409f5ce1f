"""torch's tensors: what they are, and memory and streams for results. torch is imported where a tensor makes it needed.

A tensor of the host becomes a NumPy array over the same memory; one of a GPU is described as it lies there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from math import prod
from typing import Any

import numpy
from array_api_compat import array_namespace
from numpy.typing import NDArray

from tilewright.kernels.operand import DTYPE_BYTES

from .cuda_array import CudaArray, Shape, is_on_gpu, unaccepted_type
from .errors import DtypeError

Array = NDArray[Any]


def is_tensor(given: object) -> bool:
    """Whether it is a torch tensor; False, without importing torch, where nobody has."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(given, torch.Tensor)


def address_of(tensor: Any) -> int:
    """Where its first element is; 0 for one without memory of its own, as those are that torch.func hands on."""
    try:
        return int(tensor.data_ptr())
    except RuntimeError:
        return 0


def namespace_of(array: Any) -> Any:
    """The array API's functions for an array: array-api-compat's, or its library's own.

    torch.compile reads this, and would warn of the caches in which array-api-compat looks a tensor's library up.
    """
    if is_tensor(array):
        from array_api_compat import torch as functions

        return functions
    return array_namespace(array)


def dtype_name(dtype: object) -> str:
    """A torch type by NumPy's name: "bfloat16" for torch.bfloat16."""
    return str(dtype).removeprefix("torch.")


def check_plain(tensor: Any, name: str) -> Any:
    """The tensor with its values in memory as they are.

    Raises:
        DtypeError: it is nested, sparse or quantized, wants gradients, or has no memory of its own.
    """
    import torch

    if tensor.is_nested:  # and has no shape to name
        raise DtypeError(f"{name} is a nested tensor, and dense tensors are accepted.")
    given = f"{name} is {tuple(tensor.shape)} {tensor.dtype}"
    if tensor.layout is not torch.strided or tensor.is_quantized:
        raise DtypeError(f"{given} and sparse or quantized, and dense tensors are accepted.")
    if tensor.requires_grad and torch.is_grad_enabled():
        raise DtypeError(
            f"{given} and requires gradients, which are not computed here; "
            f"call it under torch.no_grad() or pass {name}.detach()."
        )
    return tensor.resolve_conj().resolve_neg()


def describe(tensor: Any, name: str) -> CudaArray:
    """A tensor on a GPU as it lies there. Raises DtypeError as `check_plain` does, or for its type."""
    tensor = check_plain(tensor, name)
    dtype = dtype_name(tensor.dtype)
    if dtype not in DTYPE_BYTES:
        raise unaccepted_type(name, tuple(tensor.shape), dtype)
    return CudaArray(
        tensor.data_ptr(), tuple(tensor.shape), tuple(tensor.stride()), dtype, tensor.get_device(), owner=tensor
    )


def to_numpy(tensor: Any, name: str) -> Array:
    """A tensor of the host as a NumPy array: over the same memory, or in float32 where it is bfloat16."""
    import torch

    tensor = check_plain(tensor, name).detach()
    try:
        array: Array = (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()
    except TypeError as error:  # eight-bit floats, complex halves
        raise DtypeError(f"{name} is {tuple(tensor.shape)} {tensor.dtype}, a type that NumPy lacks.") from error
    return array


def to_tensor(array: Array, dtype: str) -> Any:
    """A NumPy array as a tensor of the host, in the type of that name."""
    import torch

    return torch.from_numpy(numpy.asarray(array)).to(getattr(torch, dtype))


def empty_maker(device: int) -> Callable[[Shape, Shape, Any], Any]:
    """What makes a tensor of a shape, strides and torch type on a GPU, of torch's allocator; its elements are not set.

    torch.empty_strided takes half as long as torch.empty, which works out the strides; what the code that torch.compile
    writes calls takes half of that, and knows the current GPU alone. Raises what torch raises.
    """
    import torch

    guards = getattr(getattr(torch._C, "_dynamo", None), "guards", None)  # noqa: SLF001
    quick: Callable[[Shape, Shape, Any], Any] | None = getattr(guards, "_empty_strided_cuda", None)
    if quick is not None and torch.cuda.device_count() == 1:
        return quick
    where = torch.device("cuda", device)
    return lambda shape, strides, dtype: torch.empty_strided(shape, strides, dtype=dtype, device=where)


@contextmanager
def no_room_said(shape: Shape, dtype: Any, device: int) -> Iterator[None]:
    """Raise torch's error for want of memory as ours, with what was wanted."""
    import torch

    try:
        yield
    except torch.cuda.OutOfMemoryError as error:
        from tilewright.launch import OutOfMemoryError

        nbytes = prod(shape) * DTYPE_BYTES.get(dtype_name(dtype), 1)
        said = " ".join(str(error).split())
        raise OutOfMemoryError(f"Allocating {nbytes:,} bytes on GPU {device} failed: {said}") from error


def current_stream(device: int) -> int:
    """The handle of torch's current stream on a GPU."""
    return int(stream_reader()(device))


def stream_reader() -> Callable[[int], int]:
    """What gives the handle of torch's current stream on a GPU."""
    import torch

    quick: Callable[[int], int] | None = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # noqa: SLF001
    if quick is not None:  # it makes no Stream object
        return quick
    return lambda device: int(torch.cuda.current_stream(device).cuda_stream)


def made_current(stream: Any, address: int, device: int) -> AbstractContextManager[Any]:
    """While it is open, that stream is torch's current one of a GPU in this thread.

    Args:
        stream: the stream itself, where it is one of torch's.
        address: its cudaStream_t; 0 is the default stream.
        device: the GPU.
    """
    import torch

    if not isinstance(stream, torch.cuda.Stream):
        if address == 0:  # torch reads the numbers of other default streams as its own
            stream = torch.cuda.default_stream(device)
        else:
            stream = torch.cuda.ExternalStream(address, device=device)
    current: AbstractContextManager[Any] = torch.cuda.stream(stream)
    return current


class TorchMemory:
    """Memory of torch's allocator, in the order of torch's current stream of each device."""

    def empty(self, shape: Shape, dtype: str, device: int) -> CudaArray:
        """An array whose elements are not set.

        Raises:
            tilewright.launch.OutOfMemoryError: the device has no room for it.
        """
        import torch

        with no_room_said(shape, getattr(torch, dtype), device):
            tensor = torch.empty(shape, dtype=getattr(torch, dtype), device=torch.device("cuda", device))
        return CudaArray(tensor.data_ptr(), shape, tuple(tensor.stride()), dtype, device, owner=tensor)

    stream = staticmethod(current_stream)

    describe = staticmethod(describe)

    def copy(self, source: CudaArray, target: CudaArray) -> None:
        """Copy all elements, in the order of the current stream."""
        self._tensor(target).copy_(self._tensor(source))

    def packed(self, array: CudaArray) -> CudaArray:
        """The same elements, row-major without gaps."""
        return describe(self._tensor(array).contiguous(), "a copy")

    def result(self, target: CudaArray, inputs: tuple[CudaArray, ...]) -> Any:  # noqa: ARG002
        """The tensor as the caller gets it; the allocator keeps memory for as long as the stream uses it."""
        return target.owner

    def _tensor(self, array: CudaArray) -> Any:
        if is_tensor(array.owner):
            return array.owner
        import torch

        if is_on_gpu(array.owner) and min(array.strides, default=0) >= 0:
            return torch.as_tensor(array.owner, device=f"cuda:{array.device}")
        raise DtypeError(f"torch has no tensors with strides such as {array.strides}; pass a copy.")
