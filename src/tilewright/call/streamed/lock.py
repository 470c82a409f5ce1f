"""Only one process at a time writes an output: a lock that the system takes back when its holder dies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tilewright.arrays.errors import StoreError


@contextmanager
def locked(folder: Path, shown: str) -> Iterator[None]:
    """Hold the output's lock for the block.

    Raises:
        StoreError: another process or thread writes this output, or the folder cannot be made.
    """
    try:
        folder.mkdir(exist_ok=True)
        handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error.strerror or error}.", error.errno) from error
    try:
        if not _take(handle):
            raise StoreError(f"{shown} is being written by another process; wait for its end, or name another output.")
        yield
    finally:
        os.close(handle)


def _take(handle: int) -> bool:
    try:
        import fcntl
    except ImportError:
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
