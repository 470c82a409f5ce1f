"""Clusters: addresses in the shared memory of other blocks, and the barrier of all threads of a cluster.

A cluster's blocks are resident side by side. A warp remembers which of its lanes have arrived at the barrier; once all
live threads of the cluster have, nobody is remembered any more, and a lane that is not need not wait.
"""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import OptionalUnit, inner
from tilewright.emulate.execute.events import is_observed, tell_of_ordering
from tilewright.emulate.registers import read_lane, slot_address, write_lane
from tilewright.emulate.tables import field, get, mark, put, warp_at

OFFSET_MASK = (1 << op.CLUSTER_SHIFT) - 1
LAST_RANK = 126
"""A rank that no cluster has, in whose place every greater one is put: an access there is a fault."""


@OptionalUnit
def execute_cluster(state: int, warp: int, pc: int, frame: int, active: int, counters: int) -> int:
    """Execute an operation of opcodes.CLUSTER_OPERATIONS; return what a special unit returns (state.py)."""
    kind = field(state, pc, row.KIND)
    if active == 0:
        return st.DONE
    if kind == op.CLUSTER_ARRIVE:
        mark(warp_at(state, warp), st.WARP_CLUSTER, active)
        if is_observed(state):
            tell_of_ordering(state, warp, pc, active, op.ORDER_CLUSTER_ARRIVE)
        return st.DONE
    if kind == op.CLUSTER_WAIT:
        if get(warp_at(state, warp), st.WARP_CLUSTER) & active and not _has_everyone_arrived(state, warp):
            return st.WAITS
        if is_observed(state):
            tell_of_ordering(state, warp, pc, active, op.ORDER_CLUSTER_WAIT)
        return st.DONE
    wide = field(state, pc, row.IMMEDIATE) == 64
    addresses = slot_address(state, frame, field(state, pc, row.OPERAND_A))
    ranks = slot_address(state, frame, field(state, pc, row.OPERAND_B))
    result = frame + field(state, pc, row.RESULT)
    own = warp // get(state, st.LAYOUT_WARPS) % get(state, st.LAYOUT_CLUSTER)
    for lane in range(32):
        if not (active >> lane) & 1:
            continue
        address = read_lane(addresses, lane, wide)
        window = address >> 32 << 32
        if kind == op.CLUSTER_MAP:
            rank = min(read_lane(ranks, lane, False), LAST_RANK)
            write_lane(result, lane, wide, window | (rank + 1) << op.CLUSTER_SHIFT | address & OFFSET_MASK)
        else:
            rank = ((address - window) >> op.CLUSTER_SHIFT) - 1
            write_lane(result, lane, False, own if rank < 0 else rank)
    return st.DONE


@inner
def _has_everyone_arrived(state: int, warp: int) -> bool:
    """Say whether all live threads of a warp's cluster have arrived; then forget that they have."""
    warps = get(state, st.LAYOUT_WARPS) * get(state, st.LAYOUT_CLUSTER)
    first = warp - warp % warps
    for other in range(first, first + warps):
        record = warp_at(state, other)
        if get(record, st.WARP_ALIVE) & ~get(record, st.WARP_CLUSTER):
            return False
    for other in range(first, first + warps):
        put(warp_at(state, other), st.WARP_CLUSTER, 0)
    return True
