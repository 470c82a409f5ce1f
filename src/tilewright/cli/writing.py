"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .refusals import Refusal

UNFINISHED: set[Path] = set()
"""Temporary files that are being written; whoever ends the process in another way than by an exception removes them."""


def check_outputs(paths: Sequence[Path]) -> None:
    """Refuse paths that cannot be written or are one and the same, before minutes of work go into their content."""
    for number, path in enumerate(paths):
        check_writable(path)
        if any(_same(path, other) for other in paths[:number]):
            raise Refusal(f"{path} is given for two files, and the second would replace the first; name two.")


def check_ending(path: Path | None, what: str, *endings: str) -> None:
    """Refuse a name that says another kind of file than the one that is written there. what: that kind, in words."""
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
        handle, name = _temporary(path)
        os.close(handle)
        Path(name).unlink()


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write under a temporary name in the same folder, then rename: a reader sees the old file or the whole new one.

    Raises:
        Refusal: the file cannot be written; the sentence names it. What was there before is still there.
    """
    with _naming(path):
        if is_device(path):
            with path.open("wb") as file:
                write(file)
            return
        handle, name = _temporary(path)
        temporary = Path(name)
        UNFINISHED.add(temporary)
        try:
            with os.fdopen(handle, "wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(_mode_for(path))  # mkstemp gives 0600, unlike open()
            temporary.replace(path.resolve())  # a link stays one
        finally:
            temporary.unlink(missing_ok=True)
            UNFINISHED.discard(temporary)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name the user's file in what goes wrong: the system names the temporary one, or none."""
    try:
        yield
    except OSError as error:
        raise Refusal(f"{path} cannot be written: {error.strerror or error}.") from error


def _temporary(path: Path) -> tuple[int, str]:
    place = path.resolve()
    return tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)


def is_device(path: Path) -> bool:
    """Whether the path is no ordinary file, as /dev/null: renaming a file onto it would take its place."""
    if not path.exists():
        return False
    # /dev/stdout may lead to an ordinary file, which others hold open; /dev/shm is memory that holds ordinary files.
    return not path.is_file() or (path.is_relative_to("/dev") and not path.is_relative_to("/dev/shm"))  # noqa: S108


def _mode_for(path: Path) -> int:
    """The mode of what is replaced; of a new file what the user's mask leaves."""
    with suppress(FileNotFoundError):
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
