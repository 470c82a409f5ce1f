"""How GPUs share the tiles of C: whose they are, what is left to another one, and what ends where one fails."""

from __future__ import annotations

import threading
import time
from functools import partial
from types import SimpleNamespace

import numpy
import pytest

import tilewright
from tilewright.call.streamed import gpu_tiles
from tilewright.call.streamed.request import check_streamed
from tilewright.call.streamed.tile_steps import Timing
from tilewright.choose.streamed import Rate, StreamedPlan, StreamRates
from tilewright.launch.cuda import device as cuda_device
from tilewright.launch.machine import MachineError

from .gpu_products import numbers, run


@pytest.mark.parametrize(
    ("least", "turns", "expected"),
    [
        (1, "0011", [0, 1, 3, 4]),
        (1, "0000000", [0, 1, 2, 6, 5, 4, 3]),  # its own in order, then another's from the end
        (3, "0000000", [0, 1, 2, 6, 5]),  # two are left to the other
        (3, "00000111", [0, 1, 2, 6, 5, 3, 4]),
        (5, "0000", [0, 1, 2]),
        (1, "1111111", [3, 4, 5, 6, 2, 1, 0]),
    ],
)
def test_which_gpu_takes_which_tile(least, turns, expected):
    """Seven tiles for two: each has a share, and takes another's last ones where enough are left."""
    drawn = gpu_tiles._Drawn(list(range(7)), 2, least)
    draws = [drawn.of(0), drawn.of(1)]

    taken = [next(draws[int(turn)], None) for turn in turns]

    assert [number for number in taken if number is not None] == expected
    drawn.stop()
    assert next(gpu_tiles._Drawn.of(drawn, 1), None) is None


def test_how_many_tiles_are_left_to_another_gpu():
    """One, where no panel stays or all share one; else as many as are computed while the panel comes, and two."""
    a, b = numbers(64, 32), numbers(32, 64)
    asked = check_streamed("matmul", a, b, None, {})
    slow_link = StreamRates(flops=Rate(1.0), link=Rate(0.0009))
    panel_seconds, tile_seconds = 16 * 32 * 4 / 9e5, 2 * 16 * 8 * 32 / 1e9
    for tile, step, rates, least in (
        ((16, 8), 32, slow_link, 2 + int(panel_seconds / tile_seconds)),
        ((8, 16), 32, slow_link, 2 + int(panel_seconds / tile_seconds)),
        ((64, 8), 32, slow_link, 1),
        ((16, 8), 16, slow_link, 1),
        ((16, 8), 32, StreamRates(), 1),
    ):
        plan = StreamedPlan(asked.problem("gpu"), tile, step, 2**30, rates)
        assert gpu_tiles._least_to_take(plan) == least


@pytest.mark.parametrize(
    ("count", "ordinals", "ahead"),
    [(1, (0,), 2), (11, (0,), 2), (12, (0,), 3), (40, (0, 1), 5), (63, (0,), 15), (900, (0,), 16)],
)
def test_how_far_a_gpu_looks_ahead(monkeypatch, count, ordinals, ahead):
    """A quarter of its share of the tiles, two steps at least and 16 at most."""
    seen = []

    def multiply(_, numbers, ahead, *_copiers):
        seen.append(ahead)
        return Timing(
            seconds=1.0, tiles=len(list(numbers)), stalled_seconds=2.0, first_seconds=3.0, writing_seconds=4.0
        )

    monkeypatch.setattr(gpu_tiles, "cuda_device", lambda _: None)
    monkeypatch.setattr(gpu_tiles, "_Gpu", lambda *_: SimpleNamespace(multiply=partial(multiply, None)))
    a = numpy.ones((8, 8), "f4")
    asked = check_streamed("matmul", a, a, None, {})
    plan = StreamedPlan(asked.problem("gpu"), (8, 8), 8, 2**30, StreamRates())
    found = gpu_tiles.multiply_on_gpus(asked, plan, list(range(count)), ordinals, "auto", None, lambda: None)

    assert seen == [ahead] * len(ordinals)
    assert (found.tiles, found.stalled_seconds, found.writing_seconds) == (
        count,
        2.0 * len(ordinals),
        4.0 * len(ordinals),
    )
    assert found.first_seconds == 3.0
    assert 0 <= found.seconds < 1000


def test_a_gpu_that_fails_leaves_no_tiles_to_others(monkeypatch):
    """Which would compute for nothing: what is drawn after the failure is nothing."""
    drawn, failed = [], threading.Event()

    def fails(numbers, *_):
        next(numbers)
        failed.set()
        raise MachineError("It fails.")

    def goes_on(numbers, *_):
        failed.wait(30)
        for number in numbers:
            drawn.append(number)
            time.sleep(0.02)

    turns = iter((fails, goes_on))
    monkeypatch.setattr(gpu_tiles, "cuda_device", lambda _: None)
    monkeypatch.setattr(gpu_tiles, "_Gpu", lambda *_: SimpleNamespace(multiply=next(turns)))
    a = numpy.ones((8, 8), "f4")
    asked = check_streamed("matmul", a, a, None, {})
    plan = StreamedPlan(asked.problem("gpu"), (8, 8), 8, 2**30, StreamRates())
    with pytest.raises(MachineError, match="It fails"):
        gpu_tiles.multiply_on_gpus(asked, plan, list(range(2000)), (0, 1), "auto", None, lambda: None)

    assert len(drawn) < 1000


@pytest.mark.usefixtures("gpu")
def test_no_gpu_begins_where_one_is_missing(monkeypatch):
    """The error comes before the first tile, and nothing is written."""

    def only_the_first(ordinal):
        if ordinal:
            raise tilewright.DeviceUnavailableError("There is no GPU 1.")
        return cuda_device.cuda_device(0)

    monkeypatch.setattr(gpu_tiles, "cuda_device", only_the_first)
    out = numpy.full((32, 32), numpy.nan, "f4")
    with pytest.raises(tilewright.DeviceUnavailableError, match="no GPU 1"):
        run(numbers(32, 16), numbers(16, 32), out, (8, 8), 16, ordinals=(0, 1))

    assert numpy.isnan(out).all()


@pytest.mark.usefixtures("gpu")
def test_two_gpus_draw_from_one_list(monkeypatch):
    """Each tile is computed once, by one of them."""
    opened = []

    def one_for_all(ordinal):
        opened.append(ordinal)
        return cuda_device.cuda_device(0)

    monkeypatch.setattr(gpu_tiles, "cuda_device", one_for_all)
    a, b = numbers(32, 16), numbers(16, 32)
    out = numpy.full((32, 32), numpy.nan, "f4")

    timing = run(a, b, out, (8, 8), 16, ordinals=(0, 1))

    assert opened == [0, 1]
    assert timing.tiles == 16
    numpy.testing.assert_array_equal(out, a @ b)
