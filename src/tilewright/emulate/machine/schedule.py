"""Who runs next: the splits of a warp, the warps of the resident blocks, block after block."""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import Unit, call_unit, inner
from tilewright.emulate.execute.addresses import add_together, report
from tilewright.emulate.execute.async_copies import HEADER_BYTES, copies_of
from tilewright.emulate.execute.bulk_copies import COUNT, RECORDS
from tilewright.emulate.execute.divergence import new_split, release_early
from tilewright.emulate.execute.events import BLOCK_START, is_observed, tell_of_block
from tilewright.emulate.execute.interpreter import ALL_LANES
from tilewright.emulate.execute.warpgroups import begin_products
from tilewright.emulate.memory_vectors import load_64, lowest_lane, store_32, store_64
from tilewright.emulate.tables import barrier_at, block_at, field, get, increase, join_at, put, split_at, warp_at

STALL_LIMIT = 8192
"""Instructions that a warp of a kernel that may wait for other threads spends while lanes wait at a join; then those
lanes go on without the others, who may be spinning for what they do next."""

MOST_TIMEOUTS = 20_000
"""Times that the waits of a launch may time out in a row, with no phase ending in between: threads that count how
often they looked do so for ever."""
FINGERPRINT_FACTOR = 0x100000001B3

PATIENCE = 64
"""Rounds after which a copy is done, even if all others go on: they may be spinning for what it brings."""


@inner
def _next_split(state: int, warp: int) -> int:
    """Return a split that is ready, the one after the last first, so that none starves."""
    current = get(warp_at(state, warp), st.WARP_CURRENT)
    for step in range(32):
        split = (current + step) & 31
        if get(split_at(state, warp, split), st.SPLIT_STATE) == st.READY:
            return split
    for split in range(32):
        waiting = get(split_at(state, warp, split), st.SPLIT_STATE)
        if waiting == st.AT_WARP_SYNC and call_unit(get(state, st.LAYOUT_WARP_SYNC), state, warp, split):
            return split
        if waiting == st.AT_EVENT and _try_again(state, warp, split):
            return split
    return -1


@inner
def _try_again(state: int, warp: int, split: int) -> bool:
    """Execute the instruction at which a split waits; return whether it goes on behind it."""
    record = split_at(state, warp, split)
    pc, mask = get(record, st.SPLIT_PC), get(record, st.SPLIT_MASK)
    frame = get(state, st.LAYOUT_FRAMES) + warp * get(state, st.LAYOUT_FRAME_BYTES) + get(record, st.SPLIT_FRAME)
    unit = get(state, st.LAYOUT_SPECIAL + field(state, pc, row.OPCODE) - op.ASYNC_COPY)
    if call_unit(unit, state, warp, pc, frame, mask, get(state, st.LAYOUT_COUNTERS)) != st.DONE:
        return False
    put(record, st.SPLIT_PC, pc + 1)
    put(record, st.SPLIT_STATE, st.READY)
    return True


@inner
def run_warp(state: int, warp: int, quantum: int) -> int:
    """Run the splits of a warp until all wait or `quantum` is used; return the number of instructions."""
    used = 0
    while used < quantum:
        split = _next_split(state, warp)
        if split < 0:
            break
        spent = call_unit(get(state, st.LAYOUT_RUN_SPLIT), state, warp, split, quantum - used)
        used += spent
        put(warp_at(state, warp), st.WARP_CURRENT, split)
        increase(warp_at(state, warp), st.WARP_CLOCK, spent)
        if get(state, st.CONTROL_STATUS) != st.RUNNING:
            return used
    if used >= quantum:
        put(warp_at(state, warp), st.WARP_CURRENT, (get(warp_at(state, warp), st.WARP_CURRENT) + 1) & 31)
        if get(state, st.LAYOUT_WAITS):
            increase(warp_at(state, warp), st.WARP_STALLED, used)
            if get(warp_at(state, warp), st.WARP_STALLED) > STALL_LIMIT:
                put(warp_at(state, warp), st.WARP_STALLED, 0)
                release_early(state, warp, False)
    else:
        put(warp_at(state, warp), st.WARP_STALLED, 0)
    return used


@inner
def _place_block(state: int, block: int, number: int) -> None:
    """Give a resident block its place in the grid: cluster after cluster, the blocks of each in the order of ranks."""
    size = get(state, st.LAYOUT_CLUSTER)
    cluster, rank, linear, step = number // size, number % size, 0, 1
    for axis in range(3):
        extent, grid = get(state, st.LAYOUT_CLUSTER_X + axis), get(state, st.LAYOUT_GRID_X + axis)
        clusters = grid // extent
        place = cluster % clusters * extent + rank % extent
        put(block_at(state, block), st.BLOCK_X + axis, place)
        cluster, rank = cluster // clusters, rank // extent
        linear, step = linear + place * step, step * grid
    put(block_at(state, block), st.BLOCK_LINEAR, linear)


@inner
def _start_block(state: int, block: int, number: int) -> None:
    _place_block(state, block, number)
    threads, warps = get(state, st.LAYOUT_THREADS), get(state, st.LAYOUT_WARPS)
    put(block_at(state, block), st.BLOCK_LIVE, threads)
    _fill(barrier_at(state, block, 0), 8 * st.BARRIERS * st.BARRIER_COLUMNS, 0)
    shared = get(state, st.LAYOUT_SHARED_BYTES)
    _fill(get(state, st.LAYOUT_SHARED) + block * shared, shared, -1)
    _fill(get(state, st.LAYOUT_SHARED) + block * shared, get(state, st.LAYOUT_RESERVED_BYTES), 0)
    if get(state, st.LAYOUT_MBARRIERS):
        _fill(get(state, st.LAYOUT_MBARRIERS) + block * shared, shared, 0)
    local = get(state, st.LAYOUT_LOCAL_BYTES) * 32
    for index in range(warps):
        warp = block * warps + index
        count = min(threads - 32 * index, 32)
        alive = (1 << count) - 1
        _fill(warp_at(state, warp), 8 * st.WARP_COLUMNS, 0)
        put(warp_at(state, warp), st.WARP_ALIVE, alive)
        for split in range(32):
            put(split_at(state, warp, split), st.SPLIT_STATE, st.FREE)
        for join in range(st.JOINS):
            put(join_at(state, warp, join), st.JOIN_USED, 0)
        frame = get(state, st.LAYOUT_FRAMES) + warp * get(state, st.LAYOUT_FRAME_BYTES)
        _fill(frame, get(state, st.LAYOUT_FRAME_ZERO), 0)
        store_32(frame, ALL_LANES)
        _fill(get(state, st.LAYOUT_LOCAL) + warp * local, local, -1)
        new_split(state, warp, get(state, st.LAYOUT_ENTRY), alive, -1, 0, 0)
        if get(state, st.LAYOUT_ASYNC):
            _fill(copies_of(state, warp), HEADER_BYTES, 0)
        if get(state, st.LAYOUT_WARPGROUPS):
            begin_products(state, warp)
        trips = get(state, st.LAYOUT_TRIPS)
        if trips:
            nbytes = 4 * get(state, st.LAYOUT_INSTRUCTIONS)
            _fill(trips + warp * nbytes, nbytes, 0)
    if is_observed(state):
        tell_of_block(state, BLOCK_START, block)


@inner
def _fill(address: int, nbytes: int, value: int) -> None:
    for offset in range(0, nbytes, 8):
        store_64(address + offset, value)


@inner
def _next_random(state: int, bound: int) -> int:
    """Return a number below `bound` (xorshift, 63 bits)."""
    x = get(state, st.CONTROL_RANDOM)
    x ^= (x << 13) & 0x7FFFFFFFFFFFFFFF
    x ^= x >> 7
    x ^= (x << 17) & 0x7FFFFFFFFFFFFFFF
    put(state, st.CONTROL_RANDOM, x)
    return (x >> 11) % bound


@inner
def _run_resident(state: int, blocks: int) -> None:
    """Take the warps of the resident blocks in turn until all have ended."""
    warps = blocks * get(state, st.LAYOUT_WARPS)
    quantum, order, rounds = get(state, st.LAYOUT_QUANTUM), get(state, st.LAYOUT_ORDER), 0
    while True:
        start = get(state, st.CONTROL_INDEX)
        is_alive, progress = False, start > 0
        put(state, st.CONTROL_INDEX, 0)
        if get(state, st.LAYOUT_RANDOM) and get(state, st.CONTROL_TURN) == 0:
            for index in range(warps - 1, 0, -1):
                other = _next_random(state, index + 1)
                taken = get(order, index)
                put(order, index, get(order, other))
                put(order, other, taken)
        for index in range(start, warps):
            warp = get(order, index)
            if get(warp_at(state, warp), st.WARP_ALIVE) == 0:
                continue
            is_alive = True
            turn = get(state, st.CONTROL_TURN)
            put(state, st.CONTROL_TURN, 0)
            if turn == 0:
                turn = 1 + _next_random(state, 64) if get(state, st.LAYOUT_RANDOM) else quantum
            progress |= _complete_by_chance(state)
            used = run_warp(state, warp, turn)
            progress |= used > 0
            increase(state, st.CONTROL_BUDGET, -used)
            spent = add_together(get(state, st.LAYOUT_SPENT), used)
            if get(state, st.CONTROL_STATUS) != st.RUNNING:
                put(state, st.CONTROL_INDEX, index)
                put(state, st.CONTROL_TURN, max(turn - used, 1))
                return
            if get(state, st.CONTROL_BUDGET) < 0 or spent > get(state, st.LAYOUT_BUDGET):
                _report_where(state, st.FAULT_BUDGET, warp)
                return
        rounds += 1
        has_completed = False
        if not (is_alive and progress) or rounds % PATIENCE == 0:
            has_completed = _complete_one(state)
        if get(state, st.CONTROL_STATUS) != st.RUNNING or not (is_alive or has_completed):
            return
        if not (progress or has_completed) and not _release_joins(state, warps) and not _time_out(state, warps):
            _report_deadlock(state, warps)
            return
        if get(state, st.LAYOUT_WAITS) and rounds % (PATIENCE * PATIENCE) == 0:
            _end_waits(state, warps)  # the others may be spinning for what these would do next


@inner
def _complete_by_chance(state: int) -> bool:
    """Perhaps do an asynchronous copy, if that is when they are done; return whether one was."""
    is_by_chance = get(state, st.LAYOUT_COMPLETION) == st.AT_RANDOM and get(state, st.LAYOUT_BULK) != 0
    return is_by_chance and _next_random(state, 4) == 0 and _complete_one(state)


@inner
def _complete_one(state: int) -> bool:
    """Do an asynchronous copy that is under way; return whether there was one."""
    bulk = get(state, st.LAYOUT_BULK)
    if bulk == 0 or get(bulk, COUNT) == 0:
        return False
    number = _next_random(state, RECORDS) if get(state, st.LAYOUT_COMPLETION) == st.AT_RANDOM else 0
    call_unit(get(state, st.LAYOUT_PERFORM_BULK), state, number)
    return True


@inner
def _time_out(state: int, warps: int) -> bool:
    """Let every try_wait that waits say that its phase has not ended; return whether that may change anything.

    It does not where registers and shared memory are what they were at the last time: those threads wait for ever.
    """
    stuck = _fingerprint(state, warps)
    if get(state, st.CONTROL_TIMEOUTS) and get(state, st.CONTROL_STUCK) == stuck:
        return False
    put(state, st.CONTROL_STUCK, stuck)
    increase(state, st.CONTROL_TIMEOUTS, 1)
    return get(state, st.CONTROL_TIMEOUTS) <= MOST_TIMEOUTS and _end_waits(state, warps)


@inner
def _end_waits(state: int, warps: int) -> bool:
    """Let every try_wait that waits end; return whether there was one."""
    put(state, st.CONTROL_TIMES_OUT, 1)
    has_ended = False
    for warp in range(warps):
        for split in range(32):
            if get(split_at(state, warp, split), st.SPLIT_STATE) == st.AT_EVENT:
                has_ended |= _try_again(state, warp, split)
    put(state, st.CONTROL_TIMES_OUT, 0)
    return has_ended


@inner
def _fingerprint(state: int, warps: int) -> int:
    """Return a number that is another one where registers, shared memory or what waits are others."""
    number, blocks = 0, warps // get(state, st.LAYOUT_WARPS)
    frames, shared = get(state, st.LAYOUT_FRAMES), get(state, st.LAYOUT_SHARED)
    for at in range(frames, frames + warps * get(state, st.LAYOUT_FRAME_BYTES), 8):
        number = (number ^ load_64(at)) * FINGERPRINT_FACTOR
    for at in range(shared, shared + blocks * get(state, st.LAYOUT_SHARED_BYTES), 8):
        number = (number ^ load_64(at)) * FINGERPRINT_FACTOR
    for warp in range(warps):
        for split in range(32):
            record = split_at(state, warp, split)
            if get(record, st.SPLIT_STATE) == st.AT_EVENT:
                number = (number ^ get(record, st.SPLIT_PC)) * FINGERPRINT_FACTOR
                number = (number ^ get(record, st.SPLIT_MASK)) * FINGERPRINT_FACTOR
    return number


@inner
def _release_joins(state: int, warps: int) -> bool:
    """Let lanes go on without those for which they wait at a join; return whether there were any.

    Threads that wait at an mbarrier may wait for what lanes of their own warp do behind the join.
    """
    released = False
    for warp in range(warps):
        released |= release_early(state, warp, True)
    if not released:
        for warp in range(warps):
            if _waits_for_event(state, warp):
                released |= release_early(state, warp, False)
    return released


@inner
def _waits_for_event(state: int, warp: int) -> bool:
    waiting = False
    for split in range(32):
        waiting |= get(split_at(state, warp, split), st.SPLIT_STATE) == st.AT_EVENT
    return waiting


@inner
def _report_where(state: int, fault: int, warp: int) -> None:
    for split in range(32):
        if get(split_at(state, warp, split), st.SPLIT_STATE) != st.FREE:
            lane = lowest_lane(get(split_at(state, warp, split), st.SPLIT_MASK))
            report(state, fault, get(split_at(state, warp, split), st.SPLIT_PC), warp, lane, 0, 0, 0)
            return
    report(state, fault, get(state, st.LAYOUT_ENTRY), warp, 0, 0, 0, 0)


@inner
def _report_deadlock(state: int, warps: int) -> None:
    for wanted in (st.AT_EVENT, st.AT_BARRIER, st.AT_WARP_SYNC):
        for warp in range(warps):
            if get(warp_at(state, warp), st.WARP_ALIVE) == 0:
                continue
            for split in range(32):
                if get(split_at(state, warp, split), st.SPLIT_STATE) == wanted:
                    lane = lowest_lane(get(split_at(state, warp, split), st.SPLIT_MASK))
                    fault = st.FAULT_EVENT if wanted == st.AT_EVENT else st.FAULT_BARRIER
                    report(state, fault, get(split_at(state, warp, split), st.SPLIT_PC), warp, lane, 0, 0, 0)
                    return
    report(state, st.FAULT_BARRIER, get(state, st.LAYOUT_ENTRY), 0, 0, 0, 0, 0)


@Unit
def run_blocks(state: int, first: int, last: int, seed: int, budget: int) -> int:
    """Run the blocks [first, last), `resident` at a time; return the block where a stopped run goes on."""
    resident, order = get(state, st.LAYOUT_RESIDENT), get(state, st.LAYOUT_ORDER)
    block = first
    while block < last:
        blocks = min(resident, last - block)
        warps = blocks * get(state, st.LAYOUT_WARPS)
        if get(state, st.CONTROL_RESUME):
            put(state, st.CONTROL_RESUME, 0)
        else:
            put(state, st.CONTROL_BUDGET, budget)
            put(state, st.CONTROL_TIMEOUTS, 0)
            put(
                state,
                st.CONTROL_RANDOM,
                (seed * 0x5851F42D4C957F2D + block * 0x14057B7EF767814F) & 0x7FFFFFFFFFFFFFFF | 1,
            )
            for index in range(warps):
                put(order, index, index)
            for index in range(blocks):
                _start_block(state, index, block + index)
        _run_resident(state, blocks)
        if get(state, st.CONTROL_STATUS) != st.RUNNING:
            return block
        block += blocks
    return last
