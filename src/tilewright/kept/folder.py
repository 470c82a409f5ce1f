"""Where compiled code is kept on disk, and whether a folder can be trusted with it.

What lies in the folder is loaded as code. So it must be this user's own and writable by nobody else; a checksum helps
against accidents only, not against someone who can write there.
"""

from __future__ import annotations

import os
import stat
import sys
import warnings
from pathlib import Path

FOLDER_VARIABLE = "TILEWRIGHT_CACHE"

_warned: set[str] = set()


class UntrustedFolderError(OSError):
    """The folder exists, but its files may be another user's."""


def kept_folder(name: str) -> Path | None:
    """Return the cache folder of that name; None for a user without a home folder who names no other.

    `TILEWRIGHT_CACHE` names the folder for all caches, else it is in the user's cache folder. System variables with a
    relative path are ignored: they would lead into the working folder, which may hold other people's files.
    """
    root = os.environ.get(FOLDER_VARIABLE)
    if root:
        return Path(root) / name
    if sys.platform == "win32":
        base = _absolute(os.environ.get("LOCALAPPDATA")) or _home()
    elif sys.platform == "darwin":
        home = _home()
        base = home and home / "Library" / "Caches"
    else:
        home = _home()
        base = _absolute(os.environ.get("XDG_CACHE_HOME")) or (home and home / ".cache")
    return base and base / "tilewright" / name


def _home() -> Path | None:
    try:
        return _absolute(str(Path.home()))
    except RuntimeError:
        return None


def _absolute(path: str | None) -> Path | None:
    return Path(path) if path and Path(path).is_absolute() else None


def make_folder(folder: Path) -> None:
    """Make the folder and those above it that are missing, for this user alone, whatever the umask says.

    Raises:
        OSError: it cannot be made.
    """
    missing: list[Path] = []
    for place in (folder, *folder.parents):
        if place.exists():
            break
        missing.append(place)
    for place in reversed(missing):
        try:
            place.mkdir(mode=0o700)
        except FileExistsError:  # another process was faster, or it is a link that leads nowhere
            continue
        place.chmod(0o700)


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


def no_home_folder() -> OSError:
    """Return the error for a user without a home folder who names no other."""
    return OSError(f"there is no home folder; {FOLDER_VARIABLE} may name another")


def reason_of(error: OSError) -> str:
    """Return why something cannot be kept, in words."""
    said = error.strerror or str(error)
    return f"{said} ({error.filename})" if error.filename else said


def warn_not_kept(what: str, error: OSError) -> None:
    """Warn that something cannot be kept on disk, once in a process."""
    if what in _warned:
        return
    _warned.add(what)
    warnings.warn(
        f"{what} cannot be kept on disk, so each process compiles anew: {reason_of(error)}.",
        RuntimeWarning,
        stacklevel=5,
    )
