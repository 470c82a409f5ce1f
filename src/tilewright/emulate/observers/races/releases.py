"""Releases and acquires: fences, and the atomics and strong accesses through which threads learn from each other."""

from __future__ import annotations

from tilewright.emulate import opcodes as op
from tilewright.emulate.compiled import inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import SHARED
from tilewright.emulate.memory_vectors import load_u32, lowest_lane, store_32
from tilewright.emulate.observers.races import layout as ly
from tilewright.emulate.observers.races.tables import (
    acquire_at,
    block_row,
    fence_at,
    known_row,
    lane_row,
    node_at,
    raise_times,
    set_times,
    warp_row,
)
from tilewright.emulate.tables import get, put


@inner
def advance(own: int) -> int:
    """Return the next time."""
    time = get(own, ly.TIME) + 1
    put(own, ly.TIME, time)
    return time


@inner
def take_row(own: int, used: int, room: int) -> int:
    """Return the number of a fresh row of a table that counts its rows in `used`, or 0 when there is no room."""
    number = get(own, used) + 1
    if number >= get(own, room):
        put(own, ly.IS_FULL, 1)
        return 0
    put(own, used, number)
    return number


@inner
def note_fence(own: int, warp: int, resident: int, lanes: int, scope: int) -> None:
    """Keep what these lanes know now: a strong write of theirs will release it."""
    time = advance(own)
    row, block = warp_row(own, warp), block_row(own, resident)
    if not get(own, ly.HAS_FENCED):
        put(own, ly.HAS_FENCED, 1)
    warp_time = get(row, ly.WARP_TIME)
    put(row, ly.WARP_TIME, time)
    met, warp_met = get(block, ly.BLOCK_MET), get(row, ly.WARP_MET)
    left = lanes
    while left:
        lane = lane_row(own, warp, lowest_lane(left))
        left &= left - 1
        if scope != op.SCOPE_BLOCK:
            put(lane, ly.LANE_TIME, time)
            put(lane, ly.LANE_BLOCK_MET, met)
            put(lane, ly.LANE_WARP_MET, warp_met)
        put(lane, ly.LANE_LOCAL_TIME, time)
        put(lane, ly.LANE_LOCAL_BLOCK_MET, met)
        put(lane, ly.LANE_LOCAL_WARP_MET, warp_met)
    number = get(block, ly.BLOCK_FENCES)
    is_repeated = False
    if number:
        last = fence_at(own, number)
        is_repeated = get(last, ly.FENCE_SERIAL) == get(row, ly.WARP_SERIAL) and get(last, ly.FENCE_TIME) == warp_time
        is_repeated = is_repeated and get(last, ly.FENCE_LANES) == lanes and get(last, ly.FENCE_SCOPE) == scope
    if not is_repeated:
        next_one = number
        number = take_row(own, ly.FENCES_USED, ly.FENCES_ROOM)
        if number == 0:
            return
        put(fence_at(own, number), ly.FENCE_NEXT, next_one)
        put(block, ly.BLOCK_FENCES, number)
    entry = fence_at(own, number)
    put(entry, ly.FENCE_SERIAL, get(row, ly.WARP_SERIAL))
    put(entry, ly.FENCE_LANES, lanes)
    put(entry, ly.FENCE_TIME, time)
    put(entry, ly.FENCE_SCOPE, scope)


@inner
def new_node(own: int, warp: int, resident: int, lanes: int, next_node: int) -> int:
    """Return a release that so far says what its lanes know now; 0 when there is no room."""
    node = take_row(own, ly.NODES_USED, ly.NODES_ROOM)
    if node == 0:
        return 0
    row, mine, block = node_at(own, node), warp_row(own, warp), block_row(own, resident)
    put(row, ly.NODE_SERIAL, get(mine, ly.WARP_SERIAL))
    put(row, ly.NODE_LANES, lanes)
    put(row, ly.NODE_NEXT, next_node)
    put(row, ly.NODE_VISITED, 0)
    put(row, ly.NODE_WALKED, 0)
    put(row, ly.NODE_NOW_BLOCK_MET, get(block, ly.BLOCK_MET))
    put(row, ly.NODE_NOW_WARP_MET, get(mine, ly.WARP_MET))
    put(row, ly.NODE_ACQUIRES, get(block, ly.BLOCK_ACQUIRES))
    put(row, ly.NODE_FENCES, get(block, ly.BLOCK_FENCES))
    put(row, ly.NODE_PARTS, get(mine, ly.WARP_PARTS))
    if get(mine, ly.WARP_PARTS):
        set_times(row + 8 * ly.NODE_KNOWN, ly.LOW, 0)
        left = lanes
        while left:
            raise_times(row + 8 * ly.NODE_KNOWN, known_row(own, warp, lowest_lane(left)))
            left &= left - 1
    return node


@inner
def note_acquire(own: int, warp: int, resident: int, lanes: int, node: int, place: int) -> None:
    """Keep that these lanes know from now on what a release, and those that it passes on, knew; place 0: a barrier."""
    row, block = warp_row(own, warp), block_row(own, resident)
    serial, time = get(row, ly.WARP_SERIAL), get(row, ly.WARP_TIME)
    number = get(block, ly.BLOCK_ACQUIRES)
    if number:
        last = acquire_at(own, number)
        is_again = get(last, ly.ACQUIRE_SERIAL) == serial and get(last, ly.ACQUIRE_TIME) == time
        if is_again and get(last, ly.ACQUIRE_LANES) == lanes:
            # A thread that waits in a loop sees the same release again, or one that passes it on.
            is_again = get(last, ly.ACQUIRE_RESETS) == get(own, ly.RESETS)
            if is_again and place and get(last, ly.ACQUIRE_PLACE) == place:
                put(last, ly.ACQUIRE_NODE, node)
                return
    next_one = number
    number = take_row(own, ly.ACQUIRES_USED, ly.ACQUIRES_ROOM)
    if number == 0:
        return
    entry = acquire_at(own, number)
    put(entry, ly.ACQUIRE_SERIAL, serial)
    put(entry, ly.ACQUIRE_LANES, lanes)
    put(entry, ly.ACQUIRE_TIME, time)
    put(entry, ly.ACQUIRE_NODE, node)
    put(entry, ly.ACQUIRE_NEXT, next_one)
    put(entry, ly.ACQUIRE_PLACE, place)
    put(entry, ly.ACQUIRE_RESETS, get(own, ly.RESETS))
    put(entry, ly.ACQUIRE_VISITED, 0)
    put(block, ly.BLOCK_ACQUIRES, number)


@inner
def acquire_from(own: int, event: int, place: int, lanes: int) -> None:
    """Let lanes know what was released at a place: `place` is where the number of the last release is kept."""
    node = load_u32(place)
    if node == 0:
        return
    warp, resident = get(event, ev.WARP), get(event, ev.RESIDENT)
    is_shared = get(event, ev.SPACE) == SHARED
    serials = get(node_at(own, node), ly.NODE_SERIAL) ^ get(warp_row(own, warp), ly.WARP_SERIAL)
    if is_shared and serials & ly.SAME_BLOCK:
        return  # left by the block that had this shared memory before
    note_acquire(own, warp, resident, lanes, node, place)


@inner
def release_to(own: int, event: int, place: int, lanes: int, passes_on: bool) -> None:
    """Release what lanes knew at their last fence, if any; an atomic also passes on what was released there before."""
    warp, resident = get(event, ev.WARP), get(event, ev.RESIDENT)
    is_shared = get(event, ev.SPACE) == SHARED
    before = load_u32(place) if passes_on else 0
    if before and is_shared:
        serials = get(node_at(own, before), ly.NODE_SERIAL) ^ get(warp_row(own, warp), ly.WARP_SERIAL)
        before = 0 if serials & ly.SAME_BLOCK else before
    if not passes_on:
        put(own, ly.RESETS, get(own, ly.RESETS) + 1)
    while lanes:
        lane = lane_row(own, warp, lowest_lane(lanes))
        alike = _lanes_that_fenced_with(own, warp, lane, lanes)
        lanes &= ~alike
        if get(lane, ly.LANE_LOCAL_TIME) == 0 or (before and _has_released(own, warp, resident, lane, alike, place)):
            continue
        node = new_node(own, warp, resident, alike, before)
        if node == 0:
            return
        before = node
        put(lane, ly.LANE_NODE, node)
        put(lane, ly.LANE_PLACE, place)
        row = node_at(own, node)
        for column in range(6):
            put(row, ly.NODE_TIME + column, get(lane, ly.LANE_TIME + column))
        put(row, ly.NODE_IS_LOCAL, 1 if is_shared or get(event, ev.SCOPE) == op.SCOPE_BLOCK else 0)
    store_32(place, before)


@inner
def _lanes_that_fenced_with(own: int, warp: int, lane: int, lanes: int) -> int:
    """Return those of `lanes` that executed their last fences together with the thread at `lane`."""
    alike = 0
    for number in range(32):
        if (lanes >> number) & 1:
            other = lane_row(own, warp, number)
            is_alike = get(other, ly.LANE_TIME) == get(lane, ly.LANE_TIME)
            if is_alike and get(other, ly.LANE_LOCAL_TIME) == get(lane, ly.LANE_LOCAL_TIME):
                alike |= 1 << number
    return alike


@inner
def _has_released(own: int, warp: int, resident: int, lane: int, lanes: int, place: int) -> bool:
    """Say whether these lanes have released all that they could here, and nothing has ended that release since."""
    node = get(lane, ly.LANE_NODE)
    if node == 0 or get(lane, ly.LANE_PLACE) != place or get(own, ly.RESETS):
        return False
    row = node_at(own, node)
    is_same = get(row, ly.NODE_LANES) == lanes and get(row, ly.NODE_TIME) == get(lane, ly.LANE_TIME)
    is_same = is_same and get(row, ly.NODE_LOCAL_TIME) == get(lane, ly.LANE_LOCAL_TIME)
    is_same = is_same and get(row, ly.NODE_NOW_BLOCK_MET) == get(block_row(own, resident), ly.BLOCK_MET)
    return is_same and get(row, ly.NODE_NOW_WARP_MET) == get(warp_row(own, warp), ly.WARP_MET)
