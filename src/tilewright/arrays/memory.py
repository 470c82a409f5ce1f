"""Whose memory and stream a product on a GPU uses: those of the arrays' own library."""

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
    """What a product needs of a library: its arrays as they lie, memory, a stream, copies, and results of its kind."""

    def describe(self, given: Any, name: str) -> CudaArray:
        """An array of the library as it lies on its GPU. Raises DtypeError for its type or what is no plain array."""

    def empty(self, shape: Shape, dtype: str, device: int) -> CudaArray:
        """An array whose elements are not set. Raises OutOfMemoryError."""

    def stream(self, device: int) -> int:
        """The handle of the stream on which products of the library's arrays run."""

    def copy(self, source: CudaArray, target: CudaArray) -> None:
        """Copy all elements, in the order of that stream."""

    def packed(self, array: CudaArray) -> CudaArray:
        """The same elements, row-major without gaps."""

    def result(self, target: CudaArray, inputs: tuple[CudaArray, ...]) -> Any:
        """What the caller gets for memory from `empty`, once the launches that read ``inputs`` are on the stream."""


@cache
def memory(library: str) -> DeviceMemory:
    """Where results and working memory of products of a library's arrays come from.

    Raises:
        DtypeError: the library gives no memory here, and neither torch nor CuPy is installed.
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
    """For arrays of a library that is not known here: memory, stream and results are another's, torch's or CuPy's."""

    def __init__(self, lender: DeviceMemory) -> None:
        self.lender = lender
        self.empty, self.stream, self.copy = lender.empty, lender.stream, lender.copy
        self.packed, self.result = lender.packed, lender.result

    def describe(self, given: Any, name: str) -> CudaArray:
        """An array by its `__cuda_array_interface__`, or by DLPack."""
        if hasattr(given, "__cuda_array_interface__"):
            return from_interface(given, name)
        return from_dlpack(given, name, self.stream(given.__dlpack_device__()[1]))


class AsDescribed:
    """Arrays that have no memory yet, in the place of a library's memory: they are described as they will lie."""

    def describe(self, given: CudaArray, _name: str) -> CudaArray:
        """The description itself."""
        return given


def lender_of(library: str) -> str:
    """Whose memory and current stream a library's products use: its own; torch's or CuPy's for one that is not known.

    Of these two, one that is imported comes before one that only could be. Raises DtypeError where there is neither.
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
