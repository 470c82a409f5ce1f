"""Nothing is found in kernels that are right: the mended twins, and correct kernels of other styles."""

from __future__ import annotations

import pytest

from tests.lab.planted.manifest import correct, mended
from tests.lab.planted.running import run
from tests.lab.planted.watching import all_observers

CASES = pytest.mark.parametrize("case", [*mended(), *correct()], ids=lambda case: case.name)


@CASES
def test_nothing_is_found(case):
    """Right results, no fault, and no observer has anything to say."""
    assert run(case, all_observers()) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
@CASES
def test_nothing_is_found_under_other_schedules(case, seed):
    """A right kernel is right in whatever order its warps run."""
    assert run(case, all_observers(), schedule="random", seed=seed) == []
