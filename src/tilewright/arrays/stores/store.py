"""What every stored matrix can do: read a region, write a region, and say what of it lies on the disk.

A vector is a matrix of one row, or of one column. A region is a slice of rows and one of columns, both with a start
and a stop. Whatever goes wrong with a file becomes one sentence with the file and the region.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.arrays.errors import StoreError

Array = NDArray[Any]
Location = dict[str, Any]

SAMPLES = 16
"""The number of places in a matrix from which its fingerprint is made, ..."""
SAMPLE_ELEMENTS = 1024
"""... and the number of elements of one row that are read at each."""


class Store(ABC):
    """A stored matrix.

    ``dtype`` is the name of its elements' type, ``element`` NumPy's type for a region (uint16 for bfloat16 where NumPy
    has no such type). ``chunks`` are the extents that are decoded as one, ``written_chunks`` those that are written as
    one; None where each element has a place of its own. ``path`` is the file or folder, None in memory.
    """

    kind = "memory"
    decoded_at_once = 1
    """How many chunks of a region are decoded at the same time, each in memory of its own."""

    def __init__(self, name: str, shape: tuple[int, ...], dtype: str, element: Any, *, is_column: bool = False) -> None:
        self.name = name
        self.ndim = len(shape)
        self.is_column = is_column
        self.shape: tuple[int, int] = self._in_two(shape)
        self.dtype = dtype
        self.element: numpy.dtype[Any] = numpy.dtype(element)
        self.chunks: tuple[int, int] | None = None
        self.written_chunks: tuple[int, int] | None = None
        self.path: Path | None = None

    @property
    def nbytes(self) -> int:
        """The bytes of all elements, as they are in memory."""
        return self.shape[0] * self.shape[1] * self.element.itemsize

    @property
    def shown(self) -> str:
        """What messages call it, as in "A (/data/a.zarr)"."""
        return self.name if self.path is None else f"{self.name} ({self.path})"

    def read(self, rows: slice, columns: slice, into: Array) -> None:
        """Read a region into an array of its extents and of type ``element``. Raises StoreError."""
        if into.size:
            try:
                self._read(self._region(rows, columns), into.reshape(self._extents(into.shape)))
            except Exception as error:
                raise self._read_error(rows, columns, error) from error

    def write(self, rows: slice, columns: slice, tile: Array) -> None:
        """Write an array to a region; types are cast. Raises StoreError, with ``errno`` ENOSPC on a full disk."""
        if tile.size:
            try:
                self._write(self._region(rows, columns), tile.reshape(self._extents(tile.shape)))
            except Exception as error:
                raise self._error("written", rows, columns, error) from error

    def view(self, rows: slice, columns: slice) -> Array | None:
        """The elements of a region (rows, columns) where they are; None if they do not lie in memory."""
        values: Array | None = getattr(self, "values", None)
        if values is None or self.path is not None:
            return None
        return values[self._region(rows, columns)].reshape(extents(rows, columns))

    def flush(self, rows: slice, columns: slice) -> None:
        """Wait until what was written to a region is on the disk. Raises StoreError."""
        try:
            self._flush(rows, columns)
        except Exception as error:
            raise self._error("written", rows, columns, error) from error

    @abstractmethod
    def _read(self, region: tuple[slice, ...], into: Array) -> None:
        """Read a region, which has as many slices as the stored array has dimensions."""

    @abstractmethod
    def _write(self, region: tuple[slice, ...], tile: Array) -> None:
        """Write a region."""

    def _flush(self, rows: slice, columns: slice) -> None:  # noqa: B027  (memory has nothing to wait for)
        """Write a region's bytes through to the disk."""

    def location(self) -> Location | None:
        """What `tilewright.arrays.stores.opened.reopened` opens it by, in any process; None if only this one has it."""
        return None

    def files(self) -> Iterator[Path]:
        """The files that hold it."""
        if self.path is not None:
            yield self.path

    def stamp(self) -> list[int]:
        """The number of its files, their bytes and the time of the latest change in ns: cheap, and changes with it."""
        found = [path.stat() for path in self.files()]
        sizes, times = sum(each.st_size for each in found), max((each.st_mtime_ns for each in found), default=0)
        return [len(found), sizes, times]

    def fingerprint(self) -> int:
        """A checksum of elements from up to SAMPLES places. Raises StoreError."""
        rows, columns = self.shape
        found = zlib.crc32(repr((self.shape, self.dtype)).encode())
        if not rows or not columns:
            return found
        width = min(columns, SAMPLE_ELEMENTS)
        for number in range(SAMPLES):
            row = number * (rows - 1) // max(1, SAMPLES - 1)
            first = number * (columns - width) // max(1, SAMPLES - 1)
            part = numpy.empty((1, width), self.element)
            self.read(slice(row, row + 1), slice(first, first + width), part)
            found = zlib.crc32(bytes_of(part), found)
        return found

    def _in_two(self, extents: tuple[int, ...]) -> tuple[int, int]:
        if len(extents) == 1:
            return (extents[0], 1) if self.is_column else (1, extents[0])
        return extents[0], extents[1]

    def _region(self, rows: slice, columns: slice) -> tuple[slice, ...]:
        if self.ndim == 1:
            return (rows if self.is_column else columns,)
        return rows, columns

    def _extents(self, extents: tuple[int, ...]) -> tuple[int, ...]:
        return (extents[0] * extents[1],) if self.ndim == 1 else extents

    def _read_error(self, rows: slice, columns: slice, error: Exception) -> StoreError:
        """The sentence, with the one chunk of the region that cannot be read if there is one."""
        for part in pieces(rows, columns, self.chunks):
            try:
                self._read(self._region(*part), numpy.empty(self._extents(extents(*part)), self.element))
            except Exception as cause:  # noqa: BLE001  (every library has its own)
                return self._error("read", *part, cause)
        return self._error("read", rows, columns, error)

    def _error(self, done: str, rows: slice, columns: slice, error: Exception) -> StoreError:
        if isinstance(error, StoreError):
            return error
        number, text = (error.errno, error.strerror) if isinstance(error, OSError) else (None, None)
        said = " ".join(((text if number else None) or str(error) or type(error).__name__).split())
        return StoreError(f"{self.shown} cannot be {done} in {in_words(rows, columns)}: {said.rstrip('.')}.", number)


def bytes_of(array: Array) -> memoryview:
    """The bytes of a C-contiguous array, where they are."""
    raw: Any = array.view(numpy.uint8).reshape(-1)
    return memoryview(raw)


def pieces(rows: slice, columns: slice, chunks: tuple[int, int] | None) -> Iterator[tuple[slice, slice]]:
    """The parts of a region that lie in one chunk each."""
    if chunks is None:
        yield rows, columns
        return
    yield from product(*(cut(span, size) for span, size in zip((rows, columns), chunks, strict=True)))


def cut(span: slice, size: int) -> list[slice]:
    """A slice in parts that end at multiples of ``size``."""
    bounds = [span.start, *range((span.start // size + 1) * size, span.stop, size), span.stop]
    return [slice(first, last) for first, last in pairwise(bounds) if first < last]


def extents(rows: slice, columns: slice) -> tuple[int, int]:
    """The extents of a region."""
    return rows.stop - rows.start, columns.stop - columns.start


def in_words(rows: slice, columns: slice) -> str:
    """As in "rows 0 to 999 and columns 20 to 29"."""
    spans = ((name, span.start, span.stop - 1) for name, span in (("rows", rows), ("columns", columns)))
    return " and ".join(f"{name} {first:,} to {last:,}" for name, first, last in spans)


def strips(rows: slice, chunks: tuple[int, int] | None, strip_bytes: int, row_bytes: int) -> list[slice]:
    """Rows in parts of about ``strip_bytes``, each of which ends where chunks do."""
    height = max(1, strip_bytes // max(1, row_bytes))
    if chunks is not None:
        height = max(1, height // chunks[0]) * chunks[0]
    return cut(rows, height)
