"""Files that appear whole or not at all: written beside their place, and renamed into it."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

UNFINISHED: set[Path] = set()
"""Temporary files being written; to be removed by code that ends the process without an exception."""
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write under a temporary name in the same folder, then rename: a reader sees the old file or the whole new one.

    What is replaced keeps its mode, and a link stays one. A device is written in place.

    Raises:
        OSError: the file cannot be written; it is the one that is named. What was there before is still there.
    """
    try:
        if is_device(path):
            with path.open("wb") as file:
                write(file)
        else:
            _write_beside(path, write)
    except OSError as error:  # the system names the temporary file, or none
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _write_beside(path: Path, write: Callable[[BinaryIO], object]) -> None:
    handle, temporary = temporary_beside(path)
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            temporary.chmod(stat.S_IMODE(path.stat().st_mode))
        temporary.replace(path.resolve())
    finally:
        temporary.unlink(missing_ok=True)
        UNFINISHED.discard(temporary)


def temporary_beside(path: Path) -> tuple[int, Path]:
    """Return a new file in the folder that a path leads to, which nobody may read who may not read the path's file.

    Raises:
        OSError: there can be none, or the path's file is read-only.
    """
    try:
        place, mode = path.resolve(), 0o666
    except RuntimeError as error:  # Python 3.12 and older, for links in a circle
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from error
    if path.exists():
        mode = stat.S_IMODE(path.stat().st_mode)
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "it is read-only", str(path))
    temporary = place.with_name(f".tilewright-{secrets.token_hex(8)}")
    UNFINISHED.add(temporary)
    return os.open(temporary, _FLAGS, mode), temporary


def is_device(path: Path) -> bool:
    """Return whether the path is a device such as /dev/null, which renaming a file onto it would replace."""
    if not path.exists():
        return False
    # /dev/stdout may lead to an ordinary file, which others hold open; /dev/shm is memory that holds ordinary files.
    return not path.is_file() or (path.is_relative_to("/dev") and not path.is_relative_to("/dev/shm"))  # noqa: S108


def remove_unfinished() -> None:
    """Remove unfinished files, before the process ends without an exception."""
    for path in tuple(UNFINISHED):
        with suppress(OSError):
            path.unlink()
