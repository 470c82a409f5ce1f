"""Writes a trace as one HTML file: the parts in `page/`, joined, and the trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tilewright.choose.printable import escape
from tilewright.lab.trace.document import text_of

PARTS = Path(__file__).parent / "page"
STYLES = ("colours.css", "layout.css", "grids.css", "panels.css")
SCRIPTS = (
    "trace.js",
    "replay.js",
    "names.js",
    "grids.js",
    "threads.js",
    "source.js",
    "story.js",
    "counters.js",
    "findings.js",
    "tables.js",
    "flights.js",
    "fit.js",
    "player.js",
    "main.js",
)
"""In this order, since each file uses definitions of those before it."""


def page_of(document: dict[str, Any], theme: str = "auto") -> str:
    """Return the page that plays a trace (document_of, read_document). theme: "auto", "light" or "dark"."""
    kernel = document["kernel"]
    # The text must not contain anything that closes the script element.
    trace = text_of(document).replace("<", "\\u003c")
    filled = {
        "theme": escape(theme),
        "title": escape(f"{kernel['name']}, step by step"),
        "name": escape(kernel["name"]),
        "file": escape(kernel["file"]),
        "made_by": escape(document["made_by"]),
        "style": _joined(STYLES),
        "script": _joined(SCRIPTS),
        "trace": trace,
    }
    page = (PARTS / "page.html").read_text(encoding="utf-8")
    pieces = page.split("{{")
    for number, piece in enumerate(pieces[1:], 1):
        name, _, rest = piece.partition("}}")
        pieces[number] = filled[name] + rest
    return "".join(pieces)


def _joined(names: tuple[str, ...]) -> str:
    return "\n".join((PARTS / name).read_text(encoding="utf-8") for name in names)
