"""Copies between arrays of the host and a GPU through pinned memory: the next piece is filled while one is under way.

A GPU's copy engine reads only memory that the system cannot move. Arrays of others are not that, so that each piece is
copied twice, once by the host; with two buffers the two copies overlap. Importing this module imports no CUDA.
"""

from __future__ import annotations

import ctypes
import threading
from contextlib import ExitStack
from functools import lru_cache
from typing import Any

import numpy
from numpy.typing import NDArray

from .cuda_device import CudaDevice, cuda_device
from .gpu import said_by_cuda

PIECE_BYTES = 8 * 2**20
"""What one buffer holds: some 0.2 ms of PCIe, long beside the host's part of a copy's start."""

Bytes = NDArray[numpy.uint8]


class StagedCopies:
    """Memory of a GPU, two pinned buffers and a stream of its own, on which all of it is in order.

    One thread at a time: whoever uses it holds `lock`. All of its methods run within `CudaDevice.entered`.
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
        """The address of that much memory of the GPU. Raises OutOfMemoryError where it has no room."""
        with said_by_cuda(f"allocating {nbytes:,} bytes on GPU {self.device.ordinal}"):
            return int(self.device.checked(self._driver.cuMemAllocAsync(max(nbytes, 1), self._stream)))

    def free(self, address: int) -> None:
        """Give memory back, behind all that is on the stream by now."""
        with said_by_cuda("freeing memory"):
            self.device.checked(self._driver.cuMemFreeAsync(address, self._stream))

    def to_gpu(self, source: NDArray[Any], address: int) -> None:
        """Copy a C-contiguous array to an address; its own memory may change when this returns."""
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
        """Copy to a writable C-contiguous array, and wait until all of it is there."""
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
        """Wait for all that is on the stream."""
        with said_by_cuda("waiting for the GPU"):
            self.device.checked(self._driver.cuStreamSynchronize(self._stream))


@lru_cache(maxsize=64)
def staged_copies(ordinal: int) -> StagedCopies:
    """Those of a GPU, made once per process. Raises DeviceUnavailableError or MachineError where it cannot be used."""
    return StagedCopies(cuda_device(ordinal))


def _bytes_of(array: NDArray[Any]) -> Bytes:
    assert array.flags.c_contiguous
    return array.reshape(-1).view(numpy.uint8)
