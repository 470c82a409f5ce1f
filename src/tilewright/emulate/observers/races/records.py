"""The records of a cell: which earlier accesses the one at hand may race with, and what stays of them.

A warp's contiguous loads are logged in one row each, and recorded only once the array is written. A kernel never writes
most of the arrays that it reads, and then needs no record of who read them.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types

from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import ObservedUnit, call_unit, emitted, inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.observers.races import layout as ly
from tilewright.emulate.tables import get, put

ALL_LANES = 0xFFFFFFFF
RECORD_WORDS = ly.RECORD_BYTES // 8


@inner
def is_before(own: int, stamp: int) -> bool:
    """Say whether a barrier or a synchronization of the whole warp orders `stamp` before the event, or it is none."""
    if stamp < get(own, ly.NOW_LIMIT):
        return True
    apart = stamp ^ get(own, ly.NOW)
    if apart & ly.SAME_BLOCK == 0 and stamp < get(own, ly.NOW_BLOCK_LIMIT):
        return True
    return apart & ly.LOW == 0 and stamp < get(own, ly.NOW_WARP_LIMIT)


@inner
def side_by_side(own: int, count: int, cells: int) -> int:
    """Return where the records of cells in GROUPS begin if many lie side by side, else -1."""
    group = get(own, ly.GROUPS)
    if cells != 1 or count < 8 or get(own, ly.GROUP_LANES) == get(own, ly.GROUPED_LANES):
        return -1
    # There the cells ascend, each another one.
    is_row = get(group, count - 1) - get(group, 0) == ly.RECORD_BYTES * (count - 1)
    return get(group, 0) if is_row else -1


@inner
def latest_stamp(record: int, count: int) -> int:
    """Return the latest stamp of so many neighboring cells."""
    latest = 0
    for index in range(count):
        latest = max(latest, get(record, RECORD_WORDS * index + ly.RECORD_STAMP))
    return latest


@inner
def record_row(own: int, record: int, count: int) -> None:
    """Put the access into the records of so many neighboring cells, whose lanes GROUP_LANES has."""
    mine, about, group_lanes = get(own, ly.NOW), get(own, ly.NOW_ABOUT) << 32, get(own, ly.GROUP_LANES)
    for index in range(count):
        put(record, RECORD_WORDS * index + ly.RECORD_STAMP, mine)
        put(record, RECORD_WORDS * index + ly.RECORD_REST, about | get(group_lanes, index))


@inner
def is_of_one_stamp(record: int, count: int) -> bool:
    """Say whether so many neighboring cells have the same stamp."""
    stamp, differs = get(record, ly.RECORD_STAMP), 0
    for index in range(count):
        differs |= get(record, RECORD_WORDS * index + ly.RECORD_STAMP) ^ stamp
    return differs == 0


@inner
def move_row(record: int, second: int, count: int) -> None:
    """Copy the records of so many neighboring cells to their second ones, before others take their place."""
    for word in range(RECORD_WORDS * count):
        put(second, word, get(record, word))


@inner
def judge(own: int, state: int, event: int, record: int, lanes: int, offset: int) -> None:
    """Judge (judge.py) a record that no barrier orders and that is not of the same thread."""
    stamp = get(record, ly.RECORD_STAMP)
    if is_before(own, stamp):
        return
    is_same_warp = (stamp ^ get(own, ly.NOW)) & ly.LOW == 0
    if is_same_warp and lanes & (lanes - 1) == 0 and get(record, ly.RECORD_REST) & ly.LOW == lanes:
        return
    about, theirs = get(own, ly.NOW_ABOUT), get(record, ly.RECORD_REST) >> 32
    if about & theirs & ly.IS_STRONG:
        # Strong accesses do not race with each other, unless one is strong only within its own block.
        is_one_block = (stamp ^ get(own, ly.NOW)) & ly.SAME_BLOCK == 0
        if is_one_block or (about | theirs) & ly.IS_OF_BLOCK == 0:
            return
    call_unit(get(own, ly.JUDGE), own, state, event, record, lanes, offset)


@inner
def remember(own: int, record: int, second: int, lanes: int) -> None:
    """Put the access into a cell's record; what is there and not yet ordered moves to the second record.

    Two records, of different warps and if possible of different blocks, are enough to find that a later write races: an
    access that is dropped is of the same kind as one that is kept.
    """
    mine, about = get(own, ly.NOW), get(own, ly.NOW_ABOUT)
    before, rest = get(record, ly.RECORD_STAMP), get(record, ly.RECORD_REST)
    if before == mine:
        if rest >> 32 == about:
            put(record, ly.RECORD_REST, rest | lanes)
            return
        if rest & ly.LOW & ~lanes:
            lanes |= _make_room_for_line(own, record, second)
    elif not is_before(own, before):
        apart = before ^ mine
        is_again = apart & ly.LOW == 0 and rest & ly.LOW & ~lanes == 0  # the same threads, later
        if not is_again:
            other = get(second, ly.RECORD_STAMP)
            is_needed = (other ^ mine) & ly.SAME_BLOCK != 0 and not is_before(own, other)
            if apart & ly.SAME_BLOCK or not is_needed:
                put(second, ly.RECORD_STAMP, before)
                put(second, ly.RECORD_REST, rest)
    put(record, ly.RECORD_STAMP, mine)
    put(record, ly.RECORD_REST, about << 32 | lanes)


@inner
def _make_room_for_line(own: int, record: int, second: int) -> int:
    """Move another line's accesses of the same warp to the second record; return lanes for which it has no room."""
    rest, other = get(record, ly.RECORD_REST), get(second, ly.RECORD_STAMP)
    if other == get(own, ly.NOW):
        put(second, ly.RECORD_REST, (get(second, ly.RECORD_REST) & ly.LOW) | rest)
        return 0
    if is_before(own, other):
        put(second, ly.RECORD_STAMP, get(own, ly.NOW))
        put(second, ly.RECORD_REST, rest)
        return 0
    return rest & ly.LOW


@inner
def judge_all(own: int, state: int, event: int, area: int, at: int, lanes: int, offset: int, reads: bool) -> None:
    """Compare the access at hand with every record of a cell; `reads`: also with those of reads."""
    if get(area, ly.AREA_IS_WRITTEN):
        judge(own, state, event, get(area, ly.AREA_WRITES) + at, lanes, offset)
    if reads and get(area, ly.AREA_IS_READ):
        judge(own, state, event, get(area, ly.AREA_READS) + at, lanes, offset)
        judge(own, state, event, get(area, ly.AREA_OTHER_READS) + at, lanes, offset)
    if get(area, ly.AREA_HAS_STRONG):
        judge(own, state, event, get(area, ly.AREA_STRONG) + at, lanes, offset)
        judge(own, state, event, get(area, ly.AREA_OTHER_STRONG) + at, lanes, offset)


@emitted(types.boolean(*[types.int64] * 2))
def is_run(b: Builder, addresses: Value, nbytes: Value) -> Value:
    """Say whether each of 32 addresses is `nbytes` behind the one before."""
    values = b.load(v.address(b, addresses), typ=v.vector(v.i64), align=64)
    first = b.extract_element(values, ir.Constant(v.i32, 0))
    steps = b.mul(v.lane_numbers(v.i64), v.splat(b, nbytes))
    differs = v.to_mask(b, b.icmp_unsigned("!=", values, b.add(v.splat(b, first), steps)))
    return b.icmp_unsigned("==", differs, ir.Constant(v.i32, 0))


@inner
def log_load(own: int, event: int, area: int, lanes: int, is_plain_load: bool) -> bool:
    """Log an access if it is a plain load that runs through an array not yet written; else record what was logged."""
    nbytes, used = get(event, ev.NBYTES), get(own, ly.LOG_USED)
    is_good = is_plain_load and lanes == ALL_LANES and used < get(own, ly.LOG_ROOM)
    if is_good and is_run(event + 8 * ev.ADDRESSES, nbytes):
        entry = get(own, ly.LOG) + 8 * ly.LOG_COLUMNS * used
        put(own, ly.LOG_USED, used + 1)
        put(entry, ly.LOG_STAMP, get(own, ly.NOW))
        put(entry, ly.LOG_ABOUT, get(own, ly.NOW_ABOUT))
        put(entry, ly.LOG_BLOCK_LIMIT, get(own, ly.NOW_BLOCK_LIMIT))
        put(entry, ly.LOG_WARP_LIMIT, get(own, ly.NOW_WARP_LIMIT))
        put(entry, ly.LOG_ADDRESS, ev.address_of(event, 0))
        put(entry, ly.LOG_NBYTES, nbytes)
        put(entry, ly.LOG_AREA, area)
        put(area, ly.AREA_IS_READ, 1)
        return True
    put(area, ly.AREA_IS_DIRECT, 1)
    if get(area, ly.AREA_IS_READ):
        call_unit(get(own, ly.REPLAY), own, area)
    return False


@ObservedUnit
def record_logged(own: int, area: int) -> int:
    """Record the logged loads of a piece of memory, as of the time when they were logged."""
    now, about, limit = get(own, ly.NOW), get(own, ly.NOW_ABOUT), get(own, ly.NOW_LIMIT)
    block_limit, warp_limit = get(own, ly.NOW_BLOCK_LIMIT), get(own, ly.NOW_WARP_LIMIT)
    shift, base = get(own, ly.GLOBAL_SHIFT), get(area, ly.AREA_BASE)
    reads, others = get(area, ly.AREA_READS), get(area, ly.AREA_OTHER_READS)
    put(own, ly.NOW_LIMIT, 1)
    for index in range(get(own, ly.LOG_USED)):
        entry = get(own, ly.LOG) + 8 * ly.LOG_COLUMNS * index
        if get(entry, ly.LOG_AREA) != area:
            continue
        put(own, ly.NOW, get(entry, ly.LOG_STAMP))
        put(own, ly.NOW_ABOUT, get(entry, ly.LOG_ABOUT))
        put(own, ly.NOW_BLOCK_LIMIT, get(entry, ly.LOG_BLOCK_LIMIT))
        put(own, ly.NOW_WARP_LIMIT, get(entry, ly.LOG_WARP_LIMIT))
        cells = get(entry, ly.LOG_NBYTES) >> shift
        at = ((get(entry, ly.LOG_ADDRESS) - base) >> shift) * ly.RECORD_BYTES
        for lane in range(32):
            for _ in range(cells):
                remember(own, reads + at, others + at, 1 << lane)
                at += ly.RECORD_BYTES
    put(own, ly.NOW, now)
    put(own, ly.NOW_ABOUT, about)
    put(own, ly.NOW_LIMIT, limit)
    put(own, ly.NOW_BLOCK_LIMIT, block_limit)
    put(own, ly.NOW_WARP_LIMIT, warp_limit)
    return 0
