"""A GPU's memory, its streams and pinned buffers for work whose inputs and outputs cross the link while it computes.

Copies of A and of B to the GPU, kernels, and copies back each have a stream; events order them. All methods run within
`CudaDevice.entered`. Importing this module imports no CUDA.
"""

from __future__ import annotations

import ctypes
import threading
from contextlib import ExitStack
from queue import SimpleQueue
from typing import Any, Self

import numpy
from numpy.typing import NDArray

from .device import CudaDevice
from .gpu import said_by_cuda
from .rows import Rows, copy_rows

Array = NDArray[Any]
Bytes = NDArray[numpy.uint8]
MOST_PITCH = 2**31
"""The copy engine takes rows that begin fewer bytes apart."""
MOST_AT_ONCE_BYTES = 64 * 2**20
"""What is copied to a GPU at a time where A and B have a stream each: the engine ends a copy before it turns."""


class Pinned:
    """Pinned buffers that threads take and give back: the one given back first is taken next.

    A buffer is pinned when it is taken for the first time: 16 MiB take 10 ms, and more where two GPUs pin at once.
    """

    def __init__(self, link: Link, count: int, nbytes: int) -> None:
        self._link, self._count, self._nbytes = link, count, nbytes
        self._addresses: list[int] = []
        self._events: list[Any] = []
        self._buffers: list[Bytes] = []
        self._free: SimpleQueue[int] = SimpleQueue()
        self._turn = threading.Lock()

    def take(self) -> int:
        """The number of a buffer whose last copy has ended. Raises MachineError."""
        with self._turn:
            if self._free.empty() and len(self._buffers) < self._count:
                return self._pin()
        number = self._free.get()
        self.wait(number)
        return number

    def _pin(self) -> int:
        address = self._link.pinned(self._nbytes)
        self._addresses.append(address)
        self._events.append(self._link.event(blocks=True))
        self._buffers.append(numpy.ctypeslib.as_array((ctypes.c_uint8 * self._nbytes).from_address(address)))
        return len(self._buffers) - 1

    def give_back(self, number: int) -> None:
        """Let another take a buffer, once the last copy has ended."""
        self._free.put(number)

    def wait(self, number: int) -> None:
        """Wait for the last copy of a buffer."""
        self._link.wait_on_host(self._events[number])

    def buffer(self, number: int, nbytes: int) -> Bytes:
        """The first bytes of a buffer."""
        return self._buffers[number][:nbytes]

    def to_gpu(self, number: int, address: int, nbytes: int, stream: int) -> None:
        """Copy the first bytes of a buffer to an address."""
        self._link.call("cuMemcpyHtoDAsync", address, self._addresses[number], nbytes, stream)
        self._link.record(self._events[number], stream)

    def to_host(self, number: int, address: int, nbytes: int) -> None:
        """Copy from an address to the first bytes of a buffer."""
        self._link.call("cuMemcpyDtoHAsync", self._addresses[number], address, nbytes, self._link.back)
        self._link.record(self._events[number], self._link.back)


class Link:
    """Streams ``there`` ("A" and "B"), ``work`` and ``back``, and what is given back when the block ends."""

    def __init__(self, device: CudaDevice) -> None:
        self.device = device
        self._driver = device.driver
        self._held = ExitStack()

    def __enter__(self) -> Self:
        flags = self._driver.CUstream_flags.CU_STREAM_NON_BLOCKING
        with ExitStack() as held:
            streams = []
            for _ in range(4):
                streams.append(int(self.call("cuStreamCreate", flags)))
                held.callback(self._driver.cuStreamDestroy, streams[-1])
            self._held = held.pop_all()
        self.there = dict(zip("AB", streams, strict=False))
        self.work, self.back = streams[2:]
        return self

    def __exit__(self, *_: object) -> None:
        try:
            for stream in self._streams():
                self._driver.cuStreamSynchronize(stream)  # what failed was said already
        finally:
            self._held.close()

    def copy_in_order(self) -> None:
        """Give A and B one stream: their copies cross in the order in which they are queued.

        Of two streams the copy engine takes all that is queued on one before it turns to the other.
        """
        self.there["B"] = self.there["A"]

    def call(self, name: str, *arguments: Any) -> Any:
        """Call the driver. Raises MachineError or OutOfMemoryError."""
        return self.device.call(name, *arguments)

    def allocate(self, nbytes: int) -> int:
        """Memory of the GPU until the block ends. Raises OutOfMemoryError."""
        with said_by_cuda(f"allocating {nbytes:,} bytes on GPU {self.device.ordinal}"):
            address = int(self.device.checked(self._driver.cuMemAllocAsync(max(nbytes, 1), self.work)))
        self._held.callback(self._driver.cuMemFreeAsync, address, self.work)
        return address

    def pinned(self, nbytes: int) -> int:
        """Pinned memory of the host until the block ends."""
        with said_by_cuda(f"reserving {nbytes:,} bytes of pinned memory"):
            address = int(self.device.checked(self._driver.cuMemHostAlloc(max(nbytes, 1), 0)))
        self._held.callback(self._driver.cuMemFreeHost, address)
        return address

    def is_pinned(self, array: Array) -> bool:
        """Whether the copy engine reaches all of an array in the host's memory: its owner has pinned it."""
        driver, first = self._driver, array.ctypes.data
        last = first + sum((extent - 1) * stride for extent, stride in zip(array.shape, array.strides, strict=True))
        row_bytes = array.shape[-1] * array.itemsize
        if not array.size or array.strides[-1] != array.itemsize or not row_bytes <= array.strides[0] < MOST_PITCH:
            return False  # rows that overlap are none
        kind = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE
        found = [driver.cuPointerGetAttribute(kind, address) for address in (first, last)]
        return all(not int(result) and int(value) == driver.CUmemorytype.CU_MEMORYTYPE_HOST for result, value in found)

    def rows_to_gpu(self, address: int, source: Array, stream: int) -> None:
        """Copy rows of pinned memory to an address, where they follow each other."""
        row_bytes = source.shape[1] * source.itemsize
        takes_turns = self.there["A"] != self.there["B"]
        height = max(1, MOST_AT_ONCE_BYTES // row_bytes if takes_turns else source.shape[0])
        for first in range(0, source.shape[0], height):
            part, to = source[first : first + height], Rows(address + first * row_bytes, row_bytes)
            copy_rows(self.device, _rows_of(part), to, row_bytes, part.shape[0], stream)

    def rows_to_host(self, target: Array, address: int, stream: int) -> None:
        """Copy rows that follow each other at an address to rows of pinned memory."""
        row_bytes = target.shape[1] * target.itemsize
        copy_rows(self.device, Rows(address, row_bytes), _rows_of(target), row_bytes, target.shape[0], stream)

    def event(self, *, blocks: bool = False) -> Any:
        """An event, which is in the past. ``blocks``: a thread that waits for it sleeps, and frees its core."""
        flags = self._driver.CUevent_flags
        flag = flags.CU_EVENT_DISABLE_TIMING | (flags.CU_EVENT_BLOCKING_SYNC if blocks else 0)
        event = self.call("cuEventCreate", flag)
        self._held.callback(self._driver.cuEventDestroy, event)
        return event

    def record(self, event: Any, stream: int) -> None:
        """Let an event stand for all that is queued on a stream so far."""
        self.call("cuEventRecord", event, stream)

    def wait_on_host(self, event: Any) -> None:
        """Wait for an event here."""
        self.call("cuEventSynchronize", event)

    def wait(self, stream: int, event: Any) -> None:
        """Let later work on a stream wait for an event."""
        self.call("cuStreamWaitEvent", stream, event, 0)

    def finish(self) -> None:
        """Wait for all streams."""
        for stream in self._streams():
            self.call("cuStreamSynchronize", stream)

    def _streams(self) -> tuple[int, ...]:
        return (*self.there.values(), self.work, self.back)


def _rows_of(array: Array) -> Rows:
    return Rows(array.ctypes.data, array.strides[0], on_host=True)
