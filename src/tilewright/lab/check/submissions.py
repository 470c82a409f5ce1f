"""Refuses symbolic links among a course's submissions, since they may lead to other people's files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from .options import CheckError


def common_folder(paths: Sequence[Path]) -> Path:
    """Return the common folder of all files, without following links; folders above it belong to the teacher."""
    folders = [os.path.dirname(os.path.abspath(path)) for path in paths]  # noqa: PTH100, PTH120  (links as they are)
    try:
        return Path(os.path.commonpath(folders))
    except ValueError:  # on several drives
        return Path(Path(folders[0]).anchor)


def refuse_links(path: Path, folder: Path | None) -> None:
    """Refuse a file if it, or a folder between it and the common folder, is a link. folder None: links are allowed.

    Raises:
        CheckError: there is a link.
    """
    place = Path(os.path.abspath(path))  # noqa: PTH100  (links as they are)
    for part in () if folder is None else (place, *place.parents):
        if part == folder:
            break
        if part.is_symlink():
            what = "it" if part == place else f"its folder {part.name}"
            raise CheckError(f"{path} is not read: {what} is a symbolic link, which may lead to another's file.")
