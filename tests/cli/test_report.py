"""`tilewright report` as a command; tests/lab/report looks at its page."""

import numpy
import pytest

from tilewright import cli
from tilewright.lab.report import checking


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["one.npy"], "Only one file is given, one.npy"),
        (["a.npy", "b.npy", "--size", "2", "2", "2"], "Files bring their own matrices"),
        (["--size", "0", "4", "4"], "sizes of 1 or more"),
        (["--operation", "reduced_matmul", "--size", "3", "4", "4"], "must be even"),
        (["--size", "300000", "300000", "300000"], "of memory with its reference"),
        (["--chip", "g80"], "no model of G80"),
        (["--output", "/no/such/folder/report.html"], "does not exist"),
    ],
)
def test_refusals(capsys, tmp_path, monkeypatch, arguments, sentence):
    """A sentence and status 2, before anything runs; no file is written."""
    monkeypatch.chdir(tmp_path)
    assert cli.run(["report", *arguments]) == cli.REFUSED
    said = capsys.readouterr().err
    assert said.startswith("tilewright: ")
    assert sentence in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("operation", ["matmul", "reduced_matmul", "dot"])
def test_large_problems_are_bounded_and_say_so(tmp_path, capsys, monkeypatch, operation):
    """Counted at their beginning; the page says what was counted. Here large begins early."""
    monkeypatch.setattr(checking, "MOST_COUNTED_PRODUCTS", dict.fromkeys(checking.MOST_COUNTED_PRODUCTS, 2**18))
    size = ["1", "1", "300003"] if operation == "dot" else ["102", "98", "101"]
    page = tmp_path / "page.html"
    arguments = ["--operation", operation, "--size", *size, "-o", str(page), "--device", "emulator"]
    assert cli.run(["report", *arguments]) == cli.PASSED
    assert "Kernels were counted on its beginning alone" in capsys.readouterr().out
    assert "counted was its beginning" in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_infinities_and_hostile_names(tmp_path):
    """What is not finite has no histogram, and a file's name is text."""
    a = numpy.ones((4, 4), "float32")
    a[1, 1] = numpy.inf
    name = tmp_path / "<script>x.npy"
    numpy.save(name, a)
    page = tmp_path / "page.html"
    assert cli.run(["report", str(name), str(name), "-o", str(page), "--device", "emulator"]) == cli.PASSED
    text = page.read_text(encoding="utf-8")
    assert "<script>x" not in text
    assert "&lt;script&gt;x.npy" in text
    assert "NaN or Inf" in text
    assert "How near" not in text
