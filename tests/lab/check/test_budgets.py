"""How much a launch may do before it counts as endless, as exact numbers, and when a time is over."""

from __future__ import annotations

import pytest

from tilewright.lab.check.find.trials import budget_for
from tilewright.lab.check.judge.verdicts import budget_of
from tilewright.lab.check.run import deadline
from tilewright.lab.check.run.endless import budget_at, plain_instructions
from tilewright.lab.check.run.execution import Geometry
from tilewright.lab.check.sizes import Sizes

LINE = Geometry((1, 1, 1), (64, 1, 1))


@pytest.mark.parametrize(
    ("sizes", "geometry", "tile", "instructions"),
    [
        # 48 x 32 threads are 48 warps, each with 20 instructions and 6 for each of 48 steps; 48 warps are launched.
        (Sizes(33, 47, 31), Geometry((2, 3, 1), (16, 16, 1)), 16, 48 * (20 + 6 * 48) + 25 * 48),
        # One row and one column stay one, though a tile has more: one warp, and a block of 64 threads has two.
        (Sizes(1, 100, 1), LINE, 32, 20 + 6 * 128 + 25 * 2),
        (Sizes(2, 8, 1), LINE, 8, 20 + 6 * 8 + 25 * 2),
        (Sizes(1, 8, 2), LINE, 64, 2 * (20 + 6 * 64) + 25 * 2),
        # 8 x 8 threads are two warps; a block of 5 threads is a warp, too.
        (Sizes(2, 8, 3), Geometry((1, 1, 2), (5, 1, 1)), 8, 2 * (20 + 6 * 8) + 25 * 2),
        (Sizes(3, 5, 11), Geometry((4, 1, 1), (33, 1, 1)), 1, 2 * (20 + 6 * 5) + 25 * 4 * 2),
    ],
)
def test_what_the_plain_kernel_takes(sizes, geometry, tile, instructions):
    """A thread for each element of whole tiles, and what idle warps take; a hundred times that is endless."""
    assert plain_instructions(sizes, geometry, tile) == instructions
    assert budget_at(sizes, geometry, tile) == 100 * instructions


def test_no_tile_is_a_tile_of_one():
    """A launch whose grid does not tell has none."""
    assert budget_at(Sizes(3, 5, 11), LINE, 0) == budget_at(Sizes(3, 5, 11), LINE, 1)


def test_what_a_group_of_blocks_may_take():
    """64 for each product, and 400,000."""
    assert budget_of(Sizes(1, 1, 1)) == 400_064
    assert budget_of(Sizes(2, 3, 5)) == 400_000 + 64 * 30


@pytest.mark.parametrize(
    ("sizes", "budget"),
    [
        (Sizes(2, 3, 4), 100_000 + 16 * 24),
        (Sizes(100, 125, 100), 20_100_000),
        (Sizes(100, 100, 100), 16_100_000),
        (Sizes(500, 500, 500), 20_100_000),
    ],
)
def test_what_a_trial_may_take(sizes, budget):
    """16 for each product, but not more than 20 million; and 100,000."""
    assert budget_for(sizes) == budget


@pytest.mark.parametrize(
    ("processor", "clock", "is_over"),
    [(7, 0, False), (7.5, 1, True), (0, 28, False), (0, 28.5, True), (6.9, 27.9, False)],
)
def test_when_a_time_is_over(monkeypatch, processor, clock, is_over):
    """Seven seconds of the processor, or four times as many of the clock on a machine that is busy with others."""
    now = {"processor": 100.0, "clock": 1000.0}
    monkeypatch.setattr(deadline, "_used", lambda: now["processor"])
    monkeypatch.setattr(deadline, "monotonic", lambda: now["clock"])
    ends = deadline.Deadline(7)
    now["processor"] += processor
    now["clock"] += clock
    assert ends.is_over == is_over


def test_what_counts_as_used(monkeypatch):
    """The time of this process and of its children, and of those that are compiled in elsewhere."""
    monkeypatch.setattr(deadline.os, "times", lambda: (1.0, 2.0, 4.0, 8.0, 1000.0))
    monkeypatch.setattr(deadline, "processor_seconds_elsewhere", lambda: 16.0)
    assert deadline._used() == 31.0
