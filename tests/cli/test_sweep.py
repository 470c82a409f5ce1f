"""`tilewright sweep`."""

import json

import pytest

from tilewright import cli

SMALL = ("sweep", "reduced_matmul/tiled", "--size", "32", "32", "32", "--tile", "8", "--tile", "4")


def test_table_and_sentences(capsys):
    """A row per tile, the winner marked, and why it wins."""
    assert cli.run(SMALL) == cli.PASSED
    text = capsys.readouterr().out

    assert "reduced_matmul/tiled, m = 32, n = 32, k = 32, float32, on H200 (SXM5)" in text
    assert sum(line.lstrip().startswith(("> 4 ", "> 8 ")) for line in text.splitlines()) >= 1
    assert "comes first" in text
    assert "no time is measured" in " ".join(text.split())


def test_json_on_standard_output(capsys):
    """Everything raw, and how it was counted."""
    assert cli.run([*SMALL, "--json", "-"]) == cli.PASSED
    content = json.loads(capsys.readouterr().out)

    assert [row["tile"] for row in content["rows"]] == [4, 8]
    assert content["winner"] in (4, 8)
    assert content["rows"][0]["counts"]["how"].startswith("counted by execution of all 16 blocks")
    assert content["model"].startswith("modelled")


@pytest.mark.parametrize("arguments", [("--tile", "40"), ("--chip", "g80"), ("--size", "0", "4", "4")])
def test_refusals(capsys, arguments):
    """A sentence and status 2."""
    assert cli.run(["sweep", "matmul/tiled", *arguments]) == cli.REFUSED
    assert capsys.readouterr().err.startswith("tilewright: ")
