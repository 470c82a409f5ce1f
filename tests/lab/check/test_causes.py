"""The first finding names the line that the mistake is in; what follows from it comes behind it, as that."""

from pathlib import Path

import pytest

from tilewright.emulate.observers import Finding
from tilewright.lab.check.judge.causes import CAUSE, with_cause
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options
from tilewright.lab.check.report.result import CaseResult, CheckResult
from tilewright.lab.check.report.verdict_words import verdict
from tilewright.lab.check.statuses import RIGHT

BAD = Path(__file__).parents[1] / "planted" / "bad"
SQUARE = {"block": "16,16", "grid": "ceil(cols/16),ceil(rows/16)"}


def the_result(name, **options):
    """The only kernel's."""
    (result,) = check_file(BAD / f"{name}.cu", Options(**(SQUARE | options)))
    return result


def lines_of(finding):
    """From its place to its other place."""
    first, last = finding.place[1], (finding.other or finding.place)[1]
    return set(range(first, last + 1))


def test_a_missing_guard_is_the_cause_of_what_is_found():
    """A fault, a race and wrong elements follow from one store."""
    result = the_result("no_guard_c")
    first, *rest = result.findings

    assert (first.kind, first.place, first.follows) == (CAUSE, ("no_guard_c.cu", 24), False)
    assert "if ((row) < m && (col) < n)" in first.message
    assert {finding.kind for finding in rest if finding.follows} >= {"out of bounds", "race"}
    assert all(finding.follows for finding in rest if finding.severity == "error")
    assert not result.is_well()
    assert verdict(result).endswith("1 ERROR")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("too_few_tiles", {15}),
        ("too_many_tiles", {15}),
        ("stale_edge", {16, 18}),
        ("wrong_stride", {12}),
        ("one_step_too_far", {20}),
        ("no_guard_b", {17}),
        ("no_first_barrier", {17, 18, 19, 20}),
        ("adds_into_c", {13}),
        ("early_return", {14}),
    ],
)
def test_the_first_finding_names_the_line(name, lines):
    """Not the line where C is written, but the one that is to be changed."""
    first = the_result(name, arguments="A,B,C,rows,cols,inner").findings[0]

    assert first.kind == CAUSE, first
    assert lines_of(first) & lines, first


@pytest.mark.slow
def test_a_grid_that_is_rounded_down_is_named_in_the_hosts_code():
    """The launch's line, and none of the kernel's, which is right."""
    (result,) = check_file(BAD / "grid_rounded_down.cu", Options())
    text = (BAD / "grid_rounded_down.cu").read_text(encoding="utf-8").splitlines()

    assert result.findings[0].kind == CAUSE
    assert "dim3 grid" in text[(result.findings[0].place[1] or 0) - 1]


def test_without_a_cause_findings_stay_errors():
    """Nothing is called a consequence of what nobody knows."""
    race = Finding("race", "error", ("a.cu", 3), "Two write.", "Do not.")

    assert with_cause([race], None) == [race]


def test_what_follows_is_counted_as_no_error_of_its_own():
    """A verdict counts mistakes."""
    cause = Finding(CAUSE, "error", ("a.cu", 2), "With this, all is right.", "See.")
    races = [Finding("race", "error", ("a.cu", line), "Two write.", "Do not.") for line in (3, 4)]
    result = CheckResult("a.cu", "k", cases=(CaseResult({}, RIGHT),), findings=tuple(with_cause(races, cause)))

    assert verdict(result) == "RIGHT, BUT 1 ERROR"
    assert not result.is_well()
