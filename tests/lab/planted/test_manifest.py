"""The corpus of mistakes is complete, and says itself what must be found."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.lab.planted.manifest import FOLDER, correct, mended, planted
from tests.lab.planted.running import JUDGED

PLANTED, MENDED, CORRECT = planted(), mended(), correct()


def test_as_many_as_promised():
    """At least 24 mistakes, of every kind, and 12 correct kernels of other styles."""
    kinds = Counter(kind for case in PLANTED for kind in case.finding)

    assert len(PLANTED) >= 24
    assert len(CORRECT) >= 12
    assert set(kinds) == set(JUDGED) - {"other fault"}


def test_every_file_is_in_a_manifest():
    """No kernel lies about unused, and every mistake has its twin."""
    assert sorted((FOLDER / "bad").iterdir()) == sorted(case.path for case in (*PLANTED, *MENDED))
    assert sorted((FOLDER / "correct").iterdir()) == sorted(case.path for case in CORRECT)
    assert all(case.path.stem == case.name for case in (*PLANTED, *MENDED, *CORRECT))
    assert {case.name for case in CORRECT}.isdisjoint(case.name for case in (*PLANTED, *MENDED))


@pytest.mark.parametrize("case", PLANTED, ids=lambda case: case.name)
def test_marks_agree_with_the_manifest(case):
    """Every kind that must be found marks its lines in the file, and no other kind does."""
    assert case.marked_kinds == set(case.finding)
    assert {kind for kinds in re.findall(r"// also: (.+)", case.text) for kind in kinds.split(", ")} <= {
        *case.also,
        *case.finding,
    }
    assert not set(case.also) & set(case.finding)
    assert set(case.also) <= set(JUDGED)


@pytest.mark.parametrize("case", [*MENDED, *CORRECT], ids=lambda case: case.name)
def test_what_is_right_has_no_marks(case):
    """A twin says nothing of what was wrong with its sibling."""
    assert re.findall(r"// (planted|also|cause)\b", case.text) == []
    assert case.symbol


def test_twins_differ():
    """What mends a kernel is in its text, or in its launch."""
    for bad, good in zip(PLANTED, MENDED, strict=True):
        without_comments = [re.sub(r"//.*", "", case.text).split() for case in (bad, good)]
        launches = [(case.grid, case.block, case.shared_bytes) for case in (bad, good)]
        assert without_comments[0] != without_comments[1] or launches[0] != launches[1], bad.name
