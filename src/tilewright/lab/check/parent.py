"""A child process's view of its parent: when standard input ends, nobody waits any more."""

from __future__ import annotations

import os


def end_with_parent() -> None:
    """Wait for the end of standard input, then end this process."""
    while os.read(0, 1024):  # sys.stdin has a lock, and Python aborts where a thread holds it to the end
        continue
    os._exit(1)
