"""The observer behind a pipeline: rows of words for what happens to barriers, copies and products of chosen blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

import numpy

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import tensor_map as tm
from tilewright.emulate.compiled import ObservedUnit
from tilewright.emulate.execute import bulk_events as be
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute import mbarriers as mb
from tilewright.emulate.execute import pipeline_events as pe
from tilewright.emulate.execute.addresses import GLOBAL, SHARED
from tilewright.emulate.execute.descriptors import FIELD_MASK, PIECE_SHIFT
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.worker import Worker
from tilewright.emulate.observers import Observer
from tilewright.emulate.state import Int64s
from tilewright.emulate.tables import field, get, put
from tilewright.lab.trace.recording import (
    CAPACITY,
    CHOSEN,
    CHOSEN_COUNT,
    LOST,
    OWN_WORDS,
    USED,
    WORDS,
    is_chosen,
)
from tilewright.lab.trace.subject import Listing

from .boxes import Box
from .events import AccessEvent, BarrierEvent, BarrierKind, CopyEvent, Event, GroupEvent, MultiplyEvent

MOST_EVENTS = 100_000
KIND, PC, WARP, BLOCK, LANES, NBYTES, OPERATION, HEADER = range(8)
ROW_WORDS = HEADER + 32
K_BYTES = 32
"""What a wgmma multiplies of a row of A."""
COPIED = (ev.KIND, ev.PC, ev.WARP_IN_BLOCK, ev.BLOCK, ev.LANES, ev.NBYTES, ev.OPERATION)


@ObservedUnit
def record_pipeline(state: int, own: int, event: int) -> int:
    """Copy an event into the next row; of loads and stores, those of threads from shared and to global memory."""
    if not is_chosen(own, get(event, ev.BLOCK)):
        return 0
    kind = get(event, ev.KIND)
    if kind <= ev.STORE:
        # What copy engine and tensor cores access is told of by their own events.
        wanted = SHARED if kind == ev.LOAD else GLOBAL
        if get(event, ev.SPACE) != wanted or field(state, get(event, ev.PC), row.OPCODE) >= op.WARPGROUP_MULTIPLY:
            return 0
    count = get(own, USED)
    if count == get(own, CAPACITY):
        put(own, LOST, get(own, LOST) + 1)
        return 0
    target = get(own, WORDS) + 8 * ROW_WORDS * count
    for index, column in enumerate(COPIED):
        put(target, index, get(event, column))
    for word in range(32):
        put(target, HEADER + word, get(event, ev.ADDRESSES + word))
    put(own, USED, count + 1)
    return 0


class PipelineRecorder(Observer):
    """Records what happens to barriers, copies and products. blocks: linear numbers. lost: events that did not fit."""

    unit = record_pipeline
    events = ev.mask(ev.LOAD, ev.STORE, ev.MBARRIER, ev.BULK, ev.WARPGROUP)
    spaces = ev.mask(GLOBAL, SHARED)

    def __init__(self, blocks: Iterable[int]) -> None:
        super().__init__()
        self.blocks = sorted(set(blocks))
        self.rows: Int64s = numpy.zeros((0, ROW_WORDS), numpy.int64)
        self.lost = 0
        self.launch: Launch | None = None

    def begin(self, launch: Launch, worker: Worker) -> int:  # noqa: ARG002  (an observer is given what all of them are)
        """Allocate the rows."""
        self.launch = launch
        self._buffer = numpy.zeros((MOST_EVENTS, ROW_WORDS), numpy.int64)
        self._chosen = numpy.array(self.blocks, numpy.int64)
        self._own = numpy.zeros(OWN_WORDS, numpy.int64)
        self._own[[WORDS, CAPACITY]] = self._buffer.ctypes.data, MOST_EVENTS
        self._own[[CHOSEN, CHOSEN_COUNT]] = self._chosen.ctypes.data, len(self._chosen)
        return int(self._own.ctypes.data)

    def end(self) -> None:
        """Keep what was written."""
        self.rows = self._buffer[: int(self._own[USED])].copy()
        self.lost = int(self._own[LOST])
        del self._buffer

    def told(self, listing: Listing) -> Iterator[Event]:
        """Yield the events, with lines of the listing."""
        launch = self.launch
        assert launch is not None
        for each, targets in _with_targets(self.rows):
            head, words = each[:HEADER].tolist(), each[HEADER:].tolist()
            who = (head[BLOCK], head[WARP], listing.line(launch.places.line_of(head[PC])))
            if head[KIND] == ev.MBARRIER:
                yield from _of_barrier(who, head[OPERATION], words)
            elif head[KIND] == ev.WARPGROUP:
                yield _of_products(who, head[OPERATION], words, launch.module.rows[head[PC]])
            elif head[KIND] == ev.BULK:
                yield _of_copy(who, head[OPERATION], words, int(launch.module.rows[head[PC]][row.KIND]), targets)
            else:
                lanes = [lane for lane in range(32) if head[LANES] >> lane & 1]
                yield AccessEvent(*who, head[KIND] == ev.LOAD, tuple(words[lane] for lane in lanes), head[NBYTES])


def _with_targets(rows: Int64s) -> Iterator[tuple[Int64s, tuple[int, ...]]]:
    """Yield each row with the blocks that its copy goes to: a multicast has a row for each, one after the other."""
    owner = HEADER + be.COPY_OWNER

    def same_copy(each: Int64s) -> object:
        return tuple(numpy.delete(each, owner).tolist()) if each[KIND] == ev.BULK else object()

    for _, group in groupby(rows, same_copy):
        of_copy = list(group)
        targets = tuple(int(each[owner]) for each in of_copy)
        yield from ((each, targets) for each in of_copy)


Who = tuple[int, int, int | None]
KINDS: dict[int, BarrierKind] = {
    mb.INIT: "init",
    mb.EXPECT: "expect",
    mb.ARRIVE_EXPECT: "expect",
    mb.DROP_EXPECT: "expect",
    mb.COMPLETE: "bytes",
}
"""All others but waits are arrivals."""


def _of_barrier(who: Who, operation: int, words: list[int]) -> Iterator[BarrierEvent]:
    before, after = words[pe.BARRIER_BEFORE], words[pe.BARRIER_AFTER]
    place = words[pe.BARRIER_OWNER], words[pe.BARRIER_OFFSET]
    if mb.TEST <= operation <= mb.TRY_PARITY:
        kind: BarrierKind = "pass" if words[pe.BARRIER_ENDED] else "wait"
        yield BarrierEvent(*who, kind, *place, words[pe.BARRIER_PARITY], *_counts(after))
    elif operation != mb.INVALIDATE:
        yield from changed(who, KINDS.get(operation, "arrive"), place, before, after)


def changed(who: Who, kind: BarrierKind, place: tuple[int, int], before: int, after: int) -> Iterator[BarrierEvent]:
    """Yield what a change of a barrier's word means: its new counts, or that nothing is missing and a phase ends."""
    parity = after >> mb.PHASE_SHIFT & 1
    if kind == "init" or before >> mb.PHASE_SHIFT & 1 == parity:
        yield BarrierEvent(*who, kind, *place, parity, *_counts(after))
        return
    yield BarrierEvent(*who, kind, *place, 1 - parity, 0, _counts(before)[1], 0)
    yield BarrierEvent(*who, "turn", *place, parity, *_counts(after))


def _counts(word: int) -> tuple[int, int, int]:
    """Return arrivals to come, arrivals of a phase, bytes to come."""
    nbytes = (word >> mb.BYTES_SHIFT & 2 * mb.NO_BYTES - 1) - mb.NO_BYTES
    return word & mb.MOST, word >> mb.EXPECTED_SHIFT & mb.MOST, nbytes


def _of_products(who: Who, opcode: int, words: list[int], code: Int64s) -> Event:
    if opcode == op.WARPGROUP_COMMIT:
        return GroupEvent(*who, None)
    if opcode == op.WARPGROUP_WAIT:
        return GroupEvent(*who, int(code[row.IMMEDIATE]))
    kind = int(code[row.KIND])
    k = K_BYTES // op.ELEMENT_BYTES[kind & 15]
    a, b = ((word & FIELD_MASK) << PIECE_SHIFT for word in (words[pe.PRODUCT_A], words[pe.PRODUCT_B]))
    in_registers = bool(kind & op.MATRIX_A_IN_REGISTERS)
    along_k = not kind & op.MATRIX_A_TURNED, not kind & op.MATRIX_B_TURNED
    return MultiplyEvent(*who, 64, int(code[row.EXTRA_1]), k, None if in_registers else a, b, *along_k)


def _of_copy(who: Who, operation: int, words: list[int], kind: int, targets: tuple[int, ...]) -> CopyEvent:
    dimensions, way = kind & op.BULK_DIMENSIONS, kind >> op.BULK_WAY_SHIFT & 3
    nbytes = words[be.COPY_BYTES]
    box = Box(words[be.COPY_GLOBAL], (0,), (nbytes,), (nbytes,), (1,))
    if dimensions:
        box = _box(words[be.COPY_COORDINATES : be.COPY_MAP], words[be.COPY_MAP :], dimensions)
    barrier = None if kind & op.BULK_IN_GROUP else words[be.COPY_BARRIER]
    place = words[be.COPY_OWNER], words[be.COPY_OFFSET]
    return CopyEvent(*who, operation == be.DONE, way != op.BULK_TO_GLOBAL, *place, barrier, box.nbytes, box, targets)


def _box(coordinates: list[int], tensor: list[int], rank: int) -> Box:
    """Return a box of a tensor map; of one that steps over elements, what lies between them belongs to it."""
    extents = [*(tensor[tm.MAP_BOX] >> 16 * number & 0xFFFF for number in range(4)), tensor[tm.MAP_STEPS] & 0xFFFF]
    interleave, element_bytes = (
        tensor[tm.MAP_KIND] >> 8 * (at - 8 * tm.MAP_KIND) & 0xFF for at in (tm.AT_INTERLEAVE, tm.AT_ELEMENT_BYTES)
    )
    element_bytes = tm.SLICE_BYTES * interleave or element_bytes
    strides = [element_bytes, *tensor[tm.MAP_STRIDES : tm.MAP_STRIDES + 4]]
    sizes = tensor[tm.MAP_SIZES : tm.MAP_SIZES + rank]
    return Box(
        tensor[tm.MAP_ADDRESS], tuple(coordinates[:rank]), tuple(extents[:rank]), tuple(sizes), tuple(strides[:rank])
    )
