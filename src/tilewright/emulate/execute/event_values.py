"""The values behind an event: what a store will write, and what memory holds until then."""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL, LOCAL, resolve
from tilewright.emulate.execute.memory_access import register_column
from tilewright.emulate.memory_vectors import load_64, load_u8, load_u16, load_u32
from tilewright.emulate.registers import read_lane, slot_address
from tilewright.emulate.tables import field, get


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
