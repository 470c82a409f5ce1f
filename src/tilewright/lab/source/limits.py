"""Limits of a process that runs what somebody else wrote."""

from __future__ import annotations


def limit_process(cpu_seconds: int, memory_bytes: int, file_bytes: int) -> None:
    """Limit this process's processor time, memory and the files that it writes; it leaves no core file.

    On Windows nothing is limited, and the parent's clock is the only limit.
    """
    try:
        import resource
    except ImportError:
        return
    for limit, value in (
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, file_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        _, most = resource.getrlimit(limit)
        least = value if most == resource.RLIM_INFINITY else min(value, most)
        try:
            resource.setrlimit(limit, (least, least))
        except (OSError, ValueError):  # macOS refuses some of them
            continue
