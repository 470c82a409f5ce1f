"""What orders threads by itself: the beginning of a block, barriers, warp synchronization."""

from __future__ import annotations

from tilewright.emulate import state as st
from tilewright.emulate.compiled import inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.memory_vectors import count_lanes, lowest_lane
from tilewright.emulate.observers.races import layout as ly
from tilewright.emulate.observers.races.releases import advance, new_node, note_acquire
from tilewright.emulate.observers.races.tables import (
    arrival_row,
    block_row,
    known_row,
    lane_row,
    neighbor_row,
    node_at,
    raise_times,
    set_times,
    warp_row,
)
from tilewright.emulate.tables import block_at, get, increase, put


@inner
def begin_block(own: int, state: int, event: int) -> None:
    """Forget the block that had this place before: all it did is earlier than what the new one does."""
    time, warps, resident = advance(own), get(state, st.LAYOUT_WARPS), get(event, ev.RESIDENT)
    block = block_row(own, resident)
    put(block, ly.BLOCK_BEGAN, get(own, ly.MOMENT))
    put(block, ly.BLOCK_MET_MOMENT, get(own, ly.MOMENT))
    put(block, ly.BLOCK_MET, time)
    put(block, ly.BLOCK_ACQUIRES, 0)
    put(block, ly.BLOCK_FENCES, 0)
    for number in range(warps):
        warp = resident * warps + number
        row = warp_row(own, warp)
        put(row, ly.WARP_SERIAL, get(event, ev.BLOCK) << ly.SERIAL_SHIFT | number)
        put(row, ly.WARP_TIME, time)
        put(row, ly.WARP_MET, time)
        put(row, ly.WARP_PARTS, 0)
        put(row, ly.WARP_LANES, (1 << min(get(state, st.LAYOUT_THREADS) - 32 * number, 32)) - 1)
        if get(own, ly.HAS_FENCED):
            for lane in range(32):
                put(lane_row(own, warp, lane), ly.LANE_TIME, 0)
                put(lane_row(own, warp, lane), ly.LANE_LOCAL_TIME, 0)
                put(lane_row(own, warp, lane), ly.LANE_NODE, 0)
    for barrier in range(st.BARRIERS):
        _clear_arrivals(own, resident, barrier)
    if get(own, ly.NODES_USED):
        for entry in range(ly.NEIGHBORS_PER_BLOCK):
            put(neighbor_row(own, resident, entry << ly.SERIAL_SHIFT), ly.NEIGHBOR_TIME, 0)


@inner
def _clear_arrivals(own: int, resident: int, barrier: int) -> None:
    row = arrival_row(own, resident, barrier)
    put(row, ly.ARRIVAL_WAITING, 0)
    put(row, ly.ARRIVAL_PASSING, 0)
    put(row, ly.ARRIVAL_NODE, 0)


@inner
def meet_in_warp(own: int, event: int) -> None:
    """Order the lanes that met: all of a warp's at once, some of them pair by pair."""
    warp, lanes, time = get(event, ev.WARP), get(event, ev.LANES), advance(own)
    row = warp_row(own, warp)
    put(row, ly.WARP_TIME, time)
    # Ended lanes met nobody: those that are left are then only some of the warp's.
    if lanes == get(row, ly.WARP_LANES):
        put(row, ly.WARP_MET, time)
        put(row, ly.WARP_PARTS, 0)
        return
    if not get(row, ly.WARP_PARTS):
        put(row, ly.WARP_PARTS, 1)
        for lane in range(32):
            set_times(known_row(own, warp, lane), ly.LOW, 0)
    first = known_row(own, warp, lowest_lane(lanes))
    left = lanes & (lanes - 1)
    while left:
        raise_times(first, known_row(own, warp, lowest_lane(left)))
        left &= left - 1
    set_times(first, lanes, time)
    left = lanes & (lanes - 1)
    while left:
        raise_times(known_row(own, warp, lowest_lane(left)), first)
        left &= left - 1


@inner
def arrive_at_barrier(own: int, event: int) -> None:
    """Count who comes to a barrier, and keep what they know if not everyone may come."""
    warp, resident, lanes = get(event, ev.WARP), get(event, ev.RESIDENT), get(event, ev.LANES)
    row = arrival_row(own, resident, get(event, ev.BARRIER_NUMBER))
    waits = get(event, ev.WAITS)
    increase(row, ly.ARRIVAL_WAITING if waits else ly.ARRIVAL_PASSING, count_lanes(lanes))
    if get(event, ev.EXPECTED) == 0:
        return
    time = advance(own)
    put(warp_row(own, warp), ly.WARP_TIME, time)
    node = new_node(own, warp, resident, lanes, get(row, ly.ARRIVAL_NODE))
    if node == 0:
        return
    entry = node_at(own, node)
    put(entry, ly.NODE_IS_LOCAL, 1)
    put(entry, ly.NODE_TIME, 0)
    # A barrier orders the threads of its block, and needs no fence for that.
    put(entry, ly.NODE_LOCAL_TIME, time)
    put(entry, ly.NODE_LOCAL_BLOCK_MET, get(entry, ly.NODE_NOW_BLOCK_MET))
    put(entry, ly.NODE_LOCAL_WARP_MET, get(entry, ly.NODE_NOW_WARP_MET))
    put(entry, ly.NODE_VISITED, -1 if waits else -2)
    put(row, ly.ARRIVAL_NODE, node)


@inner
def open_barrier(own: int, state: int, event: int) -> None:
    """Order everyone at once if the whole block waited; else let those who wait acquire what all arrivals know."""
    resident, barrier = get(event, ev.RESIDENT), get(event, ev.BARRIER_NUMBER)
    row, warps = arrival_row(own, resident, barrier), get(state, st.LAYOUT_WARPS)
    time = advance(own)
    node = get(row, ly.ARRIVAL_NODE)
    is_whole = get(row, ly.ARRIVAL_WAITING) == get(block_at(state, resident), st.BLOCK_LIVE)
    if node == 0 or (is_whole and get(row, ly.ARRIVAL_PASSING) == 0):
        put(block_row(own, resident), ly.BLOCK_MET, time)
        put(block_row(own, resident), ly.BLOCK_MET_MOMENT, get(own, ly.MOMENT))
        for warp in range(resident * warps, resident * warps + warps):
            put(warp_row(own, warp), ly.WARP_TIME, time)
    else:
        last = node
        while node:
            entry = node_at(own, node)
            if get(entry, ly.NODE_VISITED) == -1:
                warp = resident * warps + (get(entry, ly.NODE_SERIAL) & 31)
                put(warp_row(own, warp), ly.WARP_TIME, time)
                note_acquire(own, warp, resident, get(entry, ly.NODE_LANES), last, 0)
            node = get(entry, ly.NODE_NEXT)
    _clear_arrivals(own, resident, barrier)
