"""Loads and stores: the checks that keep an access inside its allocation, the transfer, and the counts."""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import Unit, inner
from tilewright.emulate.execute.addresses import (
    GLOBAL,
    LOCAL,
    MIXED,
    SHARED,
    find_allocation,
    note_use,
    report,
    resolve,
)
from tilewright.emulate.execute.sectors import count_local_sectors, count_sectors
from tilewright.emulate.memory_vectors import (
    check_global,
    check_window,
    count_lanes,
    gather_global_32,
    gather_global_64,
    gather_window_32,
    gather_window_64,
    lanes_in_window,
    load_64,
    load_s8,
    load_s16,
    load_s32,
    load_u8,
    load_u16,
    load_u32,
    lowest_lane,
    narrow_addresses,
    scatter_global_32,
    scatter_global_64,
    scatter_window_32,
    scatter_window_64,
    store_8,
    store_16,
    store_32,
    store_64,
)
from tilewright.emulate.registers import read_lane, slot_address, write_lane, write_predicate
from tilewright.emulate.state import COUNTER_BYTES
from tilewright.emulate.tables import allocation_at, field, get, increase

GENERIC_GLOBAL, GENERIC_SHARED = 4, 6


@Unit
def access_memory(state: int, warp: int, pc: int, frame: int, local: int, active: int, counters: int) -> int:
    """Execute the load or store at `pc` for the lanes of `active`; return False when it faults."""
    opcode = field(state, pc, row.OPCODE)
    slot = slot_address(state, frame, field(state, pc, row.OPERAND_A))
    immediate = field(state, pc, row.IMMEDIATE)
    if opcode == op.LOAD_SHARED or opcode == op.STORE_SHARED:
        return _access_window(state, warp, pc, frame, slot, immediate, active, counters, SHARED)
    if opcode == op.LOAD_LOCAL or opcode == op.STORE_LOCAL:
        if field(state, pc, row.KIND) & op.FRAME_RELATIVE:
            immediate += local
        return _access_window(state, warp, pc, frame, slot, immediate, active, counters, LOCAL)
    if opcode == op.LOAD_GENERIC or opcode == op.STORE_GENERIC:
        narrowed = get(state, st.LAYOUT_EXCHANGE)
        narrow_addresses(slot, narrowed)
        for window in range(SHARED, LOCAL + 1):
            lanes = lanes_in_window(slot, immediate, active, window)
            if lanes:
                if window == SHARED:
                    _count_generic(counters + COUNTER_BYTES * pc, GENERIC_SHARED, lanes)
                if not _access_window(state, warp, pc, frame, narrowed, immediate, lanes, counters, window):
                    return False
                active &= ~lanes
        if active == 0:
            return True
        _count_generic(counters + COUNTER_BYTES * pc, GENERIC_GLOBAL, active)
    return _access_global(state, warp, pc, frame, slot, immediate, active, counters)


@inner
def _count_generic(counters: int, column: int, lanes: int) -> None:
    """Count a generic access for the memory that it reached: a request, and its threads."""
    increase(counters, column, 1)
    increase(counters, column + 1, count_lanes(lanes))


@inner
def _is_store(opcode: int) -> bool:
    return (
        opcode == op.STORE_GLOBAL or opcode == op.STORE_SHARED or opcode == op.STORE_LOCAL or opcode == op.STORE_GENERIC
    )


@inner
def register_column(index: int, is_store: bool) -> int:
    """Return the column that names the register of element `index` of a vector access."""
    if index:
        return row.EXTRA_1 + index - 1
    return row.OPERAND_C if is_store else row.RESULT


@inner
def _access_global(
    state: int, warp: int, pc: int, frame: int, slot: int, immediate: int, active: int, counters: int
) -> bool:
    kind = field(state, pc, row.KIND)
    opcode = field(state, pc, row.OPCODE)
    nbytes = kind & op.BYTES_MASK
    elements = (kind >> op.VECTOR_SHIFT) & op.VECTOR_MASK
    total = nbytes * elements
    is_store = _is_store(opcode)
    counters_at = counters + COUNTER_BYTES * pc
    increase(counters_at, 2, 1)
    if opcode != op.LOAD_CONSTANT:
        known = get(state, st.CONTROL_SECTORS)
        increase(counters_at, 3, known - 1 if known else count_sectors(slot, immediate, active))
    if kind & op.FAST:
        hint = get(state, st.LAYOUT_HINTS) + 4 * pc
        allocation = load_s32(hint)
        good = 0
        for attempt in range(2):
            limit = max(get(allocation_at(state, allocation), st.ALLOCATION_BYTES) - total + 1, 0)
            good = check_global(
                slot, immediate, get(allocation_at(state, allocation), st.ALLOCATION_BASE), limit, total - 1, active
            )
            if good == active or attempt == 1:
                break
            first = read_lane(slot, lowest_lane(active), True) + immediate
            found = find_allocation(state, first)
            if found < 0 or found == allocation:
                break
            allocation = found
        if good == active and (not is_store or get(allocation_at(state, allocation), st.ALLOCATION_WRITABLE)):
            store_32(hint, allocation)
            record = allocation_at(state, allocation)
            delta = immediate + get(record, st.ALLOCATION_HOST) - get(record, st.ALLOCATION_BASE)
            note_use(state, allocation, st.USED_STORE if is_store else st.USED_LOAD)
            if kind & op.ONLY_COUNTED:
                return True
            if is_store:
                if get(state, st.LAYOUT_PARALLEL):
                    _record_stores(state, allocation, slot, immediate, active, total)
                for index in range(elements):
                    register = slot_address(state, frame, field(state, pc, register_column(index, True)))
                    if nbytes == 4:
                        scatter_global_32(slot, delta + 4 * index, active, register)
                    else:
                        scatter_global_64(slot, delta + 8 * index, active, register)
            else:
                for index in range(elements):
                    register = frame + field(state, pc, register_column(index, False))
                    if nbytes == 4:
                        gather_global_32(slot, delta + 4 * index, active, register)
                    else:
                        gather_global_64(slot, delta + 8 * index, active, register)
            return True
    return _access_lanes(state, warp, pc, frame, slot, immediate, active, GLOBAL)


@inner
def _access_window(
    state: int,
    warp: int,
    pc: int,
    frame: int,
    slot: int,
    immediate: int,
    active: int,
    counters: int,
    window: int,
) -> bool:
    kind = field(state, pc, row.KIND)
    nbytes = kind & op.BYTES_MASK
    elements = (kind >> op.VECTOR_SHIFT) & op.VECTOR_MASK
    total = nbytes * elements
    is_store = _is_store(field(state, pc, row.OPCODE))
    counters_at = counters + COUNTER_BYTES * pc
    increase(counters_at, 2, 1)
    if window == SHARED:
        extent, stride = get(state, st.LAYOUT_SHARED_BYTES), 0
        base = get(state, st.LAYOUT_SHARED) + (warp // get(state, st.LAYOUT_WARPS)) * extent
    else:
        extent = stride = get(state, st.LAYOUT_LOCAL_BYTES)
        base = get(state, st.LAYOUT_LOCAL) + warp * 32 * extent
        if field(state, pc, row.OPCODE) <= op.LOAD_CONSTANT:
            increase(counters_at, 3, count_local_sectors(slot, immediate, active, total))
    good = 0
    if kind & op.FAST:
        good = check_window(slot, immediate, max(extent - total + 1, 0), total - 1, active)
    if good != active:
        return _access_lanes(state, warp, pc, frame, slot, immediate, active, window)
    if kind & op.ONLY_COUNTED:
        return True
    for index in range(elements):
        offset = immediate + nbytes * index
        register = slot_address(state, frame, field(state, pc, register_column(index, is_store)))
        if is_store:
            if nbytes == 4:
                scatter_window_32(slot, offset, stride, base, active, register)
            else:
                scatter_window_64(slot, offset, stride, base, active, register)
        elif nbytes == 4:
            gather_window_32(slot, offset, stride, base, active, register)
        else:
            gather_window_64(slot, offset, stride, base, active, register)
    return True


@inner
def _record_stores(state: int, allocation: int, slot: int, immediate: int, active: int, nbytes: int) -> None:
    """Remember which 4-byte words this worker stored, to find two workers storing to one."""
    first = get(allocation_at(state, allocation), st.ALLOCATION_SHADOW) - (
        get(allocation_at(state, allocation), st.ALLOCATION_BASE) >> 2
    )
    for lane in range(32):
        if (active >> lane) & 1:
            address = read_lane(slot, lane, True) + immediate
            for word in range((nbytes + 3) >> 2):
                store_8(first + (address >> 2) + word, 1)


@inner
def _access_lanes(
    state: int, warp: int, pc: int, frame: int, slot: int, immediate: int, active: int, window: int
) -> bool:
    """Load or store lane by lane: bytes and halves, several allocations at once, and finding who faults."""
    kind = field(state, pc, row.KIND)
    nbytes = kind & op.BYTES_MASK
    elements = (kind >> op.VECTOR_SHIFT) & op.VECTOR_MASK
    is_store = _is_store(field(state, pc, row.OPCODE))
    wide = kind & op.WIDE != 0
    signed = kind & op.SIGNED != 0
    is_narrow = window == SHARED or window == LOCAL
    for lane in range(32):
        if not (active >> lane) & 1:
            continue
        address = read_lane(slot, lane, not is_narrow) + immediate
        if is_narrow:
            address &= 0xFFFFFFFF
        use = st.USED_STORE if is_store else st.USED_LOAD
        host = resolve(state, warp, window, address, nbytes * elements, use)
        if host < 0:
            report(state, -host, pc, warp, lane, address, nbytes * elements, window)
            return False
        if kind & op.ONLY_COUNTED:
            continue
        is_local = window == LOCAL or (window == MIXED and address >> op.WINDOW_SHIFT == LOCAL)
        if is_local:
            host += lane * get(state, st.LAYOUT_LOCAL_BYTES)
        for index in range(elements):
            register = slot_address(state, frame, field(state, pc, register_column(index, is_store)))
            if is_store:
                _store(host + nbytes * index, nbytes, read_lane(register, lane, wide))
            else:
                write_lane(register, lane, wide, _load(host + nbytes * index, nbytes, signed))
    return True


@inner
def _load(host: int, nbytes: int, signed: bool) -> int:
    if nbytes == 8:
        return load_64(host)
    if nbytes == 4:
        return load_s32(host) if signed else load_u32(host)
    if nbytes == 2:
        return load_s16(host) if signed else load_u16(host)
    return load_s8(host) if signed else load_u8(host)


@inner
def _store(host: int, nbytes: int, value: int) -> None:
    if nbytes == 8:
        store_64(host, value)
    elif nbytes == 4:
        store_32(host, value)
    elif nbytes == 2:
        store_16(host, value)
    else:
        store_8(host, value)


@inner
def _is_constant(state: int, address: int) -> bool:
    """Say whether an address lies in a `__constant__` variable: parameters cannot be written either."""
    allocation = find_allocation(state, address)
    if allocation < 0 or address >= op.PARAMETERS_ADDRESS:
        return False
    record = allocation_at(state, allocation)
    is_within = address - get(record, st.ALLOCATION_BASE) < get(record, st.ALLOCATION_BYTES)
    return is_within and not get(record, st.ALLOCATION_WRITABLE)


@inner
def test_space(state: int, pc: int, frame: int, active: int) -> None:
    """Execute `isspacep`: which lanes hold an address in the window that KIND names."""
    slot, kind = slot_address(state, frame, field(state, pc, row.OPERAND_A)), field(state, pc, row.KIND)
    bits = 0
    for lane in range(32):
        if not (active >> lane) & 1:
            continue
        address = read_lane(slot, lane, True)
        is_there = address >> op.WINDOW_SHIFT == (kind if kind <= LOCAL else GLOBAL)
        if kind == SHARED and not field(state, pc, row.IMMEDIATE):
            is_there = is_there and address - op.SHARED_WINDOW < 1 << op.CLUSTER_SHIFT
        elif kind == op.PARAMETER_SPACE:
            is_there = is_there and address >= op.PARAMETERS_ADDRESS
        elif kind == op.CONSTANT_SPACE or kind == GLOBAL:
            is_there = is_there and _is_constant(state, address) == (kind == op.CONSTANT_SPACE)
        if is_there:
            bits |= 1 << lane
    write_predicate(frame + field(state, pc, row.RESULT), active, bits)
