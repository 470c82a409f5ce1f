"""How far models are off: fitted to some products, tried on others, kept where these gain."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.lab.tune.stand_in import H100
from tilewright.choose import find_chip
from tilewright.lab.tune import rates
from tilewright.lab.tune.products import product
from tilewright.lab.tune.tuning import Measured, contest

PROBLEM = product((200, 100, 150), "bfloat16")


def measured(
    ratios: dict[str, float | None], planned_us: float = 10.0, rated_us: float | None = None, **how
) -> Measured:
    """A product whose candidates took so many times what their models say."""
    found = contest("group", how.get("problem", PROBLEM), H100, factors=how.get("factors"))
    assert found is not None
    us = [
        None if (ratio := ratios.get(each.kernel.idea, 1.0)) is None else ratio * each.model_us
        for each in found.candidates
    ]
    return Measured(found, planned_us, tuple(us), rated_us)


def test_a_factor_is_the_median_of_a_kernels_ratios():
    """Of the tile that its model finds the fastest."""
    found = [measured({"mma_direct": 2.0, "mma_sync": 0.5}) for _ in range(8)]
    found += [measured({"mma_direct": 100.0, "mma_sync": 0.5}) for _ in range(3)]
    assert rates.fitted(found) == {"mma_direct": 2.0, "mma_sync": 0.5, "wgmma": 1.0}


def test_a_kernel_with_few_times_has_the_factor_of_all():
    """So that it is neither preferred nor avoided."""
    found = [measured({"mma_direct": 2.0, "mma_sync": 2.0, "wgmma": None}) for _ in range(8)]
    assert rates.fitted([*found, measured({"mma_direct": 2.0, "mma_sync": 2.0, "wgmma": 9.0})]) == {
        "mma_direct": 2.0,
        "mma_sync": 2.0,
        "wgmma": 2.0,
    }


def test_too_little_is_fitted_to_nothing():
    """Few products, one kernel, or types whose kernels are not compared."""
    assert rates.fitted([]) is None
    assert rates.fitted([measured({}) for _ in range(7)]) is None
    assert rates.fitted([measured({"mma_sync": None, "wgmma": None}) for _ in range(20)]) is None
    wide = product((200, 100, 150), "float64")
    assert rates.fitted([measured({}, problem=wide) for _ in range(20)]) is None


def test_they_are_tried_where_the_planner_compares_kernels():
    """For 16-bit types, where tensor cores multiply them."""
    for chip in ("h100", "a100", "b200"):
        assert rates.are_used(find_chip(chip), ["float64", "float16"])
        assert rates.are_used(find_chip(chip), ["bfloat16"])
        assert not rates.are_used(find_chip(chip), ["float64", "float32"])
    assert rates.are_used(find_chip("t4"), ["float16"])
    assert not rates.are_used(find_chip("t4"), ["bfloat16"])


def test_a_trial_is_the_mean_over_all_that_were_held_back():
    """Those with the same plan count as 1."""
    factors = {"mma_direct": 3.0}
    same = [measured({}, 10.0, 10.0, factors={}) for _ in range(11)]
    found = rates.trial(factors, [*same, measured({}, 20.0, 10.0, factors=factors)])

    assert (found.products, found.changed) == (12, 1)
    assert found.gain == pytest.approx(2 ** (1 / 12))
    assert found.is_kept
    assert not replace(found, products=11).is_kept
    assert not replace(found, gain=1.004).is_kept


def test_other_types_and_what_did_not_run_are_no_trial():
    """They have no plan by these rates."""
    wide = measured({}, 10.0, 5.0, problem=product((200, 100, 150), "float64"), factors={})
    found = rates.trial({}, [wide, measured({}, 10.0, None)])
    assert (found.products, found.changed, found.gain) == (0, 0, 1.0)
