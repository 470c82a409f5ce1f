"""What workers are taken for, by their memory and resources, and tasks that Dask runs, gives up, or loses."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

import tilewright
from tests.call.streamed.clusters.clusters import LIMIT, cluster, poisoned, stored
from tilewright.call.streamed import gpu_tiles
from tilewright.call.streamed.clusters.engine import Engine


def test_workers_with_less_memory_set_the_limit():
    """Half of what the least has for a thread, if nothing is said; more than it has is refused, or takes resources."""
    with cluster(1, memory_limit="2GiB") as client:
        _another(client, "small", memory_limit="1GiB", nthreads=2)
        engine = Engine(client)
        small = next(each for each in engine.workers if each.threads == 2)

        assert engine.limit(None) == 2**28
        assert engine.limit("4GiB") == "4GiB"
        assert engine.needs("host", 2**28) == {}
        with pytest.raises(tilewright.PlanError, match=f"the worker {small.address} has .* for each of its 2 threads"):
            engine.needs("host", 2**30)


def test_declared_memory_bounds_the_tasks(files):
    """Of workers that all declare it: two tasks at once on one, none on another, whatever the threads are."""
    with cluster(2, threads_per_worker=4, resources={"MEMORY": 2.5 * LIMIT}) as client:
        engine = Engine(client)
        needs = engine.needs("host", LIMIT)
        with pytest.raises(tilewright.PlanError, match="declared the resources of a task, MEMORY=3,000,000"):
            engine.needs("host", 3_000_000)
        plan: Any = tilewright.explain(files.a, files.b, out=files.c, memory_limit=LIMIT, engine=client)
        tilewright.matmul(files.a, files.b, files.c, memory_limit=LIMIT, engine=client)

    assert needs == {"MEMORY": LIMIT}
    assert plan.workers.at_once == 2 * (2.5 * LIMIT // plan.peak_bytes["host"])
    assert (numpy.abs(files.c[...] - files.exact) < 1e-3).all()


@pytest.mark.usefixtures("gpu")
def test_gpus_are_used_through_resources(tmp_path, monkeypatch):
    """Tiles go to the worker that declares one, one at a time, whatever its threads; "auto" takes it for floats."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    a, b = (numpy.random.default_rng().integers(-3, 4, (24, 24)).astype("f4") for _ in "ab")
    left, right, out = stored(tmp_path, "a", a, 8), stored(tmp_path, "b", b, 8), poisoned(tmp_path, "c", (24, 24), 8)
    multiply, names, running, most = gpu_tiles.multiply_on_gpus, [], [0], [0]

    def noted(*given):
        names.append(distributed.get_worker().name)
        running[0] += 1
        most[0] = max(most[0], running[0])
        try:
            return multiply(*given)
        finally:
            running[0] -= 1

    monkeypatch.setattr(gpu_tiles, "multiply_on_gpus", noted)
    with cluster(1) as client:
        with pytest.raises(tilewright.PlanError, match="no worker has declared one"):
            tilewright.matmul(left, right, out, memory_limit=11_000, device="gpu", engine=client)
        _another(client, "with a GPU", resources={"GPU": 1}, nthreads=3)
        plan: Any = tilewright.explain(left, right, out=out, memory_limit=11_000, engine=client)
        tilewright.matmul(left, right, out, memory_limit=11_000, engine=client)

    numpy.testing.assert_array_equal(out[...], a @ b)
    assert (plan.problem.machine, plan.workers.count, plan.workers.at_once) == ("gpu", 1, 1)
    assert plan.tile_count > 1
    assert names == ["with a GPU"] * plan.tile_count
    assert most == [1]


def test_paused_workers_get_no_task(monkeypatch):
    """Dask gives them none; where all are paused there are no workers, and a product does not wait for ever."""
    with cluster(1) as client:
        engine = Engine(client)
        told = client.scheduler_info(n_workers=-1)
        paused = {address: {**each, "status": "paused"} for address, each in told["workers"].items()}
        assert len(engine.workers) == len(paused) == 1
        monkeypatch.setattr(client, "scheduler_info", lambda **_: {**told, "workers": paused})

        assert engine._workers() == []


def _another(client, name, **options):
    """Add a worker with other options."""
    spec = client.cluster.worker_spec
    spec[name] = {**spec[0], "options": {**spec[0]["options"], **options}}
    client.cluster.sync(client.cluster._correct_state)
    client.wait_for_workers(2)


@pytest.mark.parametrize("deaths", [2, 3])
def test_a_tile_that_kills_its_workers(deaths):
    """What Dask gives up is given back to it twice; then it ends with a sentence."""
    from distributed import KilledWorker

    from tests.call.streamed.clusters.worker_plugins import Here

    left = {"2": deaths}

    def computed(_, number):
        if left.get(str(number), 0):
            left[str(number)] -= 1
            worker: Any = SimpleNamespace(address="tcp://one")
            raise KilledWorker(str(number), worker, 3)
        return number

    with cluster(2) as client:
        engine = Engine(client)
        running = engine.run(engine.submitter(Here(computed), "worker", {}), range(6))
        if deaths == 2:
            assert sorted(running) == list(range(6))
        else:
            with pytest.raises(tilewright.MachineError, match=r"^Every worker that computed tile 2 died, 3 times"):
                list(running)
    assert not left["2"]


def test_every_task_comes_back():
    """Many that take no time, some at a time: each result once."""
    from tests.call.streamed.clusters.worker_plugins import Here

    with cluster(2) as client:
        engine = Engine(client)
        found = sorted(engine.run(engine.submitter(Here(lambda _, number: number), "worker", {}), range(400)))

    assert found == list(range(400))
