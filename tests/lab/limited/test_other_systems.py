"""What macOS and Windows have in place of Linux's ways, with stand-ins: nothing is forked, and groups are gone."""

import ctypes
import os
import resource
import signal
import sys

import pytest

from tests.lab.limited import tasks
from tilewright.lab.limited import LimitReachedError, Limits, limits, run_limited, running, starting, template
from tilewright.lab.limited.windows_job import Job, machine_memory_bytes

LIMITS = Limits(seconds=1.0, memory_bytes=512 << 20)


class Kernel32:
    """Windows' functions for jobs; they do what is asked, or refuse."""

    def __init__(self, *, refuses=""):
        self.calls, self.refuses = [], refuses

    def CreateJobObjectW(self, attributes, name):  # noqa: N802  (Windows' name)
        """Return a handle."""
        self.calls.append(("create", attributes, name))
        return 0 if self.refuses == "create" else 77

    def SetInformationJobObject(self, handle, kind, pointer, size):  # noqa: N802
        """Take what is written at the places that Windows reads."""
        data = ctypes.string_at(pointer, size)
        flags = int.from_bytes(data[16:20], "little")
        self.calls.append(("limit", handle, kind, flags, int.from_bytes(data[120:128], "little"), size))
        return self.refuses != "limit"

    def AssignProcessToJobObject(self, handle, process):  # noqa: N802
        """Take a process."""
        self.calls.append(("add", handle, process))
        return self.refuses != "add"

    def CloseHandle(self, handle):  # noqa: N802
        """End the job."""
        self.calls.append(("close", handle))

    def GlobalMemoryStatusEx(self, pointer):  # noqa: N802
        """Say that the machine has 16 GiB."""
        ctypes.memmove(ctypes.addressof(pointer._obj) + 8, (16 << 30).to_bytes(8, "little"), 8)
        return True


def test_a_job_ends_with_this_process_and_has_a_limit():
    """Flags and sizes as Windows' 64-bit structures have them; closed once."""
    kernel32 = Kernel32()
    job = Job(512 << 20, kernel32)
    job.add(5)
    job.close()
    job.close()

    assert kernel32.calls == [
        ("create", None, None),
        ("limit", 77, 9, 0x2000 | 0x200, 512 << 20, 144),
        ("add", 77, 5),
        ("close", 77),
    ]
    assert machine_memory_bytes(kernel32) == 16 << 30


@pytest.mark.parametrize("refuses", ["create", "limit", "add"])
def test_a_job_that_is_refused_is_a_sentence(refuses):
    """Nothing runs that could outlive its parent."""
    with pytest.raises(OSError, match="outlive this one"):
        Job(1 << 30, Kernel32(refuses=refuses)).add(5)


def test_a_started_child_is_in_a_job_before_it_has_a_request(monkeypatch):
    """And the job is closed at its end, which ends what it started: there are no groups."""
    calls: list[object] = []

    class Kept:
        def close(self):
            calls.append("closed")

    def job_of(process, given):
        calls.append((process.poll(), given.memory_bytes))
        return Kept()

    monkeypatch.setattr(running, "has_template", lambda: False)
    monkeypatch.setattr(template, "FIRST", ())
    monkeypatch.setattr(starting, "_job_of", job_of)
    monkeypatch.delattr(os, "killpg")
    monkeypatch.delattr(signal, "pthread_sigmask")

    with pytest.raises(LimitReachedError, match="did not end within 1 seconds"):
        run_limited(f"{tasks.__name__}:hang", None, what="the check", limits=LIMITS)
    assert calls == [(None, 512 << 20), "closed"]


def test_a_process_without_limits_of_its_own(monkeypatch):
    """Windows has no `resource`; macOS refuses some limits, and the others are set all the same."""
    monkeypatch.setitem(sys.modules, "resource", None)
    limits.limit_process(10, 1 << 30)

    asked = []

    def refuse_memory(limit, values):
        asked.append((limit, values))
        if limit == resource.RLIMIT_AS:
            raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setitem(sys.modules, "resource", resource)
    monkeypatch.setattr(resource, "setrlimit", refuse_memory)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    monkeypatch.setattr(limits, "mapped_bytes", lambda: 0)
    limits.limit_process(10, 1 << 30, 5)

    assert dict(asked) == {
        resource.RLIMIT_CPU: (10, 11),
        resource.RLIMIT_AS: (1 << 30, 1 << 30),
        resource.RLIMIT_FSIZE: (5, 5),
        resource.RLIMIT_CORE: (0, 0),
    }
