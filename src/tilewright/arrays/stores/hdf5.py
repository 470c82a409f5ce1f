"""Datasets of HDF5 files, by h5py."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy

from tilewright.arrays.errors import StoreError
from tilewright.arrays.numpy import name_of

from .store import Array, Location, Store


class Hdf5Store(Store):
    """A dataset. HDF5 has no journal of its own: a process that ends while it writes can damage a file."""

    kind = "hdf5"

    def __init__(self, dataset: Any, name: str, *, is_column: bool = False) -> None:
        super().__init__(name, dataset.shape, name_of(dataset.dtype), dataset.dtype, is_column=is_column)
        self._dataset = dataset
        if dataset.chunks is not None:
            self.chunks = self.written_chunks = self._in_two(dataset.chunks)
        self.is_writable = dataset.file.mode != "r"
        self.path = Path(dataset.file.filename)

    @property
    def shown(self) -> str:
        """With the dataset's name in the file."""
        return f"{self.name} ({self.path}:{self._dataset.name.lstrip('/')})"

    def _read(self, region: tuple[slice, ...], into: Array) -> None:
        if into.flags.c_contiguous:
            self._dataset.read_direct(into, region)
        else:
            into[...] = self._dataset[region]

    def _write(self, region: tuple[slice, ...], tile: Array) -> None:
        with numpy.errstate(over="ignore"):
            self._dataset[region] = tile.astype(self.element, copy=False)

    def _flush(self, rows: slice, columns: slice) -> None:
        del rows, columns
        self._dataset.file.flush()
        handle = os.open(self._dataset.file.filename, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def location(self) -> Location:
        """The file, and the dataset's name in it."""
        return {"kind": self.kind, "path": str(self.path), "dataset": self._dataset.name}


def open_hdf5(path: str, dataset: str, name: str, *, writable: bool = False, is_column: bool = False) -> Hdf5Store:
    """Open a dataset of a file. Raises StoreError."""
    try:
        import h5py
    except ImportError as error:
        raise StoreError(f'{name} ({path}) needs h5py to be read: pip install "tilewright[hdf5]".') from error
    try:
        file = h5py.File(path, "r+" if writable else "r")
    except OSError as error:
        said = " ".join(str(error).split())
        raise StoreError(f"{name} ({path}) cannot be opened: {said.rstrip('.')}.", error.errno) from error
    found = file.get(dataset)
    if not isinstance(found, h5py.Dataset):
        held = ", ".join(key for key, value in file.items() if isinstance(value, h5py.Dataset)) or "none"
        file.close()
        raise StoreError(f"{name} ({path}) has no dataset {dataset!r}; at its top it has {held}.")
    return Hdf5Store(found, name, is_column=is_column)


def create_hdf5(path: str, dataset: str, name: str, shape: tuple[int, int], dtype: str) -> Hdf5Store:
    """Make a new dataset, contiguous and with its place taken at once, so that writing moves nothing else.

    Raises:
        StoreError: it cannot be made, or is there already.
    """
    try:
        import h5py
    except ImportError as error:
        raise StoreError(f'{name} ({path}) needs h5py to be written: pip install "tilewright[hdf5]".') from error
    try:
        file = h5py.File(path, "a")
        kind = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        kind.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        kind.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        links = h5py.h5p.create(h5py.h5p.LINK_CREATE)
        links.set_create_intermediate_group(True)
        space = h5py.h5s.create_simple(shape)
        h5py.h5d.create(file.id, dataset.encode(), h5py.h5t.py_create(numpy.dtype(dtype)), space, kind, lcpl=links)
        file.flush()
    except (OSError, ValueError, RuntimeError) as error:
        said = " ".join(str(error).split())
        number = error.errno if isinstance(error, OSError) else None
        raise StoreError(f"{name} ({path}:{dataset}) cannot be made: {said.rstrip('.')}.", number) from error
    return Hdf5Store(file[dataset], name)
