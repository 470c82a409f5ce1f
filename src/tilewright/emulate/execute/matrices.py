"""`ldmatrix` and `mma.sync`: small matrices of which each lane of a warp holds a part.

A product adds the exact products of its elements to the float32 sum one by one, in the order of the inner index, each
time rounded to the nearest. Tensor cores group the terms and cut off bits in between, so their last bits may differ.
In float64 each term is a fused multiply-add, in the same order.
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
from tilewright.emulate.memory_vectors import (
    count_lanes,
    load_u16,
    load_u32,
    lowest_lane,
    store_32,
    widen_addresses,
)
from tilewright.emulate.registers import read_lane, slot_address
from tilewright.emulate.state import COUNTER_BYTES
from tilewright.emulate.tables import field, get, increase, put, table_entry

ALL_LANES = 0xFFFFFFFF
F16_K16, F16_K8, BF16_K16, BF16_K8, F64_K8, F64_K4 = range(6)


def _widened(b: Builder, register: Value, half: int, is_bfloat: bool) -> Value:
    """Return one half of each lane of a register, a half or bfloat16, as float32."""
    halves = b.lshr(register, v.constant(v.i32, 16)) if half else b.and_(register, v.constant(v.i32, 0xFFFF))
    if is_bfloat:
        return b.bitcast(b.shl(halves, v.constant(v.i32, 16)), v.vector(v.f32))
    sign = b.shl(b.and_(halves, v.constant(v.i32, 0x8000)), v.constant(v.i32, 16))
    bits = b.shl(b.and_(halves, v.constant(v.i32, 0x7FFF)), v.constant(v.i32, 13))
    # Read as float32 the exponent is too small by 127 - 15; a product with a power of two also mends subnormals.
    scaled = b.bitcast(b.fmul(b.bitcast(bits, v.vector(v.f32)), v.constant(v.f32, 2.0**112)), v.vector(v.i32))
    exponent = v.constant(v.i32, 0x7C00)
    is_special = b.icmp_unsigned("==", b.and_(halves, exponent), exponent)
    special = b.or_(bits, v.constant(v.i32, 0x7F800000))
    return b.bitcast(b.or_(b.select(is_special, special, scaled), sign), v.vector(v.f32))


def _from_lanes(b: Builder, values: Value, lanes: list[int]) -> Value:
    """Return the values that each lane finds in another lane."""
    return b.shuffle_vector(values, values, ir.Constant(v.vector(v.i32), lanes))


def _multiplication(is_bfloat: bool, depth: int) -> Any:
    count_a, count_b = depth // 4, depth // 8

    @intrinsic
    def multiply(typing_context, slots):  # type: ignore[no-untyped-def]
        """Multiply 16 x `depth` by `depth` x 8 elements and add them to 16 x 8 sums.

        slots: the address of 4 targets, 4 sums, A's and B's registers. PTX's layout: lane 4 g + t has rows g and g + 8
        of A and of the sums, columns 2 t and 2 t + 1 of the sums, and column g of B; of the inner index it has 2 t
        and 2 t + 1, and 8 more.
        """

        def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
            (slots,) = arguments
            places = [
                b.load(v.address(b, slots, 8 * index), typ=v.i64, align=8) for index in range(8 + count_a + count_b)
            ]
            sums = [b.load(v.address(b, place), typ=v.vector(v.f32), align=64) for place in places[4:8]]
            registers = [b.load(v.address(b, place), typ=v.vector(v.i32), align=64) for place in places[8:]]
            wide = [[_widened(b, register, half, is_bfloat) for half in range(2)] for register in registers]
            for inner_index in range(depth):
                holder, half, upper = inner_index % 8 // 2, inner_index % 2, inner_index // 8
                rows = [
                    _from_lanes(b, wide[2 * upper + lower][half], [lane & ~3 | holder for lane in range(32)])
                    for lower in range(2)
                ]
                columns = [
                    _from_lanes(
                        b, wide[count_a + upper][half], [8 * (lane % 4) + 4 * side + holder for lane in range(32)]
                    )
                    for side in range(2)
                ]
                for part in range(4):
                    sums[part] = b.fadd(sums[part], b.fmul(rows[part // 2], columns[part % 2]))
            for place, value in zip(places[:4], sums, strict=True):
                b.store(value, v.address(b, place), align=64)
            return context.get_dummy_value()

        return types.void(types.int64), codegen

    return multiply


def _multiplication_in_float64(depth: int) -> Any:
    sides = depth // 4  # of 8 rows and of 4 inner indices

    @intrinsic
    def multiply(typing_context, slots):  # type: ignore[no-untyped-def]
        """Multiply 8 or 16 x `depth` by `depth` x 8 elements and add them to sums.

        slots: the addresses of targets, sums, A's and B's registers. PTX's layout: lane 4 g + t has rows g and g + 8
        of A and of the sums, columns 2 t and 2 t + 1 of the sums, and column g of B; of the inner index t and t + 4.
        """

        def codegen(context: Any, b: Builder, signature: Any, arguments: Any) -> Value:
            (slots,) = arguments
            count = 2 * sides
            total = 2 * count + sides * sides + sides
            places = [b.load(v.address(b, slots, 8 * index), typ=v.i64, align=8) for index in range(total)]
            read = [b.load(v.address(b, place), typ=v.vector(v.f64), align=64) for place in places[count:]]
            sums, of_a, of_b = read[:count], read[count:-sides], read[-sides:]
            for inner_index in range(depth):
                holder, upper = inner_index % 4, inner_index // 4
                for part in range(count):
                    row = _from_lanes(b, of_a[sides * upper + part // 2], [lane & ~3 | holder for lane in range(32)])
                    lanes = [8 * (lane % 4) + 4 * (part % 2) + holder for lane in range(32)]
                    terms = [row, _from_lanes(b, of_b[upper], lanes), sums[part]]
                    sums[part] = v.intrinsic(b, f"llvm.fma.{v.suffix(v.f64)}", v.vector(v.f64), terms)
            for place, value in zip(places[:count], sums, strict=True):
                b.store(value, v.address(b, place), align=64)
            return context.get_dummy_value()

        return types.void(types.int64), codegen

    return multiply


_multiply_f16_k16, _multiply_f16_k8 = _multiplication(False, 16), _multiplication(False, 8)
_multiply_bf16_k16, _multiply_bf16_k8 = _multiplication(True, 16), _multiplication(True, 8)
_multiply_f64_k8, _multiply_f64_k4 = _multiplication_in_float64(8), _multiplication_in_float64(4)


@OptionalUnit
def execute_matrix(state: int, warp: int, pc: int, frame: int, active: int, counters: int) -> bool:
    """Execute `ldmatrix` or `mma.sync`, which take a whole warp; return False when it faults."""
    if active == 0:
        return True
    if active != ALL_LANES:
        report(state, st.FAULT_PART_OF_WARP, pc, warp, lowest_lane(active), count_lanes(active), 0, 0)
        return False
    if field(state, pc, row.OPCODE) == op.LOAD_MATRIX:
        return _load_matrices(state, warp, pc, frame, counters)
    kind, first = field(state, pc, row.KIND), field(state, pc, row.IMMEDIATE)
    slots = get(state, st.LAYOUT_EXCHANGE)
    for index in range(op.MATRIX_SLOTS):
        put(slots, index, slot_address(state, frame, table_entry(state, first + index)))
    if kind == F16_K16:
        _multiply_f16_k16(slots)
    elif kind == F16_K8:
        _multiply_f16_k8(slots)
    elif kind == BF16_K16:
        _multiply_bf16_k16(slots)
    elif kind == BF16_K8:
        _multiply_bf16_k8(slots)
    elif kind == F64_K8:
        _multiply_f64_k8(slots)
    else:
        _multiply_f64_k4(slots)
    return True


@inner
def _load_matrices(state: int, warp: int, pc: int, frame: int, counters: int) -> bool:
    """Load 8 rows of 16 bytes for each matrix, at the addresses that lanes 0 to 7, 8 to 15 and so on bring."""
    count, is_turned = field(state, pc, row.OPERAND_B), field(state, pc, row.OPERAND_C)
    slot = slot_address(state, frame, field(state, pc, row.OPERAND_A))
    immediate, rows = field(state, pc, row.IMMEDIATE), get(state, st.LAYOUT_EXCHANGE)
    bringing = (1 << 8 * count) - 1
    increase(counters + COUNTER_BYTES * pc, 2, 1)
    if ev.is_observed(state):
        event = ev.begin_event(state, ev.LOAD, warp, pc, bringing)
        put(event, ev.NBYTES, 16)
        put(event, ev.ELEMENTS, 4)
        put(event, ev.FRAME, frame)
        ev.put_order(state, event, pc)
        widen_addresses(slot, immediate, event + 8 * ev.ADDRESSES)
        put(event, ev.SPACE, SHARED)
        put(event, ev.ALLOCATION, -1)
        ev.deliver(state, event)
    for lane in range(8 * count):
        address = (read_lane(slot, lane, False) + immediate) & ALL_LANES
        host = resolve(state, warp, SHARED, address, 16, st.USED_LOAD)
        if host < 0:
            report(state, -host, pc, warp, lane, address, 16, SHARED)
            return False
        put(rows, lane, host)
    for number in range(count):
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
