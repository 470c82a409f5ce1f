"""A file with compiled code: a header (what it is, its key, its length, a SHA-256 over all of it) and the code.

It is written beside its place and renamed into it, so that a reader sees the whole file or none, and needs no lock. A
file that is truncated, damaged, of another key or not only this user's counts as missing.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import struct
import time
from contextlib import suppress
from pathlib import Path

MAGIC = b"TILEWR1\n"
HEADER = struct.Struct("<8s32s4sQ32s")
TEMPORARY_PREFIX = ".writing-"

TOUCH_SECONDS = 3600
"""A used file gets a new time, but not more often than this."""
LEFTOVER_SECONDS = 3600
"""A file unfinished for longer than this was left by a killed writer."""

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)


def packed(key: bytes, kind: bytes, image: bytes) -> bytes:
    """Return the content of a file. key: 32 bytes, kind: 4."""
    return HEADER.pack(MAGIC, key, kind, len(image), _checksum(key, kind, image)) + image


def unpacked(content: bytes, key: bytes) -> tuple[bytes, bytes] | None:
    """Return kind and code of a file's content; None when it is damaged or has another key."""
    if len(content) < HEADER.size:
        return None
    magic, key_inside, kind, length, checksum = HEADER.unpack_from(content)
    image = content[HEADER.size :]
    if (magic, key_inside, length) != (MAGIC, key, len(image)) or _checksum(key, kind, image) != checksum:
        return None
    return kind, image


def _checksum(key: bytes, kind: bytes, image: bytes) -> bytes:
    digest = hashlib.sha256(MAGIC + key + kind)
    digest.update(image)
    return digest.digest()


def read_own_file(path: Path) -> bytes | None:
    """Return a file's content; None unless it is a plain file of this user alone. It never waits for a pipe.

    Raises:
        OSError: it is not there, is a link, or cannot be read.
    """
    descriptor = os.open(path, os.O_RDONLY | _NO_FOLLOW | _NO_WAIT | _BINARY)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or not _is_own(status):
            return None
        content = b"".join(iter(lambda: os.read(descriptor, 1 << 20), b""))
        if abs(time.time() - status.st_mtime) > TOUCH_SECONDS and os.utime in os.supports_fd:
            with suppress(OSError):  # a folder that can only be read is still read
                os.utime(descriptor)
        return content
    finally:
        os.close(descriptor)


def _is_own(status: os.stat_result) -> bool:
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def write_own_file(path: Path, content: bytes) -> None:
    """Write a file beside its place, to the disk, and rename it; nothing is left behind when that fails.

    Files left by killed writers are removed.

    Raises:
        OSError: it cannot be written.
    """
    temporary = path.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-{secrets.token_hex(8)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _BINARY, 0o600)
    try:
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            os.fsync(descriptor)
            if hasattr(os, "fchmod"):
                os.fchmod(descriptor, 0o600)  # whatever the umask has taken away
        finally:
            os.close(descriptor)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _drop_leftovers(path.parent)


def _drop_leftovers(folder: Path) -> None:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(TEMPORARY_PREFIX):
                with suppress(OSError):  # another process was faster
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode) and abs(time.time() - status.st_mtime) > LEFTOVER_SECONDS:
                        Path(entry.path).unlink()
