"""Whether two accesses to one cell that no barrier orders are a race, and what is kept of it.

Also asynchronous copies that are under way: until its thread has waited for one, nobody may touch what it writes. Each
4 bytes of a block's shared memory have a word: 0, or who copies there, instruction << 16 | warp << 5 | lane, plus 1.
"""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.compiled import ObservedUnit, inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.observed_access import old_value, stored_value
from tilewright.emulate.memory_vectors import lowest_lane
from tilewright.emulate.observers.races import layout as ly
from tilewright.emulate.observers.races.order import is_ordered
from tilewright.emulate.observers.races.tables import block_row, warp_row
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


@ObservedUnit
def judge_conflict(own: int, state: int, event: int, record: int, lanes: int, offset: int) -> int:
    """Find an unordered pair among `lanes` and the lanes of a record, and keep it; return whether there is one.

    offset: bytes from the lanes' addresses to the cell.
    """
    stamp, rest = get(record, ly.RECORD_STAMP), get(record, ly.RECORD_REST)
    warp, resident = get(event, ev.WARP), get(event, ev.RESIDENT)
    left = lanes
    while left:
        lane = lowest_lane(left)
        left &= left - 1
        others = rest & ly.LOW
        while others:
            other = lowest_lane(others)
            others &= others - 1
            if not is_ordered(own, warp, resident, lane, stamp, other):
                keep(own, state, event, lane, offset, stamp, other, rest >> 32, 0)
                return 1
    return 0


@ObservedUnit
def keep_collision(own: int, state: int, event: int, lanes: int, offset: int) -> int:
    """Keep that several lanes of one store write one cell."""
    first = lowest_lane(lanes)
    second = lowest_lane(lanes & (lanes - 1))
    row_of_warp = warp_row(own, get(event, ev.WARP))
    stamp = get(row_of_warp, ly.WARP_TIME) << 32 | get(row_of_warp, ly.WARP_SERIAL)
    about = get(event, ev.PC) << ly.ABOUT_PC | ly.WRITE << ly.ABOUT_KIND
    keep(own, state, event, second, offset, stamp, first, about, 0)
    return 1


@inner
def keep(
    own: int, state: int, event: int, lane: int, offset: int, stamp: int, other: int, about: int, flags: int
) -> None:
    """Count a race, and what it looked like the first time. flags: UNDER_WAY or 0."""
    kind, serial = get(event, ev.KIND), get(warp_row(own, get(event, ev.WARP)), ly.WARP_SERIAL)
    other_kind, other_pc = (about >> ly.ABOUT_KIND) & 3, about >> ly.ABOUT_PC
    kinds = 4 * kind + other_kind + flags
    if kind == ly.WRITE and other_kind == ly.WRITE and _is_same_value(state, event, lane, offset, other):
        kinds += ly.SAME_VALUE
    if (stamp ^ serial) & ly.LOW:
        kinds += ly.OTHER_BLOCK if (stamp ^ serial) & ly.SAME_BLOCK else ly.OTHER_WARP
    pc = get(event, ev.PC)
    table, used = get(own, ly.FOUND), get(own, ly.FOUND_USED)
    entry = table
    for _ in range(used):
        is_it = get(entry, ly.FOUND_PC) == pc and get(entry, ly.FOUND_OTHER_PC) == other_pc
        if is_it and get(entry, ly.FOUND_KIND) == kinds:
            put(entry, ly.FOUND_TIMES, get(entry, ly.FOUND_TIMES) + 1)
            return
        entry += 8 * ly.FOUND_COLUMNS
    if used >= get(own, ly.FOUND_ROOM):
        put(own, ly.FOUND_DROPPED, get(own, ly.FOUND_DROPPED) + 1)
        return
    put(own, ly.FOUND_USED, used + 1)
    put(entry, ly.FOUND_KIND, kinds)
    put(entry, ly.FOUND_PC, pc)
    put(entry, ly.FOUND_OTHER_PC, other_pc)
    put(entry, ly.FOUND_TIMES, 1)
    put(entry, ly.FOUND_SERIAL, serial)
    put(entry, ly.FOUND_LANE, lane)
    put(entry, ly.FOUND_OTHER_SERIAL, stamp & ly.LOW)
    put(entry, ly.FOUND_OTHER_LANE, other)
    put(entry, ly.FOUND_SPACE, get(event, ev.SPACE))
    put(entry, ly.FOUND_ADDRESS, ev.address_of(event, lane) + offset)
    sequence = ly.FIRST_IS_OTHER if flags else _sequence(own, state, event, other_pc, stamp)
    put(entry, ly.FOUND_SEQUENCE, sequence)


@inner
def _is_same_value(state: int, event: int, lane: int, offset: int, other: int) -> bool:
    """Say whether a lane's store leaves the element at `offset` as the other write left it."""
    size = get(event, ev.NBYTES) // get(event, ev.ELEMENTS)
    element = offset // size
    mine = stored_value(state, event, lane, element)
    is_present = other != lane and (get(event, ev.LANES) >> other) & 1
    if is_present and ev.address_of(event, other) == ev.address_of(event, lane):
        return stored_value(state, event, other, element) == mine  # of the same instruction: not in memory yet
    return old_value(state, event, lane, element) == mine


@inner
def _sequence(own: int, state: int, event: int, other_pc: int, stamp: int) -> int:
    """Say which of two lines a warp executes first between two barriers: the earlier access's, or the one at hand.

    If this warp has already been at the other's line since the last barrier, that one comes first; if it was there only
    before that barrier, it will come there again after this line. If it never was, the other warp is asked likewise.
    """
    warp, resident = get(event, ev.WARP), get(event, ev.RESIDENT)
    serial = get(warp_row(own, warp), ly.WARP_SERIAL)
    if (stamp ^ serial) & ly.SAME_BLOCK:
        return ly.UNKNOWN
    block = block_row(own, resident)
    other_line = field(state, other_pc, row.LINE)
    then = _last_access(own, warp, other_line)
    if then > get(block, ly.BLOCK_MET_MOMENT):
        return ly.FIRST_IS_OTHER
    if then > get(block, ly.BLOCK_BEGAN):
        return ly.FIRST_IS_THIS
    other_warp = warp + (stamp & 31) - (serial & 31)
    then = _last_access(own, other_warp, field(state, get(event, ev.PC), row.LINE))
    if then > get(block, ly.BLOCK_MET_MOMENT):
        is_before = then < _last_access(own, other_warp, other_line)
        return ly.FIRST_IS_THIS if is_before else ly.FIRST_IS_OTHER
    return ly.FIRST_IS_OTHER if then > get(block, ly.BLOCK_BEGAN) else ly.UNKNOWN


@inner
def _last_access(own: int, warp: int, line: int) -> int:
    """Return the number of a warp's last access at a line."""
    return get(get(own, ly.EXECUTED), warp * get(own, ly.LINES) + line)
