"""The memory available for a new array. Linux overcommits, and kills a process that uses more than there is."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def free_memory_bytes() -> int | None:
    """The free memory in bytes: the system's or, in a container, what its limit leaves.

    On systems other than Linux, where an allocation fails if there is no memory, it is all memory of the machine; None
    if that is not known.
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
"""Files with limit, use and statistics of a container's memory, for versions 2 and 1 of control groups."""


def _system_bytes() -> int | None:
    kibibytes = _fields(_MEMORY_INFORMATION).get("MemAvailable:")
    return None if kibibytes is None else kibibytes * 1024


def _group_bytes(limit: Path, used: Path, statistics: Path) -> int | None:
    """The bytes that the limit leaves; inactive file pages count as free, since they can be reclaimed."""
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
