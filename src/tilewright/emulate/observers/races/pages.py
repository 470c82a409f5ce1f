"""Pages of cells that one more plain load changes nothing about, so that their records need not be looked at.

Of a cell's readers two are recorded, of different warps (in global memory: of different blocks). A third one is
dropped, and mostly a third one reads a page whose cells have all been read by two. When a record of it changes, a page
is looked at again after a load has gone through the records.
"""

from __future__ import annotations

from llvmlite import ir

from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import inner, of_words
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import SHARED
from tilewright.emulate.memory_vectors import lowest_lane
from tilewright.emulate.observers.races import layout as ly
from tilewright.emulate.tables import get, put

MOST_PAGES = 4
"""Of one access; one that reaches more is not worth it."""


@of_words
def _lanes_on_page(b: Builder, addresses: Value, base: Value, nbytes: Value, shift: Value, page: Value) -> Value:
    """Return the lanes all of whose bytes lie on a page of 2 ** shift bytes."""
    first = b.sub(b.load(v.address(b, addresses), typ=v.vector(v.i64), align=64), v.splat(b, base))
    last = b.add(first, v.splat(b, b.sub(nbytes, ir.Constant(v.i64, 1))))
    shifts, pages = v.splat(b, shift), v.splat(b, page)
    ends = [b.icmp_unsigned("==", b.lshr(offsets, shifts), pages) for offsets in (first, last)]
    return b.zext(v.to_mask(b, b.and_(*ends)), v.i64)


@inner
def is_known_to_two(own: int, event: int, area: int, lanes: int, shift: int) -> bool:
    """Say whether a plain load changes nothing: two others are recorded wherever it reads, and no write that counts."""
    pages, base = get(area, ly.AREA_PAGES), get(area, ly.AREA_BASE)
    limit, mine = get(own, ly.NOW_LIMIT), get(own, ly.NOW)
    is_shared, addresses = get(event, ev.SPACE) == SHARED, event + 8 * ev.ADDRESSES
    shift += ly.PAGE_SHIFT
    for _ in range(MOST_PAGES):
        page = (get(addresses, lowest_lane(lanes)) - base) >> shift
        record = pages + 8 * ly.PAGE_COLUMNS * page
        if get(record, ly.PAGE_SINCE) < limit:
            return False
        owners = get(record, ly.PAGE_OWNERS)
        if is_shared:
            if (owners >> (mine & 31)) & 1:
                return False
        elif owners >= (mine & ly.LOW) >> ly.SERIAL_SHIFT:
            return False
        lanes &= ~_lanes_on_page(addresses, base, get(event, ev.NBYTES), shift, page)
        if lanes == 0:
            return True
    return False


@inner
def forget_page(area: int, at: int) -> None:
    """Say that a record of a cell changes; `at`: where it is, in bytes."""
    page = at // (ly.RECORD_BYTES << ly.PAGE_SHIFT)
    put(get(area, ly.AREA_PAGES), ly.PAGE_COLUMNS * page + ly.PAGE_SINCE, 0)


@inner
def look_at_pages(own: int, area: int, count: int, is_shared: bool) -> None:
    """Look at the pages of the cells in GROUPS."""
    before = -1
    for index in range(count):
        page = get(get(own, ly.GROUPS), index) // (ly.RECORD_BYTES << ly.PAGE_SHIFT)
        if page != before:
            _look_at_page(own, area, page, is_shared)
        before = page


@inner
def _look_at_page(own: int, area: int, page: int, is_shared: bool) -> None:
    """Note since when, and by whom, all cells of a page are known to be read by two, if they are."""
    limit, same_owner = get(own, ly.NOW_LIMIT), ly.LOW if is_shared else ly.SAME_BLOCK
    reads, others, writes = get(area, ly.AREA_READS), get(area, ly.AREA_OTHER_READS), get(area, ly.AREA_WRITES)
    since, owners = ly.FOREVER, 0
    at = page * (ly.RECORD_BYTES << ly.PAGE_SHIFT)
    for _ in range(1 << ly.PAGE_SHIFT):
        stamp, other = get(reads + at, ly.RECORD_STAMP), get(others + at, ly.RECORD_STAMP)
        is_by_two = stamp >= limit and other >= limit and (stamp ^ other) & same_owner != 0
        if not is_by_two or get(writes + at, ly.RECORD_STAMP) >= limit:
            return
        since = min(since, stamp, other)
        if is_shared:
            owners |= 1 << (stamp & 31) | 1 << (other & 31)
        else:
            owners = max(owners, (stamp & ly.LOW) >> ly.SERIAL_SHIFT, (other & ly.LOW) >> ly.SERIAL_SHIFT)
        at += ly.RECORD_BYTES
    record = get(area, ly.AREA_PAGES) + 8 * ly.PAGE_COLUMNS * page
    put(record, ly.PAGE_SINCE, since)
    put(record, ly.PAGE_OWNERS, owners)
