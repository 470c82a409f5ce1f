"""Clusters of this machine for tests, and matrices that their workers open."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy
import pytest

LIMIT = 400_000
"""The memory limit with which the product of `stored` has several tiles and panels."""
M, N, K = 400, 360, 300
CHUNK = 40


@contextmanager
def cluster(workers: int, *, processes: bool = False, **how: Any) -> Iterator[Any]:
    """A client of workers of one thread each: threads of this process, or processes with nannies.

    Workers that are threads are charged with all memory of this process, for which Dask would pause them. Processes get
    one thread for BLAS from Dask, by this process's own environment; bits are compared for equally many threads, so
    that these have as many as this process.
    """
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    import dask

    unwatched = {f"distributed.worker.memory.{each}": False for each in ("target", "spill", "pause", "terminate")}
    variables = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    as_many_threads = {f"distributed.nanny.pre-spawn-environ.{each}": None for each in variables}
    how = {"threads_per_worker": 1, "memory_limit": "1GiB", **how}
    with (
        dask.config.set(as_many_threads if processes else unwatched),
        distributed.LocalCluster(
            n_workers=workers, processes=processes, dashboard_address=":0", silence_logs=logging.CRITICAL, **how
        ) as made,
        distributed.Client(made) as client,
    ):
        client.wait_for_workers(workers)
        yield client


def stored(folder: Path, name: str, values: Any, chunk: int = CHUNK) -> Any:
    """A zarr array with these values."""
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    array = zarr.create_array(folder / f"{name}.zarr", shape=values.shape, dtype=values.dtype, chunks=(chunk, chunk))
    array[...] = values
    return array


def poisoned(folder: Path, name: str = "c", shape: tuple[int, int] = (M, N), chunk: int = CHUNK) -> Any:
    """A zarr array full of NaN that were written."""
    return stored(folder, name, numpy.full(shape, numpy.nan, "f4"), chunk)
