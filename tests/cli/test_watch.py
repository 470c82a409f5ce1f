"""`tilewright watch` as a command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy
import pytest

from tilewright import cli

SMOOTH = Path(__file__).parents[1] / "lab" / "planted" / "correct" / "smooth_grid_stride.cu"


def test_writes_page_and_trace(tmp_path, capsys):
    """And a page again from the trace alone."""
    page, trace, again = tmp_path / "page.html", tmp_path / "trace.json", tmp_path / "again.html"
    assert cli.run(["watch", "matmul/tiled", "-o", str(page), "--trace", str(trace)]) == cli.PASSED
    assert "120 steps of 4 blocks" in capsys.readouterr().out
    document = json.loads(trace.read_text(encoding="utf-8"))
    assert (document["problem"]["m"], document["problem"]["tile"]) == (4, 2)
    assert cli.run(["watch", str(trace), "-o", str(again)]) == cli.PASSED
    assert again.read_text(encoding="utf-8") == page.read_text(encoding="utf-8")


def test_a_kernel_that_is_no_product(tmp_path, capsys):
    """Arrays by name: made up, or from a file; judged where the result is known."""
    numpy.save(tmp_path / "y.npy", numpy.ones(40, numpy.float32))
    arrays = ["--array", "x=40", "--scalar", "n=40", "--expect", f"y={tmp_path / 'y.npy'}"]
    launch = ["--block", "16", "--grid", "ceil(n/32)", "-o", str(tmp_path / "page.html")]
    assert cli.run(["watch", str(SMOOTH), *arrays, *launch, "--trace", str(tmp_path / "t.json")]) == cli.PASSED
    assert "of 2 blocks" in capsys.readouterr().out
    problem = json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))["problem"]
    assert problem["scalars"] == {"n": 40}
    assert problem["wrong_elements"] > 0


def test_says_what_was_found(tmp_path, capsys):
    """A race is on the terminal, too."""
    arguments = ["matmul/tiled", "--size", "8", "8", "8", "--without-barrier", "2"]
    assert cli.run(["watch", *arguments, "-o", str(tmp_path / "page.html")]) == cli.PASSED
    assert "race, line" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["matmul/nope"], "There is no kernel matmul/nope"),
        (["matmul/sequential"], "runs on host alone"),
        (["matmul/tiled", "--size", "500", "500", "500"], "at most 24,000"),
        (["matmul/tiled", "--show-block", "x"], "--show-block takes X, X,Y or X,Y,Z, counted from 0, not 'x'"),
        (["matmul/tiled", "--show-block", "7,7"], "Block (7, 7, 0) is none of the grid"),
        (["matmul/tiled", "--show-phases", "3-1"], "--show-phases takes FIRST-LAST"),
        (["matmul/tiled", "--without-barrier", "5"], "has 2 barriers"),
        (["matmul/tiled", "--symbol", "x"], "matmul/tiled is no file, and symbol is an option of files"),
        (["nothing.cu"], "nothing.cu does not exist"),
        (["nothing.json"], "nothing.json does not exist"),
        (["matmul/tiled", "--array", "x=8"], "matmul/tiled is no file"),
        (["any.cu", "--result", "y=z"], "--result takes a shape such as y=8x8, not y=z"),
        (["any.cu", "--array", "x=none.npy"], "--array names none.npy, which is no file"),
        (["any.cu", "--array", "x=8", "--reference", "f"], "--reference takes file.py:function"),
        (["any.json", "--show-block", "1"], "any.json is a trace: it is played as it was recorded"),
        (["any.cu", "--tile", "4"], "a file says its tile itself"),
    ],
)
def test_refusals(tmp_path, capsys, arguments, words):
    """One sentence, and nothing is written."""
    page = tmp_path / "page.html"
    assert cli.run(["watch", *arguments, "-o", str(page)]) == cli.REFUSED
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert not page.exists()
