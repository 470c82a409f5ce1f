"""Barriers of a block: `bar.sync`, `bar.arrive`, `bar.red`, with exited threads counting as arrived."""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import inner
from tilewright.emulate.execute.events import is_observed, tell_of_arrival, tell_of_opening
from tilewright.emulate.memory_vectors import count_lanes
from tilewright.emulate.registers import slot_address, write_lane, write_predicate
from tilewright.emulate.tables import barrier_at, block_at, field, get, increase, put, split_at, warp_at


@inner
def arrive_at_barrier(
    state: int, warp: int, split: int, pc: int, active: int, barrier: int, expected: int, vote: int
) -> None:
    """Let a split arrive and (unless the instruction only arrives) wait for `expected` threads; 0: for the block."""
    block = warp // get(state, st.LAYOUT_WARPS)
    record = barrier_at(state, block, barrier)
    if is_observed(state):
        waits = 0 if field(state, pc, row.KIND) == op.BARRIER_ARRIVE else 1
        tell_of_arrival(state, warp, pc, active, barrier, expected, waits)
    threads = count_lanes(active)
    if expected and active == get(warp_at(state, warp), st.WARP_ALIVE):
        threads = 32  # silicon counts a numbered barrier in whole warps
    if get(record, st.BARRIER_ARRIVED) == 0:
        put(record, st.BARRIER_COUNT, 0)
        put(record, st.BARRIER_ALL, 1)
        put(record, st.BARRIER_ANY, 0)
    increase(record, st.BARRIER_ARRIVED, threads)
    put(record, st.BARRIER_EXPECTED, expected)
    increase(record, st.BARRIER_COUNT, count_lanes(vote & active))
    if vote & active != active:
        put(record, st.BARRIER_ALL, 0)
    if vote & active:
        put(record, st.BARRIER_ANY, 1)
    if field(state, pc, row.KIND) != op.BARRIER_ARRIVE:
        put(split_at(state, warp, split), st.SPLIT_STATE, st.AT_BARRIER)
        put(split_at(state, warp, split), st.SPLIT_BARRIER, barrier)
        put(split_at(state, warp, split), st.SPLIT_PC, pc)
        put(split_at(state, warp, split), st.SPLIT_MASK, active)
    open_barrier(state, block, barrier)


@inner
def open_barrier(state: int, block: int, barrier: int) -> None:
    """Release everyone who waits at a barrier once it is complete."""
    record = barrier_at(state, block, barrier)
    arrived = get(record, st.BARRIER_ARRIVED)
    if arrived == 0:
        return
    expected = get(record, st.BARRIER_EXPECTED)
    if expected == 0:
        expected = get(block_at(state, block), st.BLOCK_LIVE)
    if arrived < expected:
        return
    if is_observed(state):
        tell_of_opening(state, block, barrier, expected, arrived)
    put(record, st.BARRIER_ARRIVED, 0)
    warps = get(state, st.LAYOUT_WARPS)
    for warp in range(block * warps, block * warps + warps):
        for split in range(32):
            waits = get(split_at(state, warp, split), st.SPLIT_STATE) == st.AT_BARRIER
            if waits and get(split_at(state, warp, split), st.SPLIT_BARRIER) == barrier:
                _release(state, warp, split, record)


@inner
def open_barriers(state: int, block: int) -> None:
    """Look at every barrier of a block again after threads have exited."""
    for barrier in range(st.BARRIERS):
        open_barrier(state, block, barrier)


@inner
def _release(state: int, warp: int, split: int, record: int) -> None:
    """Let a split go on behind the barrier of `record`, with the result of a `bar.red`."""
    pc = get(split_at(state, warp, split), st.SPLIT_PC)
    mask = get(split_at(state, warp, split), st.SPLIT_MASK)
    kind = field(state, pc, row.KIND)
    if kind >= op.BARRIER_POPC:
        frame = get(split_at(state, warp, split), st.SPLIT_FRAME)
        frame += get(state, st.LAYOUT_FRAMES) + warp * get(state, st.LAYOUT_FRAME_BYTES)
        result = slot_address(state, frame, field(state, pc, row.RESULT))
        if kind == op.BARRIER_POPC:
            for lane in range(32):
                if (mask >> lane) & 1:
                    write_lane(result, lane, False, get(record, st.BARRIER_COUNT))
        else:
            verdict = get(record, st.BARRIER_ALL if kind == op.BARRIER_AND else st.BARRIER_ANY)
            write_predicate(result, mask, 0xFFFFFFFF if verdict else 0)
    put(split_at(state, warp, split), st.SPLIT_STATE, st.READY)
    put(split_at(state, warp, split), st.SPLIT_PC, pc + 1)
