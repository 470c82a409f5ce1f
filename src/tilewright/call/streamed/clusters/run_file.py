"""Which run may write an output: a file beside it names the run, and tasks of any other stop.

The lock of an output is held by the process that asked for the product. Its tasks run elsewhere, and may outlive it: a
worker that lost its scheduler finishes what it computes. So a task looks at the file before each step, and holds a
shared lock on another file while it writes. Who begins or ends a run changes the first, and then waits for the second:
from then on no task of an earlier run writes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tilewright.arrays.errors import StoreError
from tilewright.kept.whole_files import write_whole

WAIT_SECONDS = 60.0
"""How long a run waits for tasks of another to stop; each looks at the file at every step."""


class OtherRunError(StoreError):
    """A task found that its run has ended; nobody waits for its result."""


def begin_run(folder: Path, run: str) -> None:
    """Name the run that may write, and wait until tasks of earlier ones have stopped.

    Raises:
        StoreError: the file cannot be written, or a task goes on for longer than WAIT_SECONDS.
    """
    _name(folder, run)
    if not _tasks_have_stopped(folder):
        raise StoreError(
            f"Tasks of an earlier run still write beside {folder}; wait for their end, then run this again."
        )


def end_run(folder: Path) -> None:
    """Let no task write any more, and wait for those that do; after WAIT_SECONDS the next run waits for them."""
    with suppress(StoreError):  # a full disk: the next run writes another name
        _name(folder, "")
    _tasks_have_stopped(folder)


def _name(folder: Path, run: str) -> None:
    """Write the name; a file that were removed instead, other machines might miss for a while when it is back."""
    try:
        write_whole(folder / "run", lambda file: file.write(run.encode("ascii")))
    except OSError as error:
        raise StoreError(f"{folder / 'run'} cannot be written: {error.strerror or error}.", error.errno) from error


@contextmanager
def writing(folder: Path, run: str) -> Iterator[Callable[[], None]]:
    """Hold a task's part of the lock for the block; yields what raises OtherRunError once the run has ended.

    Raises:
        OtherRunError: it has ended already.
        StoreError: the folder is not there.
    """

    def look() -> None:
        try:
            is_ours = (folder / "run").read_text(encoding="ascii") == run
        except FileNotFoundError:
            is_ours = False
        except OSError as error:
            raise StoreError(f"{folder / 'run'} cannot be read: {error.strerror or error}.", error.errno) from error
        if not is_ours:
            raise OtherRunError(f"The run that this task belongs to no longer writes beside {folder}.")

    try:
        handle = os.open(folder / "tasks", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {error.strerror or error}.", error.errno) from error
    try:
        _share(handle)
        look()
        yield look
    finally:
        os.close(handle)


def _share(handle: int) -> None:
    try:
        import fcntl
    except ImportError:
        return  # Windows has no shared locks: there a task is stopped by its look at the file alone
    with suppress(OSError):  # nor have some file systems of networks
        fcntl.flock(handle, fcntl.LOCK_SH)


def _tasks_have_stopped(folder: Path) -> bool:
    try:
        import fcntl
    except ImportError:
        return True
    handle, deadline = os.open(folder / "tasks", os.O_RDWR | os.O_CREAT, 0o666), time.monotonic() + WAIT_SECONDS
    try:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    return False
                time.sleep(0.02)
            except OSError:  # a file system without locks
                return True
            else:
                return True
    finally:
        os.close(handle)
