"""Workers and schedulers that die, and slow ones: the answer is right, and what was reported as done is not lost."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

import numpy
import pytest

import tilewright
from tests.call.streamed.clusters.clusters import LIMIT, cluster, poisoned
from tilewright.arrays.stores.opened import store_of
from tilewright.call.streamed.clusters.engine import Engine
from tilewright.call.streamed.clusters.product import check_clustered, run_on_cluster
from tilewright.call.streamed.journal import Journal, folder_of

KILLS = 3


def bits_of_one_machine(files):
    """The right bits, and that they are right."""
    other = poisoned(files.folder, "other")
    tilewright.matmul(files.a, files.b, other, memory_limit=LIMIT, device="host")
    assert (numpy.abs(other[...] - files.exact) < 1e-3).all()
    return other[...].tobytes()


def journal_of(out):
    """The tiles that the journal has."""
    folder = folder_of(store_of(out, "out"))
    assert folder is not None
    return Journal(folder).read()[1]


@pytest.mark.slow
def test_workers_that_are_killed(files):
    """At random moments, with nannies that start others: the same bits, and only what they had is computed again."""
    from tests.call.streamed.clusters.worker_plugins import Noted, noted_in

    log, done = files.folder / "computed", threading.Event()
    killed: list[tuple[int, set[int], int]] = []
    reported: list[int] = []

    def kill():
        for _ in range(KILLS):
            before = len(noted_in(log))
            while len(noted_in(log)) < before + 2 and not done.is_set():
                time.sleep(0.01)
            time.sleep(random.uniform(0, 0.1))
            if not done.is_set():
                process = random.choice([process for _, process in noted_in(log)[before:]])
                whole = set(reported)
                killed.append((process, whole, len(noted_in(log))))
                os.kill(process, signal.SIGKILL)

    with cluster(3, processes=True) as client:
        client.register_plugin(Noted(log, seconds=0.1))
        asked, engine = check_clustered("matmul", files.a, files.b, files.c, {}), Engine(client)
        killer = threading.Thread(target=kill)
        killer.start()
        run = run_on_cluster(
            asked, engine, LIMIT, device="host", progress=lambda *_: reported.extend(sorted(journal_of(files.c)))
        )
        done.set()
        killer.join()

    assert killed
    assert files.c[...].tobytes() == bits_of_one_machine(files)
    assert sorted(index.number for index in run.tiles) == list(range(len(run.tiles)))
    begun = Counter(number for number, _ in noted_in(log))
    again = {number for number, count in begun.items() if count > 1}
    for _, whole, place in killed:
        assert not whole & {number for number, _ in noted_in(log)[place:]}
    assert sum(begun.values()) - len(begun) <= 3 * len(killed)  # what it computed, and what was not fetched yet
    dead = {process for process, _, _ in killed}
    assert again <= {number for number, process in noted_in(log) if process in dead}


@pytest.mark.slow
def test_a_scheduler_that_is_killed(files):
    """One sentence at once; another cluster continues with the tiles that were whole."""
    from distributed import Client

    from tests.call.streamed.clusters.worker_plugins import Noted, noted_in

    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    command += ["--host", "127.0.0.1"]
    scheduler = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=here)
    assert scheduler.stderr is not None
    address = next(
        found[1] for line in scheduler.stderr if (found := re.search(r"Scheduler at: +(tcp://127\S+)", line))
    )
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "2", "--no-dashboard"]
    command += ["--no-nanny", "--death-timeout", "10", "--memory-limit", "1GiB"]
    worker = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=here, cwd=files.folder)
    first, second = files.folder / "first", files.folder / "second"
    try:
        with Client(address, timeout=10) as client:
            client.wait_for_workers(1, timeout=60)
            client.register_plugin(Noted(first, seconds=0.1))
            report = _killed_after(4, scheduler)
            with pytest.raises(tilewright.MachineError, match=r"^The scheduler at tcp://\S+ is lost.*resume=True"):
                tilewright.matmul(files.a, files.b, files.c, memory_limit=LIMIT, engine=client, progress=report)
            client.close(timeout=1)
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()
        scheduler.stderr.close()
    kept = set(journal_of(files.c))
    assert len(kept) >= 4
    with cluster(1, processes=True) as client:
        client.register_plugin(Noted(second))
        tilewright.matmul(files.a, files.b, files.c, memory_limit=LIMIT, engine=client, resume=True)
    assert not kept & {number for number, _ in noted_in(second)}
    assert files.c[...].tobytes() == bits_of_one_machine(files)


def _killed_after(count, process):
    def report(done, _):
        if done == count:
            process.kill()
            process.wait()

    return report


@pytest.mark.slow
def test_a_slow_worker_computes_less(files):
    """Its tiles go to the others, and none waits for it."""
    from tests.call.streamed.clusters.worker_plugins import Noted, noted_in

    log = files.folder / "computed"
    with cluster(3, processes=True) as client:
        client.register_plugin(Noted(log, seconds=0.02, slow_name=0, slow_seconds=1.0))
        tilewright.matmul(files.a, files.b, files.c, memory_limit=LIMIT, engine=client)

    shares = sorted(Counter(process for _, process in noted_in(log)).values())
    assert len(shares) == 3
    assert shares[0] < shares[1]
    assert sum(shares) == len(journal_of(files.c))
    assert files.c[...].tobytes() == bits_of_one_machine(files)
