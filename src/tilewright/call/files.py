"""Matrices from files: `.npy`, `.npz`, Matrix Market `.mtx` and `.csv`. Nothing is ever unpickled."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from .arguments import described
from .errors import DtypeError, FileError
from .free_memory import free_memory_bytes, in_words
from .matrix_market import read_matrix_market
from .number_text import is_number

Array = NDArray[Any]

_NPY_MAGIC = b"\x93NUMPY"


def read_matrix(given: str | os.PathLike[str]) -> Array:
    """The vector (k,) or matrix (m, k) that a file holds, with the file's own type of numbers.

    `given` is a path; `file.npz:name` names one array of several. `.csv` and `.mtx` give float64.

    Raises:
        FileError: the file cannot be read, is damaged, or holds something else; the message names the file.
        DtypeError: `given` is no path.
    """
    path, member = split_member(_path_text(given))
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise FileError(f"{path} is of no kind that is read: its name must end in {', '.join(_READERS)}.")
    try:
        array = reader(path, member)
    except FileNotFoundError as error:
        raise FileError(f"{path} does not exist.") from error
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeEncodeError as error:
        raise FileError(f"{str(path)!a} cannot be read: it is no name that a file can have here.") from error
    except MemoryError as error:
        raise FileError(f"{path} holds a matrix that does not fit in memory.") from error
    if array.dtype.kind not in "biuf":
        raise FileError(f"{path} holds {array.dtype} elements, and real numbers are accepted.")
    if array.ndim not in (1, 2):
        raise FileError(f"{path} holds an array of shape {array.shape}, and vectors and matrices are accepted.")
    return array


def _path_text(given: object) -> str:
    try:
        text = os.fsdecode(given)  # type: ignore[arg-type]
    except TypeError as error:
        raise DtypeError(f"The file is {described(given)}, and a path is accepted.") from error
    if "\0" in text:
        raise FileError(f"{text!r} is no path: it holds a zero byte.")
    return text


def split_member(text: str) -> tuple[Path, str | None]:
    """Return the path, and the name of one array of `file.npz:name`; None where no array is named."""
    head, separator, member = text.rpartition(".npz:")
    if separator and member and not Path(text).exists():
        return Path(head + ".npz"), member
    return Path(text), None


def _read_npy(path: Path, _: str | None) -> Array:
    with path.open("rb") as file:
        start = file.read(len(_NPY_MAGIC))
    if start != _NPY_MAGIC:
        raise FileError(f"{path} is no .npy file: it does not start with NumPy's mark.")
    try:
        # A map checks the size that the header claims against the file's before anything is allocated.
        mapped = numpy.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, SyntaxError, TypeError, OverflowError) as error:
        raise FileError(_npy_fault(path, error)) from error
    behind = path.stat().st_size - mapped.offset - mapped.nbytes
    if behind > 0:
        raise FileError(f"{path} goes on for {behind:,} bytes behind its array, and one array is read.")
    _check_fits(path, mapped.nbytes)
    return numpy.array(mapped)


def _read_npz(path: Path, member: str | None) -> Array:
    with path.open("rb") as file:
        if not zipfile.is_zipfile(file):
            raise FileError(f"{path} is no .npz file, or it is cut short.")
    try:
        with zipfile.ZipFile(path) as archive:
            entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
            entry = entries[_member_name(path, member, list(entries))]
            _check_fits(path, entry.file_size)
            with archive.open(entry) as stream:
                array: Array = numpy.lib.format.read_array(stream, allow_pickle=False)
                behind = len(stream.read())
    except FileError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        ValueError,
        EOFError,
        SyntaxError,
        TypeError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise FileError(_npy_fault(path, error)) from error
    if behind > 0:
        name = entry.filename.removesuffix(".npy")
        raise FileError(f"{path}:{name} goes on for {behind:,} bytes behind its array, and one array is read.")
    return array


def _member_name(path: Path, asked: str | None, names: list[str]) -> str:
    if asked is None and len(names) == 1:
        return names[0]
    if asked in names:
        return asked
    if not names:
        raise FileError(f"{path} holds no array.")
    what = "several arrays" if asked is None else f"no array {asked!r}"
    raise FileError(f"{path} holds {what}; name one as {path.name}:NAME, of {_listed(names)}.")


def _npy_fault(path: Path, error: Exception) -> str:
    if "object" in str(error).lower():
        return f"{path} holds Python objects, which are never unpickled; save numbers."
    return f"{path} is damaged or cut short."


def _check_fits(path: Path, needed_bytes: int) -> None:
    free = free_memory_bytes()
    if free is not None and needed_bytes > free:
        raise FileError(f"{path} holds {in_words(needed_bytes)} of numbers, and {in_words(free)} of memory are free.")


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:8])
    return f"{shown}, ..." if len(names) > 8 else shown


def _read_csv(path: Path, _: str | None) -> Array:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is no text in UTF-8.") from error
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise FileError(f"{path} is empty.")
    try:
        return numpy.loadtxt([line for _, line in lines], delimiter=",", comments=None, ndmin=2, dtype=numpy.float64)
    except ValueError as error:
        raise FileError(f"{path} {_csv_fault(lines)}") from error


def _csv_fault(lines: list[tuple[int, str]]) -> str:
    columns = len(lines[0][1].split(","))
    for number, line in lines:
        fields = line.split(",")
        for field in fields:
            if not is_number(field.strip()):
                return f"has {field.strip()[:40]!r} in line {number}, and numbers separated by commas are accepted."
        if len(fields) != columns:
            return (
                f"has {len(fields)} numbers in line {number} and {columns} in line {lines[0][0]}; rows must be equal."
            )
    return "holds something that is no number."


def _read_mtx(path: Path, _: str | None) -> Array:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is no text in UTF-8.") from error
    return read_matrix_market(text, str(path))


_READERS: dict[str, Callable[[Path, str | None], Array]] = {
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".mtx": _read_mtx,
    ".csv": _read_csv,
}
