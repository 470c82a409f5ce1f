"""A Windows job: its processes end with the one that started them, and share a memory limit."""

from __future__ import annotations

import ctypes
from typing import Any

_KILL_ON_CLOSE, _JOB_MEMORY = 0x2000, 0x200
_EXTENDED_LIMITS = 9


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("least_working_set", ctypes.c_size_t),
        ("most_working_set", ctypes.c_size_t),
        ("most_processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority_class", ctypes.c_uint32),
        ("scheduling_class", ctypes.c_uint32),
    )


class _Limits(ctypes.Structure):
    _fields_ = (
        ("basic", _BasicLimits),
        ("counters", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    )


class _MemoryStatus(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint32), ("load", ctypes.c_uint32), ("sizes", ctypes.c_uint64 * 7))


def _kernel32() -> Any:
    library = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]
    library.CreateJobObjectW.restype = ctypes.c_void_p
    library.SetInformationJobObject.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32)
    library.AssignProcessToJobObject.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    library.CloseHandle.argtypes = (ctypes.c_void_p,)
    return library


class Job:
    """A job of one process and of what that starts. They end when it is closed, or when this process ends."""

    def __init__(self, memory_bytes: int, kernel32: Any = None) -> None:
        self._library = kernel32 or _kernel32()
        self._handle = self._library.CreateJobObjectW(None, None)
        limits = _Limits()
        limits.basic.flags = _KILL_ON_CLOSE | _JOB_MEMORY
        limits.job_memory = memory_bytes
        size = ctypes.sizeof(limits)
        if not self._handle or not self._library.SetInformationJobObject(
            self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), size
        ):
            raise OSError("Windows gives no job object, and without one a process could outlive this one")

    def add(self, process_handle: int) -> None:
        """Put a process into the job; raise OSError where Windows refuses."""
        if not self._library.AssignProcessToJobObject(self._handle, process_handle):
            raise OSError("Windows does not put the process into a job, and it could outlive this one")

    def close(self) -> None:
        """End the processes of the job."""
        if self._handle:
            self._library.CloseHandle(self._handle)
            self._handle = None


def machine_memory_bytes(kernel32: Any = None) -> int:
    """Return the machine's memory."""
    status = _MemoryStatus()
    status.length = ctypes.sizeof(status)
    if not (kernel32 or _kernel32()).GlobalMemoryStatusEx(ctypes.byref(status)):
        return 4 << 30
    return int(status.sizes[0])
