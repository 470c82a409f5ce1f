"""The page of a report: what it says where a GPU timed, and where a result is wrong."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape

import numpy
import pytest

import tilewright
from tilewright.arrays.errors import ShapeError
from tilewright.choose import PlanError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found():
    """A report on two arrays, without a GPU."""
    generator = numpy.random.default_rng(2)
    a, b = generator.standard_normal((9, 17), "float32"), generator.standard_normal((17, 6), "float32")
    told = []
    report = tilewright.report(a, b, device="emulator", doing=lambda what, at, count: told.append((what, at, count)))
    counts = {count for _, _, count in told}
    assert [at for _, at, _ in told] == list(range(counts.pop()))
    assert counts == set()
    return report


def text_of(page):
    """What the page says, without the animation within it."""
    page = re.sub(r'srcdoc="[^"]*"', "", page)
    return " ".join(re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL).split())


def test_it_says_what_it_is_in_a_sentence_and_in_a_frame(found, tmp_path, monkeypatch):
    """In a terminal and in a notebook; as a file it is the same page."""
    assert str(found) == repr(found)
    assert str(found).startswith("matmul of A (9, 17) and B (17, 6), float32: right, error ")
    page = found.page()
    assert "no GPU was used" in text_of(page)
    assert "Made by tilewright.report. tilewright" in text_of(page), "how long it took is the command's to say"
    monkeypatch.setattr(type(found), "page", lambda _: page)
    frame = found._repr_html_()
    assert frame.startswith('<iframe title="matmul of A (9, 17)')
    assert "<script" not in frame
    assert escape(page) in frame
    assert found.save(tmp_path / "report.html").read_text(encoding="utf-8") == page


def test_times_of_a_gpu_stand_beside_those_of_the_emulator(found):
    """The GPU is named, its rate is a mark under the roof, and each result there has a verdict of its own."""
    kernels = tuple(
        kernel if kernel.run is None else replace(kernel, on_gpu=kernel.run, verdict_on_gpu=kernel.verdict)
        for kernel in found.kernels
    )
    text = text_of(replace(found, gpu="a GPU", kernels=kernels).page())
    assert "on a GPU GFLOP/s verdict there" in text
    assert "timed on a GPU" in text
    assert "GPU: a GPU" in text


def test_a_wrong_result_is_said_first(found):
    """On the card, at the kernel, and in a sentence."""
    first = found.kernels[0]
    wrong = replace(found, kernels=(replace(first, verdict=replace(first.verdict, passed=False)), *found.kernels[1:]))
    assert not wrong.passed
    assert "wrong" in str(wrong)
    text = text_of(wrong.page())
    assert "Is it right? no" in text
    assert "✗ FAIL" in text


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({"a": [[1.0]]}, ShapeError, "Only one of A and B"),
        ({"a": [[1.0]], "b": [[1.0]], "size": (1, 1, 1)}, ShapeError, "sizes of their own"),
        ({"dtype": "int8"}, PlanError, "float32 and float64"),
        ({"device": "host"}, PlanError, "not on 'host'"),
        ({"size": (0, 1, 1)}, PlanError, "sizes of 1 or more"),
    ],
)
def test_refusals(arguments, error, sentence):
    """Before anything runs."""
    with pytest.raises(error, match=sentence):
        tilewright.report(**arguments)
