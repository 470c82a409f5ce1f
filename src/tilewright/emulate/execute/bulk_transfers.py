"""What a copy in bulk moves: a line of bytes, or a box of a tensor that a tensor map describes.

A box lies in shared memory row by row, its 16-byte pieces exchanged as the map's swizzle says. What lies outside of
the tensor is filled in, and not stored.
"""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate import tensor_map as tm
from tilewright.emulate.compiled import inner
from tilewright.emulate.execute.addresses import GLOBAL, SHARED, block_at_address, report, resolve
from tilewright.emulate.execute.bulk_reductions import reduce_element, type_bytes
from tilewright.emulate.execute.events import is_observed
from tilewright.emulate.execute.mbarriers import COMPLETE, change_barrier
from tilewright.emulate.execute.pipeline_events import tell_of_barrier
from tilewright.emulate.memory_vectors import (
    load_64,
    load_u8,
    load_u16,
    store_8,
    store_16,
    store_32,
    store_64,
)
from tilewright.emulate.tables import block_at, field, get, increase

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
    RECORD_COORDINATES,  # five
) = range(10)
RECORD_WORDS = 16

PIECE_BYTES, BOX_ALIGNMENT_BYTES, MAP_ALIGNMENT_BYTES = 16, 128, 64
OFFSET_MASK = (1 << op.CLUSTER_SHIFT) - 1
NO_MAP, WRONG_RANK, INTERLEAVED, WRONG_SIZE, MISALIGNED_SHARED, MISALIGNED_GLOBAL, MISALIGNED_MAP = range(1, 8)
NO_BLOCK, NO_REDUCTION, MISALIGNED_BOX = range(8, 11)
"""Why no engine would do a copy, in CONTROL_FAULT_BYTES."""
COPIES, BYTES = 4, 5
"""Columns of the counters: copies, and bytes that they moved."""
ALL_BLOCKS = 16


@inner
def _refuse(state: int, record: int, why: int, address: int) -> bool:
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
def _global_bytes(state: int, record: int, address: int, nbytes: int, use: int) -> int:
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
def _shared_bytes(state: int, record: int, block: int, address: int, nbytes: int) -> int:
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
def _has_all_blocks(state: int, record: int) -> bool:
    """Say whether every block that a multicast names is there; report it if not."""
    mask, size = get(record, RECORD_MASK), get(state, st.LAYOUT_CLUSTER)
    if not field(state, get(record, RECORD_PC), row.KIND) & op.BULK_MULTICAST:
        return True
    own = get(record, RECORD_WARP) // get(state, st.LAYOUT_WARPS)
    for rank in range(ALL_BLOCKS):
        if (mask >> rank) & 1:
            block = own - own % size + rank
            if rank >= size or not get(block_at(state, block), st.BLOCK_LIVE):
                return _refuse(state, record, NO_BLOCK, rank)
    return True


@inner
def _settle(state: int, record: int, block: int, nbytes: int) -> bool:
    """Tell an mbarrier that bytes have come; return False when it faults. block: whose one it is, of a multicast."""
    address = get(record, RECORD_BARRIER)
    if not field(state, get(record, RECORD_PC), row.KIND) & op.BULK_MULTICAST:
        block = block_at_address(state, get(record, RECORD_WARP), address)
    if address & 7:
        return _fault(state, record, st.FAULT_MISALIGNED, address, 8, SHARED)
    host = _shared_bytes(state, record, block, address, 8)
    if host < 0:
        return False
    word = change_barrier(state, host, 0, -nbytes, 0)
    if word >= 0 and is_observed(state):
        after, lane = load_64(host), 1 << get(record, RECORD_LANE)
        tell_of_barrier(
            state, get(record, RECORD_WARP), get(record, RECORD_PC), lane, COMPLETE, host, word, after, 0, 0
        )
    return True if word >= 0 else _fault(state, record, st.FAULT_MBARRIER, address, -word, SHARED)


@inner
def _count(state: int, record: int, nbytes: int) -> None:
    counters = get(state, st.LAYOUT_COUNTERS) + st.COUNTER_BYTES * get(record, RECORD_PC)
    increase(counters, COPIES, 1)
    increase(counters, BYTES, nbytes)


@inner
def _move(target: int, source: int, nbytes: int) -> None:
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
        return _refuse(state, record, WRONG_SIZE, nbytes)
    from_shared = way == op.BULK_BETWEEN_SHARED or way == op.BULK_TO_GLOBAL
    if source % PIECE_BYTES:
        return _refuse(state, record, MISALIGNED_SHARED if from_shared else MISALIGNED_GLOBAL, source)
    if way != op.BULK_PREFETCH and target % PIECE_BYTES:
        return _refuse(state, record, MISALIGNED_GLOBAL if way == op.BULK_TO_GLOBAL else MISALIGNED_SHARED, target)
    if nbytes == 0:
        return True
    if from_shared:
        origin = _shared_bytes(state, record, block_at_address(state, warp, source), source, nbytes)
    else:
        origin = _global_bytes(state, record, source, nbytes, st.USED_LOAD)
    if origin < 0:
        return False
    _count(state, record, nbytes)
    if way == op.BULK_PREFETCH:
        return True
    if way == op.BULK_TO_GLOBAL:
        host = _global_bytes(state, record, target, nbytes, _use(kind))
        return host >= 0 and _put_line(state, record, kind, host, origin, nbytes)
    if not _has_all_blocks(state, record):
        return False
    for rank in range(ALL_BLOCKS):
        block = next_target(state, record, target, rank)
        if block < 0 and (rank or kind & op.BULK_MULTICAST):
            continue
        host = _shared_bytes(state, record, block, target, nbytes)
        if host < 0 or not _put_line(state, record, kind, host, origin, nbytes):
            return False
        if not _settle(state, record, block, nbytes):
            return False
    return True


@inner
def _use(kind: int) -> int:
    return st.USED_ATOMIC if (kind >> op.BULK_REDUCTION_SHIFT) & 15 else st.USED_STORE


@inner
def _put_line(state: int, record: int, kind: int, target: int, source: int, nbytes: int) -> bool:
    reduction, element = (kind >> op.BULK_REDUCTION_SHIFT) & 15, (kind >> op.BULK_TYPE_SHIFT) & 15
    if not reduction:
        _move(target, source, nbytes)
        return True
    step = type_bytes(element)
    for at in range(0, nbytes, step):
        reduce_element(target + at, source + at, reduction - 1, element)
    return True


@inner
def swizzled(address: int, swizzle: int) -> int:
    """Return the place in shared memory of what would lie at an address without swizzle (CUtensorMapSwizzle)."""
    return address ^ ((address >> 7) & ((1 << swizzle) - 1)) << 4


@inner
def _check_map(state: int, record: int, address: int) -> int:
    """Return where a tensor map lies in this process, or -1 after reporting what is wrong with it."""
    if address % MAP_ALIGNMENT_BYTES:
        _refuse(state, record, MISALIGNED_MAP, address)
        return -1
    map_at = _global_bytes(state, record, address, tm.MAP_BYTES, st.USED_LOAD)
    if map_at < 0:
        return -1
    if load_64(map_at) != tm.MAGIC:
        _refuse(state, record, NO_MAP, address)
        return -1
    dimensions = field(state, get(record, RECORD_PC), row.KIND) & op.BULK_DIMENSIONS
    if load_u8(map_at + tm.AT_RANK) != dimensions:
        _refuse(state, record, WRONG_RANK, load_u8(map_at + tm.AT_RANK))
        return -1
    if load_u8(map_at + tm.AT_INTERLEAVE):
        _refuse(state, record, INTERLEAVED, address)
        return -1
    return map_at


@inner
def _box_extent(map_at: int, dimension: int) -> int:
    """Return how many elements of a dimension a box has; the first has no steps."""
    extent, step = load_u16(map_at + tm.AT_BOX + 2 * dimension), load_u8(map_at + tm.AT_STEPS + dimension)
    return extent if dimension == 0 else (extent + step - 1) // step


@inner
def copy_box(state: int, record: int) -> bool:
    """Do a copy of a box; return False when it faults."""
    kind = field(state, get(record, RECORD_PC), row.KIND)
    way = (kind >> op.BULK_WAY_SHIFT) & 3
    is_load = way == op.BULK_TO_SHARED
    map_at = _check_map(state, record, get(record, RECORD_TARGET if way == op.BULK_TO_GLOBAL else RECORD_SOURCE))
    if map_at < 0:
        return False
    nbytes = load_u8(map_at + tm.AT_ELEMENT_BYTES)
    for dimension in range(tm.MOST_DIMENSIONS):
        nbytes *= _box_extent(map_at, dimension)
    _count(state, record, nbytes)
    if way == op.BULK_PREFETCH:
        return True
    if (kind >> op.BULK_REDUCTION_SHIFT) & 15 and tm_type(load_u8(map_at + tm.AT_TYPE)) < 0:
        return _refuse(state, record, NO_REDUCTION, load_u8(map_at + tm.AT_TYPE))
    address = get(record, RECORD_TARGET if is_load else RECORD_SOURCE)
    if address % BOX_ALIGNMENT_BYTES:
        return _refuse(state, record, MISALIGNED_BOX, address)
    if not is_load:
        block = block_at_address(state, get(record, RECORD_WARP), address)
        host = _shared_bytes(state, record, block, address, nbytes)
        return host >= 0 and _copy_rows(state, record, map_at, host - (address & OFFSET_MASK), address & OFFSET_MASK)
    if not _has_all_blocks(state, record):
        return False
    for rank in range(ALL_BLOCKS):
        block = next_target(state, record, address, rank)
        if block < 0 and (rank or kind & op.BULK_MULTICAST):
            continue
        host = _shared_bytes(state, record, block, address, nbytes)
        if host < 0:
            return False
        if not _copy_rows(state, record, map_at, host - (address & OFFSET_MASK), address & OFFSET_MASK):
            return False
        if not _settle(state, record, block, nbytes):
            return False
    return True


@inner
def tm_type(data_type: int) -> int:
    """Return the type (opcodes.BULK_TYPES) in which elements of a tensor are added and compared, or -1."""
    if data_type == 2:
        return 0
    if data_type == 3:
        return 1
    if data_type == 4:
        return 2
    if data_type == 5:
        return 3
    if data_type == 6:
        return 6
    if data_type == 7:
        return 4
    if data_type == 8:
        return 5
    return 7 if data_type == 9 else -1


@inner
def _copy_rows(state: int, record: int, map_at: int, shared: int, offset: int) -> bool:
    """Copy a box row by row. shared: where the block's shared memory starts in this process; offset: of the box."""
    row_bytes = _box_extent(map_at, 0) * load_u8(map_at + tm.AT_ELEMENT_BYTES)
    rows = 1
    for dimension in range(1, tm.MOST_DIMENSIONS):
        rows *= _box_extent(map_at, dimension)
    for number in range(rows):
        rest, address, is_inside = number, get(map_at, tm.MAP_ADDRESS), True
        for dimension in range(1, tm.MOST_DIMENSIONS):
            extent = _box_extent(map_at, dimension)
            index = get(record, RECORD_COORDINATES + dimension) + rest % extent * load_u8(
                map_at + tm.AT_STEPS + dimension
            )
            rest //= extent
            if dimension >= load_u8(map_at + tm.AT_RANK):
                index = 0
            is_inside = is_inside and 0 <= index < get(map_at, tm.MAP_SIZES + dimension)
            address += index * get(map_at, tm.MAP_STRIDES + dimension - 1)
        if not _copy_row(state, record, map_at, shared, offset + number * row_bytes, address, is_inside):
            return False
    return True


@inner
def _copy_row(state: int, record: int, map_at: int, shared: int, offset: int, address: int, is_inside: bool) -> bool:
    """Copy a row of a box. offset: of the row in shared memory; address: of the tensor's element 0 in that row."""
    kind = field(state, get(record, RECORD_PC), row.KIND)
    is_load = (kind >> op.BULK_WAY_SHIFT) & 3 == op.BULK_TO_SHARED
    element, column = load_u8(map_at + tm.AT_ELEMENT_BYTES), get(record, RECORD_COORDINATES)
    extent, swizzle = _box_extent(map_at, 0), load_u8(map_at + tm.AT_SWIZZLE)
    first = min(max(-column, 0), extent) * element
    last = min(max(get(map_at, tm.MAP_SIZES) - column, 0), extent) * element
    if not is_inside or last <= first:
        first = last = 0
    host, reduction = 0, (kind >> op.BULK_REDUCTION_SHIFT) & 15
    if last > first:
        use = st.USED_LOAD if is_load else _use(kind)
        host = _global_bytes(state, record, address + column * element + first, last - first, use) - first
        if host + first < 0:
            return False
    for piece in range(0, extent * element, PIECE_BYTES):
        place = shared + swizzled(offset + piece, swizzle)
        if first <= piece and piece + PIECE_BYTES <= last and not reduction:
            if is_load:
                _move(place, host + piece, PIECE_BYTES)
            else:
                _move(host + piece, place, PIECE_BYTES)
            continue
        for at in range(0, PIECE_BYTES, element):
            if first <= piece + at < last:
                if is_load:
                    _move(place + at, host + piece + at, element)
                elif reduction:
                    data_type = tm_type(load_u8(map_at + tm.AT_TYPE))
                    reduce_element(host + piece + at, place + at, reduction - 1, data_type)
                else:
                    _move(host + piece + at, place + at, element)
            elif is_load:
                _store(place + at, element, _filling(map_at))
    return True


@inner
def _filling(map_at: int) -> int:
    """Return the bits of an element outside of the tensor."""
    if load_u8(map_at + tm.AT_FILL) != tm.FILLS_NAN:
        return 0
    element = load_u8(map_at + tm.AT_ELEMENT_BYTES)
    return 0x7FFF if element == 2 else 0x7FFFFFFF if element == 4 else 0x7FFFFFFFFFFFFFFF


@inner
def _store(place: int, nbytes: int, value: int) -> None:
    if nbytes == 1:
        store_8(place, value)
    elif nbytes == 2:
        store_16(place, value)
    elif nbytes == 4:
        store_32(place, value)
    else:
        store_64(place, value)
