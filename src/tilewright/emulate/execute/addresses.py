"""Addresses: the allocation of each, its place in this process, and the fault if it has none."""

from __future__ import annotations

from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import inner
from tilewright.emulate.execute.originals import note_use
from tilewright.emulate.memory_vectors import check_global, load_s32, lowest_lane, store_8
from tilewright.emulate.tables import allocation_at, block_at, get, put

GLOBAL, SHARED, LOCAL, MIXED = 0, 1, 2, -1
"""Windows of generic addresses; MIXED: look at the address itself."""


@inner
def find_allocation(state: int, address: int) -> int:
    """Return the last allocation that starts at or before `address`, or -1."""
    low, high = 0, get(state, st.LAYOUT_ALLOCATIONS)
    while low < high:
        middle = (low + high) >> 1
        if get(allocation_at(state, middle), st.ALLOCATION_BASE) <= address:
            low = middle + 1
        else:
            high = middle
    return low - 1


@inner
def allocation_of_lanes(state: int, addresses: int, nbytes: int, lanes: int, pc: int) -> int:
    """Return the allocation that every lane's access lies in, or -1. addresses: 32 words; pc: whose hint is tried."""
    allocation = load_s32(get(state, st.LAYOUT_HINTS) + 4 * pc)
    if _holds(state, allocation, addresses, nbytes, lanes):
        return allocation
    allocation = find_allocation(state, get(addresses, lowest_lane(lanes)))
    if allocation >= 0 and _holds(state, allocation, addresses, nbytes, lanes):
        return allocation
    return -1


@inner
def _holds(state: int, allocation: int, addresses: int, nbytes: int, lanes: int) -> bool:
    record = allocation_at(state, allocation)
    limit = max(get(record, st.ALLOCATION_BYTES) - nbytes + 1, 0)
    return check_global(addresses, 0, get(record, st.ALLOCATION_BASE), limit, 0, lanes) == lanes


@inner
def resolve(state: int, warp: int, window: int, address: int, nbytes: int, use: int) -> int:
    """Return where in this process `address` lies, or minus a fault number; `window` MIXED means a generic address."""
    if window == MIXED:
        window = (address >> op.WINDOW_SHIFT) if address >= 0 else 3
        if window == SHARED or window == LOCAL:
            address &= (1 << op.WINDOW_SHIFT) - 1
    if address & (nbytes - 1):
        return -st.FAULT_MISALIGNED
    if window == SHARED:
        extent = get(state, st.LAYOUT_SHARED_BYTES)
        if address < 0 or address + nbytes > extent:
            return -st.FAULT_OUTSIDE
        return get(state, st.LAYOUT_SHARED) + (warp // get(state, st.LAYOUT_WARPS)) * extent + address
    if window == LOCAL:
        extent = get(state, st.LAYOUT_LOCAL_BYTES)
        if address < 0 or address + nbytes > extent:
            return -st.FAULT_OUTSIDE
        return get(state, st.LAYOUT_LOCAL) + warp * 32 * extent + address
    allocation = find_allocation(state, address)
    if allocation < 0:
        return -st.FAULT_OUTSIDE
    record = allocation_at(state, allocation)
    offset = address - get(record, st.ALLOCATION_BASE)
    # As a difference, for the end of an access at the top of the address space would overflow.
    if offset > get(record, st.ALLOCATION_BYTES) - nbytes:
        return -st.FAULT_OUTSIDE
    if use != st.USED_LOAD and not get(record, st.ALLOCATION_WRITABLE):
        return -st.FAULT_READ_ONLY
    note_use(state, allocation, use)
    if use == st.USED_STORE and get(state, st.LAYOUT_PARALLEL):
        shadow = get(record, st.ALLOCATION_SHADOW)
        for word in range(offset >> 2, (offset + nbytes + 3) >> 2):
            store_8(shadow + word, 1)
    return get(record, st.ALLOCATION_HOST) + offset


@inner
def report(state: int, fault: int, pc: int, warp: int, lane: int, address: int, nbytes: int, window: int) -> None:
    """Stop the run with a fault."""
    put(state, st.CONTROL_STATUS, st.FAULTED)
    put(state, st.CONTROL_FAULT, fault)
    put(state, st.CONTROL_FAULT_PC, pc)
    put(state, st.CONTROL_FAULT_WARP, warp % get(state, st.LAYOUT_WARPS))
    put(state, st.CONTROL_FAULT_RESIDENT, warp)
    put(state, st.CONTROL_FAULT_LANE, lane)
    put(state, st.CONTROL_FAULT_ADDRESS, address)
    put(state, st.CONTROL_FAULT_BYTES, nbytes)
    put(state, st.CONTROL_FAULT_BLOCK, get(block_at(state, warp // get(state, st.LAYOUT_WARPS)), st.BLOCK_LINEAR))
    put(state, st.CONTROL_FAULT_WINDOW, window)
