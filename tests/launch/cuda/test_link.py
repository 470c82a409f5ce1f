"""What the link tells the driver: rows that are copied at a time, what is pinned, streams that are waited for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cuda.bindings import driver as bindings

from tilewright.launch.cuda import link as links
from tilewright.launch.cuda.link import MOST_PITCH, Link
from tilewright.launch.cuda.rows import Rows


class Driver:
    """Answers, and keeps what it was asked. pinned: addresses of pinned memory, from the first to behind the last."""

    CUpointer_attribute, CUmemorytype = bindings.CUpointer_attribute, bindings.CUmemorytype
    CUstream_flags, CUevent_flags = bindings.CUstream_flags, bindings.CUevent_flags

    def __init__(self, pinned: tuple[int, int] = (0, 0)) -> None:
        self.pinned = pinned
        self.asked: list[tuple[Any, ...]] = []
        self.streams = iter((11, 12, 13, 14))

    def cuPointerGetAttribute(self, _: Any, address: int) -> tuple[int, int]:  # noqa: N802  (the driver's name)
        """Whose memory an address is of."""
        is_of_host = self.pinned[0] <= address < self.pinned[1]
        return 0 if is_of_host else 1, int(self.CUmemorytype.CU_MEMORYTYPE_HOST)

    def cuStreamDestroy(self, stream: int) -> None:  # noqa: N802
        """Keep that it is gone."""
        self.asked.append(("gone", stream))

    def cuStreamSynchronize(self, stream: int) -> None:  # noqa: N802
        """Keep that it was waited for."""
        self.asked.append(("waited", stream))

    def call(self, name: str, *arguments: Any) -> Any:
        """Keep a call; streams have numbers from 11 on."""
        self.asked.append((name, *arguments))
        return next(self.streams) if name == "cuStreamCreate" else 99


def linked(driver: Driver) -> Link:
    """A link by a driver."""
    device: Any = SimpleNamespace(driver=driver, call=driver.call, ordinal=0)
    return Link(device)


def test_streams():
    """Two there, one for kernels, one back, none of which waits for others; all are waited for, and then given back."""
    driver = Driver()
    with linked(driver) as link:
        assert (link.there, link.work, link.back) == ({"A": 11, "B": 12}, 13, 14)
        flag = bindings.CUstream_flags.CU_STREAM_NON_BLOCKING
        assert driver.asked == [("cuStreamCreate", flag)] * 4
        driver.asked.clear()
        link.finish()
        assert driver.asked == [("cuStreamSynchronize", stream) for stream in (11, 12, 13, 14)]
        link.copy_in_order()
        assert link.there == {"A": 11, "B": 11}
        driver.asked.clear()
    waited = [("waited", stream) for stream in (11, 11, 13, 14)]
    assert driver.asked == [*waited, *(("gone", stream) for stream in (14, 13, 12, 11))]


@pytest.mark.parametrize(
    ("rows", "row_bytes", "takes_turns", "heights"),
    [(5, 32, True, [2, 2, 1]), (4, 32, True, [2, 2]), (5, 65, True, [1] * 5), (5, 32, False, [5]), (3, 8, True, [3])],
)
def test_rows_cross_in_parts(monkeypatch, rows, row_bytes, takes_turns, heights):
    """As many as 64 bytes hold here, and one at least; all at once where A and B have one stream."""
    monkeypatch.setattr(links, "MOST_AT_ONCE_BYTES", 64)
    copied: list[tuple[Any, ...]] = []
    monkeypatch.setattr(links, "copy_rows", lambda _, *given: copied.append(given))
    source = np.zeros((rows, 100), np.uint8)[:, :row_bytes]
    with linked(Driver()) as link:
        if not takes_turns:
            link.copy_in_order()
        link.rows_to_gpu(1 << 20, source, 7)
        firsts = np.cumsum([0, *heights[:-1]]).tolist()
        assert copied == [
            (
                Rows(source.ctypes.data + 100 * first, 100, on_host=True),
                Rows((1 << 20) + first * row_bytes, row_bytes),
                row_bytes,
                height,
                7,
            )
            for first, height in zip(firsts, heights, strict=True)
        ]
        copied.clear()
        link.rows_to_host(source, 1 << 20, 8)
        there = Rows(source.ctypes.data, 100, on_host=True)
        assert copied == [(Rows(1 << 20, row_bytes), there, row_bytes, rows, 8)]


ROWS = np.zeros((4, 8), np.float32)


@pytest.mark.parametrize(
    ("array", "first", "last", "is_pinned"),
    [
        (ROWS, 0, 128, True),
        (ROWS, 1, 128, False),
        (ROWS, 0, 124, False),
        (ROWS[:3, :5], 0, 81, True),
        (ROWS[:3, :5], 0, 80, False),
        (ROWS[1:], 32, 128, True),
        (ROWS[:, ::2], 0, 128, False),
        (ROWS[::-1], 0, 128, False),
        (ROWS[:0], 0, 128, False),
        (np.lib.stride_tricks.as_strided(ROWS, (4, 8), (28, 4)), 0, 128, False),
        (np.lib.stride_tricks.as_strided(ROWS, (4, 8), (32, 4)), 0, 128, True),
        (np.lib.stride_tricks.as_strided(ROWS, (1, 8), (MOST_PITCH, 4)), 0, 128, False),
        (np.lib.stride_tricks.as_strided(ROWS, (1, 8), (MOST_PITCH - 4, 4)), 0, 128, True),
    ],
)
def test_what_is_pinned(array, first, last, is_pinned):
    """The first and the last element of rows that do not overlap; the engine takes pitches below 2^31."""
    at = ROWS.ctypes.data
    assert linked(Driver((at + first, at + last))).is_pinned(array) == is_pinned


def test_events():
    """They take no time, and those of threads that sleep meanwhile say so."""
    driver, flags = Driver(), bindings.CUevent_flags
    driver.cuEventDestroy = lambda event: driver.asked.append(("no event", event))  # type: ignore[attr-defined]
    with linked(driver) as link:
        driver.asked.clear()
        assert (link.event(), link.event(blocks=True)) == (99, 99)
        assert driver.asked == [
            ("cuEventCreate", flags.CU_EVENT_DISABLE_TIMING),
            ("cuEventCreate", flags.CU_EVENT_DISABLE_TIMING | flags.CU_EVENT_BLOCKING_SYNC),
        ]
        driver.asked.clear()
        link.record(5, 13)
        link.wait(14, 5)
        link.wait_on_host(5)
        assert driver.asked == [("cuEventRecord", 5, 13), ("cuStreamWaitEvent", 14, 5, 0), ("cuEventSynchronize", 5)]
    assert driver.asked.count(("no event", 99)) == 2
