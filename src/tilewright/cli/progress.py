"""A progress bar on standard error, on a terminal, for work that takes more than a second."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Timer

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from tilewright.choose.printable import printable_line
from tilewright.launch import Progress as Report

PATIENCE_SECONDS = 1.0


class Bar:
    """Shows what is running once it has run for a second; gone when it ends."""

    def __init__(self, console: Console) -> None:
        self._console = console

    @contextmanager
    def running(self, what: str) -> Iterator[Report | None]:
        """Show `what` while the block runs. Yields where to report (done, all), or None without a terminal."""
        with self._task(what) as update:
            yield None if update is None else lambda done, everything: update(completed=done, total=everything)

    @contextmanager
    def stages(self, first: str) -> Iterator[Callable[[str, int, int], None] | None]:
        """Show one part of the work after the other. Yields where to report (what begins, which part, of how many)."""
        with self._task(first) as update:
            yield (
                None
                if update is None
                else lambda what, done, everything: update(description=_shown(what), completed=done, total=everything)
            )

    @contextmanager
    def _task(self, what: str) -> Iterator[Callable[..., None] | None]:
        if not self._console.is_terminal:
            yield None
            return
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        progress = Progress(*columns, console=self._console, transient=True)
        task = progress.add_task(_shown(what), total=None)
        timer = Timer(PATIENCE_SECONDS, progress.start)
        timer.daemon = True
        timer.start()
        try:
            yield partial(progress.update, task)
        finally:
            timer.cancel()
            timer.join()
            progress.stop()


def _shown(what: str) -> str:
    return escape(printable_line(what))
