"""The player on the site's first page, in place of its picture: the README's example, recorded with the site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tilewright

KERNEL, FILE = "matmul/tiled", "player.html"
FRAME = f"""
```{{raw}} html
<iframe class="player" src="{FILE}#embed&amp;play" title="{KERNEL}, step by step" allow="fullscreen"></iframe>
<p><a href="{FILE}">On a page of its own</a></p>
```
"""


def setup(app: Any) -> dict[str, bool]:
    """Join Sphinx when it has written its pages."""
    app.connect("build-finished", write_player)
    return {"parallel_read_safe": True}


def write_player(app: Any, error: Exception | None) -> None:
    """Write the player beside the first page."""
    if error is None and app.builder.format == "html":
        tilewright.watch(KERNEL).save(Path(app.outdir) / FILE)
