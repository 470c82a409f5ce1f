"""Limits of a process that works on files of unknown authors."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MAX_FILE_BYTES = 1 << 30
LEAST_MEMORY_BYTES = 64 << 20
_GROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


@dataclass(frozen=True)
class Limits:
    """What a task may use: seconds of time, and bytes of memory beyond the emulator's own."""

    seconds: float = 300.0
    memory_bytes: int = 8 << 30

    @property
    def cpu_seconds(self) -> int:
        """Of all threads together. The parent's clock ends it before, if the parent is alive."""
        return 4 * int(self.seconds) + 10


def default_memory_bytes(jobs: int = 1) -> int:
    """Return a quarter of the machine's memory (in a container: of its limit), shared by that many tasks at a time."""
    known = [_machine_bytes()]
    for path in _GROUP_LIMITS:
        with suppress(OSError, ValueError):  # no such file, or "max" for no limit
            known.append(int(path.read_text(encoding="ascii")))
    return max(LEAST_MEMORY_BYTES, min(known) // 4 // max(1, jobs))


def _machine_bytes() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # Windows
        from .windows_job import machine_memory_bytes

        return machine_memory_bytes()


def limit_process(cpu_seconds: int, memory_bytes: int, file_bytes: int = MAX_FILE_BYTES) -> None:
    """Limit this process's processor time, memory and the files that it writes; it leaves no core file.

    memory_bytes: of address space, beyond what is mapped now. macOS keeps some of the limits and refuses others. On
    Windows nothing is limited here: the parent puts the process into a job that is (windows_job.py).
    """
    try:
        import resource
    except ImportError:
        return
    for limit, value, more in (
        (resource.RLIMIT_CPU, cpu_seconds, 1),  # SIGXCPU at the first limit tells what it was, SIGKILL would not
        (resource.RLIMIT_AS, memory_bytes + mapped_bytes(), 0),
        (resource.RLIMIT_FSIZE, file_bytes, 0),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        _, most = resource.getrlimit(limit)
        hard = value + more if most == resource.RLIM_INFINITY else min(value + more, most)
        with suppress(OSError, ValueError):  # macOS refuses some of them
            resource.setrlimit(limit, (min(value, hard), hard))


def mapped_bytes() -> int:
    """Return the address space that this process has now; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
