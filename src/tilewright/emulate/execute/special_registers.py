"""Special registers that differ between lanes, warps or blocks: `%tid`, `%ctaid`, `%laneid`, `%clock`, ..."""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import state as st
from tilewright.emulate.compiled import inner
from tilewright.emulate.registers import write_lane
from tilewright.emulate.tables import block_at, field, get

TID_X, TID_Y, TID_Z, CTAID_X, CTAID_Y, CTAID_Z, LANEID, WARPID, SMID = range(9)
EQ, LE, LT, GE, GT, CLOCK, CLOCK_HI, CLOCK_64, TIMER, TIMER_LO, TIMER_HI, ACTIVE = range(9, 21)
CLUSTER_CTAID_X, CLUSTERID_X, CLUSTER_CTARANK = 21, 24, 27


@inner
def read_special(state: int, warp: int, pc: int, frame: int, active: int, mask: int, clock: int) -> None:
    """Execute `mov %r, %special` at `pc`; `clock` counts the warp's instructions."""
    kind = field(state, pc, row.KIND)
    result = frame + field(state, pc, row.RESULT)
    wide = field(state, pc, row.IMMEDIATE) == 64
    warps = get(state, st.LAYOUT_WARPS)
    block = warp // warps
    first = warp % warps * 32
    width, height = get(state, st.LAYOUT_BLOCK_X), get(state, st.LAYOUT_BLOCK_Y)
    for lane in range(32):
        if not (active >> lane) & 1:
            continue
        thread = first + lane
        value = 0
        if kind == TID_X:
            value = thread % width
        elif kind == TID_Y:
            value = thread // width % height
        elif kind == TID_Z:
            value = thread // (width * height)
        elif kind <= CTAID_Z:
            value = get(block_at(state, block), st.BLOCK_X + kind - CTAID_X)
        elif kind == LANEID:
            value = lane
        elif kind == WARPID:
            value = warp % warps
        elif kind == SMID:
            value = get(block_at(state, block), st.BLOCK_LINEAR) % 132
        elif kind == EQ:
            value = 1 << lane
        elif kind == LE:
            value = (2 << lane) - 1
        elif kind == LT:
            value = (1 << lane) - 1
        elif kind == GE:
            value = 0xFFFFFFFF & ~((1 << lane) - 1)
        elif kind == GT:
            value = 0xFFFFFFFF & ~((2 << lane) - 1)
        elif kind == ACTIVE:
            value = mask
        elif kind == CLUSTER_CTARANK:
            value = block % get(state, st.LAYOUT_CLUSTER)
        elif kind >= CLUSTERID_X:
            axis = kind - CLUSTERID_X
            value = get(block_at(state, block), st.BLOCK_X + axis) // get(state, st.LAYOUT_CLUSTER_X + axis)
        elif kind >= CLUSTER_CTAID_X:
            axis = kind - CLUSTER_CTAID_X
            value = get(block_at(state, block), st.BLOCK_X + axis) % get(state, st.LAYOUT_CLUSTER_X + axis)
        elif kind == CLOCK_HI or kind == TIMER_HI:
            value = clock >> 32
        else:
            value = clock
        write_lane(result, lane, wide, value)
