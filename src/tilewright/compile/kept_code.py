"""Compiled programs kept on disk: a file for each, found by a hash of all that went into it.

A file is a header (what it is, its key, its length, a SHA-256 over all of it) and the code. It is written beside its
place and renamed into it, so that a reader sees the whole file or none, and needs no lock. A file that is cut short,
damaged, of another key or not this user's own counts as not there: the program is compiled again and replaces it.
Whatever is wrong with the folder, programs are then kept in memory only, and a single warning says why.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import struct
import time
import warnings
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tilewright.compile.cache_folder import UntrustedFolderError, check_folder, limit_bytes, make_folder, program_folder

MAGIC = b"TILEWR1\n"
HEADER = struct.Struct("<8s32s4sQ32s")
CUBIN, PTX = b"CUBN", b"PTX\0"
SUFFIX = ".program"
TEMPORARY_PREFIX = ".writing-"

TOUCH_SECONDS = 3600
"""A file that is used has its time set anew, but not more often than this."""
LEFTOVER_SECONDS = 3600
"""A file that is still being written after this long has lost its writer."""

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)

_warned = False


@dataclass(frozen=True, slots=True)
class Code:
    """A compiled program: a cubin, or PTX (text, as bytes) that the driver compiles."""

    image: bytes
    is_ptx: bool = False


def read_code(key: bytes) -> Code | None:
    """Return the program kept under a key of 32 bytes; None when there is none that is whole and this user's own."""
    folder = program_folder()
    if folder is None or limit_bytes() == 0:
        return None
    try:
        check_folder(folder)
        content = _read_own_file(_path(folder, key))
    except FileNotFoundError:
        return None
    except UntrustedFolderError as error:
        _warn(error)
        return None
    except OSError:
        return None
    return None if content is None else _unpacked(content, key)


def keep_code(key: bytes, code: Code) -> None:
    """Keep a program under its key, and drop those not used for longest when all together take too much."""
    folder, limit = program_folder(), limit_bytes()
    if limit == 0:
        return
    if folder is None:
        _warn(OSError("there is no home folder; TILEWRIGHT_CACHE may name another"))
        return
    content = _packed(key, code)
    if len(content) > limit:
        return
    try:
        make_folder(folder)
        check_folder(folder)
        path = _path(folder, key)
        _write(path, content)
        _drop_oldest(folder, limit, path.name)
    except OSError as error:
        _warn(error)


def _path(folder: Path, key: bytes) -> Path:
    return folder / f"{key.hex()}{SUFFIX}"


def _packed(key: bytes, code: Code) -> bytes:
    kind = PTX if code.is_ptx else CUBIN
    return HEADER.pack(MAGIC, key, kind, len(code.image), _checksum(key, kind, code.image)) + code.image


def _unpacked(content: bytes, key: bytes) -> Code | None:
    if len(content) < HEADER.size:
        return None
    magic, key_inside, kind, length, checksum = HEADER.unpack_from(content)
    image = content[HEADER.size :]
    if (magic, key_inside, length) != (MAGIC, key, len(image)) or kind not in {CUBIN, PTX}:
        return None
    return Code(image, kind == PTX) if _checksum(key, kind, image) == checksum else None


def _checksum(key: bytes, kind: bytes, image: bytes) -> bytes:
    return hashlib.sha256(MAGIC + key + kind + image).digest()


def _read_own_file(path: Path) -> bytes | None:
    """Return what a file holds; None for what is no plain file of this user. A pipe is not waited for."""
    descriptor = os.open(path, os.O_RDONLY | _NO_FOLLOW | _NO_WAIT | _BINARY)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or (hasattr(os, "geteuid") and status.st_uid != os.geteuid()):
            return None
        content = b"".join(iter(lambda: os.read(descriptor, 1 << 20), b""))
        if abs(time.time() - status.st_mtime) > TOUCH_SECONDS and os.utime in os.supports_fd:
            with suppress(OSError):  # a folder that can only be read is still read
                os.utime(descriptor)
        return content
    finally:
        os.close(descriptor)


def _write(path: Path, content: bytes) -> None:
    """Write a file beside its place, to the disk, and rename it; nothing is left behind when that fails."""
    temporary = path.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-{secrets.token_hex(8)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _BINARY, 0o600)
    try:
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _drop_oldest(folder: Path, limit: int, just_written: str) -> None:
    kept: list[tuple[float, int, Path]] = []
    now = time.time()
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # another process was faster
            if not stat.S_ISREG(status.st_mode):
                continue
            if entry.name.startswith(TEMPORARY_PREFIX):
                if abs(now - status.st_mtime) > LEFTOVER_SECONDS:
                    Path(entry.path).unlink(missing_ok=True)
            elif entry.name.endswith(SUFFIX):
                kept.append((status.st_mtime, status.st_size, Path(entry.path)))
    total = sum(size for _, size, _ in kept)
    for _, size, path in sorted(kept):
        if total <= limit:
            break
        if path.name != just_written:
            path.unlink(missing_ok=True)
            total -= size


def _warn(error: OSError) -> None:
    global _warned  # noqa: PLW0603  (one warning in a process, whoever compiles)
    if _warned:
        return
    _warned = True
    said = error.strerror or str(error)
    where = f" ({error.filename})" if error.filename else ""
    warnings.warn(
        f"Programs compiled for the GPU cannot be kept on disk, so each process compiles them anew: {said}{where}.",
        RuntimeWarning,
        stacklevel=4,
    )
