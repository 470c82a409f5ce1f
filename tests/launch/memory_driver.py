"""The driver's calls for memory and copies, without a driver: the GPU's memory is an emulator's.

Copies of a stream happen as late as they may: when somebody waits for an event behind them, or for the stream. So a
buffer that is filled anew too early carries the wrong bytes.
"""

# ruff: noqa: N802, D102  (the names are the driver's, and so are the descriptions)

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from cuda.bindings import driver as bindings

from tests.launch import fake_driver
from tilewright.emulate import Emulator
from tilewright.launch.cuda import device as cuda_device
from tilewright.launch.cuda import staging

STREAM = 5


class Event(list[Any]):
    """What an event of the base class is, with the number of the last piece of work before it."""

    after = 0
    time = 0.0


class MemoryDriver(fake_driver.FakeDriver):
    """One stream's work, in order; `pinned` are the host's buffers."""

    CUstream_flags = bindings.CUstream_flags
    CUmemorytype = bindings.CUmemorytype
    CUDA_MEMCPY2D = bindings.CUDA_MEMCPY2D

    def __init__(self, emulator: Emulator) -> None:
        super().__init__()
        self.emulator = emulator
        self.allocations: dict[int, Any] = {}
        self.pinned: list[Any] = []
        self.pinned_by_caller: list[Any] = []
        self.variables: dict[str, Any] = {}
        self.work: deque[Callable[[], object]] = deque()
        self.queued = self.done = 0
        self.most_bytes = 2**40

    def _queue(self, name, work):
        self.work.append(work)
        self.queued += 1
        return self._answer(name)

    def run_until(self, number):
        """Do the work up to that number."""
        while self.done < number:
            self.work.popleft()()
            self.done += 1

    def cuStreamCreate(self, _):
        return self._answer("cuStreamCreate", STREAM)

    def cuStreamDestroy(self, stream):
        assert stream == STREAM
        self.run_until(self.queued)
        return self._answer("cuStreamDestroy")

    def cuStreamSynchronize(self, stream):
        assert stream == STREAM
        self.run_until(self.queued)
        return self._answer("cuStreamSynchronize")

    def cuEventCreate(self, _):
        return self._answer("cuEventCreate", Event())

    def cuEventRecord(self, event, _):
        event.after = self.queued
        event.time = float(len(self.steps))
        return self._answer("cuEventRecord")

    def cuEventElapsedTime(self, start, end):
        return self._answer("cuEventElapsedTime", end.time - start.time)

    def cuMemsetD8Async(self, address, value, nbytes, stream):
        assert stream == STREAM
        return self._queue("cuMemsetD8Async", lambda: self._bytes(address, nbytes, bytes([value]) * nbytes))

    def cuEventSynchronize(self, event):
        self.run_until(event.after)
        return self._answer("cuEventSynchronize")

    def cuLibraryGetGlobal(self, library, name):
        assert library.startswith(b"\x7fELF")
        allocation = self.emulator.allocate(16)
        self.allocations[allocation.address] = allocation
        self.variables[name.decode()] = allocation
        return self._answer("cuLibraryGetGlobal", allocation.address, 16)

    def cuMemHostAlloc(self, nbytes, _):
        self.pinned.append((ctypes.c_uint8 * nbytes)())
        return self._answer("cuMemHostAlloc", ctypes.addressof(self.pinned[-1]))

    def cuMemFreeHost(self, address):
        self.pinned = [memory for memory in self.pinned if ctypes.addressof(memory) != address]
        return self._answer("cuMemFreeHost")

    def cuMemAllocAsync(self, nbytes, stream):
        assert stream == STREAM
        assert self.current == fake_driver.PRIMARY
        if nbytes > self.most_bytes:
            return (bindings.CUresult.CUDA_ERROR_OUT_OF_MEMORY, 0)
        allocation = self.emulator.allocate(nbytes)
        self.allocations[allocation.address] = allocation
        return self._answer("cuMemAllocAsync", allocation.address)

    def cuMemFreeAsync(self, address, _):
        return self._queue("cuMemFreeAsync", lambda: self.allocations.pop(address).free())

    def cuMemcpyHtoDAsync(self, address, source, nbytes, _):
        return self._queue("cuMemcpyHtoDAsync", lambda: self._bytes(address, nbytes, ctypes.string_at(source, nbytes)))

    def cuMemcpyDtoHAsync(self, target, address, nbytes, _):
        return self._queue("cuMemcpyDtoHAsync", lambda: ctypes.memmove(target, self._bytes(address, nbytes), nbytes))

    def cuPointerGetAttribute(self, attribute, address):
        if attribute != bindings.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
            return super().cuPointerGetAttribute(attribute, address)
        spans = ((array.ctypes.data, array.ctypes.data + array.nbytes) for array in self.pinned_by_caller)
        if any(first <= address < end for first, end in spans):
            return self._answer("cuPointerGetAttribute", int(bindings.CUmemorytype.CU_MEMORYTYPE_HOST))
        return (bindings.CUresult.CUDA_ERROR_INVALID_VALUE, None)

    def cuMemcpy2DAsync(self, copy, _):
        is_there = copy.srcMemoryType == bindings.CUmemorytype.CU_MEMORYTYPE_HOST
        source, to = (copy.srcHost, copy.dstDevice) if is_there else (copy.srcDevice, copy.dstHost)
        from_pitch, to_pitch, width = copy.srcPitch, copy.dstPitch, copy.WidthInBytes
        move = self._row_there if is_there else self._row_back

        def rows():
            for row in range(copy.Height):
                move(int(to) + row * to_pitch, int(source) + row * from_pitch, width)

        return self._queue("cuMemcpy2DAsync", rows)

    def _row_there(self, address, source, nbytes):
        self._bytes(address, nbytes, ctypes.string_at(source, nbytes))

    def _row_back(self, target, address, nbytes):
        ctypes.memmove(target, self._bytes(address, nbytes), nbytes)

    def _bytes(self, address, nbytes, content=None):
        base = max(start for start in self.allocations if start <= address)
        allocation = self.allocations[base]
        inside = allocation.data[address - base : address - base + nbytes]
        assert inside.nbytes == nbytes
        if content is not None:
            whole = allocation.data.copy()
            whole[address - base : address - base + nbytes] = numpy.frombuffer(content, "u1")
            allocation.write(whole)
        return inside.tobytes()


def forget() -> None:
    """The next test opens its own."""
    cuda_device.cuda_device.cache_clear()
    staging.staged_copies.cache_clear()


def install(monkeypatch: pytest.MonkeyPatch, emulator: Emulator) -> MemoryDriver:
    """Make the launching side believe in an H200 with this memory."""
    driver = MemoryDriver(emulator)
    monkeypatch.setattr(cuda_device, "import_driver", lambda: driver)
    forget()
    return driver
