"""The files that a command writes: refused before any work where they cannot be written, and whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from tilewright.kept import whole_files
from tilewright.kept.whole_files import UNFINISHED, is_device, temporary_beside

from .refusals import Refusal


def check_outputs(paths: Sequence[Path]) -> None:
    """Refuse paths that cannot be written, or that are the same, before any work."""
    for number, path in enumerate(paths):
        check_writable(path)
        if any(_same(path, other) for other in paths[:number]):
            raise Refusal(f"{path} is given for two files, and the second would replace the first; name two.")


def check_ending(path: Path | None, what: str, *endings: str) -> None:
    """Refuse a name whose ending is not that of the written format. what: the format, in words."""
    if path is not None and not is_device(path) and path.suffix.lower() not in endings:
        raise Refusal(f"{path} would hold {what}, so its name must end in {' or '.join(endings)}.")


def _same(path: Path, other: Path) -> bool:
    if path.exists() and other.exists():
        return path.samefile(other)
    return path.resolve() == other.resolve()


def check_writable(path: Path) -> None:
    """Refuse a path that cannot be written. A file beside it is tried: a folder's permissions do not tell all."""
    folder = path.parent
    if path.is_dir():
        raise Refusal(f"{path} is a folder, so no file can be written there.")
    if not folder.is_dir():
        raise Refusal(f"{path} cannot be written: the folder {folder} does not exist.")
    if path.exists() and not os.access(path, os.W_OK):
        raise Refusal(f"{path} cannot be written: it is read-only.")
    if is_device(path):
        return
    if not os.access(folder, os.W_OK):
        raise Refusal(f"{path} cannot be written: the folder {folder} is not writable.")
    with _naming(path):
        handle, temporary = temporary_beside(path)
        os.close(handle)
        temporary.unlink()
        UNFINISHED.discard(temporary)


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file that appears whole or not at all; raise Refusal, which names it, where it cannot be written."""
    with _naming(path):
        whole_files.write_whole(path, write)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name the user's file in an error: the system names the temporary one, or none."""
    try:
        yield
    except OSError as error:
        raise Refusal(f"{path} cannot be written: {error.strerror or error}.") from error
