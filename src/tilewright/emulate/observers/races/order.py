"""Happens-before between two accesses: by barriers and warp synchronization at once, by releases through search."""

from __future__ import annotations

from tilewright.emulate.compiled import ObservedUnit, call_unit, inner
from tilewright.emulate.memory_vectors import lowest_lane
from tilewright.emulate.observers.races import layout as ly
from tilewright.emulate.observers.races.tables import (
    acquire_at,
    block_row,
    fence_at,
    known_row,
    known_time,
    neighbor_row,
    node_at,
    warp_row,
)
from tilewright.emulate.tables import get, put


@inner
def is_ordered(own: int, warp: int, resident: int, lane: int, stamp: int, other: int) -> bool:
    """Say whether what lane `other` did at `stamp` happened before what `lane` of `warp` does now."""
    time, serial = stamp >> 32, stamp & ly.LOW
    mine = get(warp_row(own, warp), ly.WARP_SERIAL)
    if serial == mine:
        if other == lane or time < get(warp_row(own, warp), ly.WARP_MET):
            return True
        if get(warp_row(own, warp), ly.WARP_PARTS) and time < known_time(known_row(own, warp, lane), other):
            return True
    if (serial ^ mine) & ly.SAME_BLOCK == 0 and time < get(block_row(own, resident), ly.BLOCK_MET):
        return True
    if get(own, ly.NODES_USED) == 0:
        return False
    neighbor = neighbor_row(own, resident, serial)
    if get(neighbor, ly.NEIGHBOR_BLOCK) == serial >> ly.SERIAL_SHIFT and time < get(neighbor, ly.NEIGHBOR_TIME):
        return True
    if call_unit(get(own, ly.SEARCH), own, warp, resident, lane, stamp, other):
        return True
    # Without room for all releases an order may have been missed: better silent than wrong.
    return get(own, ly.IS_FULL) != 0


@ObservedUnit
def search_releases(own: int, warp: int, resident: int, lane: int, stamp: int, other: int) -> int:
    """Say whether a chain of releases and acquires leads from lane `other` at `stamp` to `lane` of `warp`."""
    query = get(own, ly.QUERY) + 1
    put(own, ly.QUERY, query)
    mine, block = warp_row(own, warp), block_row(own, resident)
    serial, lanes = get(mine, ly.WARP_SERIAL), 1 << lane
    warp_met, block_met = get(mine, ly.WARP_MET), get(block, ly.BLOCK_MET)
    known = known_row(own, warp, lane) if get(mine, ly.WARP_PARTS) else 0
    acquire, limit = get(block, ly.BLOCK_ACQUIRES), ly.FOREVER
    is_mine, is_everyones, waiting = True, True, 0
    while True:
        while acquire:
            entry = acquire_at(own, acquire)
            time = get(entry, ly.ACQUIRE_TIME)
            everyones = time < block_met if is_mine else is_everyones
            knows = time < block_met
            if not knows and get(entry, ly.ACQUIRE_SERIAL) == serial:
                knows = _knows_lanes(get(entry, ly.ACQUIRE_LANES), lanes, time, limit, warp_met, known)
            visit = 2 * query + (1 if everyones else 0)
            if knows and get(entry, ly.ACQUIRE_VISITED) < visit:
                put(entry, ly.ACQUIRE_VISITED, visit)
                node = get(entry, ly.ACQUIRE_NODE)
                walk = visit << 32 | get(entry, ly.ACQUIRE_SERIAL) >> ly.SERIAL_SHIFT
                while node:
                    release = node_at(own, node)
                    if get(release, ly.NODE_WALKED) == walk:
                        break  # a later acquire of this block has led here, and on
                    put(release, ly.NODE_WALKED, walk)
                    is_near = (get(release, ly.NODE_SERIAL) ^ get(entry, ly.ACQUIRE_SERIAL)) & ly.SAME_BLOCK == 0
                    mark = 4 * query + (2 if is_near else 0) + (1 if everyones else 0)
                    is_open = is_near or get(release, ly.NODE_IS_LOCAL) == 0
                    if is_open and get(release, ly.NODE_VISITED) < mark:
                        put(release, ly.NODE_VISITED, mark)
                        if _holds(own, release, is_near, stamp, other):
                            if everyones:
                                _remember_neighbor(own, resident, release, is_near, stamp)
                            return 1
                        if waiting < get(own, ly.NODES_ROOM):
                            put(get(own, ly.WORK), waiting, 4 * node + (2 if is_near else 0) + (1 if everyones else 0))
                            waiting += 1
                    node = get(release, ly.NODE_NEXT)
            acquire = get(entry, ly.ACQUIRE_NEXT)
        if waiting == 0:
            return 0
        waiting -= 1
        work = get(get(own, ly.WORK), waiting)
        release = node_at(own, work >> 2)
        is_near, is_everyones = work & 2 != 0, work & 1 != 0
        serial, lanes = get(release, ly.NODE_SERIAL), get(release, ly.NODE_LANES)
        is_mine, limit = False, _fence_of(release, is_near, 0)
        block_met, warp_met = _fence_of(release, is_near, 1), _fence_of(release, is_near, 2)
        known = release + 8 * ly.NODE_KNOWN if get(release, ly.NODE_PARTS) else 0
        acquire = get(release, ly.NODE_ACQUIRES) if limit else 0


@inner
def _fence_of(release: int, is_near: bool, column: int) -> int:
    """Return the time of a release's fence (0), or up to when its threads knew of their block (1) or warp (2) then."""
    return get(release, (ly.NODE_LOCAL_TIME if is_near else ly.NODE_TIME) + column)


@inner
def _knows_lanes(theirs: int, lanes: int, time: int, limit: int, warp_met: int, known: int) -> bool:
    """Say whether some of `lanes` know at `limit` what some of `theirs` in the same warp did at `time`."""
    if theirs & lanes and time < limit:
        return True
    if time < warp_met:
        return True
    if known:
        while theirs:
            row_time = known_time(known, lowest_lane(theirs))
            theirs &= theirs - 1
            if row_time <= limit and time < row_time:
                return True
    return False


@inner
def _holds(own: int, release: int, is_near: bool, stamp: int, other: int) -> bool:
    """Say whether a release passes on what lane `other` did at `stamp`."""
    time, serial = stamp >> 32, stamp & ly.LOW
    limit, block_met = _fence_of(release, is_near, 0), _fence_of(release, is_near, 1)
    known = release + 8 * ly.NODE_KNOWN if get(release, ly.NODE_PARTS) else 0
    is_warp = serial == get(release, ly.NODE_SERIAL)
    if (serial ^ get(release, ly.NODE_SERIAL)) & ly.SAME_BLOCK:
        return False
    if limit:
        if time < block_met:
            return True
        lanes, warp_met = get(release, ly.NODE_LANES), _fence_of(release, is_near, 2)
        if is_warp and _knows_lanes(1 << other, lanes, time, limit, warp_met, known):
            return True
    # What a thread did before a fence of its own is passed on by whoever met it since.
    fence = get(release, ly.NODE_FENCES)
    while fence:
        entry = fence_at(own, fence)
        then = get(entry, ly.FENCE_TIME)
        if then <= time:
            return False  # the list runs back in time
        is_its_own = get(entry, ly.FENCE_SERIAL) == serial and (get(entry, ly.FENCE_LANES) >> other) & 1
        if is_its_own and (is_near or get(entry, ly.FENCE_SCOPE)):
            if then < get(release, ly.NODE_NOW_BLOCK_MET):
                return True
            if is_warp and then < get(release, ly.NODE_NOW_WARP_MET):
                return True
            if is_warp and known and then < known_time(known, other):
                return True
        fence = get(entry, ly.FENCE_NEXT)
    return False


@inner
def _remember_neighbor(own: int, resident: int, release: int, is_near: bool, stamp: int) -> None:
    """Keep what everyone in a block now knows of another block, so that the next question needs no search."""
    time = _fence_of(release, is_near, 1)
    if stamp >> 32 < time:
        row = neighbor_row(own, resident, stamp & ly.LOW)
        put(row, ly.NEIGHBOR_BLOCK, (stamp & ly.LOW) >> ly.SERIAL_SHIFT)
        put(row, ly.NEIGHBOR_TIME, time)
