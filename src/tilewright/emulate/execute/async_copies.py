"""`cp.async`: global memory is read at once, and shared memory is written only when the thread waits.

A GPU may do the same, and it shows a missing wait: a copy that nobody waits for never arrives.

A warp remembers a ring of records, each a `cp.async`: what its lanes have read, and where it goes once they have waited
for it; and how many groups each lane has closed.
"""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import OptionalUnit, inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL, SHARED, allocation_of_lanes, report, resolve
from tilewright.emulate.execute.sectors import count_sectors
from tilewright.emulate.memory_vectors import (
    copy_addresses,
    count_lanes,
    load_64,
    load_u8,
    load_u32,
    lowest_lane,
    store_8,
    store_32,
    store_64,
    widen_addresses,
)
from tilewright.emulate.registers import read_lane, slot_address
from tilewright.emulate.state import COUNTER_BYTES
from tilewright.emulate.tables import field, get, increase, put

RECORDS = 64
"""Copies of a warp that may be under way; the oldest is completed before there are more."""

FIRST, COUNT, GROUPS = 0, 1, 2
"""Of a warp: the oldest record, how many there are, and from GROUPS on the groups that each of 32 lanes has closed."""
HEADER_WORDS = 40
HEADER_BYTES = 8 * HEADER_WORDS

COPY_PC, COPY_LANES, COPY_BYTES = range(3)
"""Of a record: the instruction's row, the lanes that have not waited for it, the bytes that each writes."""
COPY_ADDRESSES, COPY_GROUPS, COPY_DATA = 8, 40, 72
"""From here on, for each lane: its offset in shared memory, its group, and two words of data."""
RECORD_WORDS = 136
WARP_BYTES = HEADER_BYTES + 8 * RECORD_WORDS * RECORDS
ALL_LANES = 0xFFFFFFFF
LOADED, STORED = 4, 6
"""Columns of the counters: requests and threads that read global memory, and those that write shared memory."""
ANY_GROUP = 1 << 62


@inner
def copies_of(state: int, warp: int) -> int:
    """Return where the header of a resident warp is."""
    return get(state, st.LAYOUT_ASYNC) + WARP_BYTES * warp


@inner
def record_at(copies: int, number: int) -> int:
    """Return the record so many behind the oldest."""
    return copies + HEADER_BYTES + 8 * RECORD_WORDS * ((get(copies, FIRST) + number) % RECORDS)


@OptionalUnit
def copy_async(state: int, warp: int, pc: int, frame: int, active: int, counters: int) -> bool:
    """Begin copies, close a group of them, or wait for groups; return False when it faults."""
    if active == 0:
        return True
    opcode, copies = field(state, pc, row.OPCODE), copies_of(state, warp)
    if opcode == op.ASYNC_COPY:
        return _begin(state, warp, pc, frame, active, counters)
    if opcode == op.COPY_COMMIT:
        for lane in range(32):
            increase(copies, GROUPS + lane, (active >> lane) & 1)
        return True
    left_open = field(state, pc, row.IMMEDIATE)
    while active:
        groups, same = get(copies, GROUPS + lowest_lane(active)), 0
        for lane in range(32):
            if (active >> lane) & 1 and get(copies, GROUPS + lane) == groups:
                same |= 1 << lane
        active &= ~same
        _complete(state, warp, same, ANY_GROUP if left_open < 0 else groups - left_open)
    return True


@inner
def _begin(state: int, warp: int, pc: int, frame: int, active: int, counters: int) -> bool:
    """Read what is to be copied, and remember it until its thread waits."""
    copies = copies_of(state, warp)
    if get(copies, COUNT) == RECORDS:
        _write(state, warp, record_at(copies, 0), get(record_at(copies, 0), COPY_LANES))
        _drop_written(copies)
    record = record_at(copies, get(copies, COUNT))
    nbytes = 4 * ((field(state, pc, row.KIND) >> op.VECTOR_SHIFT) & op.VECTOR_MASK)
    sources = slot_address(state, frame, field(state, pc, row.OPERAND_A))
    targets = slot_address(state, frame, field(state, pc, row.OPERAND_B))
    put(record, COPY_PC, pc)
    put(record, COPY_LANES, active)
    put(record, COPY_BYTES, nbytes)
    reading = 0
    for lane in range(32):
        if (active >> lane) & 1:
            size = _bytes_read(state, pc, frame, lane, nbytes)
            if size:
                reading |= 1 << lane
            put(record, COPY_ADDRESSES + lane, size)  # until the observers have been told
    if ev.is_observed(state):
        _tell_of_reads(state, warp, pc, frame, sources, record, reading)
        event = ev.begin_event(state, ev.COPY, warp, pc, active)
        put(event, ev.NBYTES, nbytes)
        put(event, ev.ELEMENTS, nbytes >> 2)
        put(event, ev.FRAME, frame)
        ev.put_order(state, event, pc)
        widen_addresses(targets, field(state, pc, row.EXTRA_2), event + 8 * ev.ADDRESSES)
        put(event, ev.SPACE, SHARED)
        put(event, ev.ALLOCATION, -1)
        ev.deliver(state, event)
    _count(state, pc, sources, active, reading, counters)
    for lane in range(32):
        if (active >> lane) & 1 and not _read(state, warp, pc, record, lane, sources, targets):
            return False
    increase(copies, COUNT, 1)
    return True


@inner
def _bytes_read(state: int, pc: int, frame: int, lane: int, nbytes: int) -> int:
    """Return how many bytes a lane reads; it writes zeros behind them."""
    mode = field(state, pc, row.EXTRA_1)
    if mode == op.COPY_ALL:
        return nbytes
    slot = slot_address(state, frame, field(state, pc, row.OPERAND_C))
    if mode == op.COPY_UNLESS:
        return 0 if (load_u32(slot) >> lane) & 1 else nbytes
    return min(read_lane(slot, lane, False), nbytes)


@inner
def _tell_of_reads(state: int, warp: int, pc: int, frame: int, sources: int, record: int, reading: int) -> None:
    """Deliver the loads from global memory, an event for each size of access."""
    while reading:
        size, same = get(record, COPY_ADDRESSES + lowest_lane(reading)), 0
        for lane in range(32):
            if (reading >> lane) & 1 and get(record, COPY_ADDRESSES + lane) == size:
                same |= 1 << lane
        reading &= ~same
        event = ev.begin_event(state, ev.LOAD, warp, pc, same)
        put(event, ev.NBYTES, size)
        put(event, ev.ELEMENTS, max(size >> 2, 1))
        put(event, ev.FRAME, frame)
        ev.put_order(state, event, pc)
        addresses = event + 8 * ev.ADDRESSES
        copy_addresses(sources, field(state, pc, row.IMMEDIATE), addresses)
        put(event, ev.SPACE, GLOBAL)
        put(event, ev.ALLOCATION, allocation_of_lanes(state, addresses, size, same, pc))
        ev.deliver(state, event)


@inner
def _count(state: int, pc: int, sources: int, active: int, reading: int, counters: int) -> None:
    at = counters + COUNTER_BYTES * pc
    increase(at, 2, 1)
    increase(at, STORED, 1)
    increase(at, STORED + 1, count_lanes(active))
    if reading:
        increase(at, LOADED, 1)
        increase(at, LOADED + 1, count_lanes(reading))
        increase(at, 3, count_sectors(sources, field(state, pc, row.IMMEDIATE), reading))


@inner
def _read(state: int, warp: int, pc: int, record: int, lane: int, sources: int, targets: int) -> bool:
    """Check both addresses of a lane's copy, and keep what it reads; return False when it faults."""
    nbytes, size = get(record, COPY_BYTES), get(record, COPY_ADDRESSES + lane)
    source = read_lane(sources, lane, True) + field(state, pc, row.IMMEDIATE)
    target = (read_lane(targets, lane, False) + field(state, pc, row.EXTRA_2)) & ALL_LANES
    host = resolve(state, warp, SHARED, target, nbytes, st.USED_STORE)
    if host < 0:
        report(state, -host, pc, warp, lane, target, nbytes, SHARED)
        return False
    put(record, COPY_ADDRESSES + lane, target)
    put(record, COPY_GROUPS + lane, get(copies_of(state, warp), GROUPS + lane))
    data = record + 8 * (COPY_DATA + 2 * lane)
    store_64(data, 0)
    store_64(data + 8, 0)
    if size == 0:
        return True
    if source & (nbytes - 1):
        report(state, st.FAULT_MISALIGNED, pc, warp, lane, source, nbytes, GLOBAL)
        return False
    host = resolve(state, warp, GLOBAL, source, 1, st.USED_LOAD)
    last = resolve(state, warp, GLOBAL, source + size - 1, 1, st.USED_LOAD)
    if host < 0 or last != host + size - 1:
        report(state, st.FAULT_OUTSIDE, pc, warp, lane, source, size, GLOBAL)
        return False
    for byte in range(size):
        store_8(data + byte, load_u8(host + byte))
    return True


@inner
def _complete(state: int, warp: int, lanes: int, limit: int) -> None:
    """Write what these lanes have copied in groups below `limit`."""
    copies = copies_of(state, warp)
    for number in range(get(copies, COUNT)):
        record = record_at(copies, number)
        done = get(record, COPY_LANES) & lanes
        for lane in range(32):
            if (done >> lane) & 1 and get(record, COPY_GROUPS + lane) >= limit:
                done &= ~(1 << lane)
        if done:
            _write(state, warp, record, done)
    _drop_written(copies)


@inner
def _write(state: int, warp: int, record: int, lanes: int) -> None:
    """Write to shared memory what a record holds for `lanes`."""
    nbytes = get(record, COPY_BYTES)
    if ev.is_observed(state):
        event = ev.begin_event(state, ev.STORE, warp, get(record, COPY_PC), lanes)
        put(event, ev.NBYTES, nbytes)
        put(event, ev.ELEMENTS, nbytes >> 2)
        ev.put_order(state, event, get(record, COPY_PC))
        for lane in range(32):
            put(event, ev.ADDRESSES + lane, get(record, COPY_ADDRESSES + lane))
        put(event, ev.SPACE, SHARED)
        put(event, ev.ALLOCATION, -1)
        ev.deliver(state, event)
    for lane in range(32):
        if (lanes >> lane) & 1:
            host = resolve(state, warp, SHARED, get(record, COPY_ADDRESSES + lane), nbytes, st.USED_STORE)
            data = record + 8 * (COPY_DATA + 2 * lane)
            if nbytes == 4:
                store_32(host, load_u32(data))
            else:
                store_64(host, load_64(data))
                if nbytes == 16:
                    store_64(host + 8, load_64(data + 8))
    put(record, COPY_LANES, get(record, COPY_LANES) & ~lanes)


@inner
def _drop_written(copies: int) -> None:
    """Forget the oldest records that no lane waits for any more."""
    while get(copies, COUNT) and get(record_at(copies, 0), COPY_LANES) == 0:
        put(copies, FIRST, (get(copies, FIRST) + 1) % RECORDS)
        increase(copies, COUNT, -1)
