"""Arrays of zarr 3: chunks are files, and a shard is a file of several."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy

from tilewright.arrays.errors import StoreError
from tilewright.arrays.numpy import name_of

from .store import Array, Location, Store, pieces


class ZarrStore(Store):
    """A zarr array; on the disk if its store is a folder of this machine."""

    kind = "zarr"

    def __init__(self, array: Any, name: str, *, is_column: bool = False) -> None:
        if not hasattr(array, "shards"):
            raise StoreError(f"{name} is an array of zarr 2, and arrays of zarr 3 or newer are accepted.")
        super().__init__(name, array.shape, name_of(array.dtype), array.dtype, is_column=is_column)
        self._array = array
        self.chunks = self._in_two_chunks(array.chunks)
        self.written_chunks = self._in_two_chunks(array.shards or array.chunks)
        self.is_writable = not array.read_only
        root = getattr(array.store, "root", None)
        if root is not None and type(array.store).__name__ == "LocalStore":
            self.path = Path(root) / array.path if array.path else Path(root)
        self.decoded_at_once = _concurrency()

    def _in_two_chunks(self, chunks: tuple[int, ...]) -> tuple[int, int]:
        return self._in_two(tuple(max(1, size) for size in chunks))

    def _read(self, region: tuple[slice, ...], into: Array) -> None:
        from zarr.buffer import cpu

        self._array.get_basic_selection(region, out=cpu.NDBuffer.from_numpy_array(into))

    def _write(self, region: tuple[slice, ...], tile: Array) -> None:
        with numpy.errstate(over="ignore"):
            self._array[region] = tile.astype(self.element, copy=False)

    def _flush(self, rows: slice, columns: slice) -> None:
        if self.path is None:
            return
        folders = set()
        for part in pieces(rows, columns, self.written_chunks):
            path = self.path / self._key(*part)
            try:
                _sync(path)
            except FileNotFoundError:  # a chunk of nothing but the fill value is no file
                continue
            folders.add(path.parent)
        for folder in folders | {self.path}:
            _sync(folder)

    def _key(self, rows: slice, columns: slice) -> str:
        assert self.written_chunks is not None
        where = rows.start // self.written_chunks[0], columns.start // self.written_chunks[1]
        coordinates = where if self.ndim == 2 else (where[0] if self.is_column else where[1],)
        return str(self._array.metadata.encode_chunk_key(coordinates))

    def location(self) -> Location | None:
        """The folder."""
        return None if self.path is None else {"kind": self.kind, "path": str(self.path)}

    def files(self) -> Iterator[Path]:
        """All files in its folder."""
        if self.path is not None:
            for folder, _, names in os.walk(self.path):
                yield from (Path(folder) / name for name in names)


def open_zarr(path: str, name: str, *, writable: bool = False, is_column: bool = False) -> ZarrStore:
    """Open an array by its folder. Raises StoreError."""
    try:
        import zarr
    except ImportError as error:
        raise StoreError(f'{name} ({path}) needs zarr to be read: pip install "tilewright[zarr]".') from error
    if not Path(path).is_dir():
        raise StoreError(f"{name} ({path}) does not exist, or is no folder of zarr's.")
    try:
        array = zarr.open_array(path, mode="r+" if writable else "r")
    except Exception as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise StoreError(f"{name} ({path}) cannot be opened as an array of zarr's: {said.rstrip('.')}.") from error
    return ZarrStore(array, name, is_column=is_column)


def create_zarr(path: str, name: str, shape: tuple[int, int], dtype: str, chunks: tuple[int, int]) -> ZarrStore:
    """Make a new array. Raises StoreError."""
    try:
        import zarr
    except ImportError as error:
        raise StoreError(f'{name} ({path}) needs zarr to be written: pip install "tilewright[zarr]".') from error
    try:
        array = zarr.create_array(path, shape=shape, dtype=dtype, chunks=chunks, overwrite=False)
    except Exception as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise StoreError(f"{name} ({path}) cannot be made: {said.rstrip('.')}.") from error
    return ZarrStore(array, name)


def _concurrency() -> int:
    import zarr

    return int(zarr.config.get("async.concurrency", 10))


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except PermissionError:  # Windows has none for folders
        if path.is_file():
            raise
    finally:
        os.close(handle)
