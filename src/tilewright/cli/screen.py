"""The consoles that every verb prints to."""

from __future__ import annotations

import os
import sys

from rich.console import Console

PIPED_COLUMNS = 100


def screen() -> Console:
    """Standard output: the terminal's own width, or 100 columns where there is no terminal and COLUMNS says nothing."""
    piped = not sys.stdout.isatty()
    width = PIPED_COLUMNS if piped and not os.environ.get("COLUMNS") else None
    return Console(width=width, highlight=False, emoji=False)


def error_screen() -> Console:
    """Standard error, for progress: nothing is drawn there unless it is a terminal."""
    return Console(stderr=True, highlight=False, emoji=False)
