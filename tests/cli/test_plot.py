"""`tilewright plot`, and `tilewright sweep --plot`."""

import pytest

from tilewright import cli
from tilewright.lab.plots import PLOTS


def test_list(capsys):
    """Every plot with what it shows."""
    assert cli.run(["plot"]) == cli.PASSED
    text = capsys.readouterr().out

    assert all(name in text for name in PLOTS)


def test_files_are_written(tmp_path, capsys):
    """SVG and PNG by their endings."""
    svg, png = tmp_path / "a.svg", tmp_path / "b.PNG"
    assert cli.run(["plot", "loads-by-tile", "-o", str(svg), "--dark"]) == cli.PASSED
    assert cli.run(["plot", "loads-by-tile", "-o", str(png), "--small"]) == cli.PASSED

    assert svg.read_bytes().startswith(b"<?xml")
    assert png.read_bytes().startswith(b"\x89PNG")
    assert f"wrote {svg}" in "".join(capsys.readouterr().out.splitlines())


@pytest.mark.slow
def test_sweep_draws_itself(tmp_path):
    """Beside its table."""
    path = tmp_path / "sweep.svg"
    assert cli.run(["sweep", "dot/tiled", "--size", "1", "1", "512", "--tile", "32", "--plot", str(path)]) == cli.PASSED

    assert b"dot/tiled by its tile" in path.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["plot", "tile-sizes", "-o", "a.pdf"], "a.pdf has no ending that says what to draw: .svg or .png"),
        (["plot", "tile-size"], "no plot 'tile-size'"),
        (["plot", "-o", "a.svg"], "needs to know which plot"),
        (["sweep", "matmul/tiled", "--plot", "a.txt"], "no ending that says what to draw"),
        (["plot", "roofline", "--chip", "g81"], "no chip 'g81'"),
    ],
)
def test_refusals(capsys, arguments, words, tmp_path, monkeypatch):
    """A sentence and status 2, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    assert cli.run(arguments) == cli.REFUSED

    assert words in " ".join(capsys.readouterr().err.split())
    assert list(tmp_path.iterdir()) == []
