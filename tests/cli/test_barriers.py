"""`tilewright barriers`."""

import json

import pytest

from tilewright import cli


def test_what_it_says(capsys, monkeypatch):
    """A table of outcomes, the races with their lines, and timelines."""
    monkeypatch.setenv("COLUMNS", "160")
    assert cli.run(["barriers", "--size", "12", "8", "16", "--tile", "8", "--seeds", "1"]) == cli.PASSED
    text = capsys.readouterr().out

    assert "0 of 96" in text
    assert "without the second barrier (line" in text
    assert "Read-write race on tile_A[" in text
    assert "before the next trip writes at line" in text
    assert "without both, round robin: drift" in text


def test_as_json(capsys):
    """Everything, raw."""
    arguments = ["barriers", "--size", "8", "8", "16", "--tile", "4", "--seeds", "0", "--json", "-"]
    assert cli.run(arguments) == cli.PASSED
    written = json.loads(capsys.readouterr().out)

    assert [run["variant"] for run in written["runs"]][:2] == ["as it is", "without the first barrier"]
    right, wrong = written["runs"][:2]
    assert (right["wrong_elements"], right["findings"], right["changed_lines"]) == (0, [], {})
    assert {finding["other_line"] < finding["line"] for finding in wrong["findings"]} == {True}
    assert len(right["timeline"]) == 1


@pytest.mark.parametrize("size", [("0", "4", "4"), ("4096", "4096", "4096")])
def test_sizes_that_do_not_do(capsys, size):
    """Refused before anything runs."""
    assert cli.run(["barriers", "--size", *size]) == cli.REFUSED
    assert "their product is at most" in capsys.readouterr().err
