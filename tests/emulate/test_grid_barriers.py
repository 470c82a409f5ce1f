"""Barriers of a whole grid: `cooperative_groups::this_grid().sync()`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.emulate.running import launch
from tilewright.emulate import Emulator
from tilewright.emulate.faults import LaunchLimitError
from tilewright.emulate.observers.races.observer import RaceObserver

HEAD = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
SHIFT = (
    HEAD
    + """extern "C" __global__ void kernel(int* x, int* valid, int rounds) {
    auto grid = cg::this_grid();
    int me = grid.thread_rank(), count = grid.size();
    for (int i = 0; i < rounds; ++i) {
        int value = x[(me + 33) % count];
        grid.sync();
        x[me] = value + 1;
        grid.sync();
    }
    valid[me] = grid.is_valid();
}"""
)


@pytest.mark.parametrize("schedule", ["in order", "random"])
@pytest.mark.parametrize(("grid", "block"), [((1, 1, 1), 64), ((5, 1, 1), 48), ((3, 2, 2), 32), ((300, 1, 1), 32)])
def test_everyone_waits(grid, block, schedule):
    """What other blocks wrote before the barrier is there behind it; nobody writes before all have read."""
    count = int(np.prod(grid)) * block
    rounds = 2 if count > 1000 else 4
    x, valid = np.arange(count, dtype=np.int32), np.zeros(count, np.int32)
    options: dict[str, Any] = {} if schedule == "in order" else {"schedule": "random", "seed": 3}
    launch(SHIFT, x, valid, rounds, grid=grid, block=block, workers=2, **options)

    np.testing.assert_array_equal(x, (np.arange(count) + 33 * rounds) % count + rounds)
    assert valid.all()


def test_each_launch_has_its_own():
    """A second launch with another grid starts anew, and nothing of the barrier is left allocated."""
    emulator = Emulator(workers=1)
    for blocks in (2, 3):
        x, valid = np.arange(32 * blocks, dtype=np.int32), np.zeros(32 * blocks, np.int32)
        launch(SHIFT, x, valid, 1, grid=blocks, emulator=emulator)
        np.testing.assert_array_equal(x, (np.arange(len(x)) + 33) % len(x) + 1)


def test_grid_too_large():
    """Blocks that cannot run at once would wait for ever."""
    x = np.zeros(1, np.int32)
    with pytest.raises(LaunchLimitError, match=r"waits for its whole grid.*264 of 1024 threads.*fit an H200, not 265"):
        launch(SHIFT, x, x, 1, grid=265, block=1024)


def test_the_race_observer_knows_it():
    """Accesses on either side of it are in order; without it they are a race."""
    race = SHIFT.replace("grid.sync();\n        x[me]", "x[me]")
    for source, is_clean in ((SHIFT, True), (race, False)):
        observer = RaceObserver()
        x, valid = np.zeros(96, np.int32), np.zeros(96, np.int32)
        launch(source, x, valid, 1, grid=3, observers=[observer])
        assert (not observer.findings) == is_clean
