"""Asynchronous copies that are under way: until its thread has waited for one, nobody may touch what it writes.

Each 4 bytes of a block's shared memory have a word: 0, or who copies there: instruction << 16 | warp << 5 | lane, all
plus 1.
"""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.compiled import ObservedUnit, inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.memory_vectors import lowest_lane
from tilewright.emulate.observers.races import layout as ly
from tilewright.emulate.observers.races.judge import keep
from tilewright.emulate.observers.races.tables import warp_row
from tilewright.emulate.tables import field, get, put

PC_SHIFT, WARP_SHIFT = 16, 5
WORD_SHIFT = 2


@ObservedUnit
def watch_copies(own: int, state: int, event: int, kind: int) -> int:
    """Compare an access to shared memory with the copies under way; kind COPY: one more begins."""
    is_end = kind == ev.STORE and field(state, get(event, ev.PC), row.OPCODE) == op.ASYNC_COPY
    words = get(own, ly.COPIES) + 8 * get(event, ev.RESIDENT) * (get(own, ly.SHARED_BYTES) >> WORD_SHIFT)
    lanes = get(event, ev.LANES)
    while lanes:
        lane = lowest_lane(lanes)
        lanes &= lanes - 1
        address = ev.address_of(event, lane)
        last = address + get(event, ev.NBYTES) - 1
        if address < 0 or last >= get(own, ly.SHARED_BYTES):
            continue  # about to fault
        mine = 1 + (get(event, ev.PC) << PC_SHIFT | get(event, ev.WARP_IN_BLOCK) << WARP_SHIFT | lane)
        is_told = False
        for word in range(address >> WORD_SHIFT, (last >> WORD_SHIFT) + 1):
            mark = get(words, word)
            if is_end:
                put(words, word, 0 if mark == mine else mark)
                continue
            if mark and not is_told:
                is_told = True
                _tell(own, state, event, lane, max((word << WORD_SHIFT) - address, 0), mark - 1)
            if kind == ev.COPY:
                put(words, word, mine)
    return 0


@inner
def _tell(own: int, state: int, event: int, lane: int, offset: int, mark: int) -> None:
    """Record an access to bytes that an asynchronous copy, of any thread, still writes."""
    serial = get(warp_row(own, get(event, ev.WARP)), ly.WARP_SERIAL)
    stamp = (serial & ly.SAME_BLOCK) | (mark >> WARP_SHIFT & ((1 << PC_SHIFT - WARP_SHIFT) - 1))
    about = mark >> PC_SHIFT << ly.ABOUT_PC | ly.WRITE << ly.ABOUT_KIND
    keep(own, state, event, lane, offset, stamp, mark & 31, about, ly.UNDER_WAY)


@inner
def forget_copies(own: int, resident: int) -> None:
    """Begin a block: no copy is under way."""
    count = get(own, ly.SHARED_BYTES) >> WORD_SHIFT
    words = get(own, ly.COPIES) + 8 * resident * count
    for word in range(count):
        put(words, word, 0)
