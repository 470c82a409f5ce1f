"""Atomic operations, lane by lane in lane order, on global and shared memory."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import Unit, inner, of_words
from tilewright.emulate.execute.addresses import (
    LOCAL,
    MIXED,
    SHARED,
    allocation_of_lanes,
    note_use,
    report,
    resolve,
)
from tilewright.emulate.memory_vectors import (
    check_global,
    copy_addresses,
    lanes_in_window,
    load_64,
    load_s32,
    load_u32,
    store_32,
    store_64,
    widen_addresses,
)
from tilewright.emulate.registers import read_lane, slot_address, write_lane
from tilewright.emulate.tables import allocation_at, field, get, increase

ADD, MINIMUM, MAXIMUM, EXCHANGE, COMPARE_SWAP, INCREMENT, DECREMENT, AND, OR, XOR = range(10)
U32, S32, U64, S64, F32, F64 = range(6)
KINDS = 6


@of_words
def add_f32(b: Builder, x: Value, y: Value) -> Value:
    """Add two float32 given as bits; any NaN is 0x7FFFFFFF."""
    total = b.fadd(*(b.bitcast(b.trunc(value, v.i32), v.f32) for value in (x, y)))
    bits = b.select(b.fcmp_unordered("uno", total, total), ir.Constant(v.i32, 0x7FFFFFFF), b.bitcast(total, v.i32))
    return b.zext(bits, v.i64)


@of_words
def add_f64(b: Builder, x: Value, y: Value) -> Value:
    """Add two float64 given as bits."""
    return b.bitcast(b.fadd(b.bitcast(x, v.f64), b.bitcast(y, v.f64)), v.i64)


@inner
def _is_nan_f64(bits: int) -> bool:
    return bits & 0x7FFFFFFFFFFFFFFF > 0x7FF0000000000000


_HOST_ATOMICS = {
    ADD: ("add", "add"),
    AND: ("and", "and"),
    OR: ("or", "or"),
    XOR: ("xor", "xor"),
    MINIMUM: ("umin", "min"),
    MAXIMUM: ("umax", "max"),
}
"""LLVM's names, unsigned and signed, of the operations whose order does not matter."""


@of_words
def _update_shared_between_workers(b: Builder, host: Value, operation: Value, kind: Value, value: Value) -> None:
    """Update memory at `host` by the host's own atomic; workers share no other operations (encode_memory)."""
    done = b.append_basic_block("updated")
    number = b.add(b.mul(operation, ir.Constant(v.i64, KINDS)), kind)
    choice = b.switch(number, done)
    for known, names in _HOST_ATOMICS.items():
        for index, (name, bits) in enumerate(zip(2 * names, (32, 32, 64, 64), strict=True)):
            block = b.append_basic_block(f"{name}{bits}")
            choice.add_case(ir.Constant(v.i64, known * KINDS + index), block)
            with b.goto_block(block):
                narrow = value if bits == 64 else b.trunc(value, ir.IntType(bits))
                b.atomic_rmw(name, v.address(b, host), narrow, "monotonic")
                b.branch(done)
    b.position_at_end(done)


@inner
def _below(x: int, y: int, unsigned_64: bool) -> bool:
    if unsigned_64:
        return (x ^ (-1 << 63)) < (y ^ (-1 << 63))
    return x < y


@inner
def flushed(bits: int) -> int:
    """Return the bits of a float32, or those of a zero of its sign where it is subnormal."""
    return bits & 0x80000000 if bits & 0x7F800000 == 0 else bits


@inner
def updated(operation: int, kind: int, old: int, value: int, third: int) -> int:
    """Return what memory holds afterwards; integers of 32 bits come in and go out as their type says."""
    unsigned_64 = kind == U64
    if operation == ADD:
        if kind == F32:
            return add_f32(old, value)
        if kind == F64:
            return add_f64(old, value)
        return old + value
    if operation == MINIMUM:
        return value if _below(value, old, unsigned_64) else old
    if operation == MAXIMUM:
        return value if _below(old, value, unsigned_64) else old
    if operation == EXCHANGE:
        return value
    if operation == COMPARE_SWAP:
        return third if old == value else old
    if operation == INCREMENT:
        return 0 if old >= value else old + 1
    if operation == DECREMENT:
        return value if old == 0 or old > value else old - 1
    if operation == AND:
        return old & value
    if operation == OR:
        return old | value
    return old ^ value


@inner
def find_word(state: int, warp: int, pc: int, slot: int, lane: int, nbytes: int, window: int) -> int:
    """Return where in this process the word lies that a lane's atomic is for, or 0 when a fault was reported.

    EXTRA_1: of how many bytes the address must be a multiple; 0 for the later elements of a vector.
    """
    is_narrow, alignment = field(state, pc, row.EXTRA_3) == 2, field(state, pc, row.EXTRA_1)
    address = read_lane(slot, lane, not is_narrow) + field(state, pc, row.EXTRA_2)
    if is_narrow:
        address &= 0xFFFFFFFF
    host = resolve(state, warp, SHARED if is_narrow else MIXED, address, nbytes, st.USED_ATOMIC)
    if host > 0 and not is_narrow and address >> op.WINDOW_SHIFT == LOCAL:
        host = -st.FAULT_ATOMIC_SPACE
    if address & (alignment - 1) and alignment:
        host, nbytes = -st.FAULT_MISALIGNED, alignment
    if host < 0:
        report(state, -host, pc, warp, lane, address, nbytes, window)
        return 0
    return host


@inner
def _find_words(state: int, warp: int, pc: int, slot: int, active: int, nbytes: int, window: int) -> int:
    """Write the 32 addresses of an atomic to LAYOUT_EXCHANGE, and return what lies between them and this process.

    0: the words do not all lie in one allocation or in the block's own shared memory, so each lane is looked at alone.
    """
    offset, alignment = field(state, pc, row.EXTRA_2), max(nbytes, field(state, pc, row.EXTRA_1))
    addresses = get(state, st.LAYOUT_EXCHANGE)
    if window == SHARED:
        extent = get(state, st.LAYOUT_SHARED_BYTES)
        if field(state, pc, row.EXTRA_3) == 2:
            widen_addresses(slot, offset, addresses)
        else:
            copy_addresses(slot, offset - op.SHARED_WINDOW, addresses)
        good = check_global(addresses, 0, 0, max(extent - nbytes + 1, 0), alignment - 1, active)
        base = get(state, st.LAYOUT_SHARED) + (warp // get(state, st.LAYOUT_WARPS)) * extent
        return base if good == active else 0
    copy_addresses(slot, offset, addresses)
    allocation = allocation_of_lanes(state, addresses, nbytes, active, pc)
    if allocation < 0 or check_global(addresses, 0, 0, -1, alignment - 1, active) != active:
        return 0
    record = allocation_at(state, allocation)
    if not get(record, st.ALLOCATION_WRITABLE):
        return 0
    store_32(get(state, st.LAYOUT_HINTS) + 4 * pc, allocation)
    note_use(state, allocation, st.USED_ATOMIC)
    return get(record, st.ALLOCATION_HOST) - get(record, st.ALLOCATION_BASE)


def _adding(wide: bool) -> Any:
    """Make the commonest atomic, a sum of integers, a loop in which nothing is left to decide."""

    @inner
    def add_lanes(addresses: int, base: int, values: int, result: int, active: int) -> None:
        for lane in range(32):
            if (active >> lane) & 1:
                host = base + get(addresses, lane)
                old = load_64(host) if wide else load_u32(host)
                new = old + read_lane(values, lane, wide)
                if wide:
                    store_64(host, new)
                else:
                    store_32(host, new)
                if result:
                    write_lane(result, lane, wide, old)

    return add_lanes


_add_lanes_32, _add_lanes_64 = _adding(wide=False), _adding(wide=True)


@Unit
def atomic(state: int, warp: int, pc: int, frame: int, active: int, counters: int) -> bool:
    """Execute `atom` or `red` at `pc` for the lanes of `active`; return False when it faults."""
    kind, operation = field(state, pc, row.KIND), field(state, pc, row.IMMEDIATE)
    slot = slot_address(state, frame, field(state, pc, row.OPERAND_A))
    offset = field(state, pc, row.EXTRA_2)
    values = slot_address(state, frame, field(state, pc, row.OPERAND_B))
    thirds = slot_address(state, frame, field(state, pc, row.OPERAND_C))
    result = field(state, pc, row.RESULT)
    space = field(state, pc, row.EXTRA_3)
    wide = kind == U64 or kind == S64 or kind == F64
    nbytes = 8 if wide else 4
    is_narrow = space == 2
    window = SHARED if is_narrow or lanes_in_window(slot, offset, active, SHARED) == active else 0
    increase(counters + st.COUNTER_BYTES * pc, 2, 1)
    is_shared_between_workers = get(state, st.LAYOUT_PARALLEL) != 0 and window != SHARED
    addresses, base = get(state, st.LAYOUT_EXCHANGE), _find_words(state, warp, pc, slot, active, nbytes, window)
    if base and operation == ADD and kind <= S64 and not is_shared_between_workers:
        target = frame + result if result >= 0 else 0
        if wide:
            _add_lanes_64(addresses, base, values, target, active)
        else:
            _add_lanes_32(addresses, base, values, target, active)
        return True
    for lane in range(32):
        if not (active >> lane) & 1:
            continue
        host = base + get(addresses, lane) if base else find_word(state, warp, pc, slot, lane, nbytes, window)
        if host == 0:
            return False
        value = read_lane(values, lane, wide)
        if is_shared_between_workers:
            _update_shared_between_workers(host, operation, kind, value)
            continue
        third = read_lane(thirds, lane, wide) if operation == COMPARE_SWAP else 0
        old = load_64(host) if wide else (load_s32(host) if kind == S32 else load_u32(host))
        if kind == S32 and value >> 31:
            value -= 1 << 32
        if kind == S32 and third >> 31:
            third -= 1 << 32
        is_shared = is_narrow or (read_lane(slot, lane, True) + offset) >> op.WINDOW_SHIFT == SHARED
        if operation == ADD and kind == F32 and not is_shared:
            # PTX ISA, `atom`: in global memory subnormal terms and sums are zeros; in shared memory they are kept.
            new = flushed(add_f32(flushed(old), flushed(value)))
        elif operation == ADD and kind == F64 and not is_shared and (_is_nan_f64(old) or _is_nan_f64(value)):
            new = old if _is_nan_f64(old) else value  # in global memory a signalling NaN stays one
        else:
            new = updated(operation, kind, old, value, third)
        if wide:
            store_64(host, new)
        else:
            store_32(host, new)
        if result >= 0:
            write_lane(frame + result, lane, wide, old)
    return True
