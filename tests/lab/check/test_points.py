"""The rubric of a course, and what files earn by it."""

from dataclasses import replace

import pytest

from tests.lab.check.results import case, race, refused, result, uncoalesced
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.report.points import CRITERIA, meets_boundary, read_rubric, score
from tilewright.lab.check.report.result import CaseResult

RUBRIC = """
[points]
right = 40
"boundary tiles" = 20
"no race" = 20
"no out of bounds" = 10
coalesced = 10
"""


@pytest.fixture
def rubric(tmp_path):
    """The rubric, read."""
    path = tmp_path / "rubric.toml"
    path.write_text(RUBRIC)
    return read_rubric(path)


def lost(graded):
    """The criteria that were not earned."""
    return [line.criterion for line in graded.lines if line.reason]


def test_a_rubric_in_its_order(rubric):
    """Names and points."""
    assert list(rubric.items())[1:3] == [("boundary tiles", 20.0), ("no race", 20.0)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[points", "is not TOML"),
        ("right = 40", r"the tables \[points\] and \[launch\]"),
        ("", r"no table \[points\]"),
        ("[points]", r"no table \[points\]"),
        ("[points]\nspeed = 5", "'speed'; a rubric's criteria are right, boundary tiles"),
        ("[points]\nright = true", "True for 'right'; points are a number from 0 on"),
        ("[points]\nright = -1", "-1 for 'right'"),
        ("[points]\nright = inf", "inf for 'right'"),
        ("[points]\nright = 'x'", "'x' for 'right'"),
        ("[points]\nright = 1\n[rules]", "'rules'"),
    ],
)
def test_rubrics_that_do_not_do(tmp_path, text, sentence):
    """One sentence with what is accepted."""
    path = tmp_path / "rubric.toml"
    path.write_text(text)
    with pytest.raises(CheckError, match=sentence):
        read_rubric(path)


def test_all_points(rubric):
    """A right kernel."""
    graded = score([result()], rubric)

    assert (graded.total, graded.of, lost(graded)) == (100, 100, [])


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"findings": (race(),)}, ["no race"]),
        ({"findings": (race(severity="note"),)}, []),
        ({"findings": (race(kind="inner dimension"),)}, ["no out of bounds"]),
        ({"findings": (uncoalesced(),)}, ["coalesced"]),
        ({"cases": (case(16, 16, 16), case(17, 1, 1, "wrong"))}, ["boundary tiles"]),
        ({"cases": (case(16, 32, 16, "fault"), case(17, 1, 1))}, ["right"]),
        ({"cases": (case(16, 16, 16), case(17, 1, 1, "refused"))}, ["boundary tiles"]),
        ({"cases": (case(17, 1, 1),)}, []),
        ({"cases": (case(16, 16, 16), replace(case(17, 1, 1, "fault"), block=None))}, ["boundary tiles"]),
        ({"cases": (case(16, 16, 16, "wrong"), case(17, 1, 1, "wrong"))}, list(CRITERIA)),
        ({"cases": ()}, list(CRITERIA)),
    ],
)
def test_what_costs_what(rubric, changes, expected):
    """Each criterion has its own reason; a kernel with nothing right earns nothing for what it lacks."""
    assert lost(score([result(**changes)], rubric)) == [name for name in expected if name in rubric]


def test_every_kernel_of_a_file_counts(rubric):
    """One with a race among two."""
    graded = score([result(), result(findings=(race(),))], rubric)

    assert graded.total == 80
    assert graded.lines[2].reason.startswith("mul: race, line 4: Thread (0, 0, 0) writes As[0][0]")


def test_a_file_that_was_not_checked_earns_nothing(rubric):
    """With its reason on each line."""
    graded = score([refused()], rubric)

    assert graded.total == 0
    assert {line.reason for line in graded.lines} == {"not checked: broken.cu:3: error: expected a ;"}


@pytest.mark.parametrize(
    ("sizes", "block", "expected"),
    [
        ({"rows": 32, "inner": 48, "cols": 16}, (16, 16, 1), False),
        ({"rows": 32, "inner": 47, "cols": 16}, (16, 16, 1), True),
        ({"rows": 64, "inner": 32, "cols": 32}, (32, 8, 1), False),
        ({"rows": 32, "inner": 32, "cols": 16}, (256, 1, 1), False),
        ({"rows": 32, "inner": 32, "cols": 15}, (256, 1, 1), True),
        ({"rows": 1, "inner": 256, "cols": 1}, (128, 1, 1), False),
        ({"rows": 1, "inner": 250, "cols": 1}, (128, 1, 1), True),
        ({"rows": 1, "inner": 1, "cols": 1}, (16, 16, 1), True),
        ({"n": 100}, (32, 1, 1), True),
        ({"n": 96}, (32, 1, 1), False),
        ({}, (32, 1, 1), False),
    ],
)
def test_where_a_boundary_is_met(sizes, block, expected):
    """Sizes against the side of the block."""
    assert meets_boundary(CaseResult(sizes, "right", (1, 1, 1), block)) is expected
