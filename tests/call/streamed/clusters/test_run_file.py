"""One run at a time writes: tasks of another stop, and a run waits until they have."""

from __future__ import annotations

import threading

import pytest

from tilewright.arrays.errors import StoreError
from tilewright.call.streamed.clusters import run_file
from tilewright.call.streamed.clusters.run_file import OtherRunError, begin_run, end_run, writing


def test_a_run_waits_for_tasks_of_another(tmp_path):
    """Which learn at their next step that they have to stop."""
    begin_run(tmp_path, "first")
    began = threading.Event()
    steps: list[int] = []

    def task():
        with writing(tmp_path, "first") as look:
            began.set()
            while True:
                look()
                steps.append(len(steps))

    def caught():
        with pytest.raises(OtherRunError, match="no longer writes"):
            task()

    thread = threading.Thread(target=caught)
    thread.start()
    began.wait()
    begin_run(tmp_path, "second")
    after = len(steps)
    thread.join()

    assert len(steps) == after
    with writing(tmp_path, "second") as look:
        look()
    with pytest.raises(OtherRunError), writing(tmp_path, "first"):
        pass


def test_a_task_that_does_not_stop_is_a_sentence(tmp_path, monkeypatch):
    """Nothing is written over what it writes."""
    pytest.importorskip("fcntl", reason="Windows has no shared locks")
    monkeypatch.setattr(run_file, "WAIT_SECONDS", 0.05)
    begin_run(tmp_path, "first")
    with writing(tmp_path, "first"), pytest.raises(StoreError, match="Tasks of an earlier run still write"):
        begin_run(tmp_path, "second")


def test_after_a_run_no_task_writes(tmp_path):
    """Nor where there is no folder."""
    begin_run(tmp_path, "first")
    end_run(tmp_path)
    end_run(tmp_path)
    with pytest.raises(OtherRunError), writing(tmp_path, "first"):
        pass
    with pytest.raises(StoreError, match="No such file"), writing(tmp_path / "none", "first"):
        pass


def test_a_run_that_waited_lets_tasks_begin(tmp_path, monkeypatch):
    """Its own look holds no lock behind: neither against tasks of this process nor against the next run."""
    monkeypatch.setattr(run_file, "WAIT_SECONDS", 0)
    for _ in range(2):
        assert run_file._tasks_have_stopped(tmp_path)
