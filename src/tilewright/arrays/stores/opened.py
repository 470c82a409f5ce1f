"""Which store an object, a path or a location is. Imports no library of stores that the caller has not imported."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy

from tilewright.arrays.errors import DtypeError, ShapeError, StoreError
from tilewright.arrays.numpy import as_operand
from tilewright.arrays.torch import is_tensor

from .memmap import MemmapStore, of_memmap
from .memory import ArrayStore, TensorStore
from .store import Location, Store

STORED_NAMES = frozenset({"Array", "Dataset"})
"""The names of the classes of zarr and h5py, by which callers tell at once that nothing is theirs."""
HDF5_ENDINGS = (".h5", ".hdf5")
NEW_CHUNK = 1024
"""The sides of a chunk of a new zarr array."""


def is_stored(*given: object) -> bool:
    """Whether one of these is an array of zarr or a dataset of h5py, which NumPy would read whole."""
    return any(_library_of(each) is not None for each in given)


def _library_of(given: object) -> str | None:
    kind = type(given)
    library = kind.__module__.partition(".")[0]
    if (library, kind.__name__) in {("zarr", "Array"), ("h5py", "Dataset")}:
        return library
    return None


def store_of(given: Any, name: str, *, is_column: bool = False) -> Store:
    """The store of an array of NumPy, torch (on the CPU), zarr or h5py, of one or two dimensions.

    Raises:
        DtypeError: it is something else, or not of numbers.
        ShapeError: it has no dimensions, or more than two.
    """
    if isinstance(given, Store):
        return given
    library = _library_of(given)
    if type(given).__module__.startswith("dask."):  # NumPy would compute it, whole
        raise DtypeError(f"{name} is a Dask array, which goes to an out only with engine=, a client of Dask's.")
    if library is None and not is_tensor(given):
        given = given if isinstance(given, numpy.memmap) else as_operand(given, name)
    elif library is None and given.device.type != "cpu":
        raise DtypeError(f"{name} is a torch tensor on {given.device}, and stored arrays and those of the host stream.")
    if not 1 <= len(given.shape) <= 2:
        raise ShapeError(f"{name} is {tuple(given.shape)}, and a product that streams takes matrices.")
    found = _adapted(given, name, library, is_column=is_column)
    if numpy.dtype(found.element).kind not in "biufcV":
        raise DtypeError(f"{name} is of type {found.dtype}, and numbers are accepted.")
    return found


def _adapted(given: Any, name: str, library: str | None, *, is_column: bool) -> Store:
    if library == "zarr":
        from .zarr import ZarrStore

        return ZarrStore(given, name, is_column=is_column)
    if library == "h5py":
        from .hdf5 import Hdf5Store

        return Hdf5Store(given, name, is_column=is_column)
    if is_tensor(given):
        return TensorStore(given, name, is_column=is_column)
    mapped = of_memmap(given, name, is_column=is_column) if isinstance(given, numpy.memmap) else None
    return ArrayStore(numpy.asarray(given), name, is_column=is_column) if mapped is None else mapped


def reopened(location: Location, name: str, *, writable: bool = False, is_column: bool = False) -> Store:
    """Open what `Store.location` described, in this or another process. Raises StoreError."""
    kind, path = location["kind"], location["path"]
    if kind == "zarr":
        from .zarr import open_zarr

        return open_zarr(path, name, writable=writable, is_column=is_column)
    if kind == "hdf5":
        from .hdf5 import open_hdf5

        return open_hdf5(path, location["dataset"], name, writable=writable, is_column=is_column)
    try:
        return MemmapStore(
            Path(path),
            _dtype_of(location["dtype"]),
            tuple(location["shape"]),
            tuple(location["strides"]),
            location["offset"],
            name,
            writable=writable,
            is_column=is_column,
        )
    except OSError as error:
        raise StoreError(f"{name} ({path}) cannot be opened: {error.strerror or error}.", error.errno) from error


def _dtype_of(name: str) -> numpy.dtype[Any]:
    if name == "bfloat16":
        import ml_dtypes

        found: numpy.dtype[Any] = numpy.dtype(ml_dtypes.bfloat16)
        return found
    return numpy.dtype(name)


def create_path(given: str | os.PathLike[str], name: str, shape: tuple[int, int], dtype: str) -> Store:
    """Make a new file or folder for a matrix, of a kind that `open_path` opens. Raises StoreError."""
    text, dataset = split_dataset(os.fspath(given))
    path = Path(text)
    if path.suffix == ".zarr":
        from .zarr import create_zarr

        return create_zarr(text, name, shape, dtype, new_chunks(shape))
    if path.suffix in HDF5_ENDINGS and dataset is not None:
        from .hdf5 import create_hdf5

        return create_hdf5(text, dataset, name, shape, dtype)
    if path.suffix == ".npy":
        try:
            return store_of(numpy.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape), name)
        except (OSError, ValueError) as error:
            number = error.errno if isinstance(error, OSError) else None
            raise StoreError(f"{name} ({path}) cannot be made: {error}.", number) from error
    raise StoreError(f"{name} ({path}) is of no kind that is written: its name must end in .npy, .zarr or .h5:DATASET.")


def new_chunks(shape: tuple[int, int]) -> tuple[int, int]:
    """The chunks of a new zarr array."""
    return max(1, min(NEW_CHUNK, shape[0])), max(1, min(NEW_CHUNK, shape[1]))


def is_there(given: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a file or folder, and of a dataset in it, if it names one."""
    text, dataset = split_dataset(os.fspath(given))
    if dataset is None or not Path(text).exists():
        return Path(text).exists()
    import h5py

    try:
        with h5py.File(text, "r") as file:
            return dataset in file
    except OSError:
        return True  # opening it will say what is wrong


def split_dataset(text: str) -> tuple[str, str | None]:
    """The path, and the dataset of `file.h5:name`; None where none is named."""
    for ending in HDF5_ENDINGS:
        head, separator, member = text.partition(f"{ending}:")
        if separator and member and not Path(text).exists():
            return head + ending, member
    return text, None


def open_path(given: str | os.PathLike[str], name: str, *, writable: bool = False) -> Store:
    """Open a matrix by its path: `.npy` as a memmap, a folder `.zarr`, or `file.h5:dataset`. Raises StoreError."""
    text, dataset = split_dataset(os.fspath(given))
    path = Path(text)
    if path.suffix == ".zarr":
        from .zarr import open_zarr

        return _two(open_zarr(text, name, writable=writable))
    if path.suffix in HDF5_ENDINGS:
        from .hdf5 import open_hdf5

        if dataset is None:
            raise StoreError(f"{name} ({path}) is an HDF5 file; name a dataset of it as {path.name}:DATASET.")
        return _two(open_hdf5(text, dataset, name, writable=writable))
    if path.suffix == ".npy":
        return _two(_open_npy(path, name, writable=writable))
    raise StoreError(f"{name} ({path}) is of no kind that streams: its name must end in .npy, .zarr or .h5:DATASET.")


def _open_npy(path: Path, name: str, *, writable: bool) -> Store:
    if not path.is_file():
        raise StoreError(f"{name} ({path}) does not exist, or is no file.")
    try:
        values = numpy.load(path, mmap_mode="r+" if writable else "r", allow_pickle=False)
    except OSError as error:
        raise StoreError(f"{name} ({path}) cannot be opened: {error.strerror or error}.", error.errno) from error
    except (ValueError, EOFError) as error:
        raise StoreError(f"{name} ({path}) is no .npy file of numbers, or it is damaged or cut short.") from error
    return store_of(values, name) if values.size else ArrayStore(numpy.asarray(values), name)


def _two(found: Store) -> Store:
    if found.ndim != 2:
        raise ShapeError(f"{found.shown} has {found.ndim} dimensions, and a matrix is accepted.")
    return found
