"""The compiled part of bounds.py: compares every address with the arrays that it may have been computed from."""

from __future__ import annotations

from tilewright.emulate.compiled import ObservedUnit
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL
from tilewright.emulate.memory_vectors import check_global, count_lanes, lowest_lane
from tilewright.emulate.tables import get, increase, put

(EXTENTS, ALLOCATION, TIMES, BLOCK, WARP, LANE, ADDRESS, SPACE, NBYTES, ACCESS, NUMBER) = range(11)
FIRST_EXTENT = 11
EXTENT_SPACE, EXTENT_LOW, EXTENT_HIGH, EXTENT_COLUMNS = range(4)
RECORDS, FOUND = 0, 1
"""Of `own`: the table of records by instruction (0: the address may come from anywhere), and how many found some."""


@ObservedUnit
def observe_bounds(state: int, own: int, event: int) -> int:
    """Note the first lane outside of all arrays that its address may have been computed from."""
    record = get(get(own, RECORDS), get(event, ev.PC))
    if record == 0:
        return 0
    space = GLOBAL if get(event, ev.SPACE) == ev.CONSTANT else get(event, ev.SPACE)
    # The allocation that all lanes are in is known already, and mostly it is the right one.
    if space == GLOBAL and get(record, ALLOCATION) == get(event, ev.ALLOCATION) and get(record, ALLOCATION) >= 0:
        return 0
    nbytes, lanes = get(event, ev.NBYTES), get(event, ev.LANES)
    outside = lanes
    for index in range(get(record, EXTENTS)):
        extent = record + 8 * (FIRST_EXTENT + EXTENT_COLUMNS * index)
        if get(extent, EXTENT_SPACE) == space:
            low = get(extent, EXTENT_LOW)
            limit = max(get(extent, EXTENT_HIGH) - low - nbytes + 1, 0)
            outside &= ~check_global(event + 8 * ev.ADDRESSES, 0, low, limit, 0, lanes)
    if outside:
        if get(record, TIMES) == 0:
            lane = lowest_lane(outside)
            put(record, NUMBER, get(own, FOUND))
            increase(own, FOUND, 1)
            put(record, BLOCK, get(event, ev.BLOCK))
            put(record, WARP, get(event, ev.WARP_IN_BLOCK))
            put(record, LANE, lane)
            put(record, ADDRESS, ev.address_of(event, lane))
            put(record, SPACE, space)
            put(record, NBYTES, nbytes)
            put(record, ACCESS, get(event, ev.KIND))
        increase(record, TIMES, count_lanes(outside))
    return 0
