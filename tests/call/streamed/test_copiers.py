"""Threads that copy parts: all of them, whoever fails, and as many threads as there are cores to spare."""

from __future__ import annotations

import os
import threading

import pytest

from tilewright.call.streamed.copiers import Copiers, copier_count


def failing(error: BaseException) -> None:
    """Raise it."""
    raise error


def test_parts_are_done_by_several_threads():
    """Two parts that wait for each other end, so that each has a thread; its name says what it is for."""
    meeting, names = threading.Barrier(2), set()

    def part() -> None:
        meeting.wait(60)
        names.add(threading.current_thread().name)

    with Copiers(2, "reader") as copying:
        copying.begin([part, part]).wait()
    assert names == {"tilewright-reader-0", "tilewright-reader-1"}


def test_what_fails_is_raised_where_it_is_waited_for():
    """The first that failed; the others are done, and what was waited for is not waited for again."""
    done: list[int] = []
    with Copiers(1, "writer") as copying:
        begun = copying.begin([lambda: failing(ValueError("one")), lambda: done.append(1)])
        with pytest.raises(ValueError, match="one"):
            begun.wait()
        assert begun.settle() == []
        error = KeyError("two")
        assert copying.begin([lambda: failing(error), lambda: done.append(2)]).settle() == [error, None]
    assert done == [1, 2]


@pytest.mark.parametrize(("cores", "count"), [(1, 1), (2, 1), (3, 2), (11, 10), (12, 10), (64, 10)])
def test_how_many_there_are(monkeypatch, cores, count):
    """A core is left to the others, and more than ten are no faster."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
    assert copier_count() == count


@pytest.mark.parametrize(("cores", "count"), [(None, 1), (1, 1), (5, 4)])
def test_where_the_cores_of_a_process_are_not_known(monkeypatch, cores, count):
    """Those of the machine count, or one."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert copier_count() == count
