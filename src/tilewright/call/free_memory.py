"""How much memory a new array can take. Linux hands out more than there is and ends the process that believes it."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def free_memory_bytes() -> int | None:
    """The bytes that can still be filled: what the system has left or, in a container, what its limit leaves.

    Elsewhere than on Linux, where an allocation that cannot be served fails by itself, all memory of the machine; None
    where that is not known.
    """
    if platform.system() == "Linux":
        left = [_system_bytes(), *(_group_bytes(*files) for files in _GROUP_FILES)]
        known = [bytes_left for bytes_left in left if bytes_left is not None]
        return min(known, default=None)
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


_MEMORY_INFORMATION = Path("/proc/meminfo")
_GROUP = Path("/sys/fs/cgroup")
_GROUP_FILES = (
    (_GROUP / "memory.max", _GROUP / "memory.current", _GROUP / "memory.stat"),
    (
        _GROUP / "memory" / "memory.limit_in_bytes",
        _GROUP / "memory" / "memory.usage_in_bytes",
        _GROUP / "memory" / "memory.stat",
    ),
)
"""Limit, use and statistics of a container's memory, in the kernel's second and first version of control groups."""


def _system_bytes() -> int | None:
    kibibytes = _fields(_MEMORY_INFORMATION).get("MemAvailable:")
    return None if kibibytes is None else kibibytes * 1024


def _group_bytes(limit: Path, used: Path, statistics: Path) -> int | None:
    """What the limit leaves; pages of files that nobody uses count as free, for they give way."""
    try:
        left = int(limit.read_text(encoding="ascii")) - int(used.read_text(encoding="ascii"))
    except (OSError, ValueError):  # no such files, or "max" for no limit
        return None
    return max(0, left + _fields(statistics).get("inactive_file", 0))


def _fields(path: Path) -> dict[str, int]:
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return {}
    words = (line.split() for line in lines)
    return {word[0]: int(word[1]) for word in words if len(word) > 1 and word[1].isdigit()}
