"""The drawings of docs/kernels/: `make pictures` would change nothing, and their words say what they show."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from benchmarks.pictures.diagram import WIDTH
from benchmarks.pictures.kernel_diagrams import FOLDER, diagrams

DRAWN = dict(diagrams())
SVG = "{http://www.w3.org/2000/svg}"


def test_no_drawing_is_left_over():
    """Each file is one that is drawn."""
    assert {path.name for path in FOLDER.iterdir()} == set(DRAWN)


@pytest.mark.parametrize("name", DRAWN)
def test_drawings_are_current(name):
    """The same text; title and description for who cannot see them; nothing beyond the edge."""
    text = DRAWN[name]()
    assert text == (FOLDER / name).read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)  # noqa: S314  (our own file)
    assert root.findtext(f"{SVG}title")
    assert len(root.findtext(f"{SVG}desc") or "") > 40
    height = float(root.get("height") or 0)
    for box in root.iter(f"{SVG}rect"):
        assert float(box.get("x") or 0) + float(box.get("width") or 0) <= WIDTH
        assert float(box.get("y") or 0) + float(box.get("height") or 0) <= height
    for words in root.iter(f"{SVG}text"):
        assert float(words.get("y") or 0) < height
