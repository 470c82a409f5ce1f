"""The event of a bulk copy: it is asked for, or about to be done; one for each block whose memory it concerns."""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate import tensor_map as tm
from tilewright.emulate.compiled import inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL, block_at_address, resolve
from tilewright.emulate.execute.bulk_transfers import (
    ALL_BLOCKS,
    OFFSET_MASK,
    RECORD_BARRIER,
    RECORD_BYTES,
    RECORD_COORDINATES,
    RECORD_LANE,
    RECORD_PC,
    RECORD_SOURCE,
    RECORD_TARGET,
    RECORD_WARP,
    next_target,
)
from tilewright.emulate.memory_vectors import load_64
from tilewright.emulate.tables import block_at, field, get, put

ASKED, DONE = range(2)
"""OPERATION of BULK."""
COPY_OFFSET, COPY_OWNER, COPY_BARRIER, COPY_BYTES, COPY_GLOBAL, COPY_COORDINATES = range(6)
COPY_MAP = COPY_COORDINATES + tm.MOST_DIMENSIONS
"""Words: where it lies in the shared memory of a block, by its linear number; the offset of its mbarrier; bytes, of a
copy of a line; the address of the line, or of the tensor map, whose words are from COPY_MAP on."""
MAP_HALF_BYTES = tm.MAP_BYTES // 2


@inner
def tell_of_copy(state: int, record: int, operation: int) -> None:
    """Deliver BULK for every block that a copy writes to, or that it reads from."""
    pc, warp = get(record, RECORD_PC), get(record, RECORD_WARP)
    kind = field(state, pc, row.KIND)
    way = (kind >> op.BULK_WAY_SHIFT) & 3
    if way == op.BULK_PREFETCH:
        return
    to_global = way == op.BULK_TO_GLOBAL
    shared = get(record, RECORD_SOURCE if to_global else RECORD_TARGET)
    for rank in range(1 if to_global else ALL_BLOCKS):
        block = block_at_address(state, warp, shared) if to_global else next_target(state, record, shared, rank)
        if block < 0:
            continue
        event = ev.begin_event(state, ev.BULK, warp, pc, 1 << get(record, RECORD_LANE))
        put(event, ev.OPERATION, operation)
        put(event, ev.ADDRESSES + COPY_OFFSET, shared & OFFSET_MASK)
        put(event, ev.ADDRESSES + COPY_OWNER, get(block_at(state, block), st.BLOCK_LINEAR))
        put(event, ev.ADDRESSES + COPY_BARRIER, get(record, RECORD_BARRIER) & OFFSET_MASK)
        put(event, ev.ADDRESSES + COPY_BYTES, get(record, RECORD_BYTES))
        address = get(record, RECORD_TARGET if to_global else RECORD_SOURCE)
        put(event, ev.ADDRESSES + COPY_GLOBAL, address)
        for number in range(tm.MOST_DIMENSIONS):
            put(event, ev.ADDRESSES + COPY_COORDINATES + number, get(record, RECORD_COORDINATES + number))
        if kind & op.BULK_DIMENSIONS:
            # In halves: a map begins at a multiple of 64 bytes, not always at one of its own size.
            map_at = resolve(state, warp, GLOBAL, address, MAP_HALF_BYTES, st.USED_LOAD)
            second = resolve(state, warp, GLOBAL, address + MAP_HALF_BYTES, MAP_HALF_BYTES, st.USED_LOAD)
            if second != map_at + MAP_HALF_BYTES:
                map_at = -1
            for word in range(tm.MAP_STEPS + 1):
                put(event, ev.ADDRESSES + COPY_MAP + word, load_64(map_at + 8 * word) if map_at >= 0 else 0)
        ev.deliver(state, event)
