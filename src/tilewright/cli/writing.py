"""The files that a command writes: refused before any work where they cannot be written, and whole or not at all."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import tilewright
from tilewright.choose.printable import printable_content
from tilewright.kept import whole_files
from tilewright.kept.whole_files import UNFINISHED, is_device, temporary_beside

from .refusals import Refusal

STANDARD_OUTPUT = Path("-")
JSON_HELP = "Write everything, raw; - for standard output."


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
    if str(path) == "-":
        raise Refusal("- names no file: only --json - is standard output. Give a name such as result.xml.")
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


def write_whole(path: Path, content: bytes | Callable[[BinaryIO], object]) -> None:
    """Write a file that appears whole or not at all; raise Refusal, which names it, where it cannot be written.

    content: the bytes, or what writes them.
    """
    write = content if callable(content) else lambda file: file.write(content)
    with _naming(path):
        whole_files.write_whole(path, write)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name the user's file in an error: the system names the temporary one, or none."""
    try:
        yield
    except OSError as error:
        raise Refusal(f"{path} cannot be written: {error.strerror or error}.") from error


def check_json_path(path: Path | None) -> None:
    """Refuse a file that cannot be written, before any work."""
    if path is not None and path != STANDARD_OUTPUT:
        check_writable(path)


def write_json(path: Path | None, content: dict[str, Any]) -> bool:
    """Write the content with the command that made it; nothing for None. Return whether it stands for a table.

    path: - for standard output, in place of the table.
    """
    if path is None:
        return False
    made_by = {"command": ["tilewright", *sys.argv[1:]], "tilewright": tilewright.__version__}
    text = json.dumps(printable_content({**made_by, **content}), indent=2, allow_nan=False) + "\n"
    if path == STANDARD_OUTPUT:
        sys.stdout.write(text)
        return True
    write_whole(path, text.encode())
    return False
