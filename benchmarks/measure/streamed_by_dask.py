"""Products by four Dask workers of this machine, with and without a worker that is killed, and by one and two workers.

    python -m benchmarks.measure.bench_streamed dask --side 8000 --memory-limit 512MiB --rounds 10

Each round is a product that nothing disturbs and one during which a worker is killed (SIGKILL) at a random moment; its
nanny starts another. The output is full of NaN before each, and all of its bytes are compared afterwards.
"""

from __future__ import annotations

import hashlib
import logging
import os
import random
import shutil
import signal
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy

from benchmarks import record
from benchmarks.measure.bench_streamed import CHUNK, error, make

WORKERS = 4
LEAST_TILES = 10
"""The tiles before a kill from which a run's pace is taken."""
HOW = (
    "C = A B for float32 from zarr to zarr by Dask workers of this machine, each a process of one thread with a nanny: "
    "one, two and four workers (part: workers), then rounds of four workers undisturbed (part: plain) and with one "
    "killed by SIGKILL at a random moment (part: killed), in turns, each with a cluster of its own. seconds: of "
    "tilewright.matmul alone, without the start of the cluster, with all reading, writing and syncing. killed_at: "
    "seconds after the start, killed_after_tiles: of all, a share that was drawn. "
    "is_right: all bytes are those of the first product, whose error is against float64: the "
    "greatest |C - reference| of 64 rows, by the greatest sum of |A||B|. task_seconds: the sum of the tasks' own "
    "times, stalled_seconds: of their waits for input. tiles_by_process: how many tiles each process delivered. The "
    "machine has fewer cores than workers, and others use them, too: load_before. ratios_to_own_pace: seconds by those "
    "that the run would have taken at its pace before the kill, which is under the same load."
)


def by_dask(side: int, memory_limit: str, rounds: int, where: Path | None, out: Path | None) -> None:
    """Products with 1, 2 and 4 workers, then rounds with and without a kill; the rows as JSON."""
    folder, rows = Path(tempfile.mkdtemp(prefix="tilewright-bench-", dir=where)), []
    try:
        make(folder, side, None)
        for workers in (1, 2, 4):
            rows.append({"part": "workers", **_product(folder, side, memory_limit, workers)})
            print(rows[-1], flush=True)
        first = rows[0]["bits"]
        for number in range(rounds):
            for part in ("plain", "killed") if number % 2 == 0 else ("killed", "plain"):
                row = _product(folder, side, memory_limit, WORKERS, kills=part == "killed")
                row = {"part": part, "round": number, **row}
                rows.append(row)
                print(row, flush=True)
    finally:
        shutil.rmtree(folder)
    for row in rows:
        row["is_right"] = row["bits"] == first and rows[0]["error"] < 1e-6
    found = summary(rows)
    print(found)
    packages = {name: record.package_version(name) for name in ("zarr", "dask", "distributed")}
    path = out or record.RESULTS / "streamed_by_dask.json"
    record.write(path, HOW, rows, memory_limit=memory_limit, side=side, chunk=CHUNK, **found, **packages)


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Times with a kill by those without, and by what the same run would have taken at its pace before the kill."""
    seconds = {part: [row["seconds"] for row in rows if row["part"] == part] for part in ("plain", "killed")}
    paces = [
        row["seconds"] / (row["killed_at"] / row["killed_after_tiles"] * row["tiles"])
        for row in rows
        if row.get("killed_after_tiles", 0) >= LEAST_TILES
    ]
    pairs = [killed / plain for killed, plain in zip(seconds["killed"], seconds["plain"], strict=True)]
    return {
        "ratio_of_medians": statistics.median(seconds["killed"]) / statistics.median(seconds["plain"]),
        "greatest_ratio_to_median": max(seconds["killed"]) / statistics.median(seconds["plain"]),
        "ratios_in_rounds": pairs,
        "ratios_to_own_pace": paces,
        "all_right": all(row["is_right"] for row in rows),
        "kills": sum(row.get("killed_at") is not None for row in rows),
    }


def _product(folder: Path, side: int, memory_limit: str, workers: int, *, kills: bool = False) -> dict[str, Any]:
    """One product over NaN by a cluster of its own; if it ``kills``, a worker dies at a random moment of it."""
    import distributed
    import zarr

    from tilewright.call.streamed.clusters.engine import Engine
    from tilewright.call.streamed.clusters.product import check_clustered, run_on_cluster

    a, b = (zarr.open_array(folder / f"{name}.zarr", mode="r") for name in ("a", "b"))
    c = zarr.open_array(folder / "c.zarr", mode="r+")
    for first in range(0, side, CHUNK):
        c[first : first + CHUNK] = numpy.nan
    how: dict[str, Any] = {"n_workers": workers, "threads_per_worker": 1, "memory_limit": "2GiB"}
    cluster_of: Any = distributed.LocalCluster
    client_of: Any = distributed.Client
    row: dict[str, Any] = {"workers": workers, "load_before": os.getloadavg()[0]}
    with (
        cluster_of(**how, dashboard_address=":0", silence_logs=logging.CRITICAL) as cluster,
        client_of(cluster) as client,
    ):
        client.wait_for_workers(workers)
        asked, engine = check_clustered("matmul", a, b, c, {}), Engine(client)
        processes = list(client.run(os.getpid).values())
        drawn, process, started = random.random(), random.choice(processes), time.perf_counter()  # noqa: S311

        def report(done: int, everything: int) -> None:
            """Kill after a share of the tiles that was drawn, and some of the time that a tile takes."""
            if kills and "killed" not in row and done >= 0.9 * drawn * everything:
                since = time.perf_counter() - started
                row.update({"killed": process, "killed_after_tiles": done, "killed_at": since})
                threading.Timer(random.random() * since / done, os.kill, (process, signal.SIGKILL)).start()  # noqa: S311

        run = run_on_cluster(asked, engine, memory_limit, device="host", progress=report)
        row |= {"load_after": os.getloadavg()[0]}
    row |= {"seconds": run.seconds, "tiles": len(run.tiles), "task_seconds": sum(each.seconds for each in run.tiles)}
    row |= {"stalled_seconds": sum(each.stalled_seconds for each in run.tiles)}
    delivered: dict[str, int] = {}
    for each in run.tiles:
        delivered[each.process.rpartition(":")[2]] = delivered.get(each.process.rpartition(":")[2], 0) + 1
    return row | {"tiles_by_process": delivered, "error": error(a, b, c), "bits": _bits(c, side)}


def _bits(c: Any, side: int) -> str:
    """A digest of all elements."""
    found = hashlib.sha256()
    for first in range(0, side, CHUNK):
        found.update(numpy.ascontiguousarray(c[first : first + CHUNK]).tobytes())
    return found.hexdigest()
