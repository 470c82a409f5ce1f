"""Forks a process with one thread, on Linux: the child has everything that its parent has loaded."""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .endings import MOST_SAID_BYTES, Ending
from .lifetime import die_with
from .limits import Limits, limit_process

_THREADS = Path("/proc/self/task")
_LAST_THREADS_SECONDS = 0.2
_TEMPLATE: set[int] = set()
"""Process ids, this one's among them, that may be forked: the template and its children."""


def mark_as_template() -> None:
    """Mark this process as one to fork: it has no caller's threads or locks."""
    _TEMPLATE.add(os.getpid())


def can_fork() -> bool:
    """Say whether this process may fork: it is the template or one of its children, and has one thread."""
    if os.getpid() not in _TEMPLATE:
        return False
    patience = time.monotonic() + _LAST_THREADS_SECONDS
    while sum(1 for _ in _THREADS.iterdir()) > 1:  # a launch's thread says that it has ended shortly before it has
        if time.monotonic() > patience:
            return False
        time.sleep(0.0005)
    return True


def fork(work: Callable[[], None], limits: Limits, said: int, keep: Collection[int]) -> int:
    """Fork a child that works within limits and ends; return its process id.

    said: the descriptor that takes its output. keep: the descriptors that stay open in it. It dies with this process.
    """
    parent = os.getpid()
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        die_with(parent)
        mark_as_template()
        _separate(said, keep)
        limit_process(limits.cpu_seconds, limits.memory_bytes)
        work()
        status = 0
    except MemoryError:
        os.write(2, b"MemoryError\n")
    except BaseException as error:  # noqa: BLE001  (nothing may return into the parent's code)
        os.write(2, "".join(traceback.format_exception_only(error)).encode(errors="backslashreplace"))
    finally:
        os._exit(status)


def _separate(said: int, keep: Collection[int]) -> None:
    """Close the parent's files, and reset its signal handlers."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGPIPE, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor, source in ((0, nothing), (1, said), (2, said)):
        os.dup2(source, descriptor)
    stays = {0, 1, 2, *keep}
    for descriptor in [int(path.name) for path in Path("/proc/self/fd").iterdir()]:
        if descriptor not in stays:
            with suppress(OSError):
                os.close(descriptor)
    sys.stdout, sys.stderr = (os.fdopen(descriptor, "w", buffering=1, closefd=False) for descriptor in (1, 2))


@contextmanager
def nameless_file() -> Iterator[int]:
    """A file in memory that no folder has; it ends with the last process that has it open."""
    descriptor = os.memfd_create("said")
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def last_words(said: int) -> str:
    """Return the end of what was written to a file."""
    size = os.fstat(said).st_size
    data = os.pread(said, MOST_SAID_BYTES, max(0, size - MOST_SAID_BYTES))
    return data.decode(errors="replace").strip()


def ending_of(child: int, said: int) -> Ending:
    """Wait for a child, and return how it ended."""
    _, status, usage = os.wait4(child, 0)
    seconds = usage.ru_utime + usage.ru_stime
    own_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # the child began with them
    peak_bytes = max(0, usage.ru_maxrss * 1024 - own_bytes)
    return Ending(os.waitstatus_to_exitcode(status), last_words(said), peak_bytes, seconds)


def answer_of_fork(work: Callable[[], bytes], limits: Limits, most_bytes: int) -> tuple[bytes, Ending]:
    """Return what a child answers, and how it ended; the clock may have ended it."""
    reading, writing = os.pipe()
    with nameless_file() as said:

        def answer() -> None:
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(work())

        try:
            child = fork(answer, limits, said, keep=(writing,))
        except OSError:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        data, is_late = b"", True
        try:
            data, is_late = _until_end(reading, time.monotonic() + limits.seconds, most_bytes)
        finally:
            os.close(reading)
            if is_late or not _has_ended(child):
                os.kill(child, signal.SIGKILL)
            ending = ending_of(child, said)
        return data, Ending(None, ending.said) if is_late else ending


def _has_ended(child: int, patience_seconds: float = 1.0) -> bool:
    """Say whether a child that has closed its pipe ends, too; it stays to be waited for."""
    until = time.monotonic() + patience_seconds
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > until:
            return False
        time.sleep(0.0005)
    return True


def _until_end(pipe: int, until: float, most_bytes: int) -> tuple[bytes, bool]:
    """Return the pipe's contents (none if too long), and whether its end came too late."""
    parts: list[bytes] = []
    size = 0
    while size <= most_bytes:
        ready, _, _ = select.select([pipe], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return b"", True
        part = os.read(pipe, 1 << 20)
        if not part:
            return b"".join(parts), False
        parts.append(part)
        size += len(part)
    return b"", False
