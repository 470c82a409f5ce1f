"""`tilewright watch` as a command."""

from __future__ import annotations

import json

import pytest

from tilewright import cli


def test_writes_page_and_trace(tmp_path, capsys):
    """And a page again from the trace alone."""
    page, trace, again = tmp_path / "page.html", tmp_path / "trace.json", tmp_path / "again.html"
    assert cli.run(["watch", "matmul/tiled", "-o", str(page), "--trace", str(trace)]) == cli.PASSED
    assert "120 steps of 4 blocks" in capsys.readouterr().out
    document = json.loads(trace.read_text(encoding="utf-8"))
    assert (document["problem"]["m"], document["problem"]["tile"]) == (4, 2)
    assert cli.run(["watch", str(trace), "-o", str(again)]) == cli.PASSED
    assert again.read_text(encoding="utf-8") == page.read_text(encoding="utf-8")


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
        (["nothing.json"], "nothing.json: No such file"),
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
