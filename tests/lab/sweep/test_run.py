"""`tilewright.sweep`: rows, ranking, sentences, the same each time."""

import json
from xml.etree import ElementTree

import pytest

import tilewright
from tilewright.kernels import UnknownKernelError
from tilewright.lab.sweep.result import SweepRow


@pytest.fixture(scope="module")
def found():
    """Three tiles of a small product, which leaves most of an H200 idle."""
    return tilewright.sweep("matmul/tiled", size=(64, 48, 40), tiles=(16, 4, 8))


def test_rows_are_counted(found):
    """In the order of the tiles; loads by the seeds' arithmetic, since every block ran."""
    loads = [12 * 64 * 40 + 16 * 40 * 48, 6 * 64 * 40 + 8 * 40 * 48, 3 * 64 * 40 + 4 * 40 * 48]

    assert [row.tile for row in found.rows] == [4, 8, 16]
    assert [row.counts.global_loads for row in found.rows] == loads
    assert all(row.counts.whole for row in found.rows)
    assert [row.lanes_used for row in found.rows] == pytest.approx([0.5, 1, 1], abs=0.05)


def test_the_same_each_time(found):
    """Numbers, ranking and sentences."""
    again = tilewright.sweep("matmul/tiled", size=(64, 48, 40), tiles=(16, 4, 8))

    assert json.dumps(again.as_dict()) == json.dumps(found.as_dict())


def test_the_ranking_is_the_models(found):
    """Fastest first, and the winner is named with its bound and the next one."""
    times = [row.us for row in found.ranking]

    assert times == sorted(times) == sorted(row.modelled.us for row in found.rows)
    assert found.sentences[0].startswith(f"Tile {found.winner.tile} comes first on H200 (SXM5) by the model: ")
    assert f"tile {found.ranking[1].tile} follows" in found.sentences[0]
    assert "us are modelled, not measured" in str(found)


def test_timed_rows_are_ranked_by_their_median(found):
    """On a GPU the clock decides, not the model."""
    slow = found.winner
    row = SweepRow(**{**vars(slow), "timed_us": (300.0, 100.0, 200.0)})

    assert row.us == row.median_timed_us == 200
    assert len(row.cells()) == len(slow.cells()) + 1


def test_html_is_a_table_with_a_row_per_tile(found):
    """As a notebook shows it; the winner is marked with more than weight."""
    root = ElementTree.fromstring(f"<div>{found._repr_html_()}</div>")  # noqa: S314  (our own text)

    assert len(root.findall("table/tbody/tr")) == 3
    assert [th.text for th in root.findall("table/tbody/tr/th") if "first" in (th.text or "")] == [
        f"{found.winner.tile} \N{LEFTWARDS ARROW} first"
    ]
    assert [item.text for item in root.findall("ul/li")] == list(found.sentences)


def test_usual_tiles_that_the_sizes_do_not_allow_are_left_out():
    """tiled_exact has no guards: 8 is a multiple of some tiles only."""
    found = tilewright.sweep("matmul/tiled_exact", size=(8, 8, 8))

    assert [row.tile for row in found.rows] == [1, 2, 4, 8]
    assert set(found.left_out) == {12, 14, 15, 16, 32}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kernel": "matmul/sequential"}, "runs on the host"),
        ({"kernel": "reduced_matmul/naive_p"}, "has no tile to sweep; sweep takes reduced_matmul/tiled"),
        ({"tiles": (16, 40)}, "takes tiles from 1 to 32, not 40"),
        ({"tiles": ()}, "at least one tile"),
        ({"tiles": ("16",)}, "tile is '16' of type str"),
        ({"size": (0, 4, 4)}, "sizes of 1 or more"),
        ({"dtype": "float16"}, "takes float32 or float64, not float16"),
        ({"chip": "g80"}, "no model of G80"),
        ({"chip": "h900"}, "no chip 'h900'"),
        ({"device": "host"}, "not on 'host'"),
    ],
)
def test_refusals(arguments, message):
    """Each in a sentence, before anything runs."""
    with pytest.raises(tilewright.PlanError, match=message):
        tilewright.sweep(**arguments)


def test_an_unknown_kernel():
    """By the catalogue's own error."""
    with pytest.raises(UnknownKernelError):
        tilewright.sweep("matmul/none")


def test_progress_is_told():
    """Once for each tile."""
    told = []
    tilewright.sweep("dot/tiled", size=(1, 1, 512), tiles=(32, 64), progress=lambda *done: told.append(done))

    assert told == [(0, 2), (1, 2)]
