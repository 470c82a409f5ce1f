"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from .refusals import Refusal

UNFINISHED: set[Path] = set()
"""Temporary files that are being written; whoever ends the process in another way than by an exception removes them."""


def check_writable(path: Path) -> None:
    """Refuse a path that cannot be written, before minutes of work go into what belongs there."""
    folder = path.parent
    if path.is_dir():
        raise Refusal(f"{path} is a folder, so no file can be written there.")
    if not folder.is_dir():
        raise Refusal(f"{path} cannot be written: the folder {folder} does not exist.")
    if path.exists() and not os.access(path, os.W_OK):
        raise Refusal(f"{path} cannot be written: it is read-only.")
    if not is_device(path) and not os.access(folder, os.W_OK):
        raise Refusal(f"{path} cannot be written: the folder {folder} is not writable.")


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write under a temporary name in the same folder, then rename: a reader sees the old file or the whole new one."""
    if is_device(path):
        with path.open("wb") as file:
            write(file)
        return
    path = path.resolve()  # a link stays one
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    UNFINISHED.add(temporary)
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(_new_file_mode())  # mkstemp gives 0600, unlike open()
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
        UNFINISHED.discard(temporary)


def is_device(path: Path) -> bool:
    """Whether the path is no ordinary file, as /dev/null: renaming a file onto it would take its place."""
    return path.is_relative_to("/dev") or (path.exists() and not path.is_file())


def _new_file_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
