"""What crosses a link, strip by strip: every byte where it belongs, buffers given back, few copies begun at a time."""

# ruff: noqa: D102  (what a link and buffers do is said where they are defined)

from __future__ import annotations

from collections import deque
from types import SimpleNamespace
from typing import Any, cast

import numpy
import pytest

from tilewright.arrays.stores.memory import ArrayStore
from tilewright.call.streamed import crossing
from tilewright.call.streamed.crossing import MOST_BEGUN, PanelsThere, Summed, TilesBack, copiers_of, is_plain
from tilewright.call.streamed.prefetch import Step
from tilewright.call.streamed.request import check_streamed
from tilewright.choose.streamed import OUT_RING, RING, StreamedPlan, StreamRates

STEP = Step(0, slice(4, 12), slice(2, 8), slice(3, 13), True, is_last=True)
"""Rows, columns and the part of k of a tile."""


class Link:
    """A GPU's memory, and what is queued."""

    def __init__(self) -> None:
        self.memory = numpy.zeros(4096, numpy.uint8)
        self.there, self.back = {"A": 11, "B": 12}, 13
        self.steps: list[Any] = []
        self.pinned: list[Any] = []

    def is_pinned(self, array):
        return any(numpy.may_share_memory(array, each) for each in self.pinned)

    def rows_to_gpu(self, address, source, stream):
        self.steps.append(("rows there", stream))
        self.memory[address : address + source.nbytes] = numpy.ascontiguousarray(source).view("u1").ravel()

    def rows_to_host(self, target, address, stream):
        self.steps.append(("rows back", stream))
        target[...] = self.memory[address : address + target.nbytes].view(target.dtype).reshape(target.shape)

    def event(self, *, blocks=False):
        return f"event {blocks}"

    def record(self, event, stream):
        self.steps.append(("record", event, stream))

    def wait(self, stream, event):
        self.steps.append(("wait", stream, event))

    def wait_on_host(self, event):
        self.steps.append(("host waits", event))


class Pinned:
    """Buffers that are taken and given back in turn."""

    def __init__(self, link, count, nbytes):
        self.link, self.nbytes, self.count = link, nbytes, count
        self.free = deque(range(count))
        self.buffers = [numpy.zeros(nbytes, numpy.uint8) for _ in range(count)]
        self.most_taken = 0
        self.crossed: list[int] = []

    def take(self):
        number = self.free.popleft()
        self.most_taken = max(self.most_taken, self.count - len(self.free))
        return number

    def give_back(self, number):
        assert number not in self.free
        self.free.append(number)

    def buffer(self, number, nbytes):
        assert nbytes <= self.nbytes
        return self.buffers[number][:nbytes]

    def to_gpu(self, number, address, nbytes, stream):
        self.link.steps.append(("there", stream))
        self.crossed.append(nbytes)
        self.link.memory[address : address + nbytes] = self.buffers[number][:nbytes]

    def to_host(self, number, address, nbytes):
        self.crossed.append(nbytes)
        self.buffers[number][:nbytes] = self.link.memory[address : address + nbytes]

    def wait(self, _):
        self.link.steps.append("arrived")


class Copiers:
    """Threads that have done what they are given when it is awaited."""

    def __init__(self, count):
        self.count = count
        self.given: list[int] = []
        self.settled = 0

    def begin(self, parts):
        self.given.append(len(parts))

        def wait():
            for part in parts:
                part()

        def settle():
            self.settled += 1

        return SimpleNamespace(wait=wait, settle=settle)


@pytest.fixture
def link(monkeypatch):
    """A link with such buffers."""
    monkeypatch.setattr(crossing, "Pinned", Pinned)
    return Link()


def asked_for(a, b, out, operation="matmul", limit_bytes=32 * 100):
    """A product in memory, and its plan with strips of a 32nd of the limit."""
    asked = check_streamed(operation, a, b, out, {})
    return asked, StreamedPlan(asked.problem("gpu"), (8, 6), 10, limit_bytes, StreamRates())


def numbers(rows, columns, dtype="f4"):
    """An array with another number at each place."""
    return numpy.arange(rows * columns, dtype=dtype).reshape(rows, columns)


def there(link, extents, at=64):
    """What lies on the GPU."""
    rows, columns = extents
    return link.memory[at : at + rows * columns * 4].view("f4").reshape(rows, columns)


@pytest.mark.parametrize(("operand", "extents", "stream"), [("A", (8, 10), 11), ("B", (10, 6), 12)])
@pytest.mark.parametrize("operation", ["matmul", "reduced_matmul"])
@pytest.mark.parametrize("dtype", ["f4", "f2", "f8"])
def test_panels_are_brought_strip_by_strip(link, operand, extents, stream, operation, dtype):
    """As they are, cast, or as sums of pairs; each strip is one copy on the operand's own stream."""
    pairs = 2 if operation == "reduced_matmul" else 1
    a, b = numbers(16 * pairs, 20, dtype), numbers(20, 8 * pairs, dtype)
    out = numpy.empty((16, 8), "f4")
    checked, plan = asked_for(a, b, out, operation)
    asked: Any = SimpleNamespace(a=checked.a, b=checked.b, panel_element=lambda _: numpy.dtype("f4"))
    copiers: Any = Copiers(4)
    panels: Any = PanelsThere(link, asked, plan, copiers)
    panels.copy(operand, STEP, 64)

    left, right = a.astype("f4"), b.astype("f4")
    if pairs == 2:
        left, right = left[0::2] + left[1::2], right[:, 0::2] + right[:, 1::2]
    whole = left[STEP.rows, STEP.along] if operand == "A" else right[STEP.along, STEP.columns]
    numpy.testing.assert_array_equal(there(link, extents), whole)
    assert not link.memory[:64].any()
    assert not link.memory[64 + whole.nbytes :].any()
    assert set(link.steps) == {("there", stream)}
    pinned = panels._pinned
    assert len(pinned.free) == RING
    assert max(pinned.crossed) <= max(100, 4 * extents[1])
    assert pinned.most_taken == min(MOST_BEGUN, len(pinned.crossed))
    assert not panels.are_direct


def test_pinned_panels_are_queued_alone(link):
    """Where both operands are pinned nothing is copied by threads; sums of pairs are made on the host all the same."""
    a, b = numbers(16, 20), numbers(20, 8)
    link.pinned = [a, b]
    asked, plan = asked_for(a, b, numpy.empty((16, 8), "f4"))
    copiers: Any = Copiers(2)
    panels: Any = PanelsThere(link, asked, plan, copiers)
    assert panels.are_direct
    for operand, extents in (("A", (8, 10)), ("B", (10, 6))):
        panels.copy(operand, STEP, 64)
        whole = a[STEP.rows, STEP.along] if operand == "A" else b[STEP.along, STEP.columns]
        numpy.testing.assert_array_equal(there(link, extents), whole)
    assert link.steps == [("rows there", 11), ("rows there", 12)]
    assert copiers.given == []
    link.pinned = [a]
    assert not PanelsThere(link, asked, plan, copiers).are_direct
    wide = numbers(32, 20), numbers(20, 16)
    link.pinned = list(wide)
    asked, plan = asked_for(*wide, numpy.empty((16, 8), "f4"), "reduced_matmul")
    assert not PanelsThere(link, asked, plan, copiers).are_direct


@pytest.mark.parametrize(
    ("part_bytes", "count", "parts"), [(4 * 40, 4, 2), (4 * 40 + 1, 4, 1), (4 * 20, 4, 4), (4 * 20, 3, 3), (1, 8, 8)]
)
def test_several_threads_copy_a_strip(link, monkeypatch, part_bytes, count, parts):
    """As many as have a part worth while."""
    monkeypatch.setattr(crossing, "PART_BYTES", part_bytes)
    a, b = numbers(16, 20), numbers(20, 8)
    asked, plan = asked_for(a, b, numpy.empty((16, 8), "f4"), limit_bytes=32 * 10_000)
    copiers: Any = Copiers(count)
    PanelsThere(link, asked, plan, copiers).copy("A", STEP, 64)

    numpy.testing.assert_array_equal(there(link, (8, 10)), a[STEP.rows, STEP.along])
    assert copiers.given == [parts]


def test_buffers_come_back_after_an_error(link):
    """And nothing is still being written to them."""
    a, b = numbers(16, 20, "f8"), numbers(20, 8, "f8")
    asked, plan = asked_for(a, b, numpy.empty((16, 8), "f8"))
    copiers: Any = Copiers(1)
    panels: Any = PanelsThere(link, asked, plan, copiers)

    def fail(*_):
        raise OSError("It is gone.")

    panels._pinned.to_gpu = fail
    with pytest.raises(OSError, match="It is gone"):
        panels.copy("A", STEP, 64)
    assert len(panels._pinned.free) == RING
    assert copiers.settled == MOST_BEGUN


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("kind", ["plain", "chunks"])
def test_tiles_go_back_strip_by_strip(link, kind, checks):
    """Each behind the sums of its rows, one crossing while the one before is written; in the output's type."""
    out = numpy.zeros((20, 10), "f4")
    asked, plan = asked_for(numbers(20, 20), numbers(20, 10), out, limit_bytes=32 * 50)
    if kind == "chunks":
        asked.out.chunks = asked.out.written_chunks = (2, 5)
        plan = StreamedPlan(asked.problem("gpu"), (8, 6), 10, 32 * 50, StreamRates())
    assert plan.strip_rows == 2
    tile = numbers(8, 6)
    link.memory[128 : 128 + tile.nbytes] = tile.view("u1").ravel()
    copiers: Any = Copiers(2)
    back: Any = TilesBack(link, asked, plan, numpy.dtype("f4"), copiers)
    events = [Summed(slice(4, 7), "one"), Summed(slice(7, 10), "two"), Summed(slice(10, 12), "three")]
    checksum = back.copy(STEP, 128, events, checks=checks)

    numpy.testing.assert_array_equal(out[STEP.rows, STEP.columns], tile)
    assert out.sum() == tile.sum()
    assert (checksum != 0) == (checks and kind == "chunks")
    waits = [("wait", 13, name) for name in ("one", "two", "three")]
    assert [step for step in link.steps if step != "arrived"] == waits
    assert link.steps.index(("wait", 13, "two")) < link.steps.index("arrived")  # of the second strip's last row
    assert link.steps.index(("wait", 13, "three")) > link.steps.index("arrived")
    assert link.steps.count("arrived") == 4
    assert back._pinned.most_taken == OUT_RING
    assert len(back._pinned.free) == OUT_RING
    assert copiers.given == ([2] * 4 if kind == "plain" else [])


def test_pinned_outputs_take_tiles_as_they_are_summed(link):
    """Part after part, each behind its event; the host waits once, for all of them."""
    out = numpy.zeros((20, 10), "f4")
    link.pinned = [out]
    asked, plan = asked_for(numbers(20, 20), numbers(20, 10), out)
    tile = numbers(8, 6)
    link.memory[128 : 128 + tile.nbytes] = tile.view("u1").ravel()
    back: Any = TilesBack(link, asked, plan, numpy.dtype("f4"), cast("Any", Copiers(2)))
    assert back.copy(STEP, 128, [Summed(slice(4, 9), "one"), Summed(slice(9, 12), "two")], checks=True) == 0

    numpy.testing.assert_array_equal(out[STEP.rows, STEP.columns], tile)
    assert out.sum() == tile.sum()
    assert link.steps == [
        *(("wait", 13, "one"), ("rows back", 13), ("wait", 13, "two"), ("rows back", 13)),
        *(("record", "event True", 13), ("host waits", "event True")),
    ]


def test_buffers_of_tiles_come_back_after_an_error(link):
    """Both of them, where a store cannot be written."""
    asked, plan = asked_for(numbers(20, 20), numbers(20, 10), numpy.zeros((20, 10), "f4"), limit_bytes=32 * 50)
    back: Any = TilesBack(link, asked, plan, numpy.dtype("f4"), cast("Any", Copiers(1)))

    def fail(*_args, **_more):
        raise OSError("It is full.")

    back._written = fail
    with pytest.raises(OSError, match="It is full"):
        back.copy(STEP, 128, [Summed(STEP.rows, "one")], checks=False)
    assert len(back._pinned.free) == OUT_RING


def test_files_are_read_by_one_thread(monkeypatch):
    """Matrices in memory by several; one in a file is enough for one reader, and the output for one writer."""
    monkeypatch.setattr(crossing, "copier_count", lambda: 5)
    plain, chunked = ArrayStore(numbers(4, 4), "A"), ArrayStore(numbers(4, 4), "A")
    chunked.chunks = (2, 2)
    written = ArrayStore(numbers(4, 4), "A")
    written.written_chunks = (2, 2)
    assert [is_plain(store) for store in (plain, chunked, written)] == [True, False, False]
    for a, b, out, expected in (
        (plain, plain, plain, (5, 5)),
        (plain, chunked, plain, (1, 5)),
        (chunked, plain, plain, (1, 5)),
        (plain, plain, written, (5, 1)),
    ):
        asked: Any = SimpleNamespace(a=a, b=b, out=out)
        assert tuple(copiers.count for copiers in copiers_of(asked)) == expected
