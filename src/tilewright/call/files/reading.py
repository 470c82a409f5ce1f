"""Matrices from files: `.npy`, `.npz`, Matrix Market `.mtx` and `.csv`. Nothing is ever unpickled.

A file may be anything: what its header claims is compared with what is there before memory is taken for it, no more is
read than the array needs, and whatever is wrong is said in one sentence.
"""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy
from numpy.typing import NDArray

from tilewright.arrays.errors import DtypeError, described
from tilewright.call.free_memory import free_memory_bytes
from tilewright.choose.quantities import in_words

from .errors import FileError
from .matrix_market import read_matrix_market
from .npy_stream import MAGIC, DamagedError, read_array
from .number_text import is_number
from .opened import opened

Array = NDArray[Any]

MOST_DIRECTORY_BYTES = 16 << 20
"""Of an archive's table of contents: some hundred thousand arrays."""
MOST_INFLATED = 1040
"""How many bytes deflate can make of one: 1032 at most."""
CSV_MEMORY = 6
"""What reading a CSV file takes, per byte of it: its text, its lines, its numbers."""


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
        with opened(path) as file:
            return reader(file, path, member)
    except MemoryError as error:
        raise FileError(f"{path} holds a matrix that does not fit in memory.") from error


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


def _read_npy(file: BinaryIO, path: Path, _: str | None) -> Array:
    if file.read(len(MAGIC)) != MAGIC:
        raise FileError(f"{path} is no .npy file: it does not start with NumPy's mark.")
    file.seek(0)
    try:
        return read_array(file, str(path), os.fstat(file.fileno()).st_size, lambda needed: _check_fits(path, needed))
    except DamagedError as error:
        raise FileError(f"{path} is damaged or cut short.") from error


def _read_npz(file: BinaryIO, path: Path, member: str | None) -> Array:
    if not zipfile.is_zipfile(file):
        raise FileError(f"{path} is no .npz file, or it is cut short.")
    try:
        with zipfile.ZipFile(cast("BinaryIO", _Bounded(file))) as archive:
            entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
            name = _member_name(path, member, list(entries))
            entry = entries[name]
            _check_entry(entry, path)
            with archive.open(entry) as stream:
                source, length = f"{path}:{name}", entry.file_size
                return read_array(cast("BinaryIO", stream), source, length, lambda needed: _check_fits(path, needed))
    except FileError:
        raise
    except (
        DamagedError,
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        ValueError,
        EOFError,
        OverflowError,
        NotImplementedError,
        RuntimeError,
        KeyError,
        IndexError,
    ) as error:
        raise FileError(f"{path} is damaged or cut short.") from error


class _Bounded(io.RawIOBase):
    """A file that is not read in one piece, however long an archive claims that its table of contents is."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        read = self._file.read(MOST_DIRECTORY_BYTES + 1 if size < 0 else min(size, MOST_DIRECTORY_BYTES + 1))
        if len(read) > MOST_DIRECTORY_BYTES:
            raise zipfile.BadZipFile("its table of contents has no end")
        return read

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True


def _check_entry(entry: zipfile.ZipInfo, path: Path) -> None:
    """Refuse what NumPy does not write, and sizes that cannot be: memory is taken for them before they are known."""
    if entry.flag_bits & 1:
        raise FileError(f"{path} is encrypted, and archives as NumPy writes them are accepted.")
    most = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: MOST_INFLATED}.get(entry.compress_type)
    if most is None:
        raise FileError(f"{path} is compressed by another method than deflate, which is what NumPy writes.")
    if entry.file_size > most * entry.compress_size or entry.compress_size > path.stat().st_size:
        raise DamagedError("a size that cannot be")


def _member_name(path: Path, asked: str | None, names: list[str]) -> str:
    if asked is None and len(names) == 1:
        return names[0]
    if asked in names:
        return asked
    if not names:
        raise FileError(f"{path} holds no array.")
    what = "several arrays" if asked is None else f"no array {asked!r}"
    raise FileError(f"{path} holds {what}; name one as {path.name}:NAME, of {_listed(names)}.")


def _check_fits(path: Path, needed_bytes: int) -> None:
    free = free_memory_bytes()
    if free is not None and needed_bytes > free:
        raise FileError(f"{path} holds {in_words(needed_bytes)} of numbers, and {in_words(free)} of memory are free.")


def _listed(names: list[str]) -> str:
    shown = ", ".join(name if len(name) <= 40 else f"{name[:40]}..." for name in names[:8])
    return f"{shown}, ..." if len(names) > 8 else shown


def _read_csv(file: BinaryIO, path: Path, _: str | None) -> Array:
    size, free = os.fstat(file.fileno()).st_size, free_memory_bytes()
    if free is not None and CSV_MEMORY * size > free:
        raise FileError(f"{path} has {in_words(size)} of text, and {in_words(free)} of memory are free.")
    try:
        text = file.read(size).decode("utf-8-sig")
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


def _read_mtx(file: BinaryIO, path: Path, _: str | None) -> Array:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    try:
        return read_matrix_market(text, str(path))
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is no text in UTF-8.") from error
    finally:
        text.detach()  # or it would close the file


_READERS: dict[str, Callable[[BinaryIO, Path, str | None], Array]] = {
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".mtx": _read_mtx,
    ".csv": _read_csv,
}
