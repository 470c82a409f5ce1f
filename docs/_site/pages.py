"""What the site makes of Markdown that a code host shows as well.

The first page's picture becomes the player; other pictures in two colours become two images, one for each theme; links
to files beside docs/ lead to their pages or to the files themselves; pages that nobody put into the contents stand at
their end; and pages that are made: the README and its like, the commands, the catalogue.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from commands import commands_page
from kernel_tables import with_catalogue
from player import PLACE, frame

import tilewright

ROOT = Path(__file__).parents[2]
INCLUDED = {
    "project/readme": "README.md",
    "project/architecture": "ARCHITECTURE.md",
    "project/contributing": "CONTRIBUTING.md",
    "project/security": "SECURITY.md",
    "project/changelog": "CHANGELOG.md",
}
"""Pages that are files beside docs/."""
FIRST_BELOW = {
    "decisions/README": (),
    "kernels/index": (
        *("tiled", "cuda-cores", "mma-sync", "wgmma", "small", "odd-sizes"),
        *("splitk-reduce", "small-batched", "float32-by-parts", "dot"),
    ),
}
"""Pages that have those of their folder below them, these first."""
PAGE_OF = {path: page for page, path in INCLUDED.items()}
PICTURE = re.compile(
    r'<picture>\s*<source [^>]*srcset="(?P<dark>[^"]+)">\s*'
    r'<img alt="(?P<alt>[^"]*)" src="(?P<light>[^"]+)">\s*</picture>'
)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)(?P<path>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")
MORE = "<!-- pages that stand nowhere else -->"


def setup(app: Any) -> dict[str, bool]:
    """Join Sphinx before it reads."""
    app.connect("source-read", on_read)
    return {"parallel_read_safe": True}


def on_read(app: Any, page: str, source: list[str]) -> None:
    """Change a page's text before it is parsed."""
    if str(app.env.doc2path(page)).endswith(".ipynb"):
        return
    text, place = source[0], f"docs/{page}.md"
    if page in INCLUDED:
        place = INCLUDED[page]
        text = (ROOT / place).read_text(encoding="utf-8")
        app.env.note_dependency(str(ROOT / place))
    elif page == "reference/functions":
        text += _other_names()
    elif page == "reference/commands":
        text = text + commands_page()
    elif page in FIRST_BELOW:
        text += "\n".join(["", "```{toctree}", ":hidden:", "", *_below(app, page), "```", ""])
    elif page == "index":
        text = PICTURE.sub(
            lambda _: frame("product", "embed&play"), text.replace(MORE, _more(_left_over(app, text))), count=1
        )
    text = PLACE.sub(lambda match: frame(match["name"], match["link"], page), with_catalogue(text))
    text = PICTURE.sub(lambda match: _images(match, place, page), text)
    source[0] = LINK.sub(lambda match: _link(match, place, page), text)


def _images(match: re.Match[str], place: str, page: str) -> str:
    parts = []
    for theme in ("light", "dark"):
        path = _from_page(_resolved(match[theme], place), page)
        parts.append(f":::{{image}} {path}\n:alt: {match['alt']}\n:class: only-{theme}\n:::\n")
    return "\n" + "\n".join(parts)


def _link(match: re.Match[str], place: str, page: str) -> str:
    """Return the link as it is right from the page."""
    path, anchor = _resolved(match["path"], place), match["anchor"] or ""
    if path in PAGE_OF:
        return f"]({posixpath.relpath(PAGE_OF[path], posixpath.dirname(page) or '.')}.md{anchor})"
    if path.startswith("docs/") and path.endswith((".md", ".ipynb")):
        return f"]({_from_page(path, page)}{anchor})"
    return f"](path:{_from_page(path, page)})"


def _resolved(path: str, place: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(place), path))


def _from_page(path: str, page: str) -> str:
    return posixpath.relpath(path, posixpath.dirname(f"docs/{page}"))


def _other_names() -> str:
    """The functions and classes of `tilewright` that no page of the reference has a place for yet."""
    reference = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "reference").glob("*.md"))
    named = set(re.findall(r":: tilewright\.(\w+)$", reference, re.MULTILINE))
    others = [getattr(tilewright, name) for name in tilewright.__all__ if name not in named]
    lines = [
        f".. auto{'class' if isinstance(other, type) else 'function'}:: tilewright.{other.__name__}"
        for other in others
        if callable(other)
    ]
    return "\n".join(["", "## More", "", "```{eval-rst}", *lines, "```", ""]) if lines else ""


def _below(app: Any, page: str) -> list[str]:
    """The other pages of a page's folder, by their names in it."""
    folder, first = posixpath.dirname(page), FIRST_BELOW[page]
    own = (other for other in app.env.found_docs if posixpath.dirname(other) == folder and other != page)
    return [*first, *sorted({posixpath.basename(other) for other in own} - set(first))]


def _more(pages: list[str]) -> str:
    return "\n".join(["```{toctree}", ":caption: More", ":hidden:", "", *pages, "```"]) if pages else ""


def _left_over(app: Any, text: str) -> list[str]:
    """The pages that no table of contents names."""
    named = set(re.findall(r"^(?:[^\n<]*<)?([a-z0-9_/-]+)>?$", text, re.MULTILINE | re.IGNORECASE))
    folders = ("reference/", "kernels/", "decisions/", "project/")
    return sorted(page for page in app.env.found_docs if page not in named | {"index"} and not page.startswith(folders))
