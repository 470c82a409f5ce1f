"""Tiles of C on GPUs: panels cross the link while the ones before are multiplied, and finished tiles cross back.

A thread fills pinned buffers strip by strip and queues their copies; the panels' buffers on the GPU are two for each
operand. Products are added in the order of k by kernels whose C operand is the tile itself. While one tile goes back
and is written, in a third thread, the next is computed in another buffer. Several GPUs draw tiles from one list.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import product
from typing import Any

import numpy

from tilewright.arrays.cuda_array import CudaArray, packed_strides
from tilewright.arrays.stores.store import Store, cut, strips
from tilewright.call.cuda_product import accumulating_run, planned_run
from tilewright.choose import PlanError
from tilewright.choose.quantities import in_words
from tilewright.choose.streamed import OUT_RING, RING, StreamedPlan
from tilewright.launch.cuda.device import CudaDevice, cuda_device
from tilewright.launch.cuda.link import Link, Pinned

from .host_tiles import write_strip
from .panels import load_panel
from .prefetch import Filled, Prefetch, Step
from .request import Streamed
from .tile_steps import Done, Timing, steps_of

MOST_COPIERS = 8
"""The most threads that copy a strip from the host's memory to a pinned buffer."""


def multiply_on_gpus(
    asked: Streamed,
    plan: StreamedPlan,
    numbers: list[int],
    ordinals: tuple[int, ...],
    precision: str,
    done: Done | None,
    stepped: Callable[[], object],
) -> Timing:
    """Compute tiles of C, each on the GPU that is free first, and write them; what was measured, in sums.

    Raises:
        StoreError: a store cannot be read or written.
        DeviceUnavailableError, MachineError, OutOfMemoryError: a GPU refuses.
        PlanError: a kernel's working memory does not fit in the limit.
    """
    drawn = _Drawn(numbers)
    started = time.perf_counter()
    with ThreadPoolExecutor(len(ordinals), "tilewright-gpu") as pool:
        running = [
            pool.submit(_Gpu(asked, plan, cuda_device(ordinal), precision, done, stepped).multiply, drawn)
            for ordinal in ordinals
        ]
        timings = []
        for future in running:
            try:
                timings.append(future.result())
            except BaseException:
                drawn.stop()  # the other GPUs finish the tiles that they have
                raise
    found = Timing(seconds=time.perf_counter() - started, tiles=sum(each.tiles for each in timings))
    found.stalled_seconds = sum(each.stalled_seconds for each in timings)
    found.first_seconds = max((each.first_seconds for each in timings), default=0.0)
    found.writing_seconds = sum(each.writing_seconds for each in timings)
    return found


class _Drawn:
    """The numbers of tiles, which several threads draw."""

    def __init__(self, numbers: list[int]) -> None:
        self._numbers, self._turn = iter(numbers), threading.Lock()
        self._is_stopped = False

    def stop(self) -> None:
        """Give out no more."""
        self._is_stopped = True

    def __iter__(self) -> Iterator[int]:
        while True:
            with self._turn:
                number = None if self._is_stopped else next(self._numbers, None)
            if number is None:
                return
            yield number


class _Gpu:
    """One GPU's part of a product."""

    def __init__(
        self,
        asked: Streamed,
        plan: StreamedPlan,
        device: CudaDevice,
        precision: str,
        done: Done | None,
        stepped: Callable[[], object],
    ) -> None:
        self._asked, self._plan, self._device, self._precision = asked, plan, device, precision
        self._done, self._stepped = done, stepped
        self._element = asked.panel_element("gpu")
        is_own = self._element.itemsize == 2
        self._dtype = asked.dtype if is_own else self._element.name
        self._timing = Timing()
        self._turn = threading.Lock()

    def multiply(self, numbers: _Drawn) -> Timing:
        """Compute the tiles that are drawn."""
        plan, k = self._plan, min(self._plan.step, max(1, self._plan.problem.sizes[2]))
        (rows, columns), started = plan.tile, time.perf_counter()
        size, sums = self._element.itemsize, numpy.dtype(self._asked.sum_dtype).itemsize
        count, tiles = 1 if plan.step_count * plan.tile_count <= 1 else 2, min(2, plan.tile_count)
        self._device.check_process()
        with self._device.entered(), Link(self._device) as link:
            self._link = link
            self._panels = {
                "A": [link.allocate(rows * k * size) for _ in range(count)],
                "B": [link.allocate(k * columns * size) for _ in range(count)],
            }
            self._tiles = [link.allocate(rows * columns * sums) for _ in range(tiles)]
            self._working = self._workspace(link)
            self._ring = Pinned(link, RING, plan.ring_bytes)
            self._out_ring = Pinned(link, OUT_RING, plan.strip_rows * columns * sums)
            self._filled = {operand: [link.event() for _ in range(count)] for operand in "AB"}
            self._read = {operand: [link.event() for _ in range(count)] for operand in "AB"}
            self._summed = [link.event() for _ in range(tiles)]
            cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
            with (
                ThreadPoolExecutor(max(1, min(MOST_COPIERS, cores - 1)), "tilewright-copier") as self._copiers,
                ThreadPoolExecutor(1, "tilewright-writer") as writer,
                Prefetch(steps_of(plan, numbers), self._fill, count) as prefetch,
            ):
                self._multiplied(prefetch, writer, tiles)
            link.finish()
        self._timing.stalled_seconds, self._timing.first_seconds = prefetch.stalled_seconds, prefetch.first_seconds
        self._timing.seconds = time.perf_counter() - started
        return self._timing

    def _multiplied(self, prefetch: Prefetch, writer: ThreadPoolExecutor, tiles: int) -> None:
        written: list[Future[None] | None] = [None] * tiles
        turn = 0
        for filled in prefetch.filled():
            step = filled.step
            if step.is_first:
                before = written[turn]
                if before is not None:  # the tile that was here has gone back
                    before.result()
            self._launch(filled, self._tiles[turn])
            if step.is_last:
                self._link.record(self._summed[turn], self._link.work)
            prefetch.finished()
            self._stepped()
            if step.is_last:
                written[turn] = writer.submit(self._write, step, turn)
                turn = (turn + 1) % tiles
        for future in written:
            if future is not None:
                future.result()

    def _launch(self, filled: Filled, tile: int) -> None:
        """Queue the product of two panels behind their copies."""
        link, step = self._link, filled.step
        for operand, buffer, is_new in (("A", filled.a, filled.is_new[0]), ("B", filled.b, filled.is_new[1])):
            if is_new:
                link.wait(link.work, self._filled[operand][buffer])
        a, b, c = self._arrays(step, self._panels["A"][filled.a], self._panels["B"][filled.b], tile)
        if step.along.start == step.along.stop:
            link.call("cuMemsetD8Async", tile, 0, c.size * numpy.dtype(c.dtype).itemsize, link.work)
            return
        run = (planned_run if step.is_first else accumulating_run)(a, b, c, self._device, self._precision)
        run.run((a.address, b.address, tile, 0 if step.is_first else tile, 0, self._working), link.work)
        for operand, buffer in (("A", filled.a), ("B", filled.b)):
            link.record(self._read[operand][buffer], link.work)

    def _arrays(self, step: Step, a: int, b: int, c: int) -> tuple[CudaArray, CudaArray, CudaArray]:
        m, n = step.rows.stop - step.rows.start, step.columns.stop - step.columns.start
        k = step.along.stop - step.along.start
        return self._array(a, (m, k), self._dtype), self._array(b, (k, n), self._dtype), self._array(c, (m, n), None)

    def _array(self, address: int, shape: tuple[int, int], dtype: str | None) -> CudaArray:
        dtype = self._asked.sum_dtype if dtype is None else dtype
        return CudaArray(address, shape, packed_strides(shape), dtype, self._device.ordinal, None)

    def _workspace(self, link: Link) -> int:
        """Working memory for the products of all extents, which are planned and compiled here."""
        plan, (m, n, k), needed = self._plan, self._plan.problem.sizes, 0
        spans = [_extents(extent, size) for extent, size in ((m, plan.tile[0]), (n, plan.tile[1]), (k, plan.step))]
        for rows, columns, along in product(*spans):
            for is_first in (True, False)[: 1 if plan.step_count == 1 else 2]:
                step = Step(0, slice(0, rows), slice(0, columns), slice(0, along), is_first, is_last=False)
                a, b, c = self._arrays(step, self._panels["A"][0], self._panels["B"][0], self._tiles[0])
                run = (planned_run if is_first else accumulating_run)(a, b, c, self._device, self._precision)
                needed = max(needed, run.workspace_bytes)
        takes = plan.peak_bytes["gpu"] + needed - plan.reserved_bytes
        if takes > plan.memory_limit_bytes:
            raise PlanError(
                f"memory_limit is {in_words(plan.memory_limit_bytes)}, and the kernels' working memory makes this "
                f"product take {in_words(takes)} of the GPU's; allow as much."
            )
        return link.allocate(needed) if needed else 0

    def _fill(self, operand: str, buffer: int, step: Step) -> None:
        """Copy a panel to the GPU, strip by strip, behind the product that reads the buffer's last panel."""
        link, pairs = self._link, self._plan.problem.pairs == 2
        store, rows, columns = (
            (self._asked.a, step.rows, step.along) if operand == "A" else (self._asked.b, step.along, step.columns)
        )
        axis = None if not pairs else 0 if operand == "A" else 1
        row_bytes = (columns.stop - columns.start) * self._element.itemsize
        with self._device.entered():
            link.wait(link.there, self._read[operand][buffer])
            for strip in strips(rows, store.chunks if axis != 0 else None, self._plan.strip_bytes, row_bytes):
                nbytes = (strip.stop - strip.start) * row_bytes
                turn = self._ring.turn()
                part = self._ring.buffer(turn, nbytes).view(self._element)
                self._load(store, strip, columns, part.reshape(strip.stop - strip.start, -1), axis)
                address = self._panels[operand][buffer] + (strip.start - rows.start) * row_bytes
                self._ring.to_gpu(turn, address, nbytes)
            link.record(self._filled[operand][buffer], link.there)

    def _load(self, store: Store, rows: slice, columns: slice, into: Any, axis: int | None) -> None:
        if not into.size:
            return
        if store.path is not None:
            load_panel(store, rows, columns, into, self._plan.strip_bytes, axis)
            return
        height = -(-(rows.stop - rows.start) // MOST_COPIERS)
        parts = [slice(first, min(first + height, rows.stop)) for first in range(rows.start, rows.stop, height)]
        targets = [into[part.start - rows.start : part.stop - rows.start] for part in parts]
        for future in [
            self._copiers.submit(load_panel, store, part, columns, target, self._plan.strip_bytes, axis)
            for part, target in zip(parts, targets, strict=True)
        ]:
            future.result()

    def _write(self, step: Step, turn: int) -> None:
        """Copy a finished tile back and write it: one strip crosses the link while the one before is written."""
        link, out, started = self._link, self._asked.out, time.perf_counter()
        element = numpy.dtype(self._asked.sum_dtype)
        row_bytes = (step.columns.stop - step.columns.start) * element.itemsize
        checks, checksum, waiting = self._done is not None, 0, None
        with self._device.entered():
            link.wait(link.back, self._summed[turn])
            for strip in [*cut_rows(step.rows, self._plan.strip_rows), None]:
                ahead = None
                if strip is not None:
                    number, nbytes = self._out_ring.turn(), (strip.stop - strip.start) * row_bytes
                    self._out_ring.to_host(
                        number, self._tiles[turn] + (strip.start - step.rows.start) * row_bytes, nbytes
                    )
                    ahead = strip, number, nbytes
                if waiting is not None:
                    rows, number, nbytes = waiting
                    self._out_ring.wait(number)
                    part = self._out_ring.buffer(number, nbytes).view(element).reshape(rows.stop - rows.start, -1)
                    checksum = write_strip(out, rows, step.columns, part, checksum, checks=checks)
                waiting = ahead
        with self._turn:
            self._timing.tiles += 1
            self._timing.writing_seconds += time.perf_counter() - started
        if self._done is not None:
            self._done(step.number, checksum)


def cut_rows(rows: slice, height: int) -> list[slice]:
    """Rows in parts of a height, of which each begins a chunk: a tile's rows do, and so does each multiple."""
    shifted = cut(slice(0, rows.stop - rows.start), height)
    return [slice(rows.start + part.start, rows.start + part.stop) for part in shifted]


def _extents(extent: int, size: int) -> set[int]:
    """The extents of the parts of ``size``."""
    return {min(size, extent), extent % size or min(size, extent)} if extent else {0}
