"""Files that a user names, opened with care: a pipe or a device would be waited for, or never end."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .errors import FileError

_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file to be read.

    Raises:
        FileError: it is not there, is something else, or cannot be read; also where reading it fails in the block.
    """
    try:
        _check_regular(path, path.stat())  # before it is opened: opening a device does something already
        with os.fdopen(os.open(path, os.O_RDONLY | _NO_WAIT | _BINARY), "rb") as file:
            _check_regular(path, os.fstat(file.fileno()))
            yield file
    except FileNotFoundError as error:
        raise FileError(f"{path} does not exist.") from error
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeEncodeError as error:
        raise FileError(f"{str(path)!a} cannot be read: it is no name that a file can have here.") from error


def _check_regular(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        what = next((said for is_kind, said in _KINDS if is_kind(status.st_mode)), "no file")
        raise FileError(f"{path} cannot be read: it is {what}, and a regular file is accepted.")


_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def read_text(path: Path, most_bytes: int) -> str:
    """Return the text of a small file.

    Raises:
        FileError: as `opened`; or it is longer, or no text in UTF-8.
    """
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most_bytes:
            raise FileError(f"{path} has {size:,} bytes, and at most {most_bytes:,} are read.")
        data = file.read(size)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is no text in UTF-8.") from error
