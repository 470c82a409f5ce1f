"""Nothing is found in kernels that are right: the mended twins, and correct kernels of other styles."""

from __future__ import annotations

import pytest

from tests.lab.planted.manifest import correct, mended, planted
from tests.lab.planted.running import run
from tests.lab.planted.watching import all_observers
from tests.repeats import by_turns

MENDED, CORRECT = mended(), correct()
QUICK_TWINS = {case.finding[0]: twin.name for case, twin in zip(planted(), MENDED, strict=True)}.values()
"""One twin for each kind of mistake; the others take their time in `make test-all`."""

QUICK_CASES = pytest.mark.parametrize(
    "case",
    [
        *(pytest.param(twin, marks=() if twin.name in QUICK_TWINS else pytest.mark.slow) for twin in MENDED),
        *(pytest.param(case, marks=pytest.mark.slow if case.slow else ()) for case in CORRECT),
    ],
    ids=lambda case: case.name,
)


@QUICK_CASES
def test_nothing_is_found(case):
    """Right results, no fault, and no observer has anything to say."""
    assert run(case, all_observers()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "seed"), by_turns([*MENDED, *CORRECT], (1, 2, 3)), ids=lambda each: getattr(each, "name", None)
)
def test_nothing_is_found_under_other_schedules(case, seed):
    """A right kernel is right in whatever order its warps run."""
    assert run(case, all_observers(), schedule="random", seed=seed) == []
