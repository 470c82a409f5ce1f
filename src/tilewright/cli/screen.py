"""The consoles that every verb prints to. Unprintable characters from users' files and names are replaced."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook
from rich.measure import Measurement
from rich.segment import Segment

from tilewright.choose.printable import printable

PIPED_COLUMNS = 100


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
