"""Tiles that wgmma reads in another order than their copy wrote them: tensor map and descriptor disagree.

Swizzles are compared here piece by piece, and where they are the same, rows and columns by box_layouts.py.
"""

from __future__ import annotations

import numpy as np

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import ObservedUnit, inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import SHARED
from tilewright.emulate.execute.descriptors import BASE_MASK, BASE_SHIFT, NO_SWIZZLE, SWIZZLE_SHIFT
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.worker import Worker
from tilewright.emulate.observers import box_layouts as bl
from tilewright.emulate.observers.box_layouts import judge_layout, note_box
from tilewright.emulate.observers.finding import Finding
from tilewright.emulate.observers.observer import Observer
from tilewright.emulate.state import Int64s
from tilewright.emulate.tables import field, get, increase, put

TAGS, RECORDS, FOUND, PLACES, LAYOUT_RECORDS, BOXES, OWN_WORDS = range(7)
"""Of `own`: a word for each piece of the shared memory of all resident blocks, a record per instruction, how many of
these have something; the same for box_layouts.py, and how many boxes have come. A word is 0 where no box of a tensor
lies, else 1 + 4 times the copy's row + its swizzle."""
TIMES, BLOCK, ADDRESS, TAG, SWIZZLE, BASE, NUMBER, RECORD_WORDS = range(8)
PIECE_BYTES, PIECE_SHIFT, ROW_SHIFT = 16, 4, 7
SWIZZLES = "no swizzle", "a swizzle of 32 bytes", "a swizzle of 64 bytes", "a swizzle of 128 bytes"
ADVICE = (
    "Give the tensor map and the descriptor the same swizzle; the base offset is 0 wherever the copy engine has "
    "written, because it goes by addresses, too."
)


@inner
def _exchanged(address: int, swizzle: int, base: int) -> int:
    """Return with what bits 4 to 6 of an address are XORed. swizzle: CUtensorMapSwizzle."""
    return ((address >> ROW_SHIFT) - base) & ((1 << swizzle) - 1)


@inner
def _swizzle_of(descriptor: int) -> int:
    """Return a descriptor's swizzle as a CUtensorMapSwizzle."""
    mode = (descriptor >> SWIZZLE_SHIFT) & 3
    return 0 if mode == NO_SWIZZLE else 4 - mode


@inner
def _agree(own: int, event: int, tags: int, extent: int) -> bool:
    """Compare where a product's descriptor looks for pieces with where their copies have put them."""
    descriptor, agree = get(event, ev.OPERATION), True
    swizzle, base = _swizzle_of(descriptor), (descriptor >> BASE_SHIFT) & BASE_MASK
    for lane in range(32):
        if not (get(event, ev.LANES) >> lane) & 1:
            continue
        address = ev.address_of(event, lane)
        tag = get(tags, address >> PIECE_SHIFT) if 0 <= address < extent else 0
        written = (tag - 1) & 3
        # Lines of another width lie elsewhere, even where the same bits are exchanged.
        is_other = swizzle and written and swizzle != written
        if tag == 0 or (not is_other and _exchanged(address, written, 0) == _exchanged(address, swizzle, base)):
            continue
        agree = False
        record = get(own, RECORDS) + 8 * RECORD_WORDS * get(event, ev.PC)
        if get(record, TIMES) == 0:
            increase(own, FOUND, 1)
            put(record, BLOCK, get(event, ev.BLOCK))
            put(record, ADDRESS, address)
            put(record, TAG, tag)
            put(record, SWIZZLE, swizzle)
            put(record, BASE, base)
            put(record, NUMBER, get(own, FOUND))
        increase(record, TIMES, 1)
    return agree


@inner
def _write(event: int, tags: int, extent: int, tag: int) -> None:
    nbytes = get(event, ev.NBYTES)
    for lane in range(32):
        address = ev.address_of(event, lane)
        if (get(event, ev.LANES) >> lane) & 1 and 0 <= address <= extent - nbytes:
            for piece in range(address >> PIECE_SHIFT, (address + nbytes - 1 >> PIECE_SHIFT) + 1):
                put(tags, piece, tag)


@ObservedUnit
def observe_swizzles(state: int, own: int, event: int) -> int:
    """Remember the swizzle of every piece that a box brings, and compare it with the descriptor that reads it."""
    kind, extent, pc = get(event, ev.KIND), get(state, st.LAYOUT_SHARED_BYTES), get(event, ev.PC)
    pieces = (extent + PIECE_BYTES - 1) >> PIECE_SHIFT
    before = 8 * pieces * get(event, ev.RESIDENT)
    tags, places = get(own, TAGS) + before, get(own, PLACES) + before
    if kind == ev.BLOCK_START:
        for piece in range(pieces):
            put(tags, piece, 0)
    elif get(event, ev.SPACE) != SHARED:
        return 0
    elif kind == ev.LOAD:
        if field(state, pc, row.OPCODE) == op.WARPGROUP_MULTIPLY and _agree(own, event, tags, extent):
            record = get(own, LAYOUT_RECORDS) + 8 * bl.RECORD_WORDS * pc
            judge_layout(event, tags, places, extent, _swizzle_of(get(event, ev.OPERATION)), record)
    elif kind == ev.BULK_STORE and field(state, pc, row.KIND) & op.BULK_DIMENSIONS:
        _write(event, tags, extent, 1 + 4 * pc + (get(event, ev.OPERATION) & ev.SWIZZLE_MASK))
        put(own, BOXES, note_box(event, places, extent, get(own, BOXES)))
    else:
        _write(event, tags, extent, 0)
    return 0


class SwizzleObserver(Observer):
    """Finds wgmma that reads a tile by another swizzle, or as other rows, than the copy had which brought it.

    What threads, or copies of lines, have written has no known order, and is not judged.
    """

    unit = observe_swizzles
    events = ev.mask(ev.LOAD, ev.STORE, ev.ATOMIC, ev.BLOCK_START, ev.BULK_STORE)
    spaces = ev.mask(SHARED)

    def begin(self, launch: Launch, worker: Worker) -> int:
        """Make room for a word per piece and a record per instruction."""
        self._launch = launch
        # Only products of a warpgroup are compared with what they read.
        self.events = SwizzleObserver.events if op.WARPGROUP_MULTIPLY in launch.module.opcodes else 0
        pieces = (launch.shared_bytes + PIECE_BYTES - 1) // PIECE_BYTES
        self._tags = np.zeros(launch.resident * pieces + 1, np.int64)
        self._places = np.zeros_like(self._tags)
        self._records = np.zeros((len(launch.module.rows), RECORD_WORDS), np.int64)
        self._layouts = np.zeros((len(launch.module.rows), bl.RECORD_WORDS), np.int64)
        self._own = np.zeros(OWN_WORDS, np.int64)
        self._own[TAGS], self._own[RECORDS] = self._tags.ctypes.data, self._records.ctypes.data
        self._own[PLACES], self._own[LAYOUT_RECORDS] = self._places.ctypes.data, self._layouts.ctypes.data
        return int(self._own.ctypes.data)

    def end(self) -> None:
        """Make a finding of each product that read in another order, the first one first."""
        found = np.flatnonzero(self._records[:, TIMES])
        self.findings = [self._finding(int(pc)) for pc in found[np.argsort(self._records[found, NUMBER])]]
        apart = np.flatnonzero(self._layouts[:, bl.TIMES])
        self.findings += [bl.layout_finding(self._layouts[pc], int(pc), self._launch.places) for pc in apart]

    def _finding(self, pc: int) -> Finding:
        record: Int64s = self._records[pc]
        places, copy = self._launch.places, int(record[TAG] - 1) // 4
        name, block = places.name_of(SHARED, int(record[ADDRESS])), places.block_of(int(record[BLOCK]))
        read, written = SWIZZLES[record[SWIZZLE]], SWIZZLES[int(record[TAG] - 1) % 4]
        base = f" and the base offset {record[BASE]}" if record[BASE] else ""
        file, line = places.outer_line_of(copy)
        where = f" at {file or 'PTX'}:{line}" if line else ""
        return Finding(
            "wrong swizzle",
            "error",
            places.outer_line_of(pc),
            f"By a descriptor with {read}{base} wgmma reads {name} of block {block}, and the copy{where} wrote it with "
            f"{written}.",
            ADVICE,
            other=(file, line),
            address=name,
            times=int(record[TIMES]),
        )
