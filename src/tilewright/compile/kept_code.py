"""Compiled programs kept on disk: one file each, named by a hash of everything that determines the code.

A file that is truncated, damaged, of another key or another user's is ignored: the program is compiled again and
replaces it. If the folder cannot be used, programs are kept only in memory, and a single warning says why.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from tilewright.kept.file import TEMPORARY_PREFIX, packed, read_own_file, unpacked, write_own_file
from tilewright.kept.folder import (
    UntrustedFolderError,
    check_folder,
    kept_folder,
    make_folder,
    no_home_folder,
    warn_not_kept,
)

LIMIT_VARIABLE = "TILEWRIGHT_CACHE_BYTES"
DEFAULT_LIMIT_BYTES = 256 * 2**20
CUBIN, PTX = b"CUBN", b"PTX\0"
SUFFIX = ".program"
WHAT = "The code of programs for the GPU"


@dataclass(frozen=True, slots=True)
class Code:
    """A compiled program: a cubin, or PTX (text, as bytes) that the driver compiles; ``from_package``: that ships."""

    image: bytes
    is_ptx: bool = False
    from_package: bool = False

    @property
    def ptx(self) -> str:
        """The text of PTX, without the NUL that ends it for the driver."""
        return self.image[:-1].decode()


def program_folder() -> Path | None:
    """Return where programs for GPUs are kept; None when there is no such folder."""
    return kept_folder("programs")


def limit_bytes() -> int:
    """Return the most that kept programs may take together: `TILEWRIGHT_CACHE_BYTES`, where 0 keeps none.

    A value that is no number of bytes counts as not given.
    """
    given = os.environ.get(LIMIT_VARIABLE, "")
    return int(given) if given.isascii() and given.isdigit() else DEFAULT_LIMIT_BYTES


def read_code(key: bytes) -> Code | None:
    """Return the program kept under a key of 32 bytes; None when there is none that is whole and this user's own."""
    folder = program_folder()
    if folder is None or limit_bytes() == 0:
        return None
    try:
        check_folder(folder)
        content = read_own_file(_path(folder, key))
    except FileNotFoundError:
        return None
    except UntrustedFolderError as error:
        warn_not_kept(WHAT, error)
        return None
    except OSError:
        return None
    kind, image = (content is not None and unpacked(content, key)) or (b"", b"")
    return Code(image, kind == PTX) if kind in {CUBIN, PTX} else None


def keep_code(key: bytes, code: Code) -> None:
    """Keep a program under its key, and drop those not used for longest when all together take too much."""
    folder, limit = program_folder(), limit_bytes()
    if limit == 0:
        return
    if folder is None:
        warn_not_kept(WHAT, no_home_folder())
        return
    content = packed(key, PTX if code.is_ptx else CUBIN, code.image)
    if len(content) > limit:
        return
    try:
        make_folder(folder)
        check_folder(folder)
        path = _path(folder, key)
        write_own_file(path, content)
        _drop_oldest(folder, limit, path.name)
    except OSError as error:
        warn_not_kept(WHAT, error)


def _path(folder: Path, key: bytes) -> Path:
    return folder / f"{key.hex()}{SUFFIX}"


def _drop_oldest(folder: Path, limit: int, just_written: str) -> None:
    kept: list[tuple[float, int, Path]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(TEMPORARY_PREFIX) or not entry.name.endswith(SUFFIX):
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # another process was faster
            if stat.S_ISREG(status.st_mode):
                kept.append((status.st_mtime, status.st_size, Path(entry.path)))
    total = sum(size for _, size, _ in kept)
    for _, size, path in sorted(kept):
        if total <= limit:
            break
        if path.name != just_written:
            path.unlink(missing_ok=True)
            total -= size
