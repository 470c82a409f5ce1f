"""Loads, stores and atomics of an observed launch: observers are told, then the access executes."""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import ObservedUnit, call_unit, inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL, LOCAL, SHARED, allocation_of_lanes, block_at_address, resolve
from tilewright.emulate.execute.atomics import F64, S64, U64
from tilewright.emulate.execute.memory_access import register_column
from tilewright.emulate.memory_vectors import (
    copy_addresses,
    lanes_in_window,
    load_64,
    load_u8,
    load_u16,
    load_u32,
    lowest_lane,
    narrow_addresses,
    widen_addresses,
)
from tilewright.emulate.registers import read_lane, slot_address
from tilewright.emulate.tables import field, get, put


@inner
def stored_value(state: int, event: int, lane: int, element: int) -> int:
    """Return the bits that a lane of a STORE writes as its `element`."""
    pc = get(event, ev.PC)
    if field(state, pc, row.OPCODE) == op.ASYNC_COPY:
        return -1  # an asynchronous copy has its value in no register: it compares unequal
    kind = field(state, pc, row.KIND)
    register = slot_address(state, get(event, ev.FRAME), field(state, pc, register_column(element, True)))
    return _cut(read_lane(register, lane, kind & op.WIDE != 0), kind & op.BYTES_MASK)


@inner
def old_value(state: int, event: int, lane: int, element: int) -> int:
    """Return the bits that memory holds where a lane's `element` goes; 0 where the access is about to fault."""
    nbytes = get(event, ev.NBYTES)
    space = get(event, ev.SPACE)
    window = GLOBAL if space == ev.CONSTANT else space
    host = resolve(state, get(event, ev.WARP), window, ev.address_of(event, lane), nbytes, st.USED_LOAD)
    if host < 0:
        return 0
    if space == LOCAL:
        host += lane * get(state, st.LAYOUT_LOCAL_BYTES)
    size = nbytes // get(event, ev.ELEMENTS)
    host += size * element
    if size == 8:
        return load_64(host)
    if size == 4:
        return load_u32(host)
    return load_u16(host) if size == 2 else load_u8(host)


@inner
def _cut(value: int, nbytes: int) -> int:
    return value if nbytes == 8 else value & ((1 << 8 * nbytes) - 1)


@ObservedUnit
def observed_access(state: int, warp: int, pc: int, frame: int, local: int, active: int, counters: int) -> int:
    """Deliver the load or store at `pc`, then execute it."""
    kind = field(state, pc, row.KIND)
    put(state, st.CONTROL_SECTORS, 0)
    if not kind & op.FRAME_RELATIVE:  # parameters of a call are not memory traffic
        opcode = field(state, pc, row.OPCODE)
        elements = (kind >> op.VECTOR_SHIFT) & op.VECTOR_MASK
        is_store = opcode == op.STORE_GLOBAL or opcode == op.STORE_SHARED
        is_store = is_store or opcode == op.STORE_LOCAL or opcode == op.STORE_GENERIC
        event = ev.begin_event(state, ev.STORE if is_store else ev.LOAD, warp, pc, active)
        put(event, ev.NBYTES, (kind & op.BYTES_MASK) * elements)
        put(event, ev.ELEMENTS, elements)
        put(event, ev.FRAME, frame)
        ev.put_order(state, event, pc)
        slot = slot_address(state, frame, field(state, pc, row.OPERAND_A))
        immediate = field(state, pc, row.IMMEDIATE)
        if opcode == op.LOAD_SHARED or opcode == op.STORE_SHARED:
            _tell_of_window(state, event, slot, immediate, SHARED)
        elif opcode == op.LOAD_LOCAL or opcode == op.STORE_LOCAL:
            _tell_of_window(state, event, slot, immediate, LOCAL)
        elif opcode == op.LOAD_GENERIC or opcode == op.STORE_GENERIC:
            _tell_of_generic(state, event, slot, immediate, active)
        else:
            _tell_of_global(state, event, slot, immediate, ev.CONSTANT if opcode == op.LOAD_CONSTANT else GLOBAL)
    return call_unit(get(state, st.LAYOUT_PLAIN_ACCESS), state, warp, pc, frame, local, active, counters)


@ObservedUnit
def observed_atomic(state: int, warp: int, pc: int, frame: int, active: int, counters: int) -> int:
    """Deliver the atomic at `pc`, then execute it."""
    kind = field(state, pc, row.KIND)
    tell_of_atomic(state, warp, pc, frame, active, 8 if kind == U64 or kind == S64 or kind == F64 else 4)
    return call_unit(get(state, st.LAYOUT_PLAIN_ATOMIC), state, warp, pc, frame, active, counters)


@inner
def tell_of_atomic(state: int, warp: int, pc: int, frame: int, active: int, nbytes: int) -> None:
    """Deliver the atomic at `pc`."""
    event = ev.begin_event(state, ev.ATOMIC, warp, pc, active)
    put(event, ev.NBYTES, nbytes)
    put(event, ev.ELEMENTS, 1)
    put(event, ev.FRAME, frame)
    put(event, ev.RETURNS, 1 if field(state, pc, row.RESULT) >= 0 else 0)
    put(event, ev.OPERATION, field(state, pc, row.IMMEDIATE))
    ev.put_order(state, event, pc)
    slot = slot_address(state, frame, field(state, pc, row.OPERAND_A))
    offset = field(state, pc, row.EXTRA_2)
    space = field(state, pc, row.EXTRA_3)
    if space == 2:
        _tell_of_window(state, event, slot, offset, SHARED)
    elif space == 1:
        _tell_of_global(state, event, slot, offset, GLOBAL)
    else:
        _tell_of_generic(state, event, slot, offset, active)


@inner
def _tell_of_window(state: int, event: int, slot: int, immediate: int, space: int) -> None:
    widen_addresses(slot, immediate, event + 8 * ev.ADDRESSES)
    put(event, ev.SPACE, space)
    put(event, ev.ALLOCATION, -1)
    if space == SHARED and get(state, st.LAYOUT_CLUSTER) > 1:
        _tell_by_block(state, event)
    else:
        ev.deliver(state, event)


@inner
def _tell_by_block(state: int, event: int) -> None:
    """Deliver an access to shared memory once for each block of the cluster that has some of it."""
    own, lanes, left = get(event, ev.RESIDENT), get(event, ev.LANES), get(event, ev.LANES)
    while left:
        first, same = ev.address_of(event, lowest_lane(left)), 0
        block = block_at_address(state, get(event, ev.WARP), first)
        for lane in range(32):
            address = ev.address_of(event, lane)
            if (left >> lane) & 1 and address >> op.CLUSTER_SHIFT == first >> op.CLUSTER_SHIFT:
                same |= 1 << lane
                if block >= 0:
                    put(event, ev.ADDRESSES + lane, address & ((1 << op.CLUSTER_SHIFT) - 1))
        left &= ~same
        put(event, ev.LANES, same)
        put(event, ev.RESIDENT, block if block >= 0 else own)
        ev.deliver(state, event)
    put(event, ev.LANES, lanes)
    put(event, ev.RESIDENT, own)


@inner
def _tell_of_generic(state: int, event: int, slot: int, immediate: int, active: int) -> None:
    """Deliver a generic access once for each memory that its lanes reach."""
    narrowed = get(state, st.LAYOUT_EXCHANGE)
    for window in range(SHARED, LOCAL + 1):
        lanes = lanes_in_window(slot, immediate, active, window)
        if lanes:
            narrow_addresses(slot, narrowed)
            put(event, ev.LANES, lanes)
            _tell_of_window(state, event, narrowed, immediate, window)
            active &= ~lanes
    if active:
        put(event, ev.LANES, active)
        _tell_of_global(state, event, slot, immediate, GLOBAL)


@inner
def _tell_of_global(state: int, event: int, slot: int, immediate: int, space: int) -> None:
    copy_addresses(slot, immediate, event + 8 * ev.ADDRESSES)
    put(event, ev.SPACE, space)
    put(
        event,
        ev.ALLOCATION,
        allocation_of_lanes(
            state, event + 8 * ev.ADDRESSES, get(event, ev.NBYTES), get(event, ev.LANES), get(event, ev.PC)
        ),
    )
    ev.deliver(state, event)
