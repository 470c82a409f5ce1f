"""Splits and joins: how the lanes of a warp part at a branch and meet again.

A *split* is a set of lanes that execute together. A divergent branch parts a split in two and leaves a *join* at the
branch's immediate post-dominator, which waits for all lanes that parted. Joins form a tree (each knows its parent), and
any split of it may run: one that waits at a barrier or spins does not hold its siblings back, as since sm_70.
A call leaves a join too, at the instruction after it.
"""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import state as st
from tilewright.emulate.compiled import inner
from tilewright.emulate.tables import clear, field, get, join_at, mark, put, split_at


@inner
def new_split(state: int, warp: int, pc: int, mask: int, join: int, frame: int, local: int) -> int:
    """Add a split that is ready to run at `pc`."""
    for split in range(32):
        if get(split_at(state, warp, split), st.SPLIT_STATE) == st.FREE:
            put(split_at(state, warp, split), st.SPLIT_STATE, st.READY)
            put(split_at(state, warp, split), st.SPLIT_PC, pc)
            put(split_at(state, warp, split), st.SPLIT_MASK, mask)
            put(split_at(state, warp, split), st.SPLIT_JOIN, join)
            put(split_at(state, warp, split), st.SPLIT_FRAME, frame)
            put(split_at(state, warp, split), st.SPLIT_LOCAL, local)
            return split
    return -1


@inner
def new_join(state: int, warp: int, pc: int, mask: int, parent: int, frame: int, local: int, call: int) -> int:
    """Add a join at `pc` that waits for `mask`; `call` is the row of the call it ends, or -1. Return -1 when full."""
    for join in range(st.JOINS):
        if get(join_at(state, warp, join), st.JOIN_USED) == 0:
            put(join_at(state, warp, join), st.JOIN_USED, 1)
            put(join_at(state, warp, join), st.JOIN_PC, pc)
            put(join_at(state, warp, join), st.JOIN_EXPECTED, mask)
            put(join_at(state, warp, join), st.JOIN_ARRIVED, 0)
            put(join_at(state, warp, join), st.JOIN_PARENT, parent)
            put(join_at(state, warp, join), st.JOIN_FRAME, frame)
            put(join_at(state, warp, join), st.JOIN_LOCAL, local)
            put(join_at(state, warp, join), st.JOIN_CALL, call)
            return join
    return -1


@inner
def is_join_at(state: int, warp: int, join: int, pc: int, frame: int) -> bool:
    """Say whether `join` is one of a branch, and at `pc` of this call."""
    if join < 0:
        return False
    record = join_at(state, warp, join)
    is_here = get(record, st.JOIN_PC) == pc and get(record, st.JOIN_FRAME) == frame
    return is_here and get(record, st.JOIN_CALL) < 0


@inner
def join_for_branch(state: int, warp: int, pc: int, mask: int, join: int, frame: int, local: int) -> int:
    """Return the join at which the lanes of a branch meet again: the present one if it is at `pc`, else a new one."""
    if pc < 0:
        return join
    if is_join_at(state, warp, join, pc, frame):
        return join
    return new_join(state, warp, pc, mask, join, frame, local, -1)


@inner
def arrive(state: int, warp: int, join: int, mask: int) -> None:
    """Let `mask` arrive; when everyone has, they go on as one split."""
    mark(join_at(state, warp, join), st.JOIN_ARRIVED, mask)
    settle(state, warp, join)


@inner
def _go_on(state: int, warp: int, join: int, mask: int) -> None:
    """Make lanes that a join held a split again."""
    record = join_at(state, warp, join)
    pc, parent = get(record, st.JOIN_PC), get(record, st.JOIN_PARENT)
    new_split(state, warp, pc, mask, parent, get(record, st.JOIN_FRAME), get(record, st.JOIN_LOCAL))


@inner
def settle(state: int, warp: int, join: int) -> None:
    """Release a join that has nothing left to wait for."""
    expected = get(join_at(state, warp, join), st.JOIN_EXPECTED)
    if expected == 0:
        put(join_at(state, warp, join), st.JOIN_USED, 0)
    elif get(join_at(state, warp, join), st.JOIN_ARRIVED) == expected:
        put(join_at(state, warp, join), st.JOIN_USED, 0)
        _go_on(state, warp, join, expected)


@inner
def leave_joins(state: int, warp: int, join: int, mask: int, stop: int) -> None:
    """Take lanes out of the joins from `join` up to (not including) `stop`: they will not arrive."""
    while join >= 0 and join != stop:
        parent = get(join_at(state, warp, join), st.JOIN_PARENT)
        clear(join_at(state, warp, join), st.JOIN_EXPECTED, mask)
        settle(state, warp, join)
        join = parent


@inner
def call_join(state: int, warp: int, join: int) -> int:
    """Return the nearest join that ends a call, or -1."""
    while join >= 0 and get(join_at(state, warp, join), st.JOIN_CALL) < 0:
        join = get(join_at(state, warp, join), st.JOIN_PARENT)
    return join


@inner
def release_early(state: int, warp: int, only_avoidable: bool) -> bool:
    """Release lanes that wait at a join before the others arrive, which may be waiting for them.

    `only_avoidable`: only at joins that the others need not reach, because they may return first.
    """
    released = False
    for join in range(st.JOINS):
        record = join_at(state, warp, join)
        arrived = get(record, st.JOIN_ARRIVED)
        if get(record, st.JOIN_USED) and arrived and get(record, st.JOIN_CALL) < 0:
            if only_avoidable and field(state, get(record, st.JOIN_PC), row.KIND) == 0:
                continue
            clear(record, st.JOIN_EXPECTED, arrived)
            put(record, st.JOIN_ARRIVED, 0)
            _go_on(state, warp, join, arrived)
            released = True
    return released
