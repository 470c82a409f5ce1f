"""numpy.memmap, read and written through its file, not through its map.

Pages of a map count as the process's memory, a file that was cut short ends the process (SIGBUS), and so does a full
disk. Reads and writes of the file do none of it: they take a buffer, and fail with an error.
"""

from __future__ import annotations

import io
import mmap
import os
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy

from tilewright.arrays.numpy import name_of

from .store import Array, Location, Store, bytes_of

SLAB_BYTES = 2**22
"""How much is read at a time of what lies column by column."""


class MemmapStore(Store):
    """A matrix at ``offset`` of a file, with strides in bytes."""

    kind = "memmap"

    def __init__(
        self,
        path: Path,
        dtype: Any,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        offset: int,
        name: str,
        *,
        writable: bool = False,
        is_column: bool = False,
    ) -> None:
        dtype = numpy.dtype(dtype)
        super().__init__(name, shape, name_of(dtype), dtype, is_column=is_column)
        self.path = path
        self.is_writable = writable
        self._shape, self._strides, self._offset = shape, strides, offset
        flags = (os.O_RDWR if writable else os.O_RDONLY) | getattr(os, "O_BINARY", 0)
        handle = os.open(path, flags)
        weakref.finalize(self, os.close, handle)
        self._file = io.FileIO(handle, "r+b" if writable else "rb", closefd=False)
        self._turn = threading.Lock()

    def _read(self, region: tuple[slice, ...], into: Array) -> None:
        self._move(region, into, self._fill)

    def _write(self, region: tuple[slice, ...], tile: Array) -> None:
        with numpy.errstate(over="ignore"):
            content = numpy.ascontiguousarray(tile).astype(self.element, copy=False)
        self._move(region, content, self._put)

    def _flush(self, rows: slice, columns: slice) -> None:
        del rows, columns
        os.fsync(self._file.fileno())

    def location(self) -> Location:
        """The file, and how the matrix lies in it."""
        return {
            "kind": self.kind,
            "path": str(self.path),
            "dtype": self.element.str if self.element.kind != "V" else self.dtype,
            "shape": list(self._shape),
            "strides": list(self._strides),
            "offset": self._offset,
        }

    def _move(self, region: tuple[slice, ...], array: Array, move: Any) -> None:
        """Move a region by contiguous spans of the file."""
        starts = [span.start for span in region]
        at = self._offset + sum(first * stride for first, stride in zip(starts, self._strides, strict=True))
        size = self.element.itemsize
        if len(region) == 1:
            self._lines(at, (1, self._strides[0]), array.reshape(1, -1), move)
        elif self._strides[1] == size or array.shape[1] == 1:
            self._lines(at, (self._strides[0], size), array, move)
        else:
            self._across(at, array, move)

    def _lines(self, at: int, strides: tuple[int, int], array: Array, move: Any) -> None:
        """Move rows that are contiguous in the file; all at once where no gap is between them."""
        if strides[1] != self.element.itemsize:  # one row of a vector with gaps
            self._one_by_one(at, strides[1], array.reshape(-1), move)
        elif array.flags.c_contiguous and (array.shape[0] == 1 or strides[0] == array.shape[1] * array.itemsize):
            move(at, array)
        else:
            for number, row in enumerate(array):
                move(at + number * strides[0], row)

    def _across(self, at: int, array: Array, move: Any) -> None:
        """Move what lies column by column, by slabs of some columns."""
        if self._strides[0] != self.element.itemsize:
            for number, row in enumerate(array):
                self._one_by_one(at + number * self._strides[0], self._strides[1], row, move)
            return
        width = max(1, SLAB_BYTES // max(1, array.shape[0] * self.element.itemsize))
        for first in range(0, array.shape[1], width):
            columns = array[:, first : first + width].T
            slab = numpy.ascontiguousarray(columns)
            self._lines(at + first * self._strides[1], (self._strides[1], self.element.itemsize), slab, move)
            if move == self._fill:
                columns[...] = slab

    def _one_by_one(self, at: int, stride: int, line: Array, move: Any) -> None:
        for number in range(line.shape[0]):
            move(at + number * stride, line[number : number + 1])

    def _fill(self, at: int, part: Array) -> None:
        content = bytes_of(part)
        with self._turn:
            self._file.seek(at)
            done = 0
            while done < len(content):
                count = self._file.readinto(content[done:])
                if not count:
                    raise EOFError("the file ends there")
                done += count

    def _put(self, at: int, part: Array) -> None:
        content = bytes_of(part)
        with self._turn:
            self._file.seek(at)
            done = 0
            while done < len(content):
                done += self._file.write(content[done:]) or 0


def of_memmap(values: Any, name: str, *, is_column: bool = False) -> MemmapStore | None:
    """The store of a memmap; None if its file does not hold its values (copy on write), or it runs backwards."""
    mapped = getattr(values, "_mmap", None)
    filename = getattr(values, "filename", None)
    if mapped is None or filename is None or values.mode == "c" or any(stride < 0 for stride in values.strides):
        return None
    root: Any = values  # a view says the offset of the whole
    while isinstance(root.base, numpy.memmap):
        root = root.base
    start = root.offset - root.offset % mmap.ALLOCATIONGRANULARITY
    mapped_at = numpy.frombuffer(mapped, numpy.uint8, 1).ctypes.data
    offset = start + values.ctypes.data - mapped_at
    writable = values.mode in {"r+", "w+"} and values.flags.writeable
    return MemmapStore(
        Path(filename), values.dtype, values.shape, values.strides, offset, name, writable=writable, is_column=is_column
    )
