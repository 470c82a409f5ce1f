"""Copies in bulk (`cp.async.bulk`): asked for by one thread, done by an engine of its own.

A copy is a record of 16 words. It is done at once, or kept until nothing else can go on, until its thread waits for
it, or until chance takes it (LAYOUT_COMPLETION). What it copies is read when it is done.
"""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import OptionalUnit, call_unit, inner
from tilewright.emulate.execute.bulk_boxes import copy_box
from tilewright.emulate.execute.bulk_events import ASKED, DONE, tell_of_copy
from tilewright.emulate.execute.bulk_reductions import type_bytes
from tilewright.emulate.execute.bulk_transfers import (
    RECORD_BARRIER,
    RECORD_BYTES,
    RECORD_COORDINATES,
    RECORD_GROUP,
    RECORD_LANE,
    RECORD_MASK,
    RECORD_PC,
    RECORD_SOURCE,
    RECORD_TARGET,
    RECORD_WARP,
    RECORD_WORDS,
    copy_line,
    copy_values,
)
from tilewright.emulate.execute.events import is_observed, tell_of_ordering
from tilewright.emulate.registers import read_lane, slot_address
from tilewright.emulate.tables import field, get, increase, put, table_entry

RECORDS = 512
"""Copies of a worker that may be under way; the oldest is done before there are more."""
FIRST, COUNT = 0, 1
"""Of a worker: the oldest record, and how many there are."""
CURRENT, QUEUE = 8, 8 + RECORD_WORDS
"""The record that is being done, and the first of those that wait."""
GROUPS = QUEUE + RECORDS * RECORD_WORDS
"""From here on, for each lane of each resident warp: the groups that it has closed."""


def bulk_bytes(warps: int) -> int:
    """Return what the records and groups of so many resident warps take."""
    return 8 * (GROUPS + 32 * warps)


@inner
def _record_at(bulk: int, number: int) -> int:
    """Return the record so many behind the oldest."""
    return bulk + 8 * (QUEUE + RECORD_WORDS * ((get(bulk, FIRST) + number) % RECORDS))


@OptionalUnit
def execute_bulk(state: int, warp: int, pc: int, frame: int, active: int, counters: int) -> int:
    """Begin copies, close a group of them, or wait for groups; return what a special unit returns (state.py)."""
    bulk = get(state, st.LAYOUT_BULK)
    if field(state, pc, row.OPCODE) == op.BULK_GROUP:
        left_open = field(state, pc, row.IMMEDIATE)
        for lane in range(32):
            if (active >> lane) & 1:
                closed = GROUPS + 32 * warp + lane
                if left_open < 0:
                    increase(bulk, closed, 1)
                elif not _complete(state, warp, lane, get(bulk, closed) - left_open):
                    return st.FAILED
        if is_observed(state):
            tell_of_ordering(state, warp, pc, active, op.ORDER_GROUP_CLOSE if left_open < 0 else op.ORDER_GROUP_WAIT)
        return st.DONE
    is_early = get(state, st.LAYOUT_COMPLETION) == st.EARLY
    for lane in range(32):
        if not (active >> lane) & 1:
            continue
        if is_early:
            record = bulk + 8 * CURRENT
        else:
            if get(bulk, COUNT) == RECORDS and not _take(state, 0):
                return st.FAILED
            record = _record_at(bulk, get(bulk, COUNT))
            increase(bulk, COUNT, 1)
        _fill(state, warp, pc, frame, lane, record)
        put(record, RECORD_GROUP, get(bulk, GROUPS + 32 * warp + lane))
        if is_observed(state):
            tell_of_copy(state, record, ASKED)
        if is_early and not call_unit(get(state, st.LAYOUT_PERFORM_BULK), state, -1):
            return st.FAILED
    return st.DONE


@inner
def _fill(state: int, warp: int, pc: int, frame: int, lane: int, record: int) -> None:
    """Write down what a lane asks for."""
    put(record, RECORD_PC, pc)
    put(record, RECORD_WARP, warp)
    put(record, RECORD_LANE, lane)
    first, kind = field(state, pc, row.IMMEDIATE), field(state, pc, row.KIND)
    for number in range(op.BULK_SLOTS):
        slot = slot_address(state, frame, table_entry(state, first + number))
        wide = number == op.BULK_TARGET or number == op.BULK_SOURCE or number == op.BULK_BARRIER
        if number >= op.BULK_COORDINATES and kind & op.BULK_VALUES:
            wide = type_bytes((kind >> op.BULK_TYPE_SHIFT) & 15) == 8
        value = read_lane(slot, lane, wide)
        if number == op.BULK_TARGET:
            put(record, RECORD_TARGET, value)
        elif number == op.BULK_SOURCE:
            put(record, RECORD_SOURCE, value)
        elif number == op.BULK_BARRIER:
            put(record, RECORD_BARRIER, value)
        elif number == op.BULK_SIZE:
            put(record, RECORD_BYTES, value)
        elif number == op.BULK_MASK:
            put(record, RECORD_MASK, value & 0xFFFF)
        else:
            signed = value - (1 << 32) if value >> 31 and not wide else value
            put(record, RECORD_COORDINATES + number - op.BULK_COORDINATES, signed)


@inner
def _complete(state: int, warp: int, lane: int, limit: int) -> bool:
    """Do a lane's copies of groups below `limit`; return False when one faults."""
    bulk, number = get(state, st.LAYOUT_BULK), 0
    while number < get(bulk, COUNT):
        record = _record_at(bulk, number)
        is_own = get(record, RECORD_WARP) == warp and get(record, RECORD_LANE) == lane
        has_group = field(state, get(record, RECORD_PC), row.KIND) & op.BULK_IN_GROUP
        if is_own and has_group and get(record, RECORD_GROUP) < limit:
            # The oldest takes its place, and has been looked at.
            if not _take(state, number):
                return False
        else:
            number += 1
    return True


@inner
def _take(state: int, number: int) -> bool:
    return call_unit(get(state, st.LAYOUT_PERFORM_BULK), state, number) != 0


@OptionalUnit
def perform_bulk(state: int, number: int) -> bool:
    """Do the copy so many behind the oldest, or the one that was just begun (-1); return False when it faults."""
    bulk = get(state, st.LAYOUT_BULK)
    current = bulk + 8 * CURRENT
    if number >= 0:
        chosen, oldest = _record_at(bulk, number % get(bulk, COUNT)), _record_at(bulk, 0)
        for word in range(RECORD_WORDS):
            put(current, word, get(chosen, word))
            put(chosen, word, get(oldest, word))
        put(bulk, FIRST, (get(bulk, FIRST) + 1) % RECORDS)
        increase(bulk, COUNT, -1)
    if is_observed(state):
        tell_of_copy(state, current, DONE)
    if field(state, get(current, RECORD_PC), row.KIND) & op.BULK_DIMENSIONS:
        return copy_box(state, current)
    if field(state, get(current, RECORD_PC), row.KIND) & op.BULK_VALUES:
        return copy_values(state, current)
    return copy_line(state, current)
