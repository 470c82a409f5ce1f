"""Tiles of C on GPUs: panels cross the link while the ones before are multiplied, and finished tiles cross back.

A thread for each operand brings its next panels (one for both where pinned panels of each step are new); the panels'
buffers on the GPU are two or three for each. Products are added in the order of k by kernels whose C operand is the
tile itself; where k is one step, the kernel rounds to C's type. While one tile goes back and is written, the next is
computed in another buffer. Several GPUs draw tiles from one list.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy

from tilewright.arrays.cuda_array import CudaArray, packed_strides
from tilewright.call.cuda_product import accumulating_run, planned_run
from tilewright.choose import PlanError
from tilewright.choose.quantities import in_words
from tilewright.choose.streamed import StreamedPlan
from tilewright.launch.cuda.device import CudaDevice, cuda_device
from tilewright.launch.cuda.link import Link

from .copiers import Copiers
from .crossing import PanelsThere, Summed, TilesBack, copiers_of, cut_rows
from .prefetch import Filled, Prefetch, Step
from .request import Streamed
from .tile_steps import Done, Timing, steps_of

MOST_AHEAD = 16
"""How many steps ahead panels are looked for: one that many steps share is brought while they pass."""
LAST_PARTS = 4
"""Parts of a tile that its last step of several makes one after the other: one goes back while the next is computed."""
LEAST_PART_ROWS = 2048
"""The least rows of such a part, so that its product fills the GPU; the rows are whole tiles of kernels if they can."""


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
    if not numbers:
        return Timing()
    drawn = _Drawn(numbers, len(ordinals), _least_to_take(plan))
    # A GPU that looks far ahead draws tiles that another could compute: no more than a part of its share.
    ahead = max(2, min(MOST_AHEAD, len(numbers) // (4 * len(ordinals))))
    started = time.perf_counter()
    gpus = [_Gpu(asked, plan, cuda_device(ordinal), precision, done, stepped) for ordinal in ordinals]
    readers, writers = copiers_of(asked)
    with readers, writers, ThreadPoolExecutor(len(gpus), "tilewright-gpu") as pool:
        try:
            running = [pool.submit(gpu.multiply, drawn.of(at), ahead, readers, writers) for at, gpu in enumerate(gpus)]
            wait(running, return_when=FIRST_EXCEPTION)
            for future in running:
                if future.done():
                    future.result()
        except BaseException:
            drawn.stop()  # the other GPUs finish the tiles that they have
            raise
        timings = [future.result() for future in running]
    found = Timing(seconds=time.perf_counter() - started, tiles=sum(each.tiles for each in timings))
    found.stalled_seconds = sum(each.stalled_seconds for each in timings)
    found.first_seconds = max((each.first_seconds for each in timings), default=0.0)
    found.writing_seconds = sum(each.writing_seconds for each in timings)
    return found


def _least_to_take(plan: StreamedPlan) -> int:
    """How many tiles another GPU must have left for one to be taken: they may share a panel that has to come."""
    (rows, columns), (m, n, k) = plan.tile, plan.problem.sizes
    side, extent = (rows, m) if plan.kept == "A" else (columns, n)
    if not plan.kept or side >= extent or plan.rates.link is None:
        return 1
    panel = plan.rates.link.seconds(side * k * plan.problem.panel_bytes)
    return 2 + int(panel / plan.rates.flops.seconds(2 * rows * columns * max(1, k)))


class _Drawn:
    """The numbers of tiles, which several threads draw: each its share, so that panels stay; then others' last."""

    def __init__(self, numbers: list[int], shares: int, least_to_take: int) -> None:
        self._least_to_take = least_to_take
        ends = [len(numbers) * at // shares for at in range(shares + 1)]
        self._shares = [deque(numbers[first:end]) for first, end in pairwise(ends)]
        self._turn = threading.Lock()
        self._is_stopped = False

    def stop(self) -> None:
        """Give out no more."""
        self._is_stopped = True

    def of(self, at: int) -> Iterator[int]:
        """What one of the threads draws."""
        while True:
            with self._turn:
                own, longest = self._shares[at], max(self._shares, key=len)
                if self._is_stopped or not (own or len(longest) >= self._least_to_take):
                    return
                number = own.popleft() if own else longest.pop()
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
        self._tile_element = self._element if plan.rounds_in_kernel else numpy.dtype(asked.sum_dtype)
        self._tile_dtype = self._dtype if plan.rounds_in_kernel else asked.sum_dtype
        self._timing = Timing()
        self._turn = threading.Lock()

    def multiply(self, numbers: Iterator[int], ahead: int, readers: Copiers, writers: Copiers) -> Timing:
        """Compute the tiles that are drawn."""
        plan, k = self._plan, min(self._plan.step, max(1, self._plan.problem.sizes[2]))
        (rows, columns), started = plan.tile, time.perf_counter()
        size, sums = self._element.itemsize, self._tile_element.itemsize
        count, tiles = plan.buffers, min(2, plan.tile_count)
        self._device.check_process()
        with self._device.entered(), Link(self._device) as link:
            self._link = link
            self._panels = {
                "A": [link.allocate(rows * k * size) for _ in range(count)],
                "B": [link.allocate(k * columns * size) for _ in range(count)],
            }
            self._tiles = [link.allocate(rows * columns * sums) for _ in range(tiles)]
            self._working = self._workspace(link)
            link.call("cuStreamSynchronize", link.work)  # the memory is there for the other streams, too
            self._filled = {operand: [link.event() for _ in range(count)] for operand in "AB"}
            self._read = {operand: [link.event() for _ in range(count)] for operand in "AB"}
            self._summed = [[link.event() for _ in range(LAST_PARTS)] for _ in range(tiles)]
            self._there = PanelsThere(link, self._asked, plan, readers)
            self._back = TilesBack(link, self._asked, plan, self._tile_element, writers)
            fillers: tuple[str, ...] = "A", "B"
            if self._there.are_direct and not plan.kept:
                fillers = ("AB",)
                link.copy_in_order()
            with (
                ThreadPoolExecutor(1, "tilewright-tiles") as writer,
                Prefetch(steps_of(plan, numbers), self._fill, count, fillers, ahead) as prefetch,
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
            summed = self._launch(filled, self._tiles[turn], self._summed[turn])
            prefetch.finished()
            self._stepped()
            if step.is_last:
                written[turn] = writer.submit(self._write, step, self._tiles[turn], summed)
                turn = (turn + 1) % tiles
        for future in written:
            if future is not None:
                future.result()

    def _launch(self, filled: Filled, tile: int, events: list[Any]) -> list[Summed]:
        """Queue the product of two panels behind their copies; the parts of its rows, in the order of their sums."""
        link, step = self._link, filled.step
        for operand, buffer, is_new in (("A", filled.a, filled.is_new[0]), ("B", filled.b, filled.is_new[1])):
            if is_new:
                link.wait(link.work, self._filled[operand][buffer])
        parts = [Summed(rows, event) for rows, event in zip(_parts(step), events, strict=False)]
        for part in parts:
            self._multiply(replace(step, rows=part.rows), filled, tile, part.rows.start - step.rows.start)
            link.record(part.event, link.work)
        for operand, buffer in (("A", filled.a), ("B", filled.b)):
            link.record(self._read[operand][buffer], link.work)
        return parts

    def _multiply(self, step: Step, filled: Filled, tile: int, first: int) -> None:
        """Queue the product of some rows of a panel of A, from the row ``first`` on, and a panel of B."""
        link, k = self._link, step.along.stop - step.along.start
        above_a = first * k * self._element.itemsize
        above_c = first * (step.columns.stop - step.columns.start) * self._tile_element.itemsize
        panels = self._panels["A"][filled.a] + above_a, self._panels["B"][filled.b]
        a, b, c = self._arrays(step, *panels, tile + above_c)
        if k == 0:
            link.call("cuMemsetD8Async", c.address, 0, c.size * self._tile_element.itemsize, link.work)
            return
        run = (planned_run if step.is_first else accumulating_run)(a, b, c, self._device, self._precision)
        run.run((a.address, b.address, c.address, 0 if step.is_first else c.address, 0, self._working), link.work)

    def _arrays(self, step: Step, a: int, b: int, c: int) -> tuple[CudaArray, CudaArray, CudaArray]:
        m, n = step.rows.stop - step.rows.start, step.columns.stop - step.columns.start
        k = step.along.stop - step.along.start
        return self._array(a, (m, k), self._dtype), self._array(b, (k, n), self._dtype), self._array(c, (m, n), None)

    def _array(self, address: int, shape: tuple[int, int], dtype: str | None) -> CudaArray:
        dtype = self._tile_dtype if dtype is None else dtype
        return CudaArray(address, shape, packed_strides(shape), dtype, self._device.ordinal, None)

    def _workspace(self, link: Link) -> int:
        """Working memory for the products of all extents, which are planned and compiled here."""
        plan, (m, n, k), needed = self._plan, self._plan.problem.sizes, 0
        spans = [_extents(extent, size) for extent, size in ((m, plan.tile[0]), (n, plan.tile[1]), (k, plan.step))]
        for rows, columns, along in product(*spans):
            for is_first in (True, False)[: 1 if plan.step_count == 1 else 2]:
                whole = Step(0, slice(0, rows), slice(0, columns), slice(0, along), is_first, is_last=not is_first)
                for part in {(0, rows), *((each.start, each.stop) for each in _parts(whole))}:
                    step = replace(whole, rows=slice(*part))
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
        """Copy a panel to the GPU behind the product that reads the buffer's last panel."""
        link = self._link
        with self._device.entered():
            link.wait(link.there[operand], self._read[operand][buffer])
            self._there.copy(operand, step, self._panels[operand][buffer])
            link.record(self._filled[operand][buffer], link.there[operand])

    def _write(self, step: Step, tile: int, summed: list[Summed]) -> None:
        """Copy a finished tile back and write it."""
        started = time.perf_counter()
        with self._device.entered():
            checksum = self._back.copy(step, tile, summed, checks=self._done is not None)
        with self._turn:
            self._timing.tiles += 1
            self._timing.writing_seconds += time.perf_counter() - started
        if self._done is not None:
            self._done(step.number, checksum)


def _parts(step: Step) -> list[slice]:
    """The rows of a step's product that are computed one after the other: all at once but in the last of several."""
    if step.is_first or not step.is_last:
        return [step.rows]
    unit = max(1, LEAST_PART_ROWS // 8)
    height = -(-(step.rows.stop - step.rows.start) // (LAST_PARTS * unit)) * unit
    return cut_rows(step.rows, max(LEAST_PART_ROWS, height))


def _extents(extent: int, size: int) -> set[int]:
    """The extents of the parts of ``size``."""
    return {min(size, extent), extent % size or min(size, extent)} if extent else {0}
