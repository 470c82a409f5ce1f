"""Products that stream beside the same products in memory, in turns.

    python -m benchmarks.measure.bench_streamed host --side 24000 --memory-limit 1GiB --rounds 1
    python -m benchmarks.measure.bench_streamed gpu --gigabytes 90 --memory-limit 16GiB
    python -m benchmarks.measure.bench_streamed dask --side 8000 --memory-limit 512MiB --rounds 10

host: float32 from zarr to zarr by NumPy's BLAS, beside `numpy.matmul` of the same matrices in memory. Each product runs
in a process of its own, one after the other; reading the matrices into memory is not counted for NumPy, and all reading
and writing is counted for what streams. gpu: see `streamed_on_gpu.py`.
dask: see `streamed_by_dask.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy

from benchmarks import record

CHUNK = 1000
HOW = (
    "C = A B for float32 from zarr to zarr within the memory limit (tilewright), and numpy.matmul of the same matrices "
    "in memory (numpy), each in a process of its own, in turns. seconds: of the product; for tilewright with all "
    "reading, writing and syncing. stalled_seconds: waits for input, those for the first panels included. peak_bytes: "
    "the most of the process's memory; before_bytes: before the product. error: the greatest |C - reference| of 64 "
    "rows, in float64, by the greatest sum of |A||B|."
)


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=("host", "gpu", "dask", "one"))
    parser.add_argument("--side", type=int, default=8000)
    parser.add_argument("--memory-limit", default="1GiB")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--gigabytes", type=float, default=90)
    parser.add_argument("--shapes", nargs="+", choices=("link", "compute"), default=["link", "compute"])
    parser.add_argument("--devices", nargs="+", default=["cuda:0"], help="GPUs: ours on the first, and on all")
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--compressors", default="auto", help="auto: zarr's own; none")
    parser.add_argument("--who", default="")
    parser.add_argument("--out", type=Path, default=None)
    given = parser.parse_args()
    if given.part == "one":
        print(json.dumps(one(given.who, given.folder, given.memory_limit)))
    elif given.part == "host":
        on_host(given)
    elif given.part == "dask":
        from benchmarks.measure.streamed_by_dask import by_dask

        by_dask(given.side, given.memory_limit, given.rounds, given.folder, given.out)
    else:
        from benchmarks.measure.streamed_on_gpu import on_gpu

        on_gpu(given.gigabytes, given.memory_limit, given.out, given.devices, given.shapes)


def on_host(given: argparse.Namespace) -> None:
    """Products of both in turns, each in its own process; the rows as JSON."""
    folder, rows = Path(tempfile.mkdtemp(prefix="tilewright-bench-", dir=given.folder)), []
    try:
        make(folder, given.side, None if given.compressors == "none" else given.compressors)
        for number in range(given.rounds):
            for who in ("numpy", "tilewright") if number % 2 == 0 else ("tilewright", "numpy"):
                command = [sys.executable, "-m", "benchmarks.measure.bench_streamed", "one", "--who", who]
                command += ["--folder", str(folder), "--memory-limit", given.memory_limit]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                row = {"round": number, "who": who, "side": given.side, **json.loads(done.stdout.splitlines()[-1])}
                rows.append(row)
                print(row, flush=True)
    finally:
        shutil.rmtree(folder)
    times = {who: min(row["seconds"] for row in rows if row["who"] == who) for who in ("numpy", "tilewright")}
    ratio = times["tilewright"] / times["numpy"]
    print(f"tilewright / numpy: {ratio:.3f}")
    path = given.out or record.RESULTS / f"streamed_host_{given.side}.json"
    packages = {name: record.package_version(name) for name in ("zarr",)}
    record.write(
        path,
        HOW,
        rows,
        memory_limit=given.memory_limit,
        compressors=given.compressors,
        ratio_of_shortest=ratio,
        **packages,
    )


def make(folder: Path, side: int, compressors: Any) -> None:
    """Write random matrices and an output full of NaN."""
    import zarr

    how: dict[str, Any] = {"shape": (side, side), "dtype": "f4", "chunks": (CHUNK, CHUNK), "compressors": compressors}
    generator = numpy.random.default_rng(time.time_ns())
    for name in ("a", "b"):
        array = zarr.create_array(folder / f"{name}.zarr", **how)
        for first in range(0, side, CHUNK):
            last = min(first + CHUNK, side)
            array[first:last] = generator.standard_normal((last - first, side), dtype="f4")
    zarr.create_array(folder / "c.zarr", **how, fill_value=numpy.nan)


def one(who: str, folder: Path, memory_limit: str) -> dict[str, Any]:
    """One product, in this process."""
    import zarr

    a, b = (zarr.open_array(folder / f"{name}.zarr", mode="r") for name in ("a", "b"))
    c = zarr.open_array(folder / "c.zarr", mode="r+")
    row: dict[str, Any] = {"load_before": os.getloadavg()[0]}
    if who == "numpy":
        left, right = a[:], b[:]
        started, cpu = time.perf_counter(), time.process_time()
        result = numpy.matmul(left, right)
        row |= {"seconds": time.perf_counter() - started, "cpu_seconds": time.process_time() - cpu}
        return row | {"error": error(left, b, result)}
    from tilewright.call.streamed.product import explain_streamed, run_streamed
    from tilewright.call.streamed.request import check_streamed

    plan = explain_streamed("matmul", a, b, c, memory_limit=memory_limit, device="host")
    before = peak()
    started, cpu = time.perf_counter(), time.process_time()
    timing = run_streamed(check_streamed("matmul", a, b, c, {}), memory_limit, device="host")
    row |= {"seconds": time.perf_counter() - started, "cpu_seconds": time.process_time() - cpu, "before_bytes": before}
    row |= {"peak_bytes": peak(), "stalled_seconds": timing.stalled_seconds, "first_seconds": timing.first_seconds}
    row |= {"stalled_share": timing.stalled_seconds / timing.seconds, "writing_seconds": timing.writing_seconds}
    row |= {"flushing_seconds": timing.flushing_seconds, "tile": plan.tile, "step": plan.step}
    row |= {"planned_host_bytes": plan.peak_bytes["host"], "read_bytes": plan.read_bytes}
    return row | {"error": error(a, b, c)}


def error(a: Any, b: Any, c: Any) -> float:
    """The greatest error of 64 rows across 500 columns, by the greatest sum of |A||B| there."""
    rows, columns = slice(0, 64), slice(0, 500)
    left, right = numpy.asarray(a[rows], "f8"), numpy.asarray(b[:, columns], "f8")
    difference = numpy.abs(c[rows, columns] - left @ right)
    assert not numpy.isnan(difference).any()
    return float(difference.max() / (numpy.abs(left) @ numpy.abs(right)).max())


def peak() -> int:
    """The most memory that this process had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
