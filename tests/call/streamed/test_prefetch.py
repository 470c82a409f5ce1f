"""Panels are filled in the order of the steps, once their buffers are free, and kept while they are needed."""

from __future__ import annotations

import threading
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.call.streamed.prefetch import Buffers, Prefetch, Step


def steps(pattern):
    """A step for each pair of a row and a column of tiles."""
    return [
        Step(number, slice(row, row + 1), slice(column, column + 1), slice(0, 4), True, is_last=True)
        for number, (row, column) in enumerate(pattern)
    ]


@given(
    pattern=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=12),
    buffers=st.integers(1, 3),
    fillers=st.sampled_from([("AB",), ("A", "B"), ("BA",)]),
    ahead=st.integers(1, 5),
)
def test_each_step_finds_its_own_panels(pattern, buffers, fillers, ahead):
    """Whatever the order of tiles; a panel that stays is not filled again, and none is overwritten while it is read."""
    held = {operand: [None] * buffers for operand in "AB"}
    reading: list[tuple[int, int]] = []
    filled_for: list[tuple[str, int]] = []

    def fill(operand, buffer, step):
        filled_for.append((operand, step.number))
        assert all(buffer != used["AB".index(operand)] for used in reading)
        held[operand][buffer] = (step.rows if operand == "A" else step.columns).start

    found = []
    with Prefetch(steps(pattern), fill, buffers, fillers, ahead) as prefetch:
        for filled in prefetch.filled():
            reading.append((filled.a, filled.b))
            found.append((held["A"][filled.a], held["B"][filled.b]))
            assert filled.is_new == tuple((operand, filled.step.number) in filled_for for operand in "AB")
            reading.pop()
            prefetch.finished()
    assert found == pattern
    for at, operand in enumerate("AB"):
        changes = [0, *(i for i, (one, other) in enumerate(pairwise(pattern), 1) if one[at] != other[at])]
        assert [number for name, number in filled_for if name == operand] == changes[: len(pattern)]
    assert 0 <= prefetch.first_seconds <= prefetch.stalled_seconds


@pytest.mark.parametrize(("ahead", "buffers", "drawn"), [(1, 3, 1), (2, 3, 2), (3, 3, 3), (5, 2, 2), (9, 1, 1)])
def test_how_far_is_looked_ahead(ahead, buffers, drawn):
    """So many steps are drawn before the first has ended, or as many as have buffers and one that waits for its own."""
    seen: list[int] = []
    asked: list[int] = []

    def drawing():
        for step in steps([(number, number) for number in range(9)]):
            asked.append(step.number)
            yield step

    with Prefetch(drawing(), lambda _, __, step: seen.append(step.number), buffers, ("A", "B"), ahead) as prefetch:
        first = next(prefetch.filled())
        until = time.monotonic() + 30
        while len(seen) < 2 * drawn and time.monotonic() < until:
            time.sleep(0.001)
        time.sleep(0.05)
        assert first.step.number == 0
        assert sorted(seen) == sorted([*range(drawn), *range(drawn)])
        assert len(asked) == min(ahead, drawn + 1)


def test_what_fails_is_raised_where_it_is_awaited():
    """Steps that were filled before come first; the threads end."""

    def fill(operand, _, step):
        if (operand, step.number) == ("B", 1):
            raise OSError("It is gone.")

    found = []

    def multiply(prefetch):
        for filled in prefetch.filled():
            found.append(filled.step.number)
            prefetch.finished()

    with (
        Prefetch(steps([(0, 0), (1, 1), (2, 2)]), fill, 3, ("A", "B"), 3) as prefetch,
        pytest.raises(OSError, match="It is gone"),
    ):
        multiply(prefetch)
    assert found in ([0], [])
    assert not [each for each in threading.enumerate() if each.name.startswith("tilewright-prefetch")]


def test_a_block_that_ends_early_leaves_no_thread():
    """One that waits for a step, and one that waits for a buffer."""
    for buffers, ahead in ((1, 5), (3, 1)):
        with Prefetch(
            steps([(number, number) for number in range(5)]), lambda *_: None, buffers, ("AB",), ahead
        ) as one:
            next(one.filled())
        assert not [each for each in threading.enumerate() if each.name.startswith("tilewright-prefetch")]


def test_buffers_take_turns():
    """The first one comes first, and the latest panel stays."""
    found = Buffers(2)
    spans = [slice(0, 1), slice(1, 2), slice(2, 3)]
    order = [0, 0, 1, 1, 0, 2]
    assert [found.place(spans[at], slice(0, 4)) for at in order] == [
        *((0, True), (0, False), (1, True), (1, False), (0, True), (1, True))
    ]
    assert found.place(spans[2], slice(0, 5)) == (0, True)
    assert found.read_until == [-1, -1]
