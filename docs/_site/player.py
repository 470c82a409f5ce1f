"""The players of the site: kernels recorded when the site is built, in frames on its pages.

The first page's picture becomes a player; elsewhere `<!-- play: NAME #LINK -->` does, where LINK names the place to
begin at. A code host shows nothing there: the command for it stands beside.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

import numpy

import tilewright

FILE, FOLDER = "player.html", "players"
PLACE = re.compile(r"<!-- play: (?P<name>[a-z]+) #(?P<link>[^ ]*) -->")
EXERCISES = Path(__file__).parents[1] / "learn" / "exercises"
PRODUCT = {"operation": "matmul", "arguments": "A,B,C,rows,cols,inner"}
SHUFFLE = Path(__file__).parents[1] / "learn" / "shuffle.cu"
KERNELS: dict[str, tuple[str | Path, dict[str, Any]]] = {
    "naive": ("matmul/naive", {"size": (4, 4, 4)}),
    "product": ("matmul/tiled", {"size": (4, 4, 4), "tile": 2}),
    "edges": ("matmul/tiled", {"size": (7, 9, 5), "tile": 4}),
    "sixteen": ("matmul/tiled", {"size": (16, 16, 16), "tile": 16}),
    "rows": (EXERCISES / "5-lanes.cu", {"size": (16, 16, 16), "block": "16,16", "grid": "1,1", **PRODUCT}),
    "columns": (EXERCISES / "6-banks.cu", {"size": (32, 32, 32), "block": "32,32", "grid": "1,1", **PRODUCT}),
    "pairs": ("reduced_matmul/tiled", {"size": (8, 8, 8), "tile": 2}),
    "line": ("reduced_matmul/naive_p", {"size": (8, 8, 8)}),
    "tree": ("dot/tiled", {"size": (1, 1, 64), "tile": 32}),
    "shuffle": (
        SHUFFLE,
        {
            "arrays": {"x": numpy.arange(1, 33, dtype=numpy.float32)},
            "results": {"total": 1},
            "scalars": {"n": 32},
            "block": "32",
            "grid": "1",
            "zero_output": True,
        },
    ),
}
"""By the name that pages use: a kernel, and what it is recorded with."""


def frame(name: str, link: str, page: str = "index") -> str:
    """Return the frame of a player for a page."""
    kernel, _ = KERNELS[name]
    file = FILE if page == "index" else posixpath.relpath(f"{FOLDER}/{name}.html", posixpath.dirname(page) or ".")
    title = kernel if isinstance(kernel, str) else kernel.name
    kind, address = "player lanes" if link.startswith("lanes") else "player", f"{file}#{link.replace('&', '&amp;')}"
    return f"""
```{{raw}} html
<iframe class="{kind}" src="{address}" title="{title}, step by step" allow="fullscreen" loading="lazy"></iframe>
<p><a href="{file}">On a page of its own</a></p>
```
"""


def setup(app: Any) -> dict[str, bool]:
    """Join Sphinx when it has written its pages."""
    app.connect("build-finished", write_players)
    return {"parallel_read_safe": True}


def write_players(app: Any, error: Exception | None) -> None:
    """Write the players beside the pages."""
    if error is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir) / FOLDER
    folder.mkdir(exist_ok=True)
    for name, (kernel, given) in KERNELS.items():
        recording = tilewright.watch(kernel, **given)
        recording.save(folder / f"{name}.html")
        if name == "product":
            recording.save(Path(app.outdir) / FILE)
