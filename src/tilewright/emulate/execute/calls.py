"""Calls of device functions, branches by table, and the calls that leave the kernel: printf.

Parameters travel through the caller's and the callee's local memory, as `st.param` and `ld.param` address them.
"""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import inner
from tilewright.emulate.execute.addresses import LOCAL, MIXED, report, resolve
from tilewright.emulate.execute.divergence import arrive, call_join, join_for_branch, leave_joins, new_join, new_split
from tilewright.emulate.memory_vectors import load_64, load_u8, lowest_lane, store_8, store_32, store_64
from tilewright.emulate.registers import read_lane, slot_address, write_lane
from tilewright.emulate.tables import (
    block_at,
    call_at,
    copy_at,
    field,
    get,
    increase,
    join_at,
    put,
    split_at,
    table_entry,
)

ALL_LANES = 0xFFFFFFFF
MOST_PRINTED_BYTES = st.PRINT_RECORD_BYTES - st.PRINT_HEADER_BYTES


@inner
def local_address(state: int, warp: int, lane: int, offset: int) -> int:
    """Return where in this process a thread's local memory at `offset` lies."""
    extent = get(state, st.LAYOUT_LOCAL_BYTES)
    return get(state, st.LAYOUT_LOCAL) + (warp * 32 + lane) * extent + offset


@inner
def _copy_parameters(state: int, warp: int, mask: int, first: int, last: int, source: int, target: int) -> None:
    for copy in range(first, last):
        for lane in range(32):
            if (mask >> lane) & 1:
                origin = local_address(state, warp, lane, source + copy_at(state, copy, 0))
                goal = local_address(state, warp, lane, target + copy_at(state, copy, 1))
                for byte in range(copy_at(state, copy, 2)):
                    store_8(goal + byte, load_u8(origin + byte))


@inner
def begin_call(state: int, warp: int, split: int) -> bool:
    """Let a split enter the function that its call names; return False when a fault was reported."""
    record = split_at(state, warp, split)
    pc, mask, join = get(record, st.SPLIT_PC), get(record, st.SPLIT_MASK), get(record, st.SPLIT_JOIN)
    frame, local = get(record, st.SPLIT_FRAME), get(record, st.SPLIT_LOCAL)
    warp_frame = get(state, st.LAYOUT_FRAMES) + warp * get(state, st.LAYOUT_FRAME_BYTES)
    site = call_at(state, field(state, pc, row.KIND))
    callee = site
    if field(state, pc, row.OPCODE) == op.CALL_INDIRECT:
        slot = slot_address(state, warp_frame + frame, field(state, pc, row.OPERAND_A))
        goal = read_lane(slot, lowest_lane(mask), True)
        same = 0
        for lane in range(32):
            if (mask >> lane) & 1 and read_lane(slot, lane, True) == goal:
                same |= 1 << lane
        number = goal - op.FUNCTION_ADDRESS
        if number < 0 or number >= get(site, st.CALL_CALLEE_FRAME):
            report(state, st.FAULT_CALL_TARGET, pc, warp, lowest_lane(mask), goal, 0, 0)
            return False
        if same != mask:
            join = join_for_branch(state, warp, pc + 1, mask, join, frame, local)
            if join < 0 or new_split(state, warp, pc, mask & ~same, join, frame, local) < 0:
                report(state, st.FAULT_DIVERGENCE, pc, warp, lowest_lane(mask), 0, 0, 0)
                return False
            mask = same
        callee = call_at(state, number)
    new_frame, new_local = frame + get(site, st.CALL_FRAME), local + get(site, st.CALL_LOCAL)
    if callee != site:
        new_frame += get(callee, st.CALL_FRAME)
    fits = new_frame + get(callee, st.CALL_CALLEE_FRAME) <= get(state, st.LAYOUT_FRAME_BYTES)
    needed = max(get(callee, st.CALL_CALLEE_LOCAL), get(site, st.CALL_CALLEE_LOCAL))
    fits = fits and new_local + needed <= get(state, st.LAYOUT_LOCAL_BYTES)
    returning = new_join(state, warp, pc + 1, mask, join, frame, local, pc) if fits else -1
    if returning < 0:
        report(state, st.FAULT_CALL_DEPTH, pc, warp, lowest_lane(mask), 0, 0, 0)
        return False
    _copy_parameters(state, warp, mask, get(site, st.CALL_FIRST_IN), get(site, st.CALL_LAST_IN), local, new_local)
    store_32(warp_frame + new_frame, ALL_LANES)
    put(record, st.SPLIT_PC, get(callee, st.CALL_TARGET))
    put(record, st.SPLIT_MASK, mask)
    put(record, st.SPLIT_JOIN, returning)
    put(record, st.SPLIT_FRAME, new_frame)
    put(record, st.SPLIT_LOCAL, new_local)
    return True


@inner
def return_from_call(state: int, warp: int, split: int, active: int) -> int:
    """Let the lanes of `active` return; the split goes on (0) or has ended or continues without them (-1)."""
    record = split_at(state, warp, split)
    mask, join = get(record, st.SPLIT_MASK), get(record, st.SPLIT_JOIN)
    returning = call_join(state, warp, join)
    caller = join_at(state, warp, returning)
    site = call_at(state, field(state, get(caller, st.JOIN_CALL), row.KIND))
    first, last = get(site, st.CALL_FIRST_OUT), get(site, st.CALL_LAST_OUT)
    _copy_parameters(state, warp, active, first, last, get(record, st.SPLIT_LOCAL), get(caller, st.JOIN_LOCAL))
    leave_joins(state, warp, join, active, returning)
    if active != mask:
        put(record, st.SPLIT_MASK, mask & ~active)
        increase(record, st.SPLIT_PC, 1)
        arrive(state, warp, returning, active)
        return -1
    if get(caller, st.JOIN_ARRIVED) | active != get(caller, st.JOIN_EXPECTED):
        put(record, st.SPLIT_STATE, st.FREE)
        arrive(state, warp, returning, active)
        return -1
    put(caller, st.JOIN_USED, 0)
    put(record, st.SPLIT_PC, get(caller, st.JOIN_PC))
    put(record, st.SPLIT_MASK, get(caller, st.JOIN_EXPECTED))
    put(record, st.SPLIT_JOIN, get(caller, st.JOIN_PARENT))
    put(record, st.SPLIT_FRAME, get(caller, st.JOIN_FRAME))
    put(record, st.SPLIT_LOCAL, get(caller, st.JOIN_LOCAL))
    return 0


@inner
def branch_by_table(state: int, warp: int, split: int, pc: int, frame: int) -> int:
    """Execute brx.idx: part the split by target; return where it goes on with the lanes left to it, -1 on a fault."""
    record = split_at(state, warp, split)
    left = get(record, st.SPLIT_MASK)
    slot = slot_address(state, frame, field(state, pc, row.OPERAND_A))
    table, entries = field(state, pc, row.IMMEDIATE), field(state, pc, row.KIND)
    join = get(record, st.SPLIT_JOIN)
    is_parted = False
    while True:
        target = table_entry(state, table + min(read_lane(slot, lowest_lane(left), False), entries - 1))
        same = 0
        for lane in range(32):
            if (left >> lane) & 1:
                index = min(read_lane(slot, lane, False), entries - 1)
                if table_entry(state, table + index) == target:
                    same |= 1 << lane
        if same == left:
            put(record, st.SPLIT_MASK, left)
            put(record, st.SPLIT_JOIN, join)
            return target
        if not is_parted:
            is_parted = True
            meeting_at = field(state, pc, row.RECONVERGENCE)
            join = join_for_branch(
                state, warp, meeting_at, left, join, get(record, st.SPLIT_FRAME), get(record, st.SPLIT_LOCAL)
            )
            if meeting_at >= 0 and join < 0:
                break
        frame_at, local_at = get(record, st.SPLIT_FRAME), get(record, st.SPLIT_LOCAL)
        if new_split(state, warp, target, same, join, frame_at, local_at) < 0:
            break
        left &= ~same
    report(state, st.FAULT_DIVERGENCE, pc, warp, lowest_lane(left), 0, 0, 0)
    return -1


@inner
def record_print(state: int, warp: int, pc: int, local: int, active: int) -> None:
    """Write a record per lane that prints and stop the run, so that strings are read before they change."""
    used = 0
    block = warp // get(state, st.LAYOUT_WARPS)
    for lane in range(32):
        if not (active >> lane) & 1:
            continue
        record = get(state, st.LAYOUT_PRINTS) + used
        used += st.PRINT_RECORD_BYTES
        text = load_64(local_address(state, warp, lane, local + field(state, pc, row.IMMEDIATE)))
        arguments = load_64(local_address(state, warp, lane, local + field(state, pc, row.OPERAND_D)))
        store_64(record, get(block_at(state, block), st.BLOCK_LINEAR))
        store_64(record + 8, warp % get(state, st.LAYOUT_WARPS) * 32 + lane)
        store_64(record + 16, warp)
        store_64(record + 24, text)
        host = resolve(state, warp, MIXED, arguments, 1, st.USED_LOAD)
        available = 0
        if host > 0 and arguments >> op.WINDOW_SHIFT == LOCAL:
            offset = arguments & ((1 << op.WINDOW_SHIFT) - 1)
            host += lane * get(state, st.LAYOUT_LOCAL_BYTES)
            available = min(get(state, st.LAYOUT_LOCAL_BYTES) - offset, MOST_PRINTED_BYTES)
        store_64(record + 32, available)
        for byte in range(available):
            store_8(record + st.PRINT_HEADER_BYTES + byte, load_u8(host + byte))
        if field(state, pc, row.EXTRA_1) >= 0:
            store_32(local_address(state, warp, lane, local + field(state, pc, row.EXTRA_1)), 0)
    put(state, st.CONTROL_PRINTED, used)
    put(state, st.CONTROL_STATUS, st.PRINTED)


@inner
def write_local_address(state: int, pc: int, frame: int, local: int, active: int) -> None:
    """Execute `mov %r, variable` for a local variable: its offset in the memory of this call."""
    target = frame + field(state, pc, row.RESULT)
    for lane in range(32):
        if (active >> lane) & 1:
            write_lane(target, lane, field(state, pc, row.KIND) == 64, field(state, pc, row.IMMEDIATE) + local)
