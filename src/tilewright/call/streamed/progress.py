"""What a product reports while it streams: to a function of the caller's, or as a bar on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tilewright.arrays.errors import described
from tilewright.choose import PlanError

Report = Callable[[int, int], object]
"""Called with the number of steps that are done, and of all."""


@contextmanager
def reporting(progress: Any) -> Iterator[Report | None]:
    """Yield where to report: nowhere for False, to the caller's function, or to a bar for True.

    The bar is rich's; without rich, lines say each tenth.

    Raises:
        PlanError: ``progress`` is something else.
    """
    if progress is False or progress is None:
        yield None
    elif callable(progress):
        yield progress
    elif progress is True:
        with _bar() as report:
            yield report
    else:
        raise PlanError(f"progress is {described(progress)}, and True, False or a function is accepted.")


@contextmanager
def _bar() -> Iterator[Report]:
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        yield _Lines()
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("multiplying", total=None)
        yield lambda done, everything: bar.update(task, completed=done, total=everything)


class _Lines:
    def __init__(self) -> None:
        self._tenths = 0

    def __call__(self, done: int, everything: int) -> None:
        tenths = 10 * done // max(everything, 1)
        if tenths > self._tenths:
            self._tenths = tenths
            sys.stderr.write(f"multiplying: {10 * tenths} %\n")
