"""One product: what is timed beside the planner's choice, and when the faster one is kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.lab.tune.stand_in import H100, StandIn
from tilewright.choose import choose_plan
from tilewright.choose.candidates import candidates
from tilewright.kernels.tuned import Tuned
from tilewright.lab.tune.products import product
from tilewright.lab.tune.stopwatch import UnmeasurableError
from tilewright.lab.tune.tuning import FEW, MANY, contest, fastest, measured

SMALL = product((200, 100, 150), "bfloat16")
"""For which three kernels' models are near each other; the planner's choice is matmul/mma_direct."""


def asked(problem=SMALL, most=FEW, factors=None):
    """What is timed for it on an H100."""
    found = contest("group", problem, H100, most, factors)
    assert found is not None
    return found


def timed(stand_in: StandIn, found=None):
    """What is measured of it."""
    found = found or asked()
    stand_in.prepare(found.all_plans)
    return measured(found, stand_in)


def test_each_kernel_has_a_place():
    """The first by its model, and then whatever the models find next."""
    found = asked()
    kernels = [each.kernel.idea for each in found.candidates]

    assert found.planned_kernel == "matmul/mma_direct"
    assert len(found.candidates) == FEW
    assert kernels[:3] == ["mma_direct", "mma_sync", "wgmma"]
    assert len(asked(most=MANY).candidates) == MANY
    ranked = candidates(SMALL, H100)
    for idea in kernels[:3]:
        of_kernel = [each for each in found.candidates if each.kernel.idea == idea]
        assert of_kernel == [each for each in ranked if each.kernel.idea == idea][: len(of_kernel)]


def test_the_planners_choice_is_timed_once():
    """It is the first candidate, too."""
    found = asked()
    assert found.plans[0] == found.planned
    assert found.all_plans[0] == found.planned
    assert len(found.all_plans) == len(set(found.all_plans)) == FEW


def test_what_was_tuned_before_is_no_choice_of_the_planners():
    """Else the next run would compare with its own results."""
    stand_in = StandIn({"matmul/mma_sync": 41.2, "matmul/mma_direct": 47.0})
    choice = timed(stand_in).choice
    facts = replace(H100, tuned=Tuned({asked().key: choice}))

    assert choose_plan(SMALL, facts).kernel.idea == "mma_sync"
    assert contest("group", SMALL, facts) == asked()


def test_the_faster_one_is_kept_with_both_times():
    """Those of the second timing, in which there are these two alone."""
    stand_in = StandIn({"matmul/mma_sync": [40.0, 41.2], "matmul/mma_direct": [48.0, 47.0]})
    found = timed(stand_in)

    assert found.choice is not None
    assert (found.choice.kernel, found.choice.us, found.choice.model_us) == ("matmul/mma_sync", 41.2, 47.0)
    assert found.gain == pytest.approx(47 / 41.2)
    assert [kernels for _, kernels in stand_in.timings][1] == ["matmul/mma_direct", "matmul/mma_sync"]


@pytest.mark.parametrize(
    ("mma_sync", "mma_direct", "timings"),
    [
        ([60.0], [47.0], 1),
        ([46.0], [47.0], 1),
        ([40.0, 46.5], [47.0, 47.0], 2),
        ([40.0, 48.0], [47.0, 47.0], 2),
    ],
)
def test_what_is_noise_is_not_kept(mma_sync, mma_direct, timings):
    """3 percent, both times."""
    stand_in = StandIn({"matmul/mma_sync": mma_sync, "matmul/mma_direct": mma_direct})
    found = timed(stand_in)

    assert found.choice is None
    assert found.gain == 1
    assert len(stand_in.timings) == timings


def test_another_result_is_not_kept():
    """However fast it is."""
    stand_in = StandIn({"matmul/mma_sync": 1.0, "matmul/mma_direct": 47.0}, unlike=frozenset({"matmul/mma_sync"}))
    found = timed(stand_in)

    assert found.choice is None
    by_kernel = dict(zip([each.kernel.idea for each in asked().candidates], found.candidates_us, strict=True))
    assert by_kernel["mma_sync"] is None
    assert by_kernel["mma_direct"] == 47


def test_a_product_without_room_says_so():
    """And nothing is kept."""
    with pytest.raises(UnmeasurableError, match="no room"):
        timed(StandIn(refuses=True))


def test_rates_on_trial_have_a_plan_of_their_own():
    """Which is timed in the same turn, and once if it is another candidate's."""
    found = asked(factors={"mma_direct": 3.0})
    stand_in = StandIn({"matmul/mma_sync": 41.2, "matmul/mma_direct": 47.0})

    assert found.rated not in {None, found.planned}
    assert found.rated in found.plans
    assert timed(stand_in, found).rated_us == 41.2
    assert asked(factors={}).rated == found.planned
    assert timed(stand_in, asked()).rated_us is None


def test_the_fastest_of_times():
    """None are left out."""
    assert fastest([None, 3.0, 2.0, None]) == 2
    assert fastest([None]) is None
    assert fastest([]) is None
