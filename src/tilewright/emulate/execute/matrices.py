"""`ldmatrix`, `stmatrix`, `movmatrix` and `mma.sync`: small matrices of which each lane of a warp holds a part.

In float64 each term of a product is a fused multiply-add, in the order of the inner index; the others are as
arithmetic/tensor_cores.py says.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import OptionalUnit, inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import SHARED, report, resolve
from tilewright.emulate.execute.memory_access import register_column
from tilewright.emulate.execute.tiles import (
    LINES_A,
    LINES_B,
    SUMS,
    copy_line_part,
    multiply,
    prepare_a,
    prepare_b,
    registers_of_sums,
    take_register,
    tiles_at,
)
from tilewright.emulate.memory_vectors import (
    count_lanes,
    load_u16,
    load_u32,
    lowest_lane,
    store_16,
    store_32,
    widen_addresses,
)
from tilewright.emulate.registers import read_lane, slot_address
from tilewright.emulate.state import COUNTER_BYTES
from tilewright.emulate.tables import field, get, increase, put, table_entry

ALL_LANES = 0xFFFFFFFF


def _from_lanes(b: Builder, values: Value, lanes: list[int]) -> Value:
    """Return the values that each lane finds in another lane."""
    return b.shuffle_vector(values, values, ir.Constant(v.vector(v.i32), lanes))


def _multiplication_in_float64(kind: int) -> Any:
    rows, depth = op.FLOAT64_PRODUCTS[kind]
    bands, steps = rows // 8, depth // 4  # of 8 rows, of 4 inner indices

    @intrinsic
    def multiply(typing_context, slots):  # type: ignore[no-untyped-def]
        """Multiply 8 or 16 x `depth` by `depth` x 8 elements and add them to sums.

        slots: the addresses of targets, sums, A's and B's registers. PTX's layout: lane 4 g + t has rows g and g + 8
        of A and of the sums, columns 2 t and 2 t + 1 of the sums, and column g of B; of the inner index t, t + 4 and
        so on.
        """

        def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
            (slots,) = arguments
            count = 2 * bands
            total = 2 * count + bands * steps + steps
            places = [b.load(v.address(b, slots, 8 * index), typ=v.i64, align=8) for index in range(total)]
            read = [b.load(v.address(b, place), typ=v.vector(v.f64), align=64) for place in places[count:]]
            sums, of_a, of_b = read[:count], read[count:-steps], read[-steps:]
            for inner_index in range(depth):
                holder, step = inner_index % 4, inner_index // 4
                for part in range(count):
                    row = _from_lanes(b, of_a[bands * step + part // 2], [lane & ~3 | holder for lane in range(32)])
                    lanes = [8 * (lane % 4) + 4 * (part % 2) + holder for lane in range(32)]
                    terms = [row, _from_lanes(b, of_b[step], lanes), sums[part]]
                    sums[part] = v.intrinsic(b, f"llvm.fma.{v.suffix(v.f64)}", v.vector(v.f64), terms)
            for place, value in zip(places[:count], sums, strict=True):
                b.store(value, v.address(b, place), align=64)
            return context.get_dummy_value()

        return types.void(types.int64), codegen

    return multiply


_multiply_m8k4, _multiply_m16k4, _multiply_m16k8, _multiply_m16k16 = (
    _multiplication_in_float64(kind) for kind in range(len(op.FLOAT64_PRODUCTS))
)


@OptionalUnit
def execute_matrix(state: int, warp: int, pc: int, frame: int, active: int, counters: int) -> bool:
    """Execute an instruction of small matrices, which takes a whole warp; return False when it faults."""
    if active == 0:
        return True
    if active != ALL_LANES:
        report(state, st.FAULT_PART_OF_WARP, pc, warp, lowest_lane(active), count_lanes(active), 0, 0)
        return False
    opcode = field(state, pc, row.OPCODE)
    if opcode == op.LOAD_MATRIX:
        return _load_matrices(state, warp, pc, frame, counters)
    if opcode == op.STORE_MATRIX:
        return _store_matrices(state, warp, pc, frame, counters)
    if opcode == op.TURN_MATRIX:
        _turn_matrix(state, pc, frame)
    elif opcode == op.MULTIPLY_FLOAT64:
        _multiply_in_float64(state, pc, frame)
    else:
        _multiply(state, pc, frame)
    return True


@inner
def _multiply_in_float64(state: int, pc: int, frame: int) -> None:
    first, slots = field(state, pc, row.IMMEDIATE), get(state, st.LAYOUT_EXCHANGE)
    for index in range(op.FLOAT64_SLOTS):
        put(slots, index, slot_address(state, frame, table_entry(state, first + index)))
    kind = field(state, pc, row.KIND)
    if kind == 0:
        _multiply_m8k4(slots)
    elif kind == 1:
        _multiply_m16k4(slots)
    elif kind == 2:
        _multiply_m16k8(slots)
    else:
        _multiply_m16k16(slots)


@inner
def _multiply(state: int, pc: int, frame: int) -> None:
    """Multiply 16 rows of A by 8 columns of B. The table has targets, sums, and registers of A and of B."""
    kind, entry = field(state, pc, row.KIND), field(state, pc, row.IMMEDIATE)
    sums = registers_of_sums(kind)
    count_a, count_b = (2, 1) if kind & op.MATRIX_SHORT else (4, 2)
    sums_at = tiles_at(state, SUMS)
    for number in range(sums):
        slot = slot_address(state, frame, table_entry(state, entry + sums + number))
        for part in range(8):
            copy_line_part(slot + 16 * part, sums_at + 128 * number + 16 * part)
    for number in range(count_a):
        slot = slot_address(state, frame, table_entry(state, entry + 2 * sums + number))
        take_register(slot, tiles_at(state, LINES_A) + 256 * (number & 1) + 16 * (number >> 1))
    for number in range(count_b):
        slot = slot_address(state, frame, table_entry(state, entry + 2 * sums + count_a + number))
        take_register(slot, tiles_at(state, LINES_B) + 16 * number)
    prepare_a(state, kind)
    prepare_b(state, kind)
    for number in range(sums):
        target = slot_address(state, frame, table_entry(state, entry + number))
        multiply(state, kind, number, sums_at + 128 * number, ALL_LANES, target)


@inner
def _turn_matrix(state: int, pc: int, frame: int) -> None:
    """Give lane 4 g + t elements 2 t and 2 t + 1 of column g of a matrix, of which it holds those of row g."""
    source = slot_address(state, frame, field(state, pc, row.OPERAND_A))
    target, held = frame + field(state, pc, row.RESULT), get(state, st.LAYOUT_EXCHANGE)
    for lane in range(32):
        put(held, lane, load_u32(source + 4 * lane))
    for lane in range(32):
        group, holder = lane >> 2, 8 * (lane & 3) + (lane >> 3)
        shift = 16 * (group & 1)
        low, high = get(held, holder) >> shift & 0xFFFF, get(held, holder + 4) >> shift & 0xFFFF
        store_32(target + 4 * lane, low | high << 16)


@inner
def _find_rows(state: int, warp: int, pc: int, frame: int, counters: int, event_kind: int) -> bool:
    """Find the 8 rows of 16 bytes of each matrix, at the addresses that lanes 0 to 7, 8 to 15 and so on bring."""
    count = field(state, pc, row.OPERAND_B)
    slot = slot_address(state, frame, field(state, pc, row.OPERAND_A))
    immediate, rows = field(state, pc, row.IMMEDIATE), get(state, st.LAYOUT_EXCHANGE)
    bringing = (1 << 8 * count) - 1
    increase(counters + COUNTER_BYTES * pc, 2, 1)
    if ev.is_observed(state):
        event = ev.begin_event(state, event_kind, warp, pc, bringing)
        put(event, ev.NBYTES, 16)
        put(event, ev.ELEMENTS, 4)
        put(event, ev.FRAME, frame)
        ev.put_order(state, event, pc)
        widen_addresses(slot, immediate, event + 8 * ev.ADDRESSES)
        put(event, ev.SPACE, SHARED)
        put(event, ev.ALLOCATION, -1)
        ev.deliver(state, event)
    use = st.USED_LOAD if event_kind == ev.LOAD else st.USED_STORE
    for lane in range(8 * count):
        address = (read_lane(slot, lane, False) + immediate) & ALL_LANES
        host = resolve(state, warp, SHARED, address, 16, use)
        if host < 0:
            report(state, -host, pc, warp, lane, address, 16, SHARED)
            return False
        put(rows, lane, host)
    return True


@inner
def _load_matrices(state: int, warp: int, pc: int, frame: int, counters: int) -> bool:
    """Give lane 4 g + t elements 2 t and 2 t + 1 of row g of each matrix, or of column g where it is turned."""
    if not _find_rows(state, warp, pc, frame, counters, ev.LOAD):
        return False
    if field(state, pc, row.KIND) & op.ONLY_COUNTED:
        return True
    is_turned, rows = field(state, pc, row.OPERAND_C), get(state, st.LAYOUT_EXCHANGE)
    for number in range(field(state, pc, row.OPERAND_B)):
        target = frame + field(state, pc, register_column(number, False))
        for lane in range(32):
            group, place = lane >> 2, 2 * (lane & 3)
            if is_turned:
                low = load_u16(get(rows, 8 * number + place) + 2 * group)
                value = low | load_u16(get(rows, 8 * number + place + 1) + 2 * group) << 16
            else:
                value = load_u32(get(rows, 8 * number + group) + 2 * place)
            store_32(target + 4 * lane, value)
    return True


@inner
def _store_matrices(state: int, warp: int, pc: int, frame: int, counters: int) -> bool:
    """Write what lane 4 g + t holds to elements 2 t and 2 t + 1 of row g of each matrix, or of column g."""
    if not _find_rows(state, warp, pc, frame, counters, ev.STORE):
        return False
    if field(state, pc, row.KIND) & op.ONLY_COUNTED:
        return True
    is_turned, rows = field(state, pc, row.OPERAND_C), get(state, st.LAYOUT_EXCHANGE)
    for number in range(field(state, pc, row.OPERAND_B)):
        source = slot_address(state, frame, field(state, pc, register_column(number, False)))
        for lane in range(32):
            group, place = lane >> 2, 2 * (lane & 3)
            value = load_u32(source + 4 * lane)
            if is_turned:
                store_16(get(rows, 8 * number + place) + 2 * group, value)
                store_16(get(rows, 8 * number + place + 1) + 2 * group, value >> 16)
            else:
                store_32(get(rows, 8 * number + group) + 2 * place, value)
    return True
