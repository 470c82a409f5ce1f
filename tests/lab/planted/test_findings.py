"""Each planted mistake is found, on the very lines that are marked, and nothing else is said."""

from __future__ import annotations

import pytest

from tests.lab.planted.manifest import planted
from tests.lab.planted.running import run
from tests.lab.planted.watching import all_observers
from tests.repeats import by_turns

# tests/lab/source holds the others against the same manifest.
CASES = [case for case in planted() if case.found_by == "observers"]


def assert_found(case, found):
    """Every marked line is named by a finding of its kind; no finding has another kind, or names a line beside."""
    for kind in case.finding:
        of_kind = [one for one in found if one.kind == kind and one.severity == case.severity]
        named = set().union(*(one.lines for one in of_kind))
        missing = case.marked("planted", kind) - named
        is_found = bool(named) if kind == "endless loop" else not missing
        assert is_found, f"{kind} in lines {missing}: {of_kind or found}"
        assert named <= case.marked("planted", kind) | case.marked("also", kind), f"{kind}: {of_kind}"
    assert {one.kind for one in found} <= {*case.finding, *case.also}, found


def assert_sentences(found):
    """What happened and what to do are sentences."""
    for text in (text for one in found for text in (one.message, one.advice)):
        assert text.endswith("."), text
        assert not text[0].islower(), text


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_mistake_is_named(case):
    """Under the usual schedule, in sentences."""
    watching = all_observers()
    assert_found(case, run(case, watching))
    assert_sentences([finding for observer in watching for finding in observer.findings])


@pytest.mark.slow
@pytest.mark.parametrize(("case", "seed"), by_turns(CASES, (1, 2, 3)), ids=lambda each: getattr(each, "name", None))
def test_mistake_is_named_under_other_schedules(case, seed):
    """A mistake is found in whatever order the warps run, whether or not the result is right by luck."""
    assert_found(case, run(case, all_observers(), schedule="random", seed=seed))
