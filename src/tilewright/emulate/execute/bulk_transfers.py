"""What copies in bulk have in common: their records, memories, mbarriers and events; and copies of a line of bytes."""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL, SHARED, block_at_address, report, resolve
from tilewright.emulate.execute.bulk_reductions import reduce_element, type_bytes
from tilewright.emulate.execute.mbarriers import COMPLETE, change_barrier
from tilewright.emulate.execute.pipeline_events import tell_of_barrier
from tilewright.emulate.memory_vectors import load_64, load_u8, store_8, store_64
from tilewright.emulate.tables import block_at, field, get, increase, put

(
    RECORD_PC,
    RECORD_WARP,
    RECORD_LANE,
    RECORD_GROUP,
    RECORD_TARGET,  # an address, or that of a tensor map
    RECORD_SOURCE,
    RECORD_BYTES,
    RECORD_BARRIER,
    RECORD_MASK,  # ranks of the blocks that a box goes to
    RECORD_COORDINATES,  # five, or the values of `st.async` and `red.async`
) = range(10)
RECORD_WORDS = 16

PIECE_BYTES = 16
OFFSET_MASK = (1 << op.CLUSTER_SHIFT) - 1
NO_MAP, WRONG_RANK, WRONG_SIZE, MISALIGNED_SHARED, MISALIGNED_GLOBAL, MISALIGNED_MAP = range(1, 7)
NO_BLOCK, NO_REDUCTION, MISALIGNED_BOX, MISALIGNED_COORDINATE = range(7, 11)
"""Why no engine would do a copy, in CONTROL_FAULT_BYTES."""
COPIES, BYTES = 4, 5
"""Columns of the counters: copies, and bytes that they moved."""
ALL_BLOCKS = 16


@inner
def refuse_copy(state: int, record: int, why: int, address: int) -> bool:
    """Stop the run for a reason why no engine would do a copy; return False."""
    report(
        state,
        st.FAULT_BULK,
        get(record, RECORD_PC),
        get(record, RECORD_WARP),
        get(record, RECORD_LANE),
        address,
        why,
        0,
    )
    return False


@inner
def _fault(state: int, record: int, fault: int, address: int, nbytes: int, window: int) -> bool:
    pc, warp, lane = get(record, RECORD_PC), get(record, RECORD_WARP), get(record, RECORD_LANE)
    report(state, fault, pc, warp, lane, address, nbytes, window)
    return False


@inner
def global_bytes(state: int, record: int, address: int, nbytes: int, use: int) -> int:
    """Return where bytes of global memory lie in this process, or -1 after reporting that they are nowhere."""
    warp = get(record, RECORD_WARP)
    host = resolve(state, warp, GLOBAL, address, 1, use)
    last = resolve(state, warp, GLOBAL, address + nbytes - 1, 1, use)
    if host >= 0 and last - host == nbytes - 1:
        if use == st.USED_STORE and get(state, st.LAYOUT_PARALLEL):
            for word in range(address, address + nbytes, 4):
                resolve(state, warp, GLOBAL, word, 1, use)
        return host
    fault = -host if host < 0 else -last if last < 0 else st.FAULT_OUTSIDE
    _fault(state, record, fault, address, nbytes, GLOBAL)
    return -1


@inner
def shared_bytes(state: int, record: int, block: int, address: int, nbytes: int) -> int:
    """Return where bytes of a block's shared memory lie in this process, or -1 after reporting that they do not."""
    extent, offset = get(state, st.LAYOUT_SHARED_BYTES), address & OFFSET_MASK
    if block < 0 or offset + nbytes > extent:
        _fault(state, record, st.FAULT_OUTSIDE, address, nbytes, SHARED)
        return -1
    return get(state, st.LAYOUT_SHARED) + block * extent + offset


@inner
def next_target(state: int, record: int, address: int, rank: int) -> int:
    """Return the resident block to which a load goes next, from `rank` in its cluster on; -1: to no further one.

    Without multicast it is the block that has the address, and comes for rank 0.
    """
    warp = get(record, RECORD_WARP)
    if not field(state, get(record, RECORD_PC), row.KIND) & op.BULK_MULTICAST:
        return block_at_address(state, warp, address) if rank == 0 else -1
    size = get(state, st.LAYOUT_CLUSTER)
    own = warp // get(state, st.LAYOUT_WARPS)
    return own - own % size + rank if (get(record, RECORD_MASK) >> rank) & 1 else -1


@inner
def has_all_blocks(state: int, record: int) -> bool:
    """Say whether every block that a multicast names is there; report it if not."""
    mask, size = get(record, RECORD_MASK), get(state, st.LAYOUT_CLUSTER)
    if not field(state, get(record, RECORD_PC), row.KIND) & op.BULK_MULTICAST:
        return True
    own = get(record, RECORD_WARP) // get(state, st.LAYOUT_WARPS)
    for rank in range(ALL_BLOCKS):
        if (mask >> rank) & 1:
            block = own - own % size + rank
            if rank >= size or not get(block_at(state, block), st.BLOCK_LIVE):
                return refuse_copy(state, record, NO_BLOCK, rank)
    return True


@inner
def settle_bytes(state: int, record: int, block: int, nbytes: int) -> bool:
    """Tell an mbarrier that bytes have come; return False when it faults. block: whose one it is, of a multicast."""
    address = get(record, RECORD_BARRIER)
    if not field(state, get(record, RECORD_PC), row.KIND) & op.BULK_MULTICAST:
        block = block_at_address(state, get(record, RECORD_WARP), address)
    if address & 7:
        return _fault(state, record, st.FAULT_MISALIGNED, address, 8, SHARED)
    host = shared_bytes(state, record, block, address, 8)
    if host < 0:
        return False
    word = change_barrier(state, host, 0, -nbytes, 0)
    if word >= 0 and ev.is_observed(state):
        after, lane = load_64(host), 1 << get(record, RECORD_LANE)
        tell_of_barrier(
            state, get(record, RECORD_WARP), get(record, RECORD_PC), lane, COMPLETE, host, word, after, 0, 0
        )
    return True if word >= 0 else _fault(state, record, st.FAULT_MBARRIER, address, -word, SHARED)


@inner
def count_copy(state: int, record: int, nbytes: int) -> None:
    """Count a copy and its bytes."""
    counters = get(state, st.LAYOUT_COUNTERS) + st.COUNTER_BYTES * get(record, RECORD_PC)
    increase(counters, COPIES, 1)
    increase(counters, BYTES, nbytes)


@inner
def swizzled(address: int, swizzle: int) -> int:
    """Return the place in shared memory of what would lie at an address without swizzle (CUtensorMapSwizzle)."""
    return address ^ ((address >> 7) & ((1 << swizzle) - 1)) << 4


@inner
def tell_of_bytes(
    state: int, record: int, kind: int, space: int, block: int, address: int, nbytes: int, layout: int
) -> None:
    """Deliver that a copy reads or writes bytes: of a resident block's shared memory, or of global memory.

    layout: of the box that they belong to (events.layout_of_box), 0 without one.
    """
    if not ev.is_observed(state) or nbytes <= 0:
        return
    whole = address | nbytes | PIECE_BYTES
    piece, sent = whole & -whole, 0
    while sent < nbytes:
        lanes = min((nbytes - sent) // piece, 32)
        event = ev.begin_event(state, kind, get(record, RECORD_WARP), get(record, RECORD_PC), (1 << lanes) - 1)
        put(event, ev.NBYTES, piece)
        put(event, ev.ELEMENTS, 1)
        put(event, ev.ORDER, 0)
        put(event, ev.SPACE, space)
        put(event, ev.ALLOCATION, -1)
        put(event, ev.OPERATION, layout)
        if space == SHARED:
            put(event, ev.RESIDENT, block)
        for lane in range(lanes):
            at = address + sent + lane * piece
            put(event, ev.ADDRESSES + lane, swizzled(at, layout & ev.SWIZZLE_MASK) if space == SHARED else at)
        ev.deliver(state, event)
        sent += lanes * piece


@inner
def tell_of_change(state: int, record: int, space: int, block: int, address: int, nbytes: int) -> None:
    """Deliver that a copy writes bytes, and reads them before if it adds to them."""
    if (field(state, get(record, RECORD_PC), row.KIND) >> op.BULK_REDUCTION_SHIFT) & 15:
        tell_of_bytes(state, record, ev.BULK_LOAD, space, block, address, nbytes, 0)
    tell_of_bytes(state, record, ev.BULK_STORE, space, block, address, nbytes, 0)


@inner
def move_bytes(target: int, source: int, nbytes: int) -> None:
    """Copy bytes, which need not lie at a multiple of anything."""
    whole = nbytes & -8
    for at in range(0, whole, 8):
        store_64(target + at, load_64(source + at))
    for at in range(whole, nbytes):
        store_8(target + at, load_u8(source + at))


@inner
def copy_line(state: int, record: int) -> bool:
    """Do a copy without a tensor map; return False when it faults."""
    kind, warp = field(state, get(record, RECORD_PC), row.KIND), get(record, RECORD_WARP)
    way, nbytes = (kind >> op.BULK_WAY_SHIFT) & 3, get(record, RECORD_BYTES)
    target, source = get(record, RECORD_TARGET), get(record, RECORD_SOURCE)
    if nbytes % PIECE_BYTES:
        return refuse_copy(state, record, WRONG_SIZE, nbytes)
    from_shared = way == op.BULK_BETWEEN_SHARED or way == op.BULK_TO_GLOBAL
    if source % PIECE_BYTES:
        return refuse_copy(state, record, MISALIGNED_SHARED if from_shared else MISALIGNED_GLOBAL, source)
    if way != op.BULK_PREFETCH and target % PIECE_BYTES:
        return refuse_copy(state, record, MISALIGNED_GLOBAL if way == op.BULK_TO_GLOBAL else MISALIGNED_SHARED, target)
    if nbytes == 0:
        return True
    if from_shared:
        origin = shared_bytes(state, record, block_at_address(state, warp, source), source, nbytes)
    else:
        origin = global_bytes(state, record, source, nbytes, st.USED_LOAD)
    if origin < 0:
        return False
    count_copy(state, record, nbytes)
    if way == op.BULK_PREFETCH:
        return True
    if from_shared:
        block = block_at_address(state, warp, source)
        tell_of_bytes(state, record, ev.BULK_LOAD, SHARED, block, source & OFFSET_MASK, nbytes, 0)
    else:
        tell_of_bytes(state, record, ev.BULK_LOAD, GLOBAL, 0, source, nbytes, 0)
    if way == op.BULK_TO_GLOBAL:
        tell_of_change(state, record, GLOBAL, 0, target, nbytes)
        host = global_bytes(state, record, target, nbytes, use_of_copy(kind))
        return host >= 0 and _put_line(state, record, kind, host, origin, nbytes)
    if not has_all_blocks(state, record):
        return False
    for rank in range(ALL_BLOCKS):
        block = next_target(state, record, target, rank)
        if block < 0 and (rank or kind & op.BULK_MULTICAST):
            continue
        host = shared_bytes(state, record, block, target, nbytes)
        if host >= 0:
            tell_of_change(state, record, SHARED, block, target & OFFSET_MASK, nbytes)
        if host < 0 or not _put_line(state, record, kind, host, origin, nbytes):
            return False
        if not settle_bytes(state, record, block, nbytes):
            return False
    return True


@inner
def copy_values(state: int, record: int) -> bool:
    """Store a thread's values, or add them (`st.async`, `red.async`); return False when it faults."""
    kind, target = field(state, get(record, RECORD_PC), row.KIND), get(record, RECORD_TARGET)
    nbytes = get(record, RECORD_BYTES)
    if target % nbytes:
        return _fault(state, record, st.FAULT_MISALIGNED, target, nbytes, SHARED)
    block = block_at_address(state, get(record, RECORD_WARP), target)
    host = shared_bytes(state, record, block, target, nbytes)
    if host < 0:
        return False
    count_copy(state, record, nbytes)
    tell_of_change(state, record, SHARED, block, target & OFFSET_MASK, nbytes)
    element = type_bytes((kind >> op.BULK_TYPE_SHIFT) & 15)
    for number in range(nbytes // element):
        _put_line(state, record, kind, host + number * element, record + 8 * (RECORD_COORDINATES + number), element)
    return settle_bytes(state, record, block, nbytes)


@inner
def use_of_copy(kind: int) -> int:
    """Return how a copy uses the global memory that it changes (state.USED_*)."""
    return st.USED_ATOMIC if (kind >> op.BULK_REDUCTION_SHIFT) & 15 else st.USED_STORE


@inner
def _put_line(state: int, record: int, kind: int, target: int, source: int, nbytes: int) -> bool:
    reduction, element = (kind >> op.BULK_REDUCTION_SHIFT) & 15, (kind >> op.BULK_TYPE_SHIFT) & 15
    if not reduction:
        move_bytes(target, source, nbytes)
        return True
    step = type_bytes(element)
    for at in range(0, nbytes, step):
        reduce_element(target + at, source + at, reduction - 1, element)
    return True
