"""Findings of observers put together, and faults that say what no observer found."""

from __future__ import annotations

import pytest

from tilewright.emulate.faults import BarrierFault, BudgetExceeded, EmulationError, MemoryFault
from tilewright.emulate.observers import Finding
from tilewright.lab.check.run.watching import ERROR, of_fault, of_output, together


def finding(kind="out of bounds", line=7, **more) -> Finding:
    """One at a line of a file."""
    return Finding(kind, more.pop("severity", ERROR), ("k.cu", line), "It happened.", "Do this.", **more)


def test_a_fault_is_told_where_no_observer_found_it():
    """Of the same kind at the same line; a barrier that is not reached has a line of its own choice."""
    fault = MemoryFault("k.cu:7: stopped", file="k.cu", line=7, block=(1, 0, 0), thread=(2, 0, 0), cause="a load at 0")
    told = of_fault(fault, [finding(line=8), finding("race")])

    assert told is not None
    assert (told.kind, told.place, told.threads) == ("out of bounds", ("k.cu", 7), (((1, 0, 0), (2, 0, 0)),))
    assert told.message == "The launch stops in thread (2, 0, 0) of block (1, 0, 0): a load at 0."
    assert of_fault(fault, [finding(line=7)]) is None
    missed = BarrierFault("k.cu:9: stopped", file="k.cu", line=9)
    assert of_fault(missed, [finding("barrier not reached", 3)]) is None
    assert of_fault(missed, [finding("race", 9)]) is not None


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (MemoryFault("0x12 is no multiple of 4"), "misaligned"),
        (BarrierFault("waits"), "barrier not reached"),
        (BudgetExceeded("too long"), "endless loop"),
        (EmulationError("something"), "other fault"),
    ],
)
def test_kinds_of_faults(fault, kind):
    """By their class, and the sentence where there is no cause."""
    told = of_fault(fault, [])
    assert told is not None
    assert (told.kind, told.message, told.threads) == (kind, f"{fault}.", ())


@pytest.mark.parametrize(
    ("kind", "space", "address", "is_said"),
    [
        ("uninitialised read", "global", "C[3]", True),
        ("uninitialised read", "global", "A[3]", False),
        ("uninitialised read", "shared", "C[3]", False),
        ("out of bounds", "global", "C[3]", False),
    ],
)
def test_what_reads_an_output_is_told_so(kind, space, address, is_said):
    """An output that nobody filled is read before it is written, which a sum in place of C does."""
    told = of_output(finding(kind, address=address, details={"space": space}), {"C"})
    assert ("adds into C" in told.message) == ("--zero-output" in told.advice) == is_said


def test_findings_of_one_place_are_one():
    """Errors come first, then lines; a note beside an error of its kind and place is that error."""
    found = [finding("race", 9, severity="note"), finding("race", 9, times=3), finding("bank", 2, severity="note")]
    found += [finding("race", 4, other=("k.cu", 5))]
    assert [(each.kind, each.place[1], each.severity, each.times) for each in together(found)] == [
        ("race", 4, ERROR, 1),
        ("race", 9, ERROR, 4),
        ("bank", 2, "note", 1),
    ]
