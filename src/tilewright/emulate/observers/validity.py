"""The compiled part of uninitialised.py: a shadow byte for every byte of memory that says whether it was written."""

from __future__ import annotations

from typing import Any

from tilewright.emulate import state as st
from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import ObservedUnit, inner, of_words
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL, LOCAL, SHARED, find_allocation
from tilewright.emulate.memory_vectors import (
    check_global,
    count_lanes,
    load_64,
    load_u8,
    lowest_lane,
    store_8,
    store_64,
)
from tilewright.emulate.tables import allocation_at, get, increase, put

(SHARED_SHADOW, SHARED_BLANK, SHARED_STATES, LOCAL_SHADOW, GLOBAL_SHADOWS, RECORDS, FOUND) = range(7)
"""Of `own`: shadow of the shared memory of all resident blocks, how it is when a block starts, a word per resident
block (COMPLETE, or loads), shadow of local memory or 0, the address of each allocation's shadow or 0, records."""
OWN_WORDS = 7
(TIMES, BLOCK, WARP, LANE, ADDRESS, SPACE, NUMBER, LOW, HIGH, OWN_SPACE) = range(10)
RECORD_WORDS = 10
COMPLETE = -1
"""A block's shared memory is all written, and no longer checked; another value: the loads since the last check."""
ALL_WRITTEN = 0x0101010101010101


def _pointers(b: Builder, slot: Value, base: Value, stride: Value) -> Value:
    addresses = b.load(v.address(b, slot), typ=v.vector(v.i64), align=64)
    lanes = b.mul(v.lane_numbers(v.i64), v.splat(b, stride))
    return b.inttoptr(b.add(b.add(addresses, v.splat(b, base)), lanes), v.vector(v.pointer))


def _lanes_written(element: Any) -> Any:
    @of_words
    def lanes_written(b: Builder, slot: Value, base: Value, stride: Value, lanes: Value) -> Value:
        """Return the lanes of `lanes` whose shadow, at address + base + lane * stride, is all ones."""
        chosen = v.to_lanes(b, b.trunc(lanes, v.i32))
        shadow = v.gather(b, element, _pointers(b, slot, base, stride), chosen, 1)
        written = v.constant(element, ALL_WRITTEN & ((1 << element.width) - 1))
        return b.and_(b.zext(v.to_mask(b, b.icmp_unsigned("==", shadow, written)), v.i64), lanes)

    return lanes_written


def _note_written(element: Any) -> Any:
    @of_words
    def note_written(b: Builder, slot: Value, base: Value, stride: Value, lanes: Value) -> None:
        """Set the shadow of `lanes` to ones."""
        chosen = v.to_lanes(b, b.trunc(lanes, v.i32))
        written = v.constant(element, ALL_WRITTEN & ((1 << element.width) - 1))
        v.scatter(b, written, _pointers(b, slot, base, stride), chosen, 1)

    return note_written


_lanes_written_32, _lanes_written_64 = _lanes_written(v.i32), _lanes_written(v.i64)
_note_written_32, _note_written_64 = _note_written(v.i32), _note_written(v.i64)


@inner
def _written(slot: int, base: int, stride: int, lanes: int, nbytes: int) -> int:
    """Return the lanes all of whose bytes were written."""
    if nbytes == 4:
        return _lanes_written_32(slot, base, stride, lanes)
    if nbytes & 7 == 0:
        for start in range(0, nbytes, 8):
            lanes = _lanes_written_64(slot, base + start, stride, lanes)
        return lanes
    result = lanes
    for lane in range(32):
        if (lanes >> lane) & 1:
            at = get(slot, lane) + base + lane * stride
            for byte in range(nbytes):
                if not load_u8(at + byte):
                    result &= ~(1 << lane)
    return result


@inner
def _note(slot: int, base: int, stride: int, lanes: int, nbytes: int) -> None:
    if nbytes == 4:
        _note_written_32(slot, base, stride, lanes)
    elif nbytes & 7 == 0:
        for start in range(0, nbytes, 8):
            _note_written_64(slot, base + start, stride, lanes)
    else:
        for lane in range(32):
            if (lanes >> lane) & 1:
                for byte in range(nbytes):
                    store_8(get(slot, lane) + base + lane * stride + byte, 1)


@inner
def _report(own: int, event: int, lanes: int) -> None:
    """Note a read of unwritten bytes. Reads outside of all arrays are left to the bounds observer."""
    record = get(own, RECORDS) + 8 * RECORD_WORDS * get(event, ev.PC)
    if get(record, HIGH) and get(record, OWN_SPACE) == get(event, ev.SPACE):
        extent = max(get(record, HIGH) - get(record, LOW) - get(event, ev.NBYTES) + 1, 0)
        lanes = check_global(event + 8 * ev.ADDRESSES, 0, get(record, LOW), extent, 0, lanes)
        if lanes == 0:
            return
    if get(record, TIMES) == 0:
        lane = lowest_lane(lanes)
        put(record, NUMBER, get(own, FOUND))
        increase(own, FOUND, 1)
        put(record, BLOCK, get(event, ev.BLOCK))
        put(record, WARP, get(event, ev.WARP_IN_BLOCK))
        put(record, LANE, lane)
        put(record, ADDRESS, ev.address_of(event, lane))
        put(record, SPACE, get(event, ev.SPACE))
    increase(record, TIMES, count_lanes(lanes))


@inner
def _observe(own: int, event: int, base: int, stride: int, lanes: int) -> bool:
    """Check what is read and note what is written; return whether what is read was all written."""
    slot, nbytes, kind = event + 8 * ev.ADDRESSES, get(event, ev.NBYTES), get(event, ev.KIND)
    missing = 0
    if kind != ev.STORE and kind != ev.BULK_STORE:
        missing = lanes & ~_written(slot, base, stride, lanes, nbytes)
        if missing:
            _report(own, event, missing)
    if kind != ev.LOAD and kind != ev.BULK_LOAD:
        _note(slot, base, stride, lanes, nbytes)
    return missing == 0


@inner
def _is_all_written(first: int, nbytes: int) -> bool:
    missing = 0
    for offset in range(0, nbytes, 8):
        missing |= load_64(first + offset) ^ ALL_WRITTEN
    return missing == 0


@inner
def _observe_shared(state: int, own: int, event: int) -> None:
    resident, extent = get(event, ev.RESIDENT), get(state, st.LAYOUT_SHARED_BYTES)
    states = get(own, SHARED_STATES)
    loads = get(states, resident)
    if loads == COMPLETE:
        return
    shadow = get(own, SHARED_SHADOW) + resident * extent
    slot, nbytes = event + 8 * ev.ADDRESSES, get(event, ev.NBYTES)
    lanes = check_global(slot, 0, 0, max(extent - nbytes + 1, 0), nbytes - 1, get(event, ev.LANES))
    if _observe(own, event, shadow, 0, lanes) and get(event, ev.KIND) <= ev.ATOMIC and get(event, ev.KIND) != ev.STORE:
        # Looking at all of it is worth it now and then: usually it is complete before long.
        if loads << 5 >= extent:
            loads = COMPLETE if _is_all_written(shadow, extent) else 0
        else:
            loads += 1
        put(states, resident, loads)


@inner
def _observe_local(state: int, own: int, event: int) -> None:
    extent = get(state, st.LAYOUT_LOCAL_BYTES)
    shadow = get(own, LOCAL_SHADOW) + get(event, ev.WARP) * 32 * extent
    slot, nbytes = event + 8 * ev.ADDRESSES, get(event, ev.NBYTES)
    lanes = check_global(slot, 0, 0, max(extent - nbytes + 1, 0), nbytes - 1, get(event, ev.LANES))
    _observe(own, event, shadow, extent, lanes)


@inner
def _observe_global(state: int, own: int, event: int) -> None:
    """Look at the shadow of the allocation that all lanes are in, or of each lane's."""
    allocation, lanes = get(event, ev.ALLOCATION), get(event, ev.LANES)
    slot, nbytes = event + 8 * ev.ADDRESSES, get(event, ev.NBYTES)
    while lanes:
        members = lanes
        if get(event, ev.ALLOCATION) < 0:
            allocation = find_allocation(state, get(slot, lowest_lane(lanes)))
            members = 1 << lowest_lane(lanes)
            if allocation >= 0:
                record = allocation_at(state, allocation)
                limit = max(get(record, st.ALLOCATION_BYTES) - nbytes + 1, 0)
                members |= check_global(slot, 0, get(record, st.ALLOCATION_BASE), limit, 0, lanes)
        lanes &= ~members
        if allocation >= 0:
            shadow = get(get(own, GLOBAL_SHADOWS), allocation)
            record = allocation_at(state, allocation)
            limit = max(get(record, st.ALLOCATION_BYTES) - nbytes + 1, 0)
            if shadow:
                members = check_global(slot, 0, get(record, st.ALLOCATION_BASE), limit, nbytes - 1, members)
                _observe(own, event, shadow - get(record, st.ALLOCATION_BASE), 0, members)


@inner
def _start_block(state: int, own: int, resident: int) -> None:
    """Forget what the block before wrote to shared and local memory."""
    extent = get(state, st.LAYOUT_SHARED_BYTES)
    for offset in range(0, extent, 8):
        store_64(get(own, SHARED_SHADOW) + resident * extent + offset, load_64(get(own, SHARED_BLANK) + offset))
    put(get(own, SHARED_STATES), resident, 0)
    local = get(own, LOCAL_SHADOW)
    if local:
        nbytes = get(state, st.LAYOUT_WARPS) * 32 * get(state, st.LAYOUT_LOCAL_BYTES)
        for offset in range(0, nbytes, 8):
            store_64(local + resident * nbytes + offset, 0)


@ObservedUnit
def observe_validity(state: int, own: int, event: int) -> int:
    """Follow which bytes were written, and report a load or an atomic that finds one that was not."""
    if get(event, ev.KIND) == ev.BLOCK_START:
        _start_block(state, own, get(event, ev.RESIDENT))
        return 0
    space = get(event, ev.SPACE)
    if space == SHARED:
        _observe_shared(state, own, event)
    elif space == GLOBAL:
        _observe_global(state, own, event)
    elif space == LOCAL and get(own, LOCAL_SHADOW):
        _observe_local(state, own, event)
    return 0
