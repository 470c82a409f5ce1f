"""What crosses the link to a GPU: panels of A and B there, finished tiles of C back, through pinned buffers.

A link moves some 50 GB/s, a thread copies some 7 GB/s from ordinary to pinned memory. So matrices in the host's memory
are copied by several threads, none of which waits for another: each takes a pinned buffer, fills it and queues its
copy. Files are read by one thread at a time, as whole chunks; their libraries decode in parallel themselves.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from types import TracebackType
from typing import Any, Self

import numpy

from tilewright.arrays.stores.store import Array, Store, cut, strips
from tilewright.choose.streamed import OUT_RING, RING, StreamedPlan
from tilewright.launch.cuda.link import Link, Pinned

from .host_tiles import write_strip
from .panels import load_panel
from .prefetch import Step
from .request import Streamed

MOST_COPIERS = 8
"""The most threads that copy at a time: with more, an H100's host was slower."""
BUFFERS_EACH = 2
"""Pinned buffers for each thread: one is filled while the other crosses."""


class _Crossing:
    """Threads, and the pinned buffers that they share."""

    def __init__(self, link: Link, ring: int, ring_bytes: int, row_bytes: int, *, is_memory: bool) -> None:
        workers = copier_count() if is_memory else 1
        total, least = ring * ring_bytes, max(1, row_bytes)
        count = max(1, min(BUFFERS_EACH * workers, total // least)) if is_memory else ring
        self._link, self._pinned = link, Pinned(link, count, max(total // count, least))
        self.nbytes = self._pinned.nbytes
        self._pool = ThreadPoolExecutor(workers, f"tilewright-{type(self).__name__}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _all(self, work: Callable[[slice], None], pieces: list[slice]) -> None:
        """Do the work for all pieces. Raises what the first of them to fail raised; those that wait are not begun."""
        running = [self._pool.submit(work, piece) for piece in pieces]
        try:
            for future in running:
                future.result()
        finally:
            for future in running:
                future.cancel()


class PanelsThere(_Crossing):
    """Panels of A and B, from their stores to a GPU's memory."""

    def __init__(self, link: Link, asked: Streamed, plan: StreamedPlan) -> None:
        self._asked, self._plan = asked, plan
        self._element = asked.panel_element("gpu")
        widest = max(min(plan.step, max(1, plan.problem.sizes[2])), plan.tile[1]) * self._element.itemsize
        is_memory = is_plain(asked.a) and is_plain(asked.b)
        super().__init__(link, RING, plan.ring_bytes, widest, is_memory=is_memory)

    def copy(self, operand: str, step: Step, address: int) -> None:
        """Queue the copies of a step's panel on the operand's stream. Raises StoreError, MachineError."""
        store, rows, columns = (
            (self._asked.a, step.rows, step.along) if operand == "A" else (self._asked.b, step.along, step.columns)
        )
        axis = None if self._plan.problem.pairs == 1 else 0 if operand == "A" else 1
        row_bytes = (columns.stop - columns.start) * self._element.itemsize
        link, stream = self._link, self._link.there[operand]

        def piece(part: slice) -> None:
            height = part.stop - part.start
            with link.device.entered(), self._pinned.taken() as number:
                into = self._pinned.buffer(number, height * row_bytes).view(self._element).reshape(height, -1)
                if into.size:
                    load_panel(store, part, columns, into, self.nbytes, axis)
                    to = address + (part.start - rows.start) * row_bytes
                    self._pinned.to_gpu(number, to, height * row_bytes, stream)

        self._all(piece, strips(rows, store.chunks if axis != 0 else None, self.nbytes, row_bytes))


class TilesBack(_Crossing):
    """Finished tiles of C, from a GPU's memory to their store."""

    def __init__(self, link: Link, asked: Streamed, plan: StreamedPlan, element: numpy.dtype[Any]) -> None:
        self._out, self._plan, self._element = asked.out, plan, element
        row_bytes = plan.tile[1] * element.itemsize
        super().__init__(link, OUT_RING, plan.strip_rows * row_bytes, row_bytes, is_memory=is_plain(asked.out))

    def copy(self, step: Step, address: int, *, checks: bool) -> int:
        """Write a tile behind what is queued on ``back``; the checksum of what was written. One call at a time.

        Raises:
            StoreError: it cannot be written.
        """
        if is_plain(self._out):  # of memory nothing outlives the process: there is no checksum to keep
            self._all(lambda part: self._written(part, step, address), self._pieces(step))
            return 0
        return self._in_order(step, address, checks=checks)

    def _written(self, part: slice, step: Step, address: int) -> None:
        with self._link.device.entered(), self._pinned.taken() as number:
            nbytes = self._queued(number, part, step, address)
            self._pinned.wait(number)
            write_strip(self._out, part, step.columns, self._rows(number, nbytes, part), 0, checks=False)

    def _in_order(self, step: Step, address: int, *, checks: bool) -> int:
        """Strip after strip, for a checksum of all: the next one crosses while one is written."""
        checksum: int = 0
        waiting: tuple[slice, int, int] | None = None
        with self._link.device.entered():
            for part, number in zip([*self._pieces(step), None], cycle(range(OUT_RING)), strict=False):
                ahead = None if part is None else (part, number, self._queued(number, part, step, address))
                if waiting is not None:
                    rows, before, nbytes = waiting
                    self._pinned.wait(before)
                    values = self._rows(before, nbytes, rows)
                    checksum = write_strip(self._out, rows, step.columns, values, checksum, checks=checks)
                waiting = ahead
        return checksum

    def _pieces(self, step: Step) -> list[slice]:
        height = self._plan.strip_rows
        if is_plain(self._out):
            height = max(1, self.nbytes // max(1, (step.columns.stop - step.columns.start) * self._element.itemsize))
        return cut_rows(step.rows, height)

    def _queued(self, number: int, part: slice, step: Step, address: int) -> int:
        row_bytes = (step.columns.stop - step.columns.start) * self._element.itemsize
        nbytes = (part.stop - part.start) * row_bytes
        start = address + (part.start - step.rows.start) * row_bytes
        self._pinned.to_host(number, start, nbytes, self._link.back)
        return nbytes

    def _rows(self, number: int, nbytes: int, part: slice) -> Array:
        values: Array = self._pinned.buffer(number, nbytes)
        return values.view(self._element).reshape(part.stop - part.start, -1)


def is_plain(store: Store) -> bool:
    """Whether it lies in the host's memory, where each element has a place of its own."""
    return store.path is None and store.chunks is None and store.written_chunks is None


def copier_count() -> int:
    """The number of threads that copy; one core is left to the others."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MOST_COPIERS, cores - 1))


def cut_rows(rows: slice, height: int) -> list[slice]:
    """Rows in parts of a height, of which each begins a chunk: a tile's rows do, and so does each multiple."""
    shifted = cut(slice(0, rows.stop - rows.start), height)
    return [slice(rows.start + part.start, rows.start + part.stop) for part in shifted]
