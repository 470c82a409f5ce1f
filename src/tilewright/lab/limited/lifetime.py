"""Ends a process when its parent ends, in whatever way."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from functools import cache
from threading import Thread
from typing import Any

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_SET_CHILD_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER


@cache
def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def prepare() -> None:
    """Load what the functions below need before a fork."""
    if sys.platform == "linux":
        _libc()


def die_with(parent: int) -> None:
    """Let Linux kill this process when its parent ends; end it if that has happened. parent: the process id.

    Linux counts the end of the thread that forked as its parent's: for processes that fork from their first thread.
    """
    _libc().prctl(_SET_PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def adopt_orphans() -> None:
    """Become the parent of the children that a child of this process leaves, so that they can be waited for."""
    _libc().prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_with_stream(descriptor: int) -> None:
    """End this process when the other end of a pipe is closed; a thread waits for it, on every system."""
    Thread(target=_end_at_end_of, args=(descriptor,), daemon=True).start()


def _end_at_end_of(descriptor: int) -> None:
    while os.read(descriptor, 1024):  # Python aborts at its end if a thread holds the lock of a stream
        continue
    end_group()


def end_group() -> None:
    """End this process, and if it leads a process group, the group."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)
