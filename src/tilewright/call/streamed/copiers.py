"""Threads that copy parts of matrices, in the order in which the parts were given.

NumPy copies without Python's lock, but each part costs some 20 us with it: so a part is megabytes, and all that is
done for it is one copy. Whoever gives parts makes the calls of the driver.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from types import TracebackType
from typing import Self

Work = Callable[[], object]
MOST_COPIERS = 10
"""The most threads: they copied 47 GB/s on an H100's host of 16 cores, and more were no faster."""


class Copies:
    """Parts that are being copied."""

    def __init__(self, count: int, ended: SimpleQueue[BaseException | None]) -> None:
        self._count, self._ended = count, ended

    def wait(self) -> None:
        """Wait until all have ended. Raises what the first to fail raised."""
        for error in self.settle():
            if error is not None:
                raise error

    def settle(self) -> list[BaseException | None]:
        """Wait until all have ended; what each of those that were not waited for before raised."""
        found = [self._ended.get() for _ in range(self._count)]
        self._count = 0
        return found


class Copiers:
    """The threads."""

    def __init__(self, count: int, name: str) -> None:
        self._given: SimpleQueue[tuple[Work, SimpleQueue[BaseException | None]] | None] = SimpleQueue()
        self.count = count
        self._threads = [
            threading.Thread(target=self._run, name=f"tilewright-{name}-{number}", daemon=True)
            for number in range(count)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for _ in self._threads:
            self._given.put(None)
        for thread in self._threads:
            thread.join()

    def begin(self, parts: Sequence[Work]) -> Copies:
        """Give parts to the threads."""
        ended: SimpleQueue[BaseException | None] = SimpleQueue()
        for part in parts:
            self._given.put((part, ended))
        return Copies(len(parts), ended)

    def _run(self) -> None:
        while (given := self._given.get()) is not None:
            work, ended = given
            try:
                work()
            except BaseException as error:  # noqa: BLE001  (it is raised where the parts are waited for)
                ended.put(error)
            else:
                ended.put(None)


def copier_count() -> int:
    """The number of threads that copy; a core is left to the others."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MOST_COPIERS, cores - 1))
