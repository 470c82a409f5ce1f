"""Writes a recording as one HTML file: the parts in `page/`, joined, the scripts compressed, and the recording."""

from __future__ import annotations

import zlib
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilewright.choose.printable import escape
from tilewright.lab.pipeline.document import FORMAT as PIPELINE
from tilewright.lab.trace.document import FORMAT as TRACE
from tilewright.lab.trace.document import text_of

PARTS = Path(__file__).parent / "page"


@dataclass(frozen=True)
class View:
    """The parts of a page. main: its panels. stage: the first screen. scripts: each uses those before it."""

    main: str
    stage: str | None
    styles: tuple[str, ...]
    scripts: tuple[str, ...]


TEXTS = ("texts/english.js", "texts/german.js")
VIEWS = {
    TRACE: View(
        "threads.html",
        "stage/stage.html",
        ("colours.css", "layout.css", "grids.css", "panels.css", "stage/stage.css"),
        (
            *("trace.js", *TEXTS, "texts/language.js", "replay.js", "names.js", "launch.js", "grids.js"),
            *("threads.js", "source.js", "story.js"),
            *("counters.js", "findings.js", "tables.js", "lanes.js", "flights.js", "fit.js", "details.js"),
            *("player.js", "stage/roles.js", "stage/beats.js", "stage/told.js"),
            *("stage/spoiled.js", "stage/squares.js", "stage/picture.js", "stage/pages.js", "stage/score.js"),
            *("stage/timeline.js", "stage/stage.js", "stage/tabs.js", "main.js"),
        ),
    ),
    PIPELINE: View(
        "pipeline/pipeline.html",
        None,
        ("colours.css", "layout.css", "panels.css", "pipeline/pipeline.css"),
        (
            *("pipeline/data.js", *TEXTS, "texts/pipeline.js", "texts/language.js", "names.js", "launch.js"),
            *("source.js", "findings.js", "pipeline/matrices.js"),
            *("pipeline/stages.js", "pipeline/lanes.js", "player.js", "pipeline/main.js"),
        ),
    ),
}
"""By the format of the recording."""
PRODUCT = ("stage/scene.js", "stage/prologue.js", "stage/more.js", "stage/tiles.js", "stage/product.js")
STORY_OF = {
    "matmul": PRODUCT,
    "reduced_matmul": PRODUCT,
    "dot": ("texts/dot.js", "stage/dot_scene.js", "stage/dot_story.js"),
}
"""The scripts of a story, by operation: other pages do without them."""


def page_of(document: dict[str, Any], theme: str = "auto") -> str:
    """Return the page that plays a trace or a pipeline. theme: "auto", "light" or "dark"."""
    kernel, view = document["kernel"], VIEWS[document["format"]]
    filled = {
        "theme": escape(theme),
        "title": escape(f"{kernel['name']}, step by step"),
        "name": escape(kernel["name"]),
        "file": escape(kernel["file"]),
        "made_by": escape(document["made_by"]),
        "stage": _joined((view.stage,)) if view.stage else "",
        "style": _joined(view.styles),
        "script": _packed(f'"use strict";(async () => {{\n{_joined(_scripts(view, document))}\n}})();'),
        # The text must not contain anything that closes the script element.
        "trace": text_of(_with_packed_runs(document)).replace("<", "\\u003c"),
    }
    filled["main"] = _filled(_joined((view.main,)), filled)
    return _filled(_joined(("page.html",)), filled)


def _scripts(view: View, document: dict[str, Any]) -> tuple[str, ...]:
    own = STORY_OF.get(document.get("problem", {}).get("operation"), ()) if view.stage else ()
    at = view.scripts.index("stage/timeline.js") if own else 0
    return (*view.scripts[:at], *own, *view.scripts[at:])


def _with_packed_runs(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document whose other runs are compressed, together, for they are alike: most readers never play them."""
    lesson = document.get("lesson")
    if not lesson or not lesson["without"]:
        return document
    runs = lesson["without"]
    problems = {number: {"problem": run["problem"]} for number, run in runs.items()}
    alike = f"[{','.join(text_of(run) for run in runs.values())}]"
    return document | {"lesson": lesson | {"without": problems, "runs": _packed(alike)}}


def _packed(text: str) -> str:
    """Return a text compressed, as `unpacked` in page.html reads it."""
    deflate = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    return b64encode(deflate.compress(text.encode()) + deflate.flush()).decode()


def _filled(text: str, parts: dict[str, str]) -> str:
    pieces = text.split("{{")
    for number, piece in enumerate(pieces[1:], 1):
        name, _, rest = piece.partition("}}")
        pieces[number] = parts[name] + rest
    return "".join(pieces)


def _joined(names: tuple[str, ...]) -> str:
    """Return the parts in a row, without indentation and empty lines."""
    lines = "\n".join((PARTS / name).read_text(encoding="utf-8") for name in names).splitlines()
    return "\n".join(line for line in map(str.strip, lines) if line)
