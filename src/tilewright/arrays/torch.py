"""torch's tensors: their descriptions, and memory and streams for results. torch is imported only for its tensors.

A tensor on the host becomes a NumPy array over the same memory; one on a GPU is described in place.
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

from tilewright.kernels.operand import ELEMENT_BYTES

from .cuda_array import CudaArray, Shape, is_on_gpu, unaccepted_type
from .errors import DtypeError

Array = NDArray[Any]


def is_tensor(given: object) -> bool:
    """Whether it is a torch tensor. This does not import torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(given, torch.Tensor)


def address_of(tensor: Any) -> int:
    """The address of its first element; 0 for one without memory of its own, such as torch.func's wrappers."""
    try:
        return int(tensor.data_ptr())
    except RuntimeError:
        return 0


def namespace_of(array: object) -> Any:
    """The array API's functions for an array: array-api-compat's, or its library's own.

    torch.compile traces this, and would warn about array-api-compat's caches.
    """
    if is_tensor(array):
        from array_api_compat import torch as functions

        return functions
    return array_namespace(array)


def dtype_name(dtype: object) -> str:
    """NumPy's name of a torch type: "bfloat16" for torch.bfloat16."""
    return str(dtype).removeprefix("torch.")


def check_dense(tensor: Any, name: str) -> None:
    """Raise DtypeError for a tensor that is nested, sparse or quantized; some of these have no shape or no strides."""
    import torch

    if tensor.is_nested:
        raise DtypeError(f"{name} is a nested tensor, and dense tensors are accepted.")
    if tensor.layout is not torch.strided or tensor.is_quantized:
        raise DtypeError(
            f"{name} is {tuple(tensor.shape)} {tensor.dtype} and sparse or quantized, and dense tensors are accepted."
        )


def check_plain(tensor: Any, name: str) -> Any:
    """The tensor with its actual values in memory.

    Raises:
        DtypeError: it is nested, sparse or quantized, requires gradients, or has no memory of its own.
    """
    import torch

    check_dense(tensor, name)
    if tensor.requires_grad and torch.is_grad_enabled():
        raise DtypeError(
            f"{name} is {tuple(tensor.shape)} {tensor.dtype} and requires gradients, which are not computed here; "
            f"call it under torch.no_grad() or pass {name}.detach()."
        )
    return tensor.resolve_conj().resolve_neg()


def describe(tensor: Any, name: str) -> CudaArray:
    """Describe a tensor on a GPU. Raises DtypeError as `check_plain` does, or for its type."""
    tensor = check_plain(tensor, name)
    dtype = dtype_name(tensor.dtype)
    if dtype not in ELEMENT_BYTES:
        raise unaccepted_type(name, tuple(tensor.shape), dtype)
    return CudaArray(
        tensor.data_ptr(), tuple(tensor.shape), tuple(tensor.stride()), dtype, tensor.get_device(), owner=tensor
    )


def to_numpy(tensor: Any, name: str) -> Array:
    """A host tensor as a NumPy array over the same memory; bfloat16 is converted to float32."""
    import torch

    tensor = check_plain(tensor, name).detach()
    try:
        array: Array = (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()
    except TypeError as error:  # eight-bit floats, complex halves
        raise DtypeError(f"{name} is {tuple(tensor.shape)} {tensor.dtype}, a type that NumPy lacks.") from error
    return array


def to_tensor(array: Array, dtype: str) -> Any:
    """A NumPy array as a host tensor of the named type."""
    import torch

    return torch.from_numpy(numpy.asarray(array)).to(getattr(torch, dtype))


def empty_maker(device: int) -> Callable[[Shape, Shape, Any], Any]:
    """A function that makes an uninitialized tensor on a GPU from shape, strides and torch type.

    torch.empty_strided takes half the time of torch.empty, which computes the strides. The function used in torch's
    compiled code takes half of that again, but works only on the current GPU. Errors are torch's.
    """
    import torch

    guards = getattr(getattr(torch._C, "_dynamo", None), "guards", None)  # noqa: SLF001
    quick: Callable[[Shape, Shape, Any], Any] | None = getattr(guards, "_empty_strided_cuda", None)
    if quick is not None and torch.cuda.device_count() == 1:
        return quick
    where = torch.device("cuda", device)
    return lambda shape, strides, dtype: torch.empty_strided(shape, strides, dtype=dtype, device=where)


@contextmanager
def no_room_said(shape: Shape, dtype: object, device: int) -> Iterator[None]:
    """A context that turns torch's out-of-memory error into ours, with the requested size."""
    import torch

    try:
        yield
    except torch.cuda.OutOfMemoryError as error:
        from tilewright.launch import OutOfMemoryError

        nbytes = prod(shape) * ELEMENT_BYTES.get(dtype_name(dtype), 1)
        said = " ".join(str(error).split())
        raise OutOfMemoryError(f"Allocating {nbytes:,} bytes on GPU {device} failed: {said}") from error


def current_stream(device: int) -> int:
    """The handle of torch's current stream on a GPU."""
    return int(stream_reader()(device))


def stream_reader() -> Callable[[int], int]:
    """A function that returns the handle of torch's current stream on a GPU. DtypeError if torch knows no GPUs."""
    import torch

    quick: Callable[[int], int] | None = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # noqa: SLF001
    if quick is not None:  # it makes no Stream object
        return quick
    if not torch.backends.cuda.is_built():
        raise DtypeError(
            "The arrays are on a GPU and of a library that is not known here, so that the product is ordered with "
            "torch's current stream, and this torch is built without CUDA; install one with it, or pass host arrays."
        )
    return lambda device: int(torch.cuda.current_stream(device).cuda_stream)


def made_current(stream: object, address: int, device: int) -> AbstractContextManager[Any]:
    """A context in which the stream is torch's current one on a GPU, in this thread.

    Args:
        stream: the stream itself, if it is one of torch's.
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
    """Memory of torch's allocator, ordered by torch's current stream of each device."""

    def empty(self, shape: Shape, dtype: str, device: int) -> CudaArray:
        """An uninitialized array.

        Raises:
            tilewright.launch.OutOfMemoryError: the device's memory does not suffice.
        """
        import torch

        with no_room_said(shape, getattr(torch, dtype), device):
            tensor = torch.empty(shape, dtype=getattr(torch, dtype), device=torch.device("cuda", device))
        return CudaArray(tensor.data_ptr(), shape, tuple(tensor.stride()), dtype, device, owner=tensor)

    stream = staticmethod(current_stream)

    describe = staticmethod(describe)

    def copy(self, source: CudaArray, target: CudaArray) -> None:
        """Copy all elements on the current stream."""
        self._tensor(target).copy_(self._tensor(source))

    def packed(self, array: CudaArray) -> CudaArray:
        """The same elements, row-major without gaps."""
        return describe(self._tensor(array).contiguous(), "a copy")

    def result(self, target: CudaArray, inputs: tuple[CudaArray, ...]) -> Any:  # noqa: ARG002
        """The tensor for the caller; the allocator does not reuse its memory while the stream uses it."""
        return target.owner

    def _tensor(self, array: CudaArray) -> Any:
        if is_tensor(array.owner):
            return array.owner
        import torch

        if is_on_gpu(array.owner) and min(array.strides, default=0) >= 0:
            return torch.as_tensor(array.owner, device=f"cuda:{array.device}")
        raise DtypeError(f"torch has no tensors with strides such as {array.strides}; pass a copy.")
