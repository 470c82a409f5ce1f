"""What observers are told: one row of words for every load, store, barrier, atomic, fence and end of threads.

An event is delivered before its access executes, even if that will fault: memory still holds the old values.
"""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import call_unit, inner
from tilewright.emulate.memory_vectors import load_s32, store_32
from tilewright.emulate.tables import block_at, field, get, put

LOAD, STORE, ATOMIC, BARRIER, BARRIER_OPEN, WARP_SYNC, FENCE, EXIT, BLOCK_START, BLOCK_END, COPY = range(11)
MBARRIER, BULK, WARPGROUP, BULK_LOAD, BULK_STORE, ORDERING = range(11, 17)
"""COPY: an asynchronous copy to shared memory begins, with the places that it will write; a STORE of the same
instruction follows when its thread has waited for it. What it reads of global memory is a LOAD.
MBARRIER, BULK, WARPGROUP: pipeline_events.py.
BULK_LOAD, BULK_STORE: what a copy in bulk reads and writes, in pieces of up to 16 bytes, when it is done.
ORDERING: what orders asynchronous work and changes no memory (OPERATION: opcodes.ORDER_*)."""

(
    KIND,
    PC,  # row of the instruction; -1 where it has none
    WARP,  # among all resident ones; -1 for an event of a block
    WARP_IN_BLOCK,
    RESIDENT,  # slot of the block: whose shared memory and barriers
    BLOCK,  # linear number in the grid
    LANES,  # active; of WARP_SYNC those who meet, of EXIT those who end
    SPACE,  # addresses.GLOBAL, SHARED, LOCAL, or CONSTANT
    NBYTES,  # per lane
    ELEMENTS,  # 1, 2 or 4: of a vector access
    ORDER,  # opcodes.STRONG | ACQUIRES | RELEASES
    SCOPE,  # opcodes.SCOPE_*
    ALLOCATION,  # of GLOBAL and CONSTANT: the one that every access lies in, else -1
    TRIP,  # times that this warp executed this instruction before in its block; 0 where no observer wants trips
    BARRIER_NUMBER,
    EXPECTED,  # threads; of BARRIER 0 for all live ones
    ARRIVED,  # threads, of BARRIER_OPEN
    WAITS,  # of BARRIER: 0 for bar.arrive
    RETURNS,  # of ATOMIC: whether anyone reads what was there before
    FRAME,  # address of the registers
    OPERATION,  # of ATOMIC: index into opcodes.ATOMIC_OPERATIONS; of MBARRIER, BULK, WARPGROUP and ORDERING: which one;
    # of a LOAD by wgmma: its descriptor; of BULK_LOAD and BULK_STORE: how the box lies (layout_of_box)
) = range(21)
FIRST_LINE, IS_TURNED = ARRIVED, EXPECTED
"""Of a LOAD by wgmma: its first row or column, and 1 where these are contiguous, not K."""
SWIZZLE_MASK, PITCH_SHIFT, START_SHIFT = 3, 2, 16
ADDRESSES = 24
"""The first of 32 words: an address in global memory, an offset in shared or local memory. 64-byte aligned."""
EVENT_WORDS = ADDRESSES + 32
CONSTANT = 3
KINDS, SPACES = ORDERING + 1, CONSTANT + 1


def mask(*numbers: int) -> int:
    """Return the mask of kinds of events, or of spaces."""
    return sum({1 << number for number in numbers})


def is_wanted(events: int, spaces: int, kind: int, space: int) -> bool:
    """Return whether an observer with these masks is told of such an event; spaces are of accesses only."""
    return bool(events >> kind & 1 and (kind > ATOMIC or spaces >> space & 1))


@inner
def layout_of_box(swizzle: int, pitch: int, start: int) -> int:
    """Return how a box lies in shared memory as a word: CUtensorMapSwizzle, bytes from row to row, its offset."""
    return swizzle | pitch << PITCH_SHIFT | start << START_SHIFT


@inner
def address_of(event: int, lane: int) -> int:
    """Return the address that a lane accesses."""
    return get(event, ADDRESSES + lane)


@inner
def deliver(state: int, event: int) -> None:
    """Tell every observer that wants this kind of event, and for an access this space."""
    kind = get(event, KIND)
    space = get(event, SPACE) if kind <= ATOMIC else 0
    listener = get(get(state, st.LAYOUT_LISTENERS), SPACES * kind + space)
    while get(listener, st.LISTENER_UNIT):
        call_unit(get(listener, st.LISTENER_UNIT), state, get(listener, st.LISTENER_OWN), event)
        listener += 8 * st.LISTENER_COLUMNS


@inner
def begin_event(state: int, kind: int, warp: int, pc: int, lanes: int) -> int:
    """Return the event, filled with what every event of a warp has."""
    event = get(state, st.LAYOUT_EVENT)
    warps = get(state, st.LAYOUT_WARPS)
    resident = warp // warps
    put(event, KIND, kind)
    put(event, PC, pc)
    put(event, WARP, warp)
    put(event, WARP_IN_BLOCK, warp - resident * warps)
    put(event, RESIDENT, resident)
    put(event, BLOCK, get(block_at(state, resident), st.BLOCK_LINEAR))
    put(event, LANES, lanes)
    put(event, TRIP, _count_trip(state, warp, pc))
    return event


@inner
def _count_trip(state: int, warp: int, pc: int) -> int:
    trips = get(state, st.LAYOUT_TRIPS)
    if trips == 0 or pc < 0:
        return 0
    at = trips + 4 * (warp * get(state, st.LAYOUT_INSTRUCTIONS) + pc)
    trip = load_s32(at)
    store_32(at, trip + 1)
    return trip


@inner
def is_observed(state: int) -> bool:
    """Say whether anyone watches."""
    return get(state, st.LAYOUT_OBSERVER_COUNT) != 0


@inner
def put_order(state: int, event: int, pc: int) -> None:
    """Fill in what an access or fence promises to other threads."""
    order = field(state, pc, row.ORDER)
    put(event, ORDER, order & ((1 << op.SCOPE_SHIFT) - 1))
    put(event, SCOPE, order >> op.SCOPE_SHIFT)


@inner
def tell_of_lanes(state: int, kind: int, warp: int, pc: int, lanes: int) -> None:
    """Deliver an event that is no more than lanes at an instruction: FENCE, EXIT, WARP_SYNC."""
    event = begin_event(state, kind, warp, pc, lanes)
    if kind == FENCE:
        put_order(state, event, pc)
    deliver(state, event)


@inner
def tell_of_ordering(state: int, warp: int, pc: int, lanes: int, operation: int) -> None:
    """Deliver ORDERING."""
    event = begin_event(state, ORDERING, warp, pc, lanes)
    put(event, OPERATION, operation)
    deliver(state, event)


@inner
def tell_of_block(state: int, kind: int, resident: int) -> None:
    """Deliver BLOCK_START or BLOCK_END."""
    event = begin_event(state, kind, resident * get(state, st.LAYOUT_WARPS), -1, 0)
    put(event, WARP, -1)
    deliver(state, event)


@inner
def tell_of_arrival(state: int, warp: int, pc: int, lanes: int, barrier: int, expected: int, waits: int) -> None:
    """Deliver BARRIER: lanes arrive."""
    event = begin_event(state, BARRIER, warp, pc, lanes)
    put(event, BARRIER_NUMBER, barrier)
    put(event, EXPECTED, expected)
    put(event, WAITS, waits)
    deliver(state, event)


@inner
def tell_of_opening(state: int, resident: int, barrier: int, expected: int, arrived: int) -> None:
    """Deliver BARRIER_OPEN: everyone who was awaited has come."""
    event = begin_event(state, BARRIER_OPEN, resident * get(state, st.LAYOUT_WARPS), -1, 0)
    put(event, WARP, -1)
    put(event, BARRIER_NUMBER, barrier)
    put(event, EXPECTED, expected)
    put(event, ARRIVED, arrived)
    deliver(state, event)
