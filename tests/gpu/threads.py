"""Threads that run at the same time, in the tests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any


def at_once(work: Callable[[Any], None], given: Iterable[Any]) -> None:
    """Call for each of these in a thread of its own, and wait for all."""
    threads = [threading.Thread(target=work, args=(each,)) for each in given]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
