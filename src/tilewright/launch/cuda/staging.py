"""Copies between host arrays and a GPU through two pinned buffers: one is filled while the other is in flight.

A GPU's copy engine reads only pinned memory, which callers' arrays are not. So each chunk is copied twice, once by the
host; with two buffers the copies overlap. Importing this module imports no CUDA.
"""

from __future__ import annotations

import ctypes
import threading
from contextlib import ExitStack
from functools import lru_cache
from typing import Any

import numpy
from numpy.typing import NDArray

from .device import CudaDevice, cuda_device
from .gpu import said_by_cuda

PIECE_BYTES = 8 * 2**20
"""The size of a buffer: about 0.2 ms on PCIe, much longer than the host's overhead of a copy."""

Bytes = NDArray[numpy.uint8]


class StagedCopies:
    """Copies and memory of a GPU, ordered by a stream, with two pinned buffers.

    A thread must hold `lock` to use it. All methods run within `CudaDevice.entered`.
    """

    def __init__(self, device: CudaDevice) -> None:
        self.lock = threading.RLock()
        self.device = device
        driver = self._driver = device.driver
        no_timing, alone = driver.CUevent_flags.CU_EVENT_DISABLE_TIMING, driver.CUstream_flags.CU_STREAM_NON_BLOCKING
        what = f"reserving {2 * PIECE_BYTES:,} bytes of pinned memory"
        with device.entered(), said_by_cuda(what), ExitStack() as given_back:
            self._events, self._addresses = [], []
            for _ in range(2):
                self._addresses.append(int(device.checked(driver.cuMemHostAlloc(PIECE_BYTES, 0))))
                given_back.callback(driver.cuMemFreeHost, self._addresses[-1])
                self._events.append(device.checked(driver.cuEventCreate(no_timing)))
                given_back.callback(driver.cuEventDestroy, self._events[-1])
            self._stream = device.checked(driver.cuStreamCreate(alone))
            given_back.pop_all()  # unless one of them was refused
        self._buffers = [
            numpy.ctypeslib.as_array((ctypes.c_uint8 * PIECE_BYTES).from_address(address))
            for address in self._addresses
        ]

    @property
    def stream(self) -> int:
        """The handle of the stream."""
        return int(self._stream)

    def allocate(self, nbytes: int) -> int:
        """Allocate memory of the GPU and return its address. Raises OutOfMemoryError."""
        with said_by_cuda(f"allocating {nbytes:,} bytes on GPU {self.device.ordinal}"):
            return int(self.device.checked(self._driver.cuMemAllocAsync(max(nbytes, 1), self._stream)))

    def free(self, address: int) -> None:
        """Free memory in stream order."""
        with said_by_cuda("freeing memory"):
            self.device.checked(self._driver.cuMemFreeAsync(address, self._stream))

    def to_gpu(self, source: NDArray[Any], address: int) -> None:
        """Copy a C-contiguous array to an address; the array may be changed as soon as this returns."""
        content = _bytes_of(source)
        driver, checked = self._driver, self.device.checked
        with said_by_cuda(f"copying {content.nbytes:,} bytes to GPU {self.device.ordinal}"):
            for number, first in enumerate(range(0, content.nbytes, PIECE_BYTES)):
                turn, piece = number % 2, content[first : first + PIECE_BYTES]
                checked(driver.cuEventSynchronize(self._events[turn]))  # of two pieces ago, or of the copies before
                numpy.copyto(self._buffers[turn][: piece.nbytes], piece)
                checked(driver.cuMemcpyHtoDAsync(address + first, self._addresses[turn], piece.nbytes, self._stream))
                checked(driver.cuEventRecord(self._events[turn], self._stream))

    def to_host(self, address: int, target: NDArray[Any]) -> None:
        """Copy to a writable C-contiguous array, and wait for the end."""
        content = _bytes_of(target)
        driver, checked = self._driver, self.device.checked
        starts = range(0, content.nbytes, PIECE_BYTES)
        with said_by_cuda(f"copying {content.nbytes:,} bytes from GPU {self.device.ordinal}"):
            for number in range(len(starts) + 1):
                if number < len(starts):
                    turn, first = number % 2, starts[number]
                    nbytes = min(PIECE_BYTES, content.nbytes - first)
                    checked(driver.cuMemcpyDtoHAsync(self._addresses[turn], address + first, nbytes, self._stream))
                    checked(driver.cuEventRecord(self._events[turn], self._stream))
                if number > 0:
                    turn, first = (number - 1) % 2, starts[number - 1]
                    piece = content[first : first + PIECE_BYTES]
                    checked(driver.cuEventSynchronize(self._events[turn]))
                    numpy.copyto(piece, self._buffers[turn][: piece.nbytes])

    def wait(self) -> None:
        """Wait for all work on the stream."""
        with said_by_cuda("waiting for the GPU"):
            self.device.checked(self._driver.cuStreamSynchronize(self._stream))


@lru_cache(maxsize=64)
def staged_copies(ordinal: int) -> StagedCopies:
    """The copies of a GPU, made once per process. Raises DeviceUnavailableError or MachineError if it is unusable."""
    return StagedCopies(cuda_device(ordinal))


def _bytes_of(array: NDArray[Any]) -> Bytes:
    assert array.flags.c_contiguous
    return array.reshape(-1).view(numpy.uint8)
