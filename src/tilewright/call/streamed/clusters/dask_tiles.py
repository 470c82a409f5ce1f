"""Tiles of C from blocks of Dask's arrays: workers compute the blocks as Dask does, and write the tiles as ours."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy

from tilewright.arrays.stores.store import Array
from tilewright.call.streamed.host_tiles import write_tile
from tilewright.call.streamed.request import Streamed
from tilewright.choose.streamed import StreamedPlan

from .dask_arrays import DaskStore, as_dask, blockwise, is_dask
from .run_file import writing
from .tile_task import TileIndex, TileTask, process_name


def as_stores(a: object, b: object) -> tuple[object, object]:
    """Both operands as stores of Dask's if one is a Dask array; else as they are."""
    if not (is_dask(a) or is_dask(b)):
        return a, b
    return DaskStore(as_dask(a, "A"), "A"), DaskStore(as_dask(b, "B"), "B", is_column=True)


def submitter(
    client: Any, asked: Streamed, plan: StreamedPlan, task: TileTask, needs: dict[str, float]
) -> Callable[[int, str], Any]:
    """What gives a tile to the scheduler under a name: the blocks that it needs, their products, and the writing."""
    from dask.delayed import delayed

    assert isinstance(asked.a, DaskStore)
    assert isinstance(asked.b, DaskStore)
    pairs, (rows, columns), step = plan.problem.pairs, plan.tile, max(1, min(plan.step, plan.problem.sizes[2]))
    a = asked.a.array.rechunk({0: rows * pairs, 1: step})
    b = asked.b.array.rechunk({0: step, 1: columns * pairs})
    across = len(b.chunks[1])

    def submit(number: int, key: str) -> Any:
        row, column = divmod(number, across)
        tile = blockwise(asked, a.blocks[row : row + 1], b.blocks[:, column : column + 1])
        made = delayed(write_block, pure=False)(tile, task, number, dask_key_name=key)
        return client.compute(made, resources=needs or None)

    return submit


def write_block(tile: Array, task: TileTask, number: int) -> TileIndex:
    """Write a tile that was computed, and wait until its bytes are on the disk.

    Raises:
        StoreError: the output cannot be written.
        OtherRunError: the run has ended meanwhile.
    """
    started = time.perf_counter()
    with writing(Path(task.folder), task.run):
        out = task.output()
        rows, columns = task.plan.tiles()[number]
        checksum = write_tile(out, rows, columns, numpy.ascontiguousarray(tile), task.plan.strip_bytes)
        out.flush(rows, columns)
    return TileIndex(number, checksum, process_name(), time.perf_counter() - started, 0.0)
