"""The consoles that every verb prints to, and a progress bar, on a terminal, for work of more than a second.

Unprintable characters from users' files and names are replaced.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Timer

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook
from rich.markup import escape
from rich.measure import Measurement
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.segment import Segment

from tilewright.choose.printable import printable, printable_line
from tilewright.launch import Progress as Report

PIPED_COLUMNS = 100
PATIENCE_SECONDS = 1.0


def screen() -> Console:
    """Standard output: the terminal's own width, or 100 columns where there is no terminal and COLUMNS says nothing."""
    piped = not sys.stdout.isatty()
    width = PIPED_COLUMNS if piped and not os.environ.get("COLUMNS") else None
    return _guarded(Console(width=width, highlight=False, emoji=False))


def error_screen() -> Console:
    """Standard error, for progress: nothing is drawn there unless it is a terminal."""
    return _guarded(Console(stderr=True, highlight=False, emoji=False))


def _guarded(console: Console) -> Console:
    console.push_render_hook(_Door())
    return console


class _Door(RenderHook):
    """Lets only printable text through; Rich's own colours and cursor movements pass."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Printable(each) for each in renderables]


class _Printable:
    def __init__(self, shown: ConsoleRenderable) -> None:
        self.shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for segment in console.render(self.shown, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self.shown)


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
