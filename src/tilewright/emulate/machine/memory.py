"""Emulated device memory: named allocations with gaps between them, each in an array of its own on the host."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from tilewright.emulate.faults import BudgetExceeded
from tilewright.emulate.opcodes import FIRST_GLOBAL_ADDRESS, PARAMETERS_ADDRESS

ALIGNMENT = 512
"""Bytes: allocations start at multiples of it, and at least as many bytes behind each one stay unused."""
DEFAULT_BUDGET_BYTES = 4 << 30
POISON = 0xFF
FREED = 4096
"""Freed allocations whose names are remembered for the message of a late access."""


Bytes = NDArray[np.uint8]


class Allocation:
    """A piece of emulated memory. Fields: address (as kernels see it), nbytes, name, writable.

    dtype, shape: of the array that it holds, where that is known, for messages. written: whether each byte was.
    is_of_kernel: whether a launch has written to it.
    """

    def __init__(self, memory: Memory, address: int, nbytes: int, name: str, writable: bool) -> None:
        self._memory = memory
        self.dtype: DTypeLike | None = None
        self.shape: tuple[int, ...] | None = None
        self._written: Bytes | bool = False
        self.address, self.nbytes, self.name, self.writable = address, nbytes, name, writable
        self.data = np.full(max(nbytes, 1), POISON, np.uint8)[:nbytes]
        self.is_freed = False
        self.is_of_kernel = False

    def write(self, array: ArrayLike, offset: int = 0) -> None:
        """Copy an array (C order) into the allocation at `offset` bytes; raise ValueError when it does not fit."""
        self._refuse_if_freed()
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        if offset < 0 or offset + data.nbytes > self.nbytes:
            raise ValueError(f"{data.nbytes} bytes at offset {offset} do not fit {self.name}, which has {self.nbytes}")
        self.data[offset : offset + data.nbytes] = data
        self.note_written(offset, offset + data.nbytes)

    @property
    def written(self) -> Bytes:
        """A copy of the map of bytes: 1 where something was written since the allocation."""
        if isinstance(self._written, bool):
            return np.full(self.nbytes, int(self._written), np.uint8)
        return self._written.copy()

    @property
    def is_all_written(self) -> bool:
        """Whether every byte was written."""
        return self._written is True or bool(self.written.all())

    def note_written(self, start: int, stop: int) -> None:
        """Remember that the bytes from `start` to before `stop` hold something."""
        if start <= 0 and stop >= self.nbytes:
            self._written = True
        elif self._written is not True and start < stop:
            self._written = self.written
            self._written[start:stop] = 1

    def set_written(self, written: Bytes) -> None:
        """Take over a map of bytes from an observer that watched every store."""
        self._written = written.copy()

    def read(self, dtype: DTypeLike, shape: int | tuple[int, ...], offset: int = 0) -> NDArray[Any]:
        """Return a copy of the contents from `offset` bytes on as an array of `shape`."""
        self._refuse_if_freed()
        count = int(np.prod(shape, dtype=np.int64))
        nbytes = count * np.dtype(dtype).itemsize
        if offset < 0 or offset + nbytes > self.nbytes:
            raise ValueError(f"{nbytes} bytes at offset {offset} are more than {self.name} holds ({self.nbytes})")
        return self.data[offset : offset + nbytes].copy().view(dtype).reshape(shape)

    def free(self) -> None:
        """Give the memory back; its address is never used again, so a later access is found."""
        self._refuse_if_freed()
        self._memory.remove(self)
        self.is_freed = True

    def belongs_to(self, memory: Memory) -> bool:
        """Say whether `memory` gave this out."""
        return self._memory is memory

    def _refuse_if_freed(self) -> None:
        if self.is_freed:
            raise ValueError(f"{self.name} was freed before")


class Memory:
    """All allocations of one emulator, ordered by address. Threads may allocate and free at once."""

    def __init__(self, budget_bytes: int | None) -> None:
        self.budget_bytes = DEFAULT_BUDGET_BYTES if budget_bytes is None else budget_bytes
        self.used_bytes = 0
        self.allocations: list[Allocation] = []
        self.freed: deque[tuple[int, int, str]] = deque(maxlen=FREED)
        self._next = FIRST_GLOBAL_ADDRESS
        self._lock = threading.Lock()

    def allocate(self, nbytes: int, name: str, *, writable: bool = True) -> Allocation:
        """Return a new allocation, filled with 0xFF (NaN as floats); raise BudgetExceeded beyond the budget."""
        if nbytes < 0:
            raise ValueError(f"an allocation has 0 bytes or more, not {nbytes}")
        with self._lock:
            if self.used_bytes + nbytes > self.budget_bytes:
                raise BudgetExceeded(
                    f"{name} needs {nbytes} bytes, and of the emulator's memory budget of {self.budget_bytes} bytes "
                    f"{self.budget_bytes - self.used_bytes} are left: use smaller arrays, or "
                    "a larger memory_budget_bytes"
                )
            if self._next + nbytes + ALIGNMENT > PARAMETERS_ADDRESS:
                raise BudgetExceeded(f"there is no address left for {name}: none is used twice; start a new Emulator")
            allocation = Allocation(self, self._next, nbytes, name, writable)
            self._next += -(-(nbytes + ALIGNMENT) // ALIGNMENT) * ALIGNMENT
            self.used_bytes += nbytes
            self.allocations.append(allocation)
            return allocation

    def remove(self, allocation: Allocation) -> None:
        """Take an allocation out of the table."""
        with self._lock:
            self.allocations.remove(allocation)
            self.used_bytes -= allocation.nbytes
        if allocation.nbytes:
            self.freed.append((allocation.address, allocation.nbytes, allocation.name))

    def describe(self, address: int) -> str:
        """Say where an address lies relative to the nearest allocation."""
        for start, nbytes, name in tuple(self.freed):
            if start <= address < start + nbytes:
                return f"in {name}, which was freed"
        if not self.allocations:
            return "nothing is allocated"
        index = bisect_right([a.address for a in self.allocations], address)
        around = self.allocations[max(index - 1, 0) : index + 1]
        return min((_distance(a, address) for a in around), key=lambda pair: pair[0])[1]

    def string_at(self, address: int) -> str:
        """Return the C string at an address, or a note that there is none."""
        return find_string([(a.address, a.data) for a in self.allocations], address)[1]


def find_string(pieces: Iterable[tuple[int, Bytes]], address: int) -> tuple[int, str]:
    """Return the number of the piece (first address, bytes) with the C string at an address, or -1, and the string."""
    for index, (start, data) in enumerate(pieces):
        offset = address - start
        if 0 <= offset < data.nbytes:
            text = b""
            for at in range(offset, data.nbytes, 256):
                text += bytes(data[at : at + 256])
                if b"\0" in text:
                    break
            return index, text.split(b"\0", 1)[0].decode("utf-8", "replace")
    return -1, "(null)" if address == 0 else f"(bad pointer {address:#x})"


def _distance(allocation: Allocation, address: int) -> tuple[int, str]:
    behind = address - (allocation.address + allocation.nbytes)
    if address < allocation.address:
        before = allocation.address - address
        return before, f"{before} bytes before {allocation.name} ({allocation.nbytes} bytes)"
    if behind >= 0:
        return behind + 1, f"{behind} bytes past the end of {allocation.name} ({allocation.nbytes} bytes)"
    return 0, f"at byte {address - allocation.address} of {allocation.name} ({allocation.nbytes} bytes)"
