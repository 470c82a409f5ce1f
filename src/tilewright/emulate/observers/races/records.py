"""The records of a cell: which earlier accesses the one at hand may race with, and what stays of them."""

from __future__ import annotations

from tilewright.emulate.compiled import call_unit, inner
from tilewright.emulate.observers.races import layout as ly
from tilewright.emulate.tables import get, put


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
