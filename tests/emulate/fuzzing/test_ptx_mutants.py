"""Mutants of PTX never crash, hang or raise what is no error of the emulator's; `make fuzz-ptx` runs more of them."""

from __future__ import annotations

import pytest

from .run import GOOD, run


@pytest.mark.slow
def test_five_hundred_mutants(tmp_path):
    """Each ends in a result, a stated fault or a refusal, and no canary around a memory is overwritten."""
    outcomes, failures = run(seed=0, first=0, count=500, children=2, folder=tmp_path)

    assert not failures
    assert outcomes.total() == 500
    assert all(outcomes[kind] > 20 for kind in GOOD), outcomes
