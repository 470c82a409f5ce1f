"""What a stranger's file may say of a pipeline, and the player would stumble over."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest

from tests.lab.pipeline.made_up import document_of_made_up
from tilewright.lab.plots.look import PlotError
from tilewright.lab.trace.document import text_of
from tilewright.lab.trace.subject import TraceError
from tilewright.lab.watch.pictures import gif_of, png_of
from tilewright.lab.watch.reading import checked_document, read_document

BLOCK = ("blocks", 0)
STEP, SPAN = (*BLOCK, "steps", 3), (*BLOCK, "spans", 3)
DAMAGE = [
    (("arrays", 0, "rows"), 0, "an array is empty"),
    (("arrays", 0, "name"), 3, "an array has no name"),
    (("launch", "cluster"), [1], "the launch's cluster"),
    (("launch", "grid"), [0, 1, 1], "the launch's grid"),
    ((*BLOCK, "spans"), None, "a block lacks"),
    ((*BLOCK, "block"), [0], "a block has no index"),
    ((*BLOCK, "lanes", 0, "warps"), ["x"], "a lane"),
    ((*BLOCK, "stages", 0, "slots"), [{"array": 9}], "a stage has no slots"),
    ((*BLOCK, "stages", 0, "empty"), 6, "a stage has a barrier"),
    ((*STEP, "w"), 4, "a step has no kind, lane"),
    ((*STEP, "l"), "x", "a step's line"),
    ((*STEP, "s"), [[0, 2, "full", "", None, 0, 0]], "a step changes a slot"),
    ((*STEP, "b"), [[6, 0, 0, 0, 0]], "a step changes a barrier"),
    ((*STEP, "e"), 1, "a step's changes"),
    ((*SPAN, "w"), 4, "a span is on no lane"),
    ((*SPAN, "r"), 1 << 40, "a span is on no lane"),
    ((*SPAN, "b"), 1 << 40, "a span begins"),
    ((*SPAN, "x"), [[3, 0, 1, 0, 1]], "a span's region"),
]


@pytest.fixture(scope="module")
def document():
    """A sound one."""
    return document_of_made_up(k=64)


def test_it_is_read_back_as_it_was(document, tmp_path):
    """And is sound."""
    path = tmp_path / "pipeline.json"
    path.write_text(text_of(document), encoding="utf-8")
    assert read_document(path) == document == json.loads(json.dumps(document))


@pytest.mark.parametrize(("place", "value", "words"), DAMAGE)
def test_damage_is_named(document, place, value, words):
    """In a sentence."""
    damaged = deepcopy(document)
    part = damaged
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    with pytest.raises(TraceError, match=f"other.json is a damaged trace: {words}"):
        checked_document(damaged, "other.json")


def test_no_picture_is_drawn_of_it(document):
    """The page shows it."""
    for draw in (gif_of, png_of):
        with pytest.raises(PlotError, match="its page shows it"):
            draw(document)
