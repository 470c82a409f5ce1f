"""`make pictures` would change nothing."""

from __future__ import annotations

import re

import matplotlib as mpl
import pytest

from benchmarks.write_pictures import FOLDER, pictures

PICTURES = dict(pictures())
CREATOR = re.compile(r"Matplotlib v([\d.]+)")
WORDS = re.compile(r"<title>.*?</title>\s*<desc>.*?</desc>", re.DOTALL)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if "-dark" in name else []) for name in PICTURES]
)
def test_pictures_are_current(name):
    """The same bytes; drawn by another Matplotlib, the same title, caption and numbers."""
    committed, drawn = (FOLDER / name).read_text(encoding="utf-8"), PICTURES[name]().decode()
    version = CREATOR.search(committed)

    assert version is not None
    if version[1] == mpl.__version__:
        assert drawn == committed
    assert WORDS.findall(drawn) == WORDS.findall(committed) != []


def test_no_picture_is_left_over():
    """Each file is one that is made."""
    assert {path.name for path in FOLDER.iterdir()} == set(PICTURES)
