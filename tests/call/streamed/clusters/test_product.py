"""Products by a Dask cluster: right, the same bits by any number of workers, continued, and refused in one sentence."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from typing import Any

import numpy
import pytest

import tilewright
from tests.call.streamed.clusters.clusters import LIMIT, M, N, cluster, poisoned
from tilewright.arrays.stores.opened import store_of
from tilewright.arrays.stores.zarr import ZarrStore
from tilewright.call.streamed import host_tiles
from tilewright.call.streamed.clusters import product, tile_task
from tilewright.call.streamed.journal import Journal, folder_of
from tilewright.call.streamed.lock import locked


def journal_of(out):
    """The tiles that the journal has."""
    folder = folder_of(store_of(out, "out"))
    assert folder is not None
    return Journal(folder).read()[1]


def is_right(files, out=None):
    """Whether every element is the product's; NaN is not."""
    return bool((numpy.abs((files.c if out is None else out)[...] - files.exact) < 1e-3).all())


def test_a_poisoned_output_is_overwritten(files, client):
    """In zarr and in a memory map; every tile is reported once, and a plan says what moves."""
    told = []
    plan: Any = tilewright.explain(files.a, files.b, out=files.c, memory_limit=LIMIT, engine=client)

    found = tilewright.matmul(
        files.a, files.b, files.c, memory_limit=LIMIT, engine=client, progress=lambda *at: told.append(at)
    )

    assert found is files.c
    assert is_right(files)
    assert plan.tile_count > 4
    assert plan.step_count > 1
    assert told == [(number + 1, plan.tile_count) for number in range(plan.tile_count)]
    assert sorted(journal_of(files.c)) == list(range(plan.tile_count))
    assert "2 workers on 1 machine, 2 tiles at once" in str(plan)
    mapped = numpy.lib.format.open_memmap(files.folder / "c.npy", "w+", "f4", (M, N))
    mapped[...] = numpy.nan
    prepared = tilewright.plan(files.a, files.b, out=mapped, memory_limit=LIMIT, engine=client)
    assert prepared() is mapped
    assert is_right(files, mapped)


def test_the_bits_are_those_of_one_machine(files, client):
    """Where the plan is: tiles and panels alike."""
    tilewright.matmul(files.a, files.b, files.c, memory_limit=LIMIT, engine=client)
    other = poisoned(files.folder, "other")

    tilewright.matmul(files.a, files.b, other, memory_limit=LIMIT, device="host")

    assert files.c[...].tobytes() == other[...].tobytes()


@pytest.mark.slow
def test_the_bits_do_not_depend_on_the_workers(files):
    """One, two and four processes."""
    bits = set()
    for workers in (1, 2, 4):
        out = poisoned(files.folder, f"c{workers}")
        with cluster(workers, processes=True) as client:
            tilewright.matmul(files.a, files.b, out, memory_limit=LIMIT, engine=client)
        assert is_right(files, out)
        bits.add(out[...].tobytes())

    assert len(bits) == 1


def test_dot_and_sums_of_pairs(files, client):
    """Of matrices, as on one machine."""
    tilewright.dot(files.a, files.b, files.c, memory_limit=LIMIT, engine=client)
    assert is_right(files)
    reduced = poisoned(files.folder, "reduced", (M // 2, N // 2))
    tilewright.reduced_matmul(files.a, files.b, reduced, memory_limit=LIMIT, engine=client)

    a, b = files.a[...].astype("f8"), files.b[...].astype("f8")
    assert numpy.abs(reduced[...] - (a[0::2] + a[1::2]) @ (b[:, 0::2] + b[:, 1::2])).max() < 1e-3


def test_a_run_of_one_machine_is_continued(files, client):
    """From its journal: tiles that are in it are not computed again, and one that was damaged is."""
    computed = []
    multiply = host_tiles.multiply_tiles

    def noted(a, b, out, plan, numbers, **how):
        computed.extend(numbers)
        return multiply(a, b, out, plan, numbers, **how)

    def stop(done, _):
        if done == 9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tilewright.matmul(files.a, files.b, files.c, memory_limit=LIMIT, device="host", progress=stop)
    kept = set(journal_of(files.c))
    assert kept
    files.c[0, 0] = 99
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tile_task, "multiply_tiles", noted)
        tilewright.matmul(files.a, files.b, files.c, memory_limit=LIMIT, engine=client, resume=True)

    assert is_right(files)
    assert set(computed) == set(journal_of(files.c)) - (kept - {0})
    assert len(computed) == len(set(computed))


def test_two_writers_are_refused(files, client):
    """The lock is that of one machine, and free afterwards."""
    with (
        locked(files.folder / "c.zarr.tilewright", "out"),
        pytest.raises(tilewright.StoreError, match="being written by another process"),
    ):
        tilewright.matmul(files.a, files.b, files.c, memory_limit=LIMIT, engine=client)
    assert numpy.isnan(files.c[...]).all()
    tilewright.matmul(files.a, files.b, files.c, memory_limit=LIMIT, engine=client)
    assert is_right(files)


def test_a_full_disk_of_a_worker(files, client, monkeypatch):
    """Its number comes to the caller, what was whole stays, and the next run continues."""
    write, count = ZarrStore._write, [0]

    def full(store, region, tile):
        count[0] += 1
        if count[0] > 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(store, region, tile)

    with monkeypatch.context() as patch:
        patch.setattr(ZarrStore, "_write", full)
        with pytest.raises(tilewright.StoreError, match=r"c\.zarr\) cannot be written in rows .*: No space") as caught:
            tilewright.matmul(files.a, files.b, files.c, memory_limit=LIMIT, engine=client)
    assert caught.value.errno == errno.ENOSPC
    for number in journal_of(files.c):
        assert number in range(9)
    tilewright.matmul(files.a, files.b, files.c, memory_limit=LIMIT, engine=client, resume=True)
    assert is_right(files)


def test_a_corrupt_chunk_is_named(files, client, monkeypatch):
    """By the worker that read it; the file is mended, and the product ends."""
    monkeypatch.setattr(ZarrStore, "fingerprint", lambda store: len(store.name))  # which would find it before
    chunk = files.folder / "a.zarr" / "c" / "4" / "3"
    good, times = chunk.read_bytes(), chunk.stat()
    chunk.write_bytes(good[:40])

    with pytest.raises(
        tilewright.StoreError, match=r"A \(.*a\.zarr\) cannot be read in rows 160 to 199 and columns 120 to 159: "
    ):
        tilewright.matmul(files.a, files.b, files.c, memory_limit=LIMIT, engine=client)
    chunk.write_bytes(good)
    os.utime(chunk, ns=(times.st_atime_ns, times.st_mtime_ns))
    tilewright.matmul(files.a, files.b, files.c, memory_limit=LIMIT, engine=client)
    assert is_right(files)


def test_a_task_that_outlives_its_run_writes_nothing(files, client):
    """As one on a worker that lost its scheduler, while the next run is at work."""
    tasks = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(product, "check_workers", lambda *given: tasks.append(given[2]))
        tilewright.matmul(files.a, files.b, files.c, memory_limit=LIMIT, engine=client)
    files.c[...] = numpy.nan

    with pytest.raises(tilewright.PlanError, match=r"has tilewright .*, and the caller's process 0\.0\.1"):
        tile_task.multiply_tile(replace(tasks[0], version="0.0.1"), 0)
    with pytest.raises(tilewright.StoreError, match="no longer writes"):
        tile_task.multiply_tile(tasks[0], 0)
    assert numpy.isnan(files.c[...]).all()


def test_what_workers_do_not_see_is_told(files, client, monkeypatch):
    """Another version, other elements behind the same path, or no such path; nothing is written."""

    def refused(said, **reported):
        def report(*_):
            return tile_task.WorkerReport(**{"version": tilewright.__version__, **reported})

        with monkeypatch.context() as patch:
            patch.setattr(product, "report", report)
            with pytest.raises(tilewright.PlanError, match=said):
                tilewright.matmul(files.a, files.b, files.c, memory_limit=LIMIT, engine=client)

    refused(r"has tilewright 0\.0\.1, and this process", version="0.0.1")
    refused(r"cannot do this product: A is not there\.$", problem="A is not there")
    tasks = []
    with monkeypatch.context() as patch:
        patch.setattr(product, "check_workers", lambda *given: tasks.append(given[2]))
        tilewright.matmul(files.a, files.b, files.c, memory_limit=LIMIT, engine=client)
    folder = tasks[0].folder
    (files.folder / "c.zarr.tilewright" / "run").write_text(tasks[0].run)
    samples = store_of(files.a, "A").fingerprint(), store_of(files.b, "B").fingerprint()
    assert tile_task.report(tasks[0], samples).problem is None
    assert "other elements there" in str(tile_task.report(tasks[0], (1, 2)).problem)
    (files.folder / "a.zarr").rename(files.folder / "elsewhere.zarr")
    assert "does not exist" in str(tile_task.report(tasks[0], samples).problem)
    assert folder == str(files.folder / "c.zarr.tilewright")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"engine": 4}, "engine is 4 of type int, and a distributed.Client"),
        ({"engine": "tcp://localhost:8786"}, "a distributed.Client of the caller's is accepted"),
        ({"out": None}, "give one"),
        ({"b": "array"}, "is in this process's memory"),
        ({"out": "array"}, "is in this process's memory"),
        ({"out": "hdf5"}, "one process at a time writes"),
        ({"device": "gpu"}, "no worker has declared one"),
        ({"device": "cuda:1"}, "'auto', 'host' or 'gpu' is accepted"),
        ({"alpha": 2}, "takes no alpha"),
        ({"memory_limit": 10}, "smallest tiles"),
        ({"memory_limit": "4 bananas"}, "memory_limit is"),
        ({"resume": False, "progress": 3}, "progress is"),
    ],
)
def test_refusals(files, client, how, said):
    """Before anything runs, in one sentence."""
    made = {"array": numpy.ones((K_ROWS, N), "f4") if how.get("b") else numpy.ones((M, N), "f4")}
    if how.get("out") == "hdf5":
        h5py = pytest.importorskip("h5py", reason="h5py is not installed")
        made["hdf5"] = h5py.File(files.folder / "c.h5", "w").create_dataset("c", (M, N), "f4")
    given = {"b": files.b, "out": files.c, "engine": client, "memory_limit": LIMIT}
    given |= {name: made.get(value, value) if isinstance(value, str) else value for name, value in how.items()}
    with pytest.raises(tilewright.PlanError, match=said):
        tilewright.matmul(files.a, **given)
    assert numpy.isnan(files.c[...]).all()


K_ROWS = 300


def test_a_dot_product_of_vectors_needs_no_cluster(files, client):
    """It is one tile."""
    x = stored_vector(files.folder)
    with pytest.raises(tilewright.PlanError, match="one tile"):
        tilewright.dot(x, x, out=numpy.empty((), "f4"), engine=client)


def stored_vector(folder):
    """A vector as a memory map."""
    made = numpy.lib.format.open_memmap(folder / "x.npy", "w+", "f4", (50,))
    made[...] = 1
    return made
