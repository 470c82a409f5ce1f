"""Where compiled programs are kept on disk, how much they may take there, and whether the folder can be trusted.

What lies in the folder is loaded as code. So it must be this user's own and writable by nobody else; a checksum helps
against accidents only, not against someone who can write there.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

FOLDER_VARIABLE = "TILEWRIGHT_CACHE"
LIMIT_VARIABLE = "TILEWRIGHT_CACHE_BYTES"
DEFAULT_LIMIT_BYTES = 256 * 2**20


class UntrustedFolderError(OSError):
    """The folder is there, and what is in it may be somebody else's."""


def program_folder() -> Path | None:
    """Return where programs for GPUs are kept; None when the user has no home folder and names no other.

    `TILEWRIGHT_CACHE` names the folder for all that is kept (the emulator's code too), else it is the user's own.
    """
    root = os.environ.get(FOLDER_VARIABLE)
    try:
        if root:
            base = Path(root)
        elif sys.platform == "win32":
            base = Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "tilewright"
        elif sys.platform == "darwin":
            base = Path.home() / "Library" / "Caches" / "tilewright"
        else:
            base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tilewright"
    except RuntimeError:
        return None
    return base / "programs"


def limit_bytes() -> int:
    """Return the most that kept programs may take together: `TILEWRIGHT_CACHE_BYTES`, where 0 keeps none.

    A value that is no number of bytes counts as not given.
    """
    given = os.environ.get(LIMIT_VARIABLE, "")
    return int(given) if given.isascii() and given.isdigit() else DEFAULT_LIMIT_BYTES


def make_folder(folder: Path) -> None:
    """Make the folder, for this user alone, unless it is there.

    Raises:
        OSError: it cannot be made.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def check_folder(folder: Path) -> None:
    """Check that it is a folder of this user that nobody else can write to.

    Raises:
        FileNotFoundError: it is not there.
        UntrustedFolderError: it is a link or no folder, somebody else's, or writable by others.
    """
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise UntrustedFolderError(f"{folder} is a link or no folder")
    if sys.platform == "win32":
        return  # the profile's access list guards it there, and the mode says nothing
    if status.st_uid != os.geteuid():
        raise UntrustedFolderError(f"{folder} belongs to another user")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise UntrustedFolderError(f"{folder} can be written to by others (chmod 700 it)")
