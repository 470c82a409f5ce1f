"""A run: products in batches, what is faster kept at once, rates on trial, an end that a user chooses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.lab.tune.stand_in import H100, StandIn
from tilewright.choose import find_chip
from tilewright.kernels.tuned import Tuned, TunedChoice
from tilewright.lab.tune.products import product
from tilewright.lab.tune.session import AT_ONCE, Session

FAST = {"matmul/mma_sync": 41.2, "matmul/mma_direct": 47.0}
SMALL = product((200, 100, 150), "bfloat16")
BEFORE = TunedChoice("matmul/wgmma", {}, 1.0, 2.0)


def session(stand_in: StandIn, kept: Tuned | None = None, **how) -> tuple[Session, list[Tuned]]:
    """A session, and what it keeps, in order."""
    told: list[Tuned] = []
    return Session(stand_in, kept or Tuned(), told.append, now=stand_in.now, **how), told


def test_a_faster_kernel_is_kept_as_soon_as_it_is_found():
    """Beside what was kept before."""
    run, told = session(StandIn(FAST), Tuned({"other": BEFORE}, {"wgmma": 1.2}))
    run.measure([("bfloat16", SMALL)])

    assert len(told) == 1
    assert told[0] == run.kept
    assert set(run.kept.choices) == {"other", "bfloat16 200x100x150 row/8 row/4 row/4"}
    assert run.kept.factors == {"wgmma": 1.2}


def test_what_is_no_longer_faster_is_dropped():
    """It was measured before, and is not now."""
    key = "bfloat16 200x100x150 row/8 row/4 row/4"
    run, told = session(StandIn(), Tuned({key: BEFORE}))
    run.measure([("bfloat16", SMALL)])
    assert told == [Tuned()]


def test_nothing_is_told_where_nothing_changes():
    """No file is written for it."""
    run, told = session(StandIn())
    run.measure([("bfloat16", SMALL)])
    assert (told, len(run.found)) == ([], 1)


def test_what_cannot_be_measured_is_left_out_with_a_reason():
    """Too large, without another kernel, without room; others are measured."""
    run, _ = session(StandIn())
    run.measure([("", product((2**31, 64, 64), "float32")), ("", product((1, 64, 1), "float32")), ("", SMALL)])

    assert len(run.found) == 1
    assert "m, n and k are at most" in run.left_out[0]
    assert "nothing to choose from" in run.left_out[1]
    run, _ = session(StandIn(refuses=True))
    run.measure([("", SMALL)])
    assert run.left_out == ["matmul of A (200, 100) and B (100, 150), bfloat16: there is no room for it."]


def test_a_user_may_stop_between_products():
    """What is complete is kept."""
    stand_in = StandIn(FAST)
    run, told = session(stand_in, is_over=lambda: len(stand_in.timings) >= 2)
    run.measure([("", product((200, 100, n), "bfloat16")) for n in range(50, 70)])

    assert len(run.found) == 1
    assert len(told) == 1


def test_progress_is_reported():
    """By products where they are known, by seconds where they are drawn."""
    reports = []
    run, _ = session(StandIn(seconds_each=10.0))
    run.measure([("", product((200, 100, n), "bfloat16")) for n in range(50, 55)], lambda *at: reports.append(at))
    assert reports == [(AT_ONCE, 5), (5, 5)]
    reports.clear()
    run.measure_drawn(0, ["float64"], 60, lambda *at: reports.append(at))
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)
    assert {everything for _, everything in reports} == {60}


def drawn_session(us, facts=H100, dtypes=("bfloat16",), **how) -> Session:
    """A session of 100 products of a second each."""
    run, _ = session(StandIn(us, facts, seconds_each=1.0), Tuned(factors={"wgmma": 7.0}), **how)
    run.measure_drawn(0, dtypes, 100)
    return run


def test_rates_that_gain_are_kept():
    """Here one kernel is ten times as fast as all others, whatever its model says."""
    run = drawn_session({"matmul/mma_sync": 5.0})

    assert run.trial is not None
    assert run.trial.is_kept
    assert run.trial.changed > 0
    assert run.trial.gain > 1.005
    assert run.kept.factors == run.trial.factors
    assert run.trial.products < len(run.found) / 2


def test_rates_are_tried_on_other_chips():
    """Where they let the planner compare at all."""
    run = drawn_session({"matmul/mma_direct": 5.0, "matmul/short_k": 5.0}, replace(find_chip("a100"), driver="13.0"))

    assert run.trial is not None
    assert run.trial.is_kept
    assert run.trial.changed > 0


def test_rates_that_do_not_gain_are_not_kept():
    """Nor are older ones: they are the models' of another day."""
    run = drawn_session({})

    assert run.trial is not None
    assert run.trial.gain == pytest.approx(1)
    assert run.kept.factors == {}


@pytest.mark.parametrize(
    ("facts", "dtypes"), [(replace(find_chip("t4"), driver="13.0"), ("float32",)), (H100, ("float64",))]
)
def test_without_a_comparison_there_is_no_trial(facts, dtypes):
    """And what was kept of rates stays."""
    run = drawn_session({}, facts, dtypes)
    assert run.trial is None
    assert run.kept.factors == {"wgmma": 7.0}


def test_a_run_that_was_stopped_has_no_trial():
    """Half of the products would judge."""
    stand_in = StandIn({"matmul/mma_sync": 5.0}, seconds_each=1.0)
    run, _ = session(stand_in, is_over=lambda: stand_in.time > 80)
    run.measure_drawn(0, ["bfloat16"], 100)
    assert run.trial is None
