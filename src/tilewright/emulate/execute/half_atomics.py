"""Atomics on halves, on pairs of them, and on the elements of vectors, each of which is an atomic by itself.

Apart from the other atomics (atomics.py), since few kernels have them.
"""

from __future__ import annotations

import math

from tilewright.emulate import instruction_row as row
from tilewright.emulate import state as st
from tilewright.emulate.arithmetic import conversions
from tilewright.emulate.arithmetic.conversions import narrow_to, widen_from
from tilewright.emulate.compiled import OptionalUnit, inner
from tilewright.emulate.execute.addresses import SHARED
from tilewright.emulate.execute.atomics import ADD, F32, MINIMUM, add_f32, find_word, flushed
from tilewright.emulate.execute.events import is_observed
from tilewright.emulate.execute.observed_access import tell_of_atomic
from tilewright.emulate.memory_vectors import lanes_in_window, load_u16, load_u32, store_16, store_32
from tilewright.emulate.registers import read_lane, slot_address, write_lane
from tilewright.emulate.tables import field, increase

F16, BF16, U16, F16_PAIR, BF16_PAIR = range(6, 11)
ANY_NAN = 0x7FFF


@OptionalUnit
def atomic_on_halves(state: int, warp: int, pc: int, frame: int, active: int, counters: int) -> bool:
    """Execute `atom` or `red` at `pc` for the lanes of `active`, on one element; return False when it faults."""
    if active == 0:
        return True
    kind, operation = field(state, pc, row.KIND), field(state, pc, row.IMMEDIATE)
    nbytes = 2 if kind <= U16 and kind != F32 else 4
    if is_observed(state):
        tell_of_atomic(state, warp, pc, frame, active, nbytes)
    slot, offset = slot_address(state, frame, field(state, pc, row.OPERAND_A)), field(state, pc, row.EXTRA_2)
    values = slot_address(state, frame, field(state, pc, row.OPERAND_B))
    thirds = slot_address(state, frame, field(state, pc, row.OPERAND_C))
    result, space = field(state, pc, row.RESULT), field(state, pc, row.EXTRA_3)
    window = SHARED if space == 2 or lanes_in_window(slot, offset, active, SHARED) == active else 0
    if field(state, pc, row.EXTRA_1):  # all elements of a vector are one request
        increase(counters + st.COUNTER_BYTES * pc, 2, 1)
    for lane in range(32):
        if not (active >> lane) & 1:
            continue
        host = find_word(state, warp, pc, slot, lane, nbytes, window)
        if host == 0:
            return False
        old = load_u16(host) if nbytes == 2 else load_u32(host)
        value, third = read_lane(values, lane, False), read_lane(thirds, lane, False)
        if kind == U16:
            new = third if old == value & 0xFFFF else old
        elif kind == F32:
            new = add_f32(old, value) if window == SHARED else flushed(add_f32(flushed(old), flushed(value)))
        else:
            half = conversions.F16 if kind == F16 or kind == F16_PAIR else conversions.BF16
            new = updated_half(operation, half, old & 0xFFFF, value & 0xFFFF)
            if nbytes == 4:
                new |= updated_half(operation, half, old >> 16, value >> 16) << 16
        if nbytes == 2:
            store_16(host, new)
        else:
            store_32(host, new)
        if result >= 0:
            write_lane(frame + result, lane, False, old)
    return True


@inner
def updated_half(operation: int, kind: int, old: int, value: int) -> int:
    """Return the half that memory holds afterwards; a number is less and greater than a NaN, -0 less than 0."""
    before, given = widen_from(kind, old), widen_from(kind, value)
    if operation == ADD:
        return narrow_to(kind, before + given, 0)
    if math.isnan(before):
        return ANY_NAN if math.isnan(given) else value
    if math.isnan(given):
        return old
    if before == given:
        return old | value if operation == MINIMUM else old & value
    return value if (given < before) == (operation == MINIMUM) else old
