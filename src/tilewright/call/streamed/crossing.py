"""What crosses the link to a GPU: panels of A and B there, finished tiles of C back, through pinned buffers.

A link moves some 50 GB/s, a thread copies some 7 GB/s between ordinary and pinned memory. So matrices in the host's
memory are copied by several threads, strip by strip, while the strips before cross. What the caller has pinned crosses
without a copy. Files are read by one thread, as whole chunks; their libraries decode in parallel themselves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy

from tilewright.arrays.stores.store import Array, Store, cut, strips
from tilewright.choose.streamed import OUT_RING, RING, StreamedPlan
from tilewright.launch.cuda.link import Link, Pinned

from .copiers import Copiers, Copies, copier_count
from .host_tiles import write_strip
from .panels import load_panel
from .prefetch import Step
from .request import Streamed

PART_BYTES = 4 * 2**20
"""The least that a thread copies at a time, where there is so much."""
MOST_BEGUN = RING // 2
"""The strips of a panel that are being copied at a time: so many that no thread waits for the others."""


class Summed(NamedTuple):
    """Rows of a tile of C, and the event that they are summed."""

    rows: slice
    event: Any


class PanelsThere:
    """Panels of A and B, from their stores to a GPU's memory. A and B may be brought at once, each by one thread."""

    def __init__(self, link: Link, asked: Streamed, plan: StreamedPlan, copiers: Copiers) -> None:
        self._link, self._asked, self._plan, self._copiers = link, asked, plan, copiers
        self._element = asked.panel_element("gpu")
        self._is_direct = {
            operand: plan.problem.pairs == 1 and is_direct(link, store, self._element)
            for operand, store in (("A", asked.a), ("B", asked.b))
        }
        self._pinned = Pinned(link, RING, plan.ring_bytes)

    @property
    def are_direct(self) -> bool:
        """Whether A and B lie in memory that their owner has pinned: to copy a panel is to queue it."""
        return all(self._is_direct.values())

    def copy(self, operand: str, step: Step, address: int) -> None:
        """Queue the copies of a step's panel on the operand's stream. Raises StoreError, MachineError."""
        store, rows, columns = (
            (self._asked.a, step.rows, step.along) if operand == "A" else (self._asked.b, step.along, step.columns)
        )
        source = store.view(rows, columns) if self._is_direct[operand] else None
        if source is not None:
            self._link.rows_to_gpu(address, source, self._link.there[operand])
            return
        axis = None if self._plan.problem.pairs == 1 else 0 if operand == "A" else 1
        row_bytes = (columns.stop - columns.start) * self._element.itemsize
        begun: deque[tuple[int, slice, Copies]] = deque()

        def sent() -> None:
            number, strip, copies = begun[0]
            copies.wait()
            to, nbytes = address + (strip.start - rows.start) * row_bytes, (strip.stop - strip.start) * row_bytes
            self._pinned.to_gpu(number, to, nbytes, self._link.there[operand])
            begun.popleft()
            self._pinned.give_back(number)

        try:
            for strip in strips(rows, store.chunks if axis != 0 else None, self._plan.strip_bytes, row_bytes):
                if len(begun) == MOST_BEGUN:
                    sent()
                number = self._pinned.take()
                into = self._pinned.buffer(number, (strip.stop - strip.start) * row_bytes).view(self._element)
                into = into.reshape(strip.stop - strip.start, -1)
                begun.append((number, strip, self._begun(store, strip, columns, into, axis)))
            while begun:
                sent()
        finally:
            for number, _, copies in begun:  # after an error: nothing may write to a buffer that is given back
                copies.settle()
                self._pinned.give_back(number)

    def _begun(self, store: Store, strip: slice, columns: slice, into: Array, axis: int | None) -> Copies:
        if not into.size:
            return self._copiers.begin([])
        count = max(1, min(self._copiers.count, into.nbytes // PART_BYTES))
        parts = [(part, into[part.start - strip.start : part.stop - strip.start]) for part in _parts(strip, count)]
        source = store.view(strip, columns) if store.element == into.dtype and axis is None else None
        if source is not None:
            start = strip.start
            return self._copiers.begin(
                [partial(numpy.copyto, to, source[part.start - start : part.stop - start]) for part, to in parts]
            )
        each = self._plan.strip_bytes // count
        return self._copiers.begin(
            [partial(load_panel, store, part, columns, target, each, axis) for part, target in parts]
        )


class TilesBack:
    """Finished tiles of C, from a GPU's memory to their store, by one thread and the copiers that help it."""

    def __init__(
        self, link: Link, asked: Streamed, plan: StreamedPlan, element: numpy.dtype[Any], copiers: Copiers
    ) -> None:
        self._link, self._out, self._plan, self._element, self._copiers = link, asked.out, plan, element, copiers
        self._is_direct, self._arrived = is_direct(link, asked.out, element), link.event(blocks=True)
        self._pinned = Pinned(link, OUT_RING, plan.strip_rows * plan.tile[1] * element.itemsize)

    def copy(self, step: Step, address: int, summed: Sequence[Summed], *, checks: bool) -> int:
        """Write a tile, part by part as they are summed; the checksum of what was written. One call at a time.

        Raises:
            StoreError: it cannot be written.
        """
        row_bytes = (step.columns.stop - step.columns.start) * self._element.itemsize
        if self._is_direct:
            for part in summed:
                target = self._out.view(part.rows, step.columns)
                assert target is not None
                self._link.wait(self._link.back, part.event)
                from_ = address + (part.rows.start - step.rows.start) * row_bytes
                self._link.rows_to_host(target, from_, self._link.back)
            self._link.record(self._arrived, self._link.back)
            self._link.wait_on_host(self._arrived)
            return 0
        checksum, coming = 0, deque(summed)
        crossing: deque[tuple[slice, int, int]] = deque()
        try:
            for strip in cut_rows(step.rows, self._plan.strip_rows):  # one crosses while the one before is written
                number, nbytes = self._pinned.take(), (strip.stop - strip.start) * row_bytes
                crossing.append((strip, number, nbytes))
                while coming and coming[0].rows.start < strip.stop:
                    self._link.wait(self._link.back, coming.popleft().event)
                self._pinned.to_host(number, address + (strip.start - step.rows.start) * row_bytes, nbytes)
                if len(crossing) == OUT_RING:
                    checksum = self._written(*crossing[0], step.columns, checksum, checks=checks)
                    self._pinned.give_back(crossing.popleft()[1])
            while crossing:
                checksum = self._written(*crossing[0], step.columns, checksum, checks=checks)
                self._pinned.give_back(crossing.popleft()[1])
        finally:
            for _, number, _ in crossing:
                self._pinned.give_back(number)
        return checksum

    def _written(self, rows: slice, number: int, nbytes: int, columns: slice, checksum: int, *, checks: bool) -> int:
        self._pinned.wait(number)
        values: Array = self._pinned.buffer(number, nbytes).view(self._element)
        values = values.reshape(rows.stop - rows.start, -1)
        if not is_plain(self._out):
            return write_strip(self._out, rows, columns, values, checksum, checks=checks)
        parts = [
            partial(write_strip, self._out, part, columns, values[part.start - rows.start : part.stop - rows.start], 0,
                    checks=False)
            for part in _parts(rows, self._copiers.count)
        ]  # fmt: skip
        self._copiers.begin(parts).wait()
        return checksum


def copiers_of(asked: Streamed) -> tuple[Copiers, Copiers]:
    """The threads that read A and B, and those that write C, for all GPUs: several for memory, one for files."""
    reading = copier_count() if is_plain(asked.a) and is_plain(asked.b) else 1
    return Copiers(reading, "reader"), Copiers(copier_count() if is_plain(asked.out) else 1, "writer")


def is_plain(store: Store) -> bool:
    """Whether it lies in the host's memory, where each element has a place of its own."""
    return store.path is None and store.chunks is None and store.written_chunks is None


def is_direct(link: Link, store: Store, element: numpy.dtype[Any]) -> bool:
    """Whether a matrix of a GPU's type lies in memory that its owner has pinned."""
    whole = store.view(slice(0, store.shape[0]), slice(0, store.shape[1])) if is_plain(store) else None
    return whole is not None and store.element == element and link.is_pinned(whole)


def cut_rows(rows: slice, height: int) -> list[slice]:
    """Rows in parts of a height, of which each begins a chunk: a tile's rows do, and so does each multiple."""
    shifted = cut(slice(0, rows.stop - rows.start), height)
    return [slice(rows.start + part.start, rows.start + part.stop) for part in shifted]


def _parts(rows: slice, count: int) -> list[slice]:
    """Rows in at most ``count`` parts of equal height."""
    return cut_rows(rows, max(1, -(-(rows.stop - rows.start) // count)))
