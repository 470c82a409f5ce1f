"""A process that ends when its parent does, however that ends."""

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
    """Load what the functions below need, so that a child that was just forked need not."""
    if sys.platform == "linux":
        _libc()


def die_with(parent: int) -> None:
    """Let Linux kill this process when its parent ends. parent: its process; if that has ended already, so does this.

    Linux counts the end of the thread that forked as its parent's: for processes that fork from their first thread.
    """
    _libc().prctl(_SET_PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def adopt_orphans() -> None:
    """Become the parent of the children that a child of this process leaves, so that they can be waited for."""
    _libc().prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_with_stream(descriptor: int) -> None:
    """End this process when nobody has the other end of a pipe any more: in a thread, wherever there are pipes."""
    Thread(target=_end_at_end_of, args=(descriptor,), daemon=True).start()


def _end_at_end_of(descriptor: int) -> None:
    while os.read(descriptor, 1024):  # a Python stream has a lock, and Python aborts where a thread holds it to the end
        continue
    end_group()


def end_group() -> None:
    """End this process and those that it started, where it is the first of a group of its own."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)
