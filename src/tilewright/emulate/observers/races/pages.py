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
from tilewright.emulate.observers.races.tables import block_row, warp_row
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
def is_known_to_two(own: int, event: int, area: int) -> bool:
    """Say whether a plain load changes nothing: two others are recorded wherever it reads, and no write that counts."""
    pages, base, lanes = get(area, ly.AREA_PAGES), get(area, ly.AREA_BASE), get(event, ev.LANES)
    # With releases, two ordered readers may displace a third that is not ordered.
    if pages == 0 or get(area, ly.AREA_HAS_STRONG) or get(own, ly.NODES_USED):
        return False
    serial, limit = get(warp_row(own, get(event, ev.WARP)), ly.WARP_SERIAL), 1
    is_shared, addresses = get(event, ev.SPACE) == SHARED, event + 8 * ev.ADDRESSES
    shift, last = get(own, ly.GLOBAL_SHIFT) + ly.PAGE_SHIFT, ly.FOREVER
    if is_shared:
        limit = get(block_row(own, get(event, ev.RESIDENT)), ly.BLOCK_MET) << 32
        shift = get(own, ly.SHARED_SHIFT) + ly.PAGE_SHIFT
        last = (get(own, ly.SHARED_BYTES) - 1) >> shift
    for _ in range(MOST_PAGES):
        page = (get(addresses, lowest_lane(lanes)) - base) >> shift
        record = pages + 8 * ly.PAGE_COLUMNS * page
        if page > last or get(record, ly.PAGE_SINCE) < limit:
            return False
        owners = get(record, ly.PAGE_OWNERS)
        is_mine = (owners >> (serial & 31)) & 1 != 0 if is_shared else owners >= serial >> ly.SERIAL_SHIFT
        if is_mine:
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
def forget_pages(area: int, at: int, count: int) -> None:
    """Say that records of so many neighboring cells change."""
    size = ly.RECORD_BYTES << ly.PAGE_SHIFT
    for page in range(at // size, (at + ly.RECORD_BYTES * (count - 1)) // size + 1):
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
    at = (page + 1) * (ly.RECORD_BYTES << ly.PAGE_SHIFT)
    for _ in range(1 << ly.PAGE_SHIFT):
        at -= ly.RECORD_BYTES  # the last cell is mostly the last to be read
        stamp, other = get(reads + at, ly.RECORD_STAMP), get(others + at, ly.RECORD_STAMP)
        is_by_two = stamp >= limit and other >= limit and (stamp ^ other) & same_owner != 0
        if not is_by_two or get(writes + at, ly.RECORD_STAMP) >= limit:
            return
        since = min(since, stamp, other)
        if is_shared:
            owners |= 1 << (stamp & 31) | 1 << (other & 31)
        else:
            owners = max(owners, (stamp & ly.LOW) >> ly.SERIAL_SHIFT, (other & ly.LOW) >> ly.SERIAL_SHIFT)
    record = get(area, ly.AREA_PAGES) + 8 * ly.PAGE_COLUMNS * page
    put(record, ly.PAGE_SINCE, since)
    put(record, ly.PAGE_OWNERS, owners)
