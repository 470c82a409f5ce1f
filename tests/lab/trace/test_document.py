"""The trace file: what is left out can be put back, and what is wrong is found."""

from __future__ import annotations

import json

import pytest

from tilewright.kernels import find_taught
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.trace.catalogue_subject import catalogue_subject
from tilewright.lab.trace.document import FORMAT, VERSION, document_of, runs_of, text_of
from tilewright.lab.trace.marks import name_of
from tilewright.lab.trace.record import record
from tilewright.lab.trace.subject import TraceError
from tilewright.lab.watch.reading import read_document


def recorded(sizes, tile, **options):
    """Return trace and document of the tiled product."""
    m, n, k = sizes
    trace = record(catalogue_subject(find_taught("matmul", "tiled"), Sizes(m, k, n), tile, **options))
    return trace, document_of(trace)


@pytest.mark.parametrize(
    ("elements", "runs"),
    [
        ([], []),
        ([7], [7, 0, 1]),
        ([0, 1, 2, 3, 8, 9], [0, 1, 4, 8, 1, 2]),
        ([5, 5, 5], [5, 0, 3]),
        ([9, 4, -1], [9, -5, 3]),
    ],
)
def test_runs(elements, runs):
    """Start, step, length."""
    assert runs_of(elements) == runs
    again = [runs[i] + runs[i + 1] * at for i in range(0, len(runs), 3) for at in range(runs[i + 2])]
    assert again == elements


def test_values_that_follow_from_earlier_steps_are_left_out():
    """Of the example only sums and results are written down; the arrays before the launch say the rest."""
    _, document = recorded((4, 4, 4), 2)
    for block in document["blocks"]:
        kinds = {step["k"] for step in block["steps"] if "v" in step}
        stored = [step for step in block["steps"] if step["k"] == "store" and "v" in step]
        assert kinds == {"add", "store"}
        assert {document["arrays"][step["a"]]["name"] for step in stored} == {"C"}
    assert len(text_of(document)) < 12_000


def test_a_trace_is_read_back_as_it_was(tmp_path):
    """One line per step, and the same data."""
    _, document = recorded((7, 9, 5), 4)
    path = tmp_path / "trace.json"
    path.write_text(text_of(document), encoding="utf-8")
    assert read_document(path) == json.loads(json.dumps(document))
    assert path.read_text(encoding="utf-8").count('\n{"k":') == sum(len(b["steps"]) for b in document["blocks"])


def test_races_are_marked_where_they_happen():
    """Every marked lane reads an element of a tile that another thread writes before the next barrier."""
    trace, document = recorded((8, 8, 8), 4, without=(2,))
    for finding in document["findings"]:
        assert finding["kind"] == "race"
        lines = set()
        for block, index, lanes in finding["at"]:
            step = trace.blocks[block].steps[index]
            lines.add(step.line)
            assert set(lanes) <= set(step.lane_numbers)
            assert trace.arrays[step.array].space == "shared"
        assert lines == {finding["line"], finding["other_line"]}


def test_a_right_kernel_has_no_marks():
    """With both barriers nothing is found."""
    assert recorded((8, 8, 8), 4)[1]["findings"] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no JSON", "it is no JSON"),
        ("[]", f'its "format" is not one of {FORMAT}, tilewright-pipeline'),
        ('{"format": "tilewright-trace", "version": 99}', f"of version 99; this tilewright reads {VERSION}"),
    ],
)
def test_what_is_no_trace_is_refused(tmp_path, text, words):
    """In a sentence that names the file."""
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(TraceError, match=words):
        read_document(path)


def test_elements_are_named_row_first():
    """As C++ indexes them."""
    trace, _ = recorded((4, 4, 4), 2)
    assert name_of(trace.arrays[0], 6) == "A[1][2]"
