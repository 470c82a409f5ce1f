"""No table loses a character, however narrow the terminal is."""

import pytest

from tilewright import cli

VERBS = (
    ("kernels",),
    ("chips",),
    ("chips", "h200"),
    ("occupancy", "matmul/tiled"),
    ("occupancy", "matmul/tiled", "--device", "h200"),
    ("roofline", "matmul/tiled"),
    ("compare", "--device", "host", "--operation", "reduced_matmul"),
)


@pytest.mark.parametrize("columns", [20, 45, 80])
@pytest.mark.parametrize("arguments", VERBS, ids=" ".join)
def test_nothing_is_cut(monkeypatch, capsys, arguments, columns):
    """Rich marks what it cuts with an ellipsis; every line of a table keeps to the width."""
    monkeypatch.setenv("COLUMNS", str(columns))

    assert cli.run(arguments) == cli.PASSED
    assert "\N{HORIZONTAL ELLIPSIS}" not in capsys.readouterr().out


@pytest.mark.parametrize("columns", [24, 45, 80, 200])
def test_every_number_is_there(monkeypatch, capsys, columns):
    """The facts of the chips stand in full in one table or in several."""
    monkeypatch.setenv("COLUMNS", str(columns))
    cli.run(["chips"])

    words = capsys.readouterr().out.split()
    for word in ("86.4", "4,800", "gtx-1050-mobile"):
        assert word in words
