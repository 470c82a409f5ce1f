"""A trace played back ends where the kernel ended."""

import pytest

from benchmarks.pictures.write_pictures import traced
from tilewright.kernels import find_taught
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.trace.catalogue_subject import catalogue_subject
from tilewright.lab.trace.document import document_of
from tilewright.lab.trace.record import record
from tilewright.lab.trace.trace import Selection
from tilewright.lab.watch.pictures.replay import elements_of, lanes_of, moments, tiles_by_phase


@pytest.fixture(scope="module")
def boundary():
    """A 7 x 5 by 5 x 9 product with tile 4, all blocks."""
    subject = catalogue_subject(find_taught("matmul", "tiled"), Sizes(7, 5, 9), 4, "float32", 0, ())
    return document_of(record(subject, Selection(), schedule_seed=None))


def by_name(document, moment, name):
    """The contents of an array at a moment."""
    number = next(at for at, array in enumerate(document["arrays"]) if array["name"] == name)
    return moment.values[number]


@pytest.mark.parametrize("name", ["matmul-4x4", "reduced-8x8"])
def test_the_blocks_write_c(name):
    """Each block's last state has its tile of C as the launch left it."""
    document = traced(name)
    after = next(array["after"] for array in document["arrays"] if array["name"] == "C")
    written: dict[int, object] = {}
    for number in range(len(document["blocks"])):
        last = list(moments(document, number))[-1]
        written |= {at: value for at, value in enumerate(by_name(document, last, "C")) if value is not None}

    assert [written[at] for at in range(len(after))] == after


def test_counters_end_at_8_and_4():
    """Seed 002's example: a thread loads 4 elements with tiles, 8 without."""
    played = list(moments(traced("matmul-4x4")))

    assert (played[-1].loads, played[-1].loads_beside) == (4, 8)
    assert [moment.loads for moment in played] == sorted(moment.loads for moment in played)
    assert {moment.phase for moment in played} == {0, 1}


def test_tiles_of_a_phase():
    """Phase 1 of block (0, 0): columns 2 and 3 of A, rows 2 and 3 of B."""
    assert tiles_by_phase(traced("matmul-4x4"))[1] == {0: {2, 3, 6, 7}, 1: {8, 9, 12, 13}}


def test_boundary_tiles_are_padded(boundary):
    """In the last phase, one column of A and one row of B are left: all else of the tiles is 0 for the outside."""
    last_phase = [moment for moment in moments(boundary) if moment.phase == 1]
    in_tiles = next(moment for moment in last_phase if moment.kind == "add")

    assert by_name(boundary, in_tiles, "tile_A") == [3, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0]
    assert len(in_tiles.padding) == 24
    assert all(moment.padding == frozenset() for moment in moments(boundary) if moment.phase == 0)


def test_waiting_threads_go_on():
    """Who arrived waits until the barrier opens."""
    waiting = [
        (moment.kind, len(moment.waiting))
        for moment in moments(traced("matmul-4x4"))
        if moment.waiting or moment.kind == "open"
    ]

    assert waiting == [("wait", 4), ("open", 0)] * 4


def test_runs_and_masks():
    """As docs/trace.md has them."""
    assert elements_of([0, 1, 4, 8, 1, 2]) == [0, 1, 2, 3, 8, 9]
    assert lanes_of({"k": "load", "w": 1, "m": 0b101}, 40) == [0, 2]
    assert lanes_of({"k": "load", "w": 1}, 36) == [0, 1, 2, 3]
    assert lanes_of({"k": "open"}, 40) == []


def test_of_several_sums_the_first_is_shown():
    """As a register tile has them; who arrives does not wait."""
    steps = [
        {"k": "add", "w": 0, "l": 1, "m": 1, "v": [5], "f": []},
        {"k": "add", "w": 0, "l": 1, "m": 1, "v": [7], "f": [], "q": 1},
        {"k": "arrive", "w": 0, "l": 2, "m": 1, "b": 0, "x": 64},
    ]
    document = {"arrays": [], "launch": {"block": [32, 1, 1]}, "blocks": [{"block": [0, 0, 0], "steps": steps}]}
    last = list(moments(document))[-1]

    assert last.sums == {0: 5}
    assert last.waiting == frozenset()
