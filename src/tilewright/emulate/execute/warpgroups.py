"""`wgmma`: four warps multiply 64 rows of A by a tile of B, which lie in shared memory as descriptors say.

Each warp adds to its own 16 rows of the sums when it executes the instruction (EARLY), when it waits for it (LATE), or
either, by chance (AT_RANDOM): operands and sums are read as late, too. What nobody waits for is then never done.

A warp remembers a ring of records, each a product that is not done, and how many groups it has closed.
"""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import OptionalUnit, inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import SHARED, report, resolve
from tilewright.emulate.execute.descriptors import piece_address
from tilewright.emulate.execute.pipeline_events import tell_of_products
from tilewright.emulate.execute.tiles import (
    COLUMNS,
    LINES_A,
    LINES_B,
    ROWS,
    copy_line_part,
    multiply,
    prepare_a,
    prepare_b,
    registers_of_sums,
    take_register,
    tiles_at,
)
from tilewright.emulate.memory_vectors import count_lanes, load_64, load_u32, lowest_lane
from tilewright.emulate.registers import slot_address
from tilewright.emulate.state import COUNTER_BYTES
from tilewright.emulate.tables import field, get, increase, put, table_entry, warp_at

ALL_LANES = 0xFFFFFFFF
WARPS = 4
PIECE_BYTES = 16
RECORDS = 64
"""Products of a warp that may be under way; the oldest is done before there are more."""

FIRST, COUNT, GROUPS, PRODUCTS = range(4)
"""Of a warp: the oldest record, how many there are, the groups that it has closed, the products that it has begun."""
HEADER_WORDS = 8
RECORD_PC, RECORD_FRAME, RECORD_A, RECORD_B, RECORD_KEEP, RECORD_GROUP = range(6)
"""Of a record: the instruction's row, where its registers are, both descriptors, the lanes that keep their sums, and
the number of its group."""
RECORD_WORDS = 8
FIRST_KEPT = 2
"""Column of the counters: warps whose first product of all this was, and added to what was in its registers."""
WARPGROUP_BYTES = 8 * (HEADER_WORDS + RECORD_WORDS * RECORDS)
"""Of each warp, behind LAYOUT_WARPGROUPS."""


@inner
def products_of(state: int, warp: int) -> int:
    """Return where the header of a resident warp is."""
    return get(state, st.LAYOUT_WARPGROUPS) + WARPGROUP_BYTES * warp


@inner
def _record_at(products: int, number: int) -> int:
    """Return the record so many behind the oldest."""
    return products + 8 * (HEADER_WORDS + RECORD_WORDS * ((get(products, FIRST) + number) % RECORDS))


@OptionalUnit
def execute_warpgroup(state: int, warp: int, pc: int, frame: int, active: int, counters: int) -> bool:
    """Execute an instruction of a warpgroup for one of its warps; return False when it faults."""
    if active == 0:
        return True
    opcode = field(state, pc, row.OPCODE)
    if active != ALL_LANES:
        report(state, st.FAULT_PART_OF_WARP, pc, warp, lowest_lane(active), count_lanes(active), 0, 0)
        return False
    if not _is_whole_warpgroup(state, warp):
        report(state, st.FAULT_WARPGROUP, pc, warp, 0, 0, 0, 0)
        return False
    products = products_of(state, warp)
    if opcode == op.WARPGROUP_MULTIPLY:
        return _begin(state, warp, pc, frame, counters)
    if opcode == op.WARPGROUP_COMMIT:
        increase(products, GROUPS, 1)
    is_wait = opcode == op.WARPGROUP_WAIT
    if is_wait and not _complete(state, warp, get(products, GROUPS) - field(state, pc, row.IMMEDIATE)):
        return False
    if opcode != op.WARPGROUP_FENCE and ev.is_observed(state):
        tell_of_products(state, warp, pc, opcode, 0, 0)
    return True


@inner
def _is_whole_warpgroup(state: int, warp: int) -> bool:
    """Say whether the four warps have 128 threads."""
    first = warp % get(state, st.LAYOUT_WARPS) // WARPS * WARPS
    return 32 * (first + WARPS) <= get(state, st.LAYOUT_THREADS)


@inner
def _begin(state: int, warp: int, pc: int, frame: int, counters: int) -> bool:
    """Remember a product, and do it now or later."""
    products = products_of(state, warp)
    if get(products, COUNT) == RECORDS and not _complete_oldest(state, warp):
        return False
    record = _record_at(products, get(products, COUNT))
    put(record, RECORD_PC, pc)
    put(record, RECORD_FRAME, frame)
    if not field(state, pc, row.KIND) & op.MATRIX_A_IN_REGISTERS:
        put(record, RECORD_A, load_64(slot_address(state, frame, field(state, pc, row.OPERAND_A))))
    put(record, RECORD_B, load_64(slot_address(state, frame, field(state, pc, row.OPERAND_B))))
    put(record, RECORD_KEEP, load_u32(slot_address(state, frame, field(state, pc, row.OPERAND_C))))
    put(record, RECORD_GROUP, get(products, GROUPS))
    if get(products, PRODUCTS) == 0 and get(record, RECORD_KEEP):
        increase(counters + COUNTER_BYTES * pc, FIRST_KEPT, 1)
    increase(products, COUNT, 1)
    increase(products, PRODUCTS, 1)
    if ev.is_observed(state):
        tell_of_products(state, warp, pc, op.WARPGROUP_MULTIPLY, get(record, RECORD_A), get(record, RECORD_B))
    return _complete(state, warp, get(products, GROUPS) + 1) if _is_done_now(state, warp) else True


@inner
def _is_done_now(state: int, warp: int) -> bool:
    """Say whether a product is done as soon as it has begun; where chance decides, the schedule's numbers stay."""
    if get(state, st.LAYOUT_COMPLETION) != st.AT_RANDOM:
        return get(state, st.LAYOUT_COMPLETION) == st.EARLY
    number = 32 * get(products_of(state, warp), PRODUCTS) + warp
    return ((get(state, st.CONTROL_RANDOM) ^ (number * 0x5851F42D4C957F2D)) >> 40) & 1 == 1


@inner
def _complete(state: int, warp: int, limit: int) -> bool:
    """Do the products of groups below `limit`, the oldest first; return False when one faults."""
    products = products_of(state, warp)
    while get(products, COUNT) and get(_record_at(products, 0), RECORD_GROUP) < limit:
        if not _complete_oldest(state, warp):
            return False
    return True


@inner
def _complete_oldest(state: int, warp: int) -> bool:
    products = products_of(state, warp)
    record = _record_at(products, 0)
    put(products, FIRST, (get(products, FIRST) + 1) % RECORDS)
    increase(products, COUNT, -1)
    return _multiply(state, warp, record)


@inner
def _multiply(state: int, warp: int, record: int) -> bool:
    """Add to the warp's 16 rows of the sums, 8 columns after the other; return False when an operand faults."""
    pc, frame, keep = get(record, RECORD_PC), get(record, RECORD_FRAME), get(record, RECORD_KEEP)
    kind, entry, columns = field(state, pc, row.KIND), field(state, pc, row.IMMEDIATE), field(state, pc, row.EXTRA_1)
    if kind & op.MATRIX_ONLY_COUNTED:
        return True
    sums = registers_of_sums(kind)
    if kind & op.MATRIX_A_IN_REGISTERS:
        for number in range(4):
            slot = slot_address(state, frame, table_entry(state, entry + columns // COLUMNS * sums + number))
            take_register(slot, tiles_at(state, LINES_A) + 256 * (number & 1) + PIECE_BYTES * (number >> 1))
    else:
        first = ROWS * (warp % get(state, st.LAYOUT_WARPS) % WARPS)
        is_turned = 1 if kind & op.MATRIX_A_TURNED else 0
        if not _fetch(state, warp, pc, get(record, RECORD_A), is_turned, first, ROWS, tiles_at(state, LINES_A)):
            return False
    prepare_a(state, kind)
    is_turned = 1 if kind & op.MATRIX_B_TURNED else 0
    for block in range(columns // COLUMNS):
        first = COLUMNS * block
        if not _fetch(state, warp, pc, get(record, RECORD_B), is_turned, first, COLUMNS, tiles_at(state, LINES_B)):
            return False
        prepare_b(state, kind)
        for number in range(sums):
            slot = slot_address(state, frame, table_entry(state, entry + sums * block + number))
            multiply(state, kind, number, slot, keep, slot)
    return True


@inner
def _fetch(state: int, warp: int, pc: int, descriptor: int, is_turned: int, first: int, count: int, lines: int) -> bool:
    """Copy `count` rows of A or columns of B, from `first` on, to lines; return False when one lies outside."""
    addresses = get(state, st.LAYOUT_EXCHANGE)
    in_line = count // 8 if is_turned else 2
    of_lines = 16 if is_turned else count
    pieces = in_line * of_lines
    for number in range(pieces):
        line, part = number % of_lines, number // of_lines
        if is_turned:
            put(addresses, number, piece_address(descriptor, 1, line, first // 8 + part))
        else:
            put(addresses, number, piece_address(descriptor, 0, first + line, part))
    if ev.is_observed(state):
        event = ev.begin_event(state, ev.LOAD, warp, pc, (1 << pieces) - 1)
        put(event, ev.NBYTES, PIECE_BYTES)
        put(event, ev.ELEMENTS, 4)
        ev.put_order(state, event, pc)
        put(event, ev.OPERATION, descriptor)
        put(event, ev.FIRST_LINE, first)
        put(event, ev.IS_TURNED, is_turned)
        for number in range(pieces):
            put(event, ev.ADDRESSES + number, get(addresses, number))
        put(event, ev.SPACE, SHARED)
        put(event, ev.ALLOCATION, -1)
        ev.deliver(state, event)
    for number in range(pieces):
        address = get(addresses, number)
        host = resolve(state, warp, SHARED, address, PIECE_BYTES, st.USED_LOAD)
        if host < 0:
            report(state, -host, pc, warp, 0, address, PIECE_BYTES, SHARED)
            return False
        copy_line_part(host, lines + 32 * (number % of_lines) + PIECE_BYTES * (number // of_lines))
    return True


@inner
def begin_products(state: int, warp: int) -> None:
    """Forget what a warp of the block before has begun."""
    for word in range(HEADER_WORDS):
        put(products_of(state, warp), word, 0)


@inner
def is_alone(state: int, warp: int) -> bool:
    """Say whether all warps of a warpgroup have ended, and not all have begun as many products."""
    base = warp - warp % get(state, st.LAYOUT_WARPS) % WARPS
    if not _is_whole_warpgroup(state, warp):
        return False
    differ = False
    for other in range(base, base + WARPS):
        if get(warp_at(state, other), st.WARP_ALIVE):
            return False
        differ |= get(products_of(state, other), PRODUCTS) != get(products_of(state, base), PRODUCTS)
    return differ
