"""Memory and stream of a product on a GPU, which come from the arrays' own library."""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import find_spec
from typing import Any, Protocol

from .cuda_array import CudaArray, Shape, from_interface
from .dlpack import from_dlpack
from .errors import DtypeError
from .places import CUPY, JAX, TORCH


class DeviceMemory(Protocol):
    """A library's services for a product: descriptions of arrays, memory, a stream, copies, and results."""

    def describe(self, given: object, name: str) -> CudaArray:
        """Describe an array of the library. Raises DtypeError for its type, or if it is not a plain array."""

    def empty(self, shape: Shape, dtype: str, device: int) -> CudaArray:
        """An uninitialized array. Raises OutOfMemoryError."""

    def stream(self, device: int) -> int:
        """The handle of the stream on which products of the library's arrays run."""

    def copy(self, source: CudaArray, target: CudaArray) -> None:
        """Copy all elements on that stream."""

    def packed(self, array: CudaArray) -> CudaArray:
        """The same elements, row-major without gaps."""

    def result(self, target: CudaArray, inputs: tuple[CudaArray, ...]) -> Any:
        """The caller's array for memory from `empty`, once the launches that read ``inputs`` are queued."""


@cache
def memory(library: str) -> DeviceMemory:
    """The source of memory for results and workspaces of products of a library's arrays.

    Raises:
        DtypeError: the library is unknown, and neither torch nor CuPy is installed.
    """
    if library == TORCH:
        from .torch import TorchMemory

        return TorchMemory()
    if library == CUPY:
        from .cupy import CupyMemory

        return CupyMemory()
    if library == JAX:
        from .jax import JaxMemory

        return JaxMemory()
    return ForeignMemory(memory(lender_of(library)))


class ForeignMemory:
    """Memory for arrays of an unknown library: memory, stream and results are torch's or CuPy's."""

    def __init__(self, lender: DeviceMemory) -> None:
        self.lender = lender
        self.empty, self.stream, self.copy = lender.empty, lender.stream, lender.copy
        self.packed, self.result = lender.packed, lender.result

    def describe(self, given: Any, name: str) -> CudaArray:
        """Describe an array by its `__cuda_array_interface__`, or by DLPack."""
        if hasattr(given, "__cuda_array_interface__"):
            return from_interface(given, name)
        return from_dlpack(given, name, self.stream(given.__dlpack_device__()[1]))


class AsDescribed:
    """A stand-in for a library's memory, for arrays that exist only as descriptions."""

    def describe(self, given: CudaArray, _name: str) -> CudaArray:
        """The description itself."""
        return given


def lender_of(library: str) -> str:
    """The library whose memory and stream a product uses: the arrays' own, or torch or CuPy for an unknown one.

    Of these two, an imported one is preferred to one that is only installed. Raises DtypeError if there is neither.
    """
    if library in {TORCH, CUPY, JAX}:
        return library
    for lender in (TORCH, CUPY):
        if lender in sys.modules:
            return lender
    for lender in (TORCH, CUPY):
        if find_spec(lender) is not None:
            return lender
    raise DtypeError(
        "The arrays are on a GPU and of a library that is not known here, so that the result is to be a torch tensor "
        "or a CuPy array, and neither torch nor CuPy is installed."
    )
