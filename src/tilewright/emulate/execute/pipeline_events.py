"""Events of a pipeline: what happens to mbarriers, and when products of warpgroups begin and are waited for.

Instead of addresses they have words, behind events.ADDRESSES.
"""

from __future__ import annotations

from tilewright.emulate import state as st
from tilewright.emulate.compiled import inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.tables import block_at, get, put, split_at

BARRIER_OFFSET, BARRIER_OWNER, BARRIER_BEFORE, BARRIER_AFTER, BARRIER_PARITY, BARRIER_ENDED = range(6)
"""Of MBARRIER (OPERATION: mbarriers.INIT and so on): where it lies in the shared memory of a block, by its linear
number; its word before and after. Of a wait: the parity that is waited for, and whether that phase has ended."""
PRODUCT_A, PRODUCT_B = range(2)
"""Of WARPGROUP (OPERATION: its opcode): the descriptors of a product."""


@inner
def put_owner(state: int, event: int, host: int) -> None:
    """Fill in the block and the offset of a place in shared memory."""
    extent = get(state, st.LAYOUT_SHARED_BYTES)
    place = host - get(state, st.LAYOUT_SHARED)
    put(event, ev.ADDRESSES + BARRIER_OFFSET, place % extent)
    put(event, ev.ADDRESSES + BARRIER_OWNER, get(block_at(state, place // extent), st.BLOCK_LINEAR))


@inner
def tell_of_barrier(
    state: int, warp: int, pc: int, lanes: int, kind: int, host: int, before: int, after: int, parity: int, ended: int
) -> None:
    """Deliver MBARRIER. host: where it lies in this process."""
    event = ev.begin_event(state, ev.MBARRIER, warp, pc, lanes)
    put(event, ev.OPERATION, kind)
    put_owner(state, event, host)
    put(event, ev.ADDRESSES + BARRIER_BEFORE, before)
    put(event, ev.ADDRESSES + BARRIER_AFTER, after)
    put(event, ev.ADDRESSES + BARRIER_PARITY, parity)
    put(event, ev.ADDRESSES + BARRIER_ENDED, ended)
    ev.deliver(state, event)


@inner
def is_tried_again(state: int, warp: int, pc: int) -> bool:
    """Say whether lanes of a warp wait at an instruction already."""
    for split in range(32):
        record = split_at(state, warp, split)
        if get(record, st.SPLIT_STATE) == st.AT_EVENT and get(record, st.SPLIT_PC) == pc:
            return True
    return False


@inner
def tell_of_products(state: int, warp: int, pc: int, opcode: int, a: int, b: int) -> None:
    """Deliver WARPGROUP: a product begins, a group is closed, or groups have ended."""
    event = ev.begin_event(state, ev.WARPGROUP, warp, pc, 0xFFFFFFFF)
    put(event, ev.OPERATION, opcode)
    put(event, ev.ADDRESSES + PRODUCT_A, a)
    put(event, ev.ADDRESSES + PRODUCT_B, b)
    ev.deliver(state, event)
