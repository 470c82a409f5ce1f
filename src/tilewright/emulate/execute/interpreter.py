"""The warp interpreter: executes the lanes of a split together, instruction by instruction, until they wait or end."""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import Unit, call_unit, inner
from tilewright.emulate.execute.addresses import report
from tilewright.emulate.execute.barriers import arrive_at_barrier, open_barriers
from tilewright.emulate.execute.calls import (
    begin_call,
    branch_by_table,
    record_print,
    return_from_call,
    write_local_address,
)
from tilewright.emulate.execute.divergence import arrive, is_join_at, join_for_branch, leave_joins, new_split
from tilewright.emulate.execute.events import (
    BLOCK_END,
    EXIT,
    FENCE,
    is_observed,
    tell_of_block,
    tell_of_lanes,
    tell_of_ordering,
)
from tilewright.emulate.execute.memory_access import test_space
from tilewright.emulate.execute.special_registers import read_special
from tilewright.emulate.execute.warp_sync import lanes_of, members_of
from tilewright.emulate.execute.warpgroups import is_alone
from tilewright.emulate.memory_vectors import count_lanes, load_u32, lowest_lane
from tilewright.emulate.registers import slot_address
from tilewright.emulate.tables import block_at, clear, field, get, increase, join_at, mark, put, split_at, warp_at

ALL_LANES = 0xFFFFFFFF


@inner
def _save(state: int, warp: int, split: int, pc: int, mask: int, join: int, frame: int, local: int) -> None:
    record = split_at(state, warp, split)
    put(record, st.SPLIT_PC, pc)
    put(record, st.SPLIT_MASK, mask)
    put(record, st.SPLIT_JOIN, join)
    put(record, st.SPLIT_FRAME, frame)
    put(record, st.SPLIT_LOCAL, local)


@inner
def _exit_lanes(state: int, warp: int, pc: int, mask: int, join: int) -> None:
    """End threads: they count as arrived at every barrier and nobody waits for them at a join."""
    clear(warp_at(state, warp), st.WARP_ALIVE, mask)
    block = warp // get(state, st.LAYOUT_WARPS)
    increase(block_at(state, block), st.BLOCK_LIVE, -count_lanes(mask))
    leave_joins(state, warp, join, mask, -1)
    if get(state, st.LAYOUT_WARPGROUPS) and get(warp_at(state, warp), st.WARP_ALIVE) == 0 and is_alone(state, warp):
        report(state, st.FAULT_PART_OF_WARPGROUP, pc, warp, lowest_lane(mask), 0, 0, 0)
    if is_observed(state):
        tell_of_lanes(state, EXIT, warp, pc, mask)
    open_barriers(state, block)
    if is_observed(state) and get(block_at(state, block), st.BLOCK_LIVE) == 0:
        tell_of_block(state, BLOCK_END, block)


@inner
def _tell_of_fence(state: int, warp: int, pc: int, active: int) -> None:
    kind = field(state, pc, row.KIND)
    if kind == op.ORDER_THREADS:
        tell_of_lanes(state, FENCE, warp, pc, active)
    else:
        tell_of_ordering(state, warp, pc, active, kind)


@inner
def _part(
    state: int, warp: int, split: int, mask: int, other_pc: int, other_mask: int, join: int, frame: int, local: int
) -> bool:
    """Put `other_mask` aside as a split at `other_pc`; return False when there is no room, which a fault reports."""
    if join == -2 or new_split(state, warp, other_pc, other_mask, join, frame, local) < 0:
        pc = get(split_at(state, warp, split), st.SPLIT_PC)
        report(state, st.FAULT_DIVERGENCE, pc, warp, lowest_lane(mask), 0, 0, 0)
        return False
    return True


@Unit
def run_split(state: int, warp: int, split: int, quantum: int) -> int:
    """Execute a split until it waits, ends, meets its siblings or has used `quantum` instructions; return how many."""
    counters, vectors_unit = get(state, st.LAYOUT_COUNTERS), get(state, st.LAYOUT_RUN_VECTORS)
    access_unit, atomic_unit = get(state, st.LAYOUT_ACCESS_MEMORY), get(state, st.LAYOUT_ATOMIC)
    warp_frame = get(state, st.LAYOUT_FRAMES) + warp * get(state, st.LAYOUT_FRAME_BYTES)
    record = split_at(state, warp, split)
    pc, mask, join = get(record, st.SPLIT_PC), get(record, st.SPLIT_MASK), get(record, st.SPLIT_JOIN)
    frame, local = get(record, st.SPLIT_FRAME), get(record, st.SPLIT_LOCAL)
    left = quantum
    branch = pc  # the last one that all lanes took: where a return leaves from
    while left > 0:
        start = pc
        pc = call_unit(vectors_unit, state, pc, warp_frame + frame, mask, left)
        left -= pc - start
        if left <= 0:
            break
        left -= 1
        opcode = field(state, pc, row.OPCODE)
        if opcode == op.JOIN:
            if is_join_at(state, warp, join, pc, frame):
                meeting = join_at(state, warp, join)
                if get(meeting, st.JOIN_ARRIVED) | mask == get(meeting, st.JOIN_EXPECTED):
                    mask, join = get(meeting, st.JOIN_EXPECTED), get(meeting, st.JOIN_PARENT)
                    put(meeting, st.JOIN_USED, 0)
                    continue
                put(record, st.SPLIT_STATE, st.FREE)
                arrive(state, warp, join, mask)
                return quantum - left
            pc += 1
            continue
        here = warp_frame + frame
        guard = load_u32(here + field(state, pc, row.GUARD)) ^ (field(state, pc, row.GUARD_FLIP) & ALL_LANES)
        active = mask & guard
        counters_at = counters + st.COUNTER_BYTES * pc
        increase(counters_at, 0, 1)
        # A branch is executed by the lanes that it does not take, too.
        executing = mask if opcode == op.BRANCH else active
        increase(counters_at, 1, count_lanes(executing))

        if opcode <= op.LAST_MEMORY:
            if active and not call_unit(access_unit, state, warp, pc, here, local, active, counters):
                break
            pc += 1
        elif opcode == op.BRANCH:
            target = field(state, pc, row.TARGET)
            others = mask & ~active
            if others == 0:
                branch, pc = pc, target
            elif active == 0:
                pc += 1
            elif field(state, target, row.OPCODE) == op.EXIT and field(state, target, row.GUARD) == 0:
                # The compiler merges all returns of a kernel into one: an early return is no divergence.
                _count_exit(counters, target, active)
                _exit_lanes(state, warp, pc, active, join)
                mask = others
                pc += 1
            else:
                meeting_at = field(state, pc, row.RECONVERGENCE)
                join = join_for_branch(state, warp, meeting_at, mask, join, frame, local)
                if join >= 0 and pc + 1 == meeting_at:
                    mark(join_at(state, warp, join), st.JOIN_ARRIVED, others)
                    mask, pc = active, target
                    continue
                if join >= 0 and target == meeting_at:
                    mark(join_at(state, warp, join), st.JOIN_ARRIVED, active)
                else:
                    put(record, st.SPLIT_PC, pc)
                    is_full = meeting_at >= 0 and join < 0
                    if not _part(state, warp, split, mask, target, active, -2 if is_full else join, frame, local):
                        break
                mask = others
                pc += 1
        elif active == 0:
            pc += 1
        elif opcode == op.BARRIER:
            if active != mask and not _part(state, warp, split, mask, pc + 1, mask & ~active, join, frame, local):
                break
            lane = lowest_lane(active)
            numbers = slot_address(state, here, field(state, pc, row.OPERAND_A))
            barrier = load_u32(numbers + 4 * lane) & (st.BARRIERS - 1)
            expected = 0
            if field(state, pc, row.IMMEDIATE):
                expected = load_u32(slot_address(state, here, field(state, pc, row.OPERAND_B)) + 4 * lane)
            vote = ALL_LANES
            if field(state, pc, row.KIND) >= op.BARRIER_POPC:
                vote = load_u32(slot_address(state, here, field(state, pc, row.OPERAND_C)))
                vote ^= field(state, pc, row.EXTRA_2) & ALL_LANES
            _save(state, warp, split, pc, active, join, frame, local)
            arrive_at_barrier(state, warp, split, pc, active, barrier, expected, vote)
            if get(record, st.SPLIT_STATE) != st.READY:
                return quantum - left
            mask = active
            pc += 1
        elif opcode == op.EXIT:
            # All returns share one `ret`: the branch that led there has the line of the `return`.
            left_at = branch if field(state, branch, row.TARGET) == pc else pc
            _exit_lanes(state, warp, left_at, active, join)
            if active == mask:
                put(record, st.SPLIT_STATE, st.FREE)
                return quantum - left
            mask &= ~active
            pc += 1
        elif opcode == op.SCALAR:
            call_unit(get(state, st.LAYOUT_EXECUTE_SCALAR), state, pc, here, active)
            pc += 1
        elif opcode == op.SPECIAL:
            clock = get(warp_at(state, warp), st.WARP_CLOCK) + quantum - left
            read_special(state, warp, pc, here, active, mask, clock)
            pc += 1
        elif opcode == op.ATOMIC:
            if not call_unit(atomic_unit, state, warp, pc, here, active, counters):
                break
            pc += 1
        elif opcode == op.WARP_SYNC:
            if active != mask and not _part(state, warp, split, mask, pc + 1, mask & ~active, join, frame, local):
                break
            members = members_of(state, pc, here, active)
            same = lanes_of(state, pc, here, active, members)
            if same != active:
                # The other lanes execute it after these, and all meet at the join behind it.
                increase(counters_at, 1, -count_lanes(active & ~same))
                join = join_for_branch(state, warp, pc + 1, active, join, frame, local)
                room = join if join >= 0 else -2
                if not _part(state, warp, split, same, pc, active & ~same, room, frame, local):
                    break
            mask = active = same
            _save(state, warp, split, pc, active, join, frame, local)
            put(record, st.SPLIT_DATA, members)
            put(record, st.SPLIT_STATE, st.AT_WARP_SYNC)
            if not call_unit(get(state, st.LAYOUT_WARP_SYNC), state, warp, split):
                return quantum - left
            pc += 1
        elif opcode == op.BRANCH_TABLE:
            _save(state, warp, split, pc, mask, join, frame, local)
            pc = branch_by_table(state, warp, split, pc, here)
            if pc < 0:
                break
            mask, join = get(record, st.SPLIT_MASK), get(record, st.SPLIT_JOIN)
        elif opcode == op.CALL or opcode == op.CALL_INDIRECT:
            if active != mask and not _part(state, warp, split, mask, pc + 1, mask & ~active, join, frame, local):
                break
            mask = active
            _save(state, warp, split, pc, mask, join, frame, local)
            if not begin_call(state, warp, split):
                break
            pc, mask, join = get(record, st.SPLIT_PC), get(record, st.SPLIT_MASK), get(record, st.SPLIT_JOIN)
            frame, local = get(record, st.SPLIT_FRAME), get(record, st.SPLIT_LOCAL)
        elif opcode == op.RETURN:
            _save(state, warp, split, pc, mask, join, frame, local)
            returned_at = return_from_call(state, warp, split, active)
            if returned_at < 0 and active == mask:
                return quantum - left
            pc, mask, join = get(record, st.SPLIT_PC), get(record, st.SPLIT_MASK), get(record, st.SPLIT_JOIN)
            frame, local = get(record, st.SPLIT_FRAME), get(record, st.SPLIT_LOCAL)
        elif opcode == op.LOCAL_ADDRESS:
            write_local_address(state, pc, here, local, active)
            pc += 1
        elif opcode == op.SPACE_TEST:
            test_space(state, pc, here, active)
            pc += 1
        elif opcode == op.PRINT:
            pc += 1
            record_print(state, warp, pc - 1, local, active)
            break
        elif opcode == op.NOTHING:
            pc += 1
        elif opcode == op.FENCE:
            if is_observed(state):
                _tell_of_fence(state, warp, pc, active)
            pc += 1
        elif opcode >= op.ASYNC_COPY:
            unit = get(state, st.LAYOUT_SPECIAL + opcode - op.ASYNC_COPY)
            outcome = call_unit(unit, state, warp, pc, here, active, counters)
            if outcome == st.FAILED:
                break
            if outcome == st.WAITS:
                if active != mask and not _part(state, warp, split, mask, pc + 1, mask & ~active, join, frame, local):
                    break
                _save(state, warp, split, pc, active, join, frame, local)
                put(record, st.SPLIT_STATE, st.AT_EVENT)
                return quantum - left
            pc += 1
            if outcome == st.YIELDS:
                left = 0
        else:
            fault = st.FAULT_UNSUPPORTED
            if opcode == op.ASSERT:
                fault = st.FAULT_ASSERT
            elif opcode == op.TRAP:
                fault = st.FAULT_TRAP
            report(state, fault, pc, warp, lowest_lane(active), local, 0, 0)
            break
    _save(state, warp, split, pc, mask, join, frame, local)
    return quantum - left


@inner
def _count_exit(counters: int, pc: int, active: int) -> None:
    counters_at = counters + st.COUNTER_BYTES * pc
    increase(counters_at, 1, count_lanes(active))
