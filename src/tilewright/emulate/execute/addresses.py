"""Addresses: the allocation of each, its place in this process, and the fault if it has none.

Also copies of allocations before parallel workers change them, so that a launch can start over with one worker. The
first worker that stores to an allocation copies it, and the others wait. What a kernel does not change is not copied,
and a single worker copies nothing.
"""

from __future__ import annotations

from llvmlite import ir

from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import inner, of_words
from tilewright.emulate.memory_vectors import check_global, load_s32, lowest_lane, store_8
from tilewright.emulate.tables import allocation_at, block_at, get, mark, put

UNTOUCHED, COPYING, COPIED = range(3)
GLOBAL, SHARED, LOCAL, MIXED = 0, 1, 2, -1
"""Windows of generic addresses; MIXED: look at the address itself."""


@of_words
def _claim(b: Builder, flag: Value) -> Value:
    """Set the word at `flag` from UNTOUCHED to COPYING; return what it was."""
    before, after = ir.Constant(v.i64, UNTOUCHED), ir.Constant(v.i64, COPYING)
    pair = b.cmpxchg(v.address(b, flag), before, after, "seq_cst", "seq_cst")
    return b.extract_value(pair, 0)


@of_words
def _copy(b: Builder, target: Value, source: Value, nbytes: Value) -> None:
    """Copy bytes."""
    places = [v.address(b, target), v.address(b, source), nbytes, ir.Constant(v.i1, 0)]
    v.intrinsic(b, "llvm.memcpy.p0.p0.i64", ir.VoidType(), places)


@of_words
def _announce(b: Builder, flag: Value) -> None:
    """Set the word at `flag` to COPIED, after everything before."""
    b.atomic_rmw("xchg", v.address(b, flag), ir.Constant(v.i64, COPIED), "seq_cst")


@of_words
def add_together(b: Builder, word: Value, amount: Value) -> Value:
    """Add to a word that all workers share; return what it holds then."""
    return b.add(b.atomic_rmw("add", v.address(b, word), amount, "monotonic"), amount)


@inner
def _keep_original(record: int) -> None:
    """Copy an allocation, or wait until another worker has."""
    flag = get(record, st.ALLOCATION_FLAG)
    while True:
        before = _claim(flag)
        if before == COPIED:
            return
        if before == UNTOUCHED:
            original, nbytes = get(record, st.ALLOCATION_ORIGINAL), get(record, st.ALLOCATION_BYTES)
            _copy(original, get(record, st.ALLOCATION_HOST), nbytes)
            _announce(flag)
            return


@inner
def note_use(state: int, allocation: int, use: int) -> None:
    """Remember what this worker does with an allocation; before the first change, keep what it held."""
    record = allocation_at(state, allocation)
    if use != st.USED_LOAD and get(state, st.LAYOUT_PARALLEL) and not get(record, st.ALLOCATION_USED) & use:
        _keep_original(record)
    mark(record, st.ALLOCATION_USED, use)


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
def block_at_address(state: int, warp: int, address: int) -> int:
    """Return the resident block whose shared memory an address of a warp lies in; -1: its cluster has none there."""
    block = warp // get(state, st.LAYOUT_WARPS)
    if address >> op.CLUSTER_SHIFT == 0:
        return block
    rank, size = (address >> op.CLUSTER_SHIFT) - 1, get(state, st.LAYOUT_CLUSTER)
    other = block - block % size + rank
    return other if 0 <= rank < size and get(block_at(state, other), st.BLOCK_LIVE) else -1


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
        block = block_at_address(state, warp, address)
        address &= (1 << op.CLUSTER_SHIFT) - 1
        if block < 0 or address + nbytes > extent:
            return -st.FAULT_OUTSIDE
        return get(state, st.LAYOUT_SHARED) + block * extent + address
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
