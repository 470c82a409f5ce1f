"""`make pictures` would change nothing."""

from __future__ import annotations

import io
import re

import matplotlib as mpl
import pytest
from PIL import Image, ImageSequence

from benchmarks.pictures.write_pictures import FOLDER, pictures

PICTURES = {name: make for name, make in pictures() if name.endswith(".svg")}
ANIMATIONS = {name: make for name, make in pictures() if name.endswith(".gif")}
FAST = ("tile-sizes-light.svg", "loads-by-tile-light.svg")
CREATOR = re.compile(r"Matplotlib v([\d.]+)")
# Matplotlib makes ids from floats before rounding, and NumPy's logarithms differ in the last bit between processors.
HASHED_ID = re.compile(r"\b[pmc][0-9a-f]{10}\b")
WORDS = re.compile(r"<title>.*?</title>\s*<desc>.*?</desc>", re.DOTALL)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in FAST else [pytest.mark.slow]) for name in PICTURES]
)
def test_pictures_are_current(name):
    """The same text but for hashed ids; drawn by another Matplotlib, the same title, caption and numbers."""
    committed, drawn = (FOLDER / name).read_text(encoding="utf-8"), PICTURES[name]().decode()
    version = CREATOR.search(committed)

    assert version is not None
    if version[1] == mpl.__version__:
        assert _with_counted_ids(drawn) == _with_counted_ids(committed)
    assert WORDS.findall(drawn) == WORDS.findall(committed) != []


def _with_counted_ids(picture):
    order = {name: f"id{index}" for index, name in enumerate(dict.fromkeys(HASHED_ID.findall(picture)))}
    return HASHED_ID.sub(lambda match: order[match[0]], picture)


def test_no_picture_is_left_over():
    """Each file is one that is made."""
    assert {path.name for path in FOLDER.iterdir()} == {*PICTURES, *ANIMATIONS}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if "4x4-light" not in name else []) for name in ANIMATIONS]
)
def test_animations_are_current(name):
    """The same steps; with the same Pillow the same picture in the end."""
    with Image.open(FOLDER / name) as committed, Image.open(io.BytesIO(ANIMATIONS[name]())) as drawn:
        (told, version), (says, ours) = (
            image.info["comment"].decode().rsplit("Pillow ", 1) for image in (committed, drawn)
        )
        frames = [
            [frame.convert("RGB").tobytes() for frame in ImageSequence.Iterator(image)] for image in (committed, drawn)
        ]

    assert told == says
    assert len(frames[0]) == len(frames[1])
    assert version != ours or frames[0][-1] == frames[1][-1]
