"""The compiled part of barrier_reach.py: who has come to which barrier, who has ended, and the pairs that disagree."""

from __future__ import annotations

from tilewright.emulate import state as st
from tilewright.emulate.compiled import ObservedUnit, inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.memory_vectors import count_lanes, store_32
from tilewright.emulate.tables import get, increase, put

(ARRIVALS, ENDS, ENDED_AT, PAIRS, COUNT) = range(5)
"""Of `own`: a row per barrier of each resident block, a row per resident block, the instruction (int32) where each
resident thread ended, the pairs found, their number."""
OWN_WORDS = 5
(ARRIVED_PC, ARRIVED_WARP, ARRIVED_LANES, ARRIVAL_COLUMNS) = range(4)
(END_PC, END_WARP, END_LANES, END_THREADS, END_COLUMNS) = range(5)
NOBODY = -1
RETURNED, ELSEWHERE = 0, 1
"""Kinds of pairs: threads ended at FIRST_PC before the barrier at SECOND_PC opened; threads came to two barriers."""
(KIND, FIRST_PC, SECOND_PC, TIMES, BLOCK, FIRST_WARP, FIRST_LANES, SECOND_WARP, SECOND_LANES, THREADS) = range(10)
PAIR_COLUMNS = 10
MOST_PAIRS = 64


@inner
def _note_pair(
    own: int, kind: int, block: int, first: int, second: int, warp: int, lanes: int, other_warp: int, other_lanes: int
) -> int:
    """Count a pair of instructions. Return its record the first time, to fill in the threads, else 0."""
    count = get(own, COUNT)
    for index in range(count):
        pair = get(own, PAIRS) + 8 * PAIR_COLUMNS * index
        if get(pair, KIND) == kind and get(pair, FIRST_PC) == first and get(pair, SECOND_PC) == second:
            increase(pair, TIMES, 1)
            return 0
    if count == MOST_PAIRS:
        return 0
    pair = get(own, PAIRS) + 8 * PAIR_COLUMNS * count
    put(own, COUNT, count + 1)
    put(pair, KIND, kind)
    put(pair, FIRST_PC, first)
    put(pair, SECOND_PC, second)
    put(pair, TIMES, 1)
    put(pair, BLOCK, block)
    put(pair, FIRST_WARP, warp)
    put(pair, FIRST_LANES, lanes)
    put(pair, SECOND_WARP, other_warp)
    put(pair, SECOND_LANES, other_lanes)
    return pair


@inner
def _start_block(state: int, own: int, resident: int) -> None:
    for barrier in range(st.BARRIERS):
        put(get(own, ARRIVALS) + 8 * ARRIVAL_COLUMNS * (st.BARRIERS * resident + barrier), ARRIVED_PC, NOBODY)
    end = get(own, ENDS) + 8 * END_COLUMNS * resident
    put(end, END_PC, NOBODY)
    put(end, END_THREADS, 0)
    threads = 32 * get(state, st.LAYOUT_WARPS)
    for thread in range(threads):
        store_32(get(own, ENDED_AT) + 4 * (resident * threads + thread), NOBODY)


@inner
def _arrive(own: int, event: int, arrival: int) -> None:
    """Threads that wait for the whole block must all wait at one barrier; those with a count need not."""
    if get(event, ev.EXPECTED) or not get(event, ev.WAITS):
        return
    pc, warp, lanes = get(event, ev.PC), get(event, ev.WARP_IN_BLOCK), get(event, ev.LANES)
    first = get(arrival, ARRIVED_PC)
    if first == NOBODY:
        put(arrival, ARRIVED_PC, pc)
        put(arrival, ARRIVED_WARP, warp)
        put(arrival, ARRIVED_LANES, lanes)
    elif first != pc:
        block, other_warp, other_lanes = get(event, ev.BLOCK), get(arrival, ARRIVED_WARP), get(arrival, ARRIVED_LANES)
        _note_pair(own, ELSEWHERE, block, first, pc, other_warp, other_lanes, warp, lanes)


@inner
def _open(own: int, event: int, arrival: int) -> None:
    """A barrier of the block opens: whoever has ended by now did not reach it."""
    pc = get(arrival, ARRIVED_PC)
    if pc == NOBODY:
        return
    put(arrival, ARRIVED_PC, NOBODY)
    end = get(own, ENDS) + 8 * END_COLUMNS * get(event, ev.RESIDENT)
    if get(end, END_PC) != NOBODY:
        warp, lanes = get(end, END_WARP), get(end, END_LANES)
        other_warp, other_lanes = get(arrival, ARRIVED_WARP), get(arrival, ARRIVED_LANES)
        block = get(event, ev.BLOCK)
        pair = _note_pair(own, RETURNED, block, get(end, END_PC), pc, warp, lanes, other_warp, other_lanes)
        if pair:
            put(pair, THREADS, get(end, END_THREADS))
        # Only the first barrier that they miss is reported.
        put(end, END_PC, NOBODY)


@inner
def _end(state: int, own: int, event: int) -> None:
    resident, warp, lanes = get(event, ev.RESIDENT), get(event, ev.WARP_IN_BLOCK), get(event, ev.LANES)
    end = get(own, ENDS) + 8 * END_COLUMNS * resident
    if get(end, END_PC) == NOBODY:
        put(end, END_PC, get(event, ev.PC))
        put(end, END_WARP, warp)
        put(end, END_LANES, lanes)
    increase(end, END_THREADS, count_lanes(lanes))
    first = 32 * (get(state, st.LAYOUT_WARPS) * resident + warp)
    for lane in range(32):
        if (lanes >> lane) & 1:
            store_32(get(own, ENDED_AT) + 4 * (first + lane), get(event, ev.PC))


@ObservedUnit
def observe_arrivals(state: int, own: int, event: int) -> int:
    """Follow arrivals, openings and ends of threads."""
    kind, resident = get(event, ev.KIND), get(event, ev.RESIDENT)
    if kind == ev.BLOCK_START:
        _start_block(state, own, resident)
    elif kind == ev.EXIT:
        _end(state, own, event)
    else:
        number = st.BARRIERS * resident + get(event, ev.BARRIER_NUMBER)
        arrival = get(own, ARRIVALS) + 8 * ARRIVAL_COLUMNS * number
        if kind == ev.BARRIER:
            _arrive(own, event, arrival)
        else:
            _open(own, event, arrival)
    return 0
