"""Reads a CUDA C++ file, which may hold anything."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

from tilewright.choose.printable import PrintableError, printable_line

MAX_FILE_BYTES = 2 << 20


class SourceError(PrintableError):
    """A file that is not compiled, with the place and the reason in a sentence."""


@dataclass(frozen=True)
class CudaFile:
    """A source: where it is, and its text (a byte order mark removed, line ends as they were)."""

    path: Path
    text: str

    @property
    def name(self) -> str:
        """The file's own name, as findings, errors and the PTX's line table give it: printable, and without quotes."""
        return printable_line(self.path.name).replace('"', "'")

    @property
    def folder(self) -> Path:
        """The folder whose files it may include, resolved."""
        return self.path.resolve().parent


def read_cuda_file(path: str | Path) -> CudaFile:
    """Read a file; bytes that are no UTF-8 (a comment in Latin-1) are taken as Latin-1.

    Raises:
        SourceError: there is no such file, it is no regular file, can't be read, is larger than 2 MiB, or is no text.
    """
    place = Path(path)
    try:
        found = place.stat()
        if not stat.S_ISREG(found.st_mode):
            raise SourceError(f"{place} is not a file: a CUDA C++ file is expected.")
        if found.st_size > MAX_FILE_BYTES:
            raise SourceError(f"{place} has {found.st_size} bytes; at most {MAX_FILE_BYTES} are read.")
        with place.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError as error:
        raise SourceError(f"{place} does not exist.") from error
    except OSError as error:
        raise SourceError(f"{place} can't be read: {error.strerror or error}.") from error
    except ValueError as error:
        if isinstance(error, SourceError):
            raise
        raise SourceError(f"{str(place)!r} is not the name of a file.") from error
    if len(data) > MAX_FILE_BYTES:
        raise SourceError(f"{place} has more than {MAX_FILE_BYTES} bytes.")
    return CudaFile(place, decode(data, str(place)))


def decode(data: bytes, name: str) -> str:
    """Return a file's bytes as text.

    Raises:
        SourceError: the bytes are no text.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError as error:
            raise SourceError(f"{name} is not a text file: it opens like UTF-16, and is none.") from error
    if b"\0" in data:
        raise SourceError(f"{name} is not a text file: it has zero bytes.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
