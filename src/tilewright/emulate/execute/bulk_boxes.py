"""Copies of boxes of a tensor that a tensor map describes (`cp.async.bulk.tensor`).

A box lies in shared memory row by row, its 16-byte pieces exchanged as the map's swizzle says; rows narrower than a
swizzle's span lie a span apart. What lies outside of the tensor is filled in, and not stored. Of an interleaved tensor
(fastest first W, H, slices of channels, N) a row is one slice of 16 or 32 bytes, the first dimension counts slices, and
a box has one slice of channels, whatever its size says there. That, that narrow rows lie a span apart, and that a box
begins at a multiple of 16 bytes of a row, was read from an H100.
"""

from __future__ import annotations

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate import tensor_map as tm
from tilewright.emulate.arithmetic.conversions import nearest_tf32
from tilewright.emulate.compiled import inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL, SHARED, block_at_address
from tilewright.emulate.execute.bulk_reductions import reduce_element
from tilewright.emulate.execute.bulk_transfers import (
    ALL_BLOCKS,
    MISALIGNED_BOX,
    MISALIGNED_COORDINATE,
    MISALIGNED_MAP,
    NO_MAP,
    NO_REDUCTION,
    OFFSET_MASK,
    PIECE_BYTES,
    RECORD_COORDINATES,
    RECORD_PC,
    RECORD_SOURCE,
    RECORD_TARGET,
    RECORD_WARP,
    WRONG_RANK,
    count_copy,
    global_bytes,
    has_all_blocks,
    move_bytes,
    next_target,
    refuse_copy,
    settle_bytes,
    shared_bytes,
    swizzled,
    tell_of_bytes,
    tell_of_change,
    use_of_copy,
)
from tilewright.emulate.memory_vectors import load_64, load_u8, load_u16, store_8, store_16, store_32, store_64
from tilewright.emulate.tables import field, get

BOX_ALIGNMENT_BYTES, MAP_ALIGNMENT_BYTES = 128, 64


@inner
def _check_map(state: int, record: int, address: int) -> int:
    """Return where a tensor map lies in this process, or -1 after reporting what is wrong with it."""
    if address % MAP_ALIGNMENT_BYTES:
        refuse_copy(state, record, MISALIGNED_MAP, address)
        return -1
    map_at = global_bytes(state, record, address, tm.MAP_BYTES, st.USED_LOAD)
    if map_at < 0:
        return -1
    if load_64(map_at) != tm.MAGIC:
        refuse_copy(state, record, NO_MAP, address)
        return -1
    dimensions = field(state, get(record, RECORD_PC), row.KIND) & op.BULK_DIMENSIONS
    if load_u8(map_at + tm.AT_RANK) != dimensions:
        refuse_copy(state, record, WRONG_RANK, load_u8(map_at + tm.AT_RANK))
        return -1
    return map_at


@inner
def _box_extent(map_at: int, dimension: int) -> int:
    """Return how many elements (or slices) of a dimension a box has; the first has steps only among slices."""
    extent, step = load_u16(map_at + tm.AT_BOX + 2 * dimension), load_u8(map_at + tm.AT_STEPS + dimension)
    if _slice_bytes(map_at) and dimension == load_u8(map_at + tm.AT_RANK) - tm.SLICES_FROM_LAST:
        return 1
    return extent if dimension == 0 and not _slice_bytes(map_at) else (extent + step - 1) // step


@inner
def _slice_bytes(map_at: int) -> int:
    """Return the bytes of an interleaved tensor's slice; 0 for a tensor that is not interleaved."""
    return tm.SLICE_BYTES * load_u8(map_at + tm.AT_INTERLEAVE)


@inner
def _row_bytes(map_at: int) -> int:
    """Return the bytes of a row of a box."""
    return _slice_bytes(map_at) or _box_extent(map_at, 0) * load_u8(map_at + tm.AT_ELEMENT_BYTES)


@inner
def _pitch(map_at: int, row_bytes: int) -> int:
    """Return the bytes from row to row of a box in shared memory."""
    swizzle = load_u8(map_at + tm.AT_SWIZZLE)
    return max(row_bytes, PIECE_BYTES << swizzle) if swizzle and not _slice_bytes(map_at) else row_bytes


@inner
def copy_box(state: int, record: int) -> bool:
    """Do a copy of a box; return False when it faults."""
    kind = field(state, get(record, RECORD_PC), row.KIND)
    way = (kind >> op.BULK_WAY_SHIFT) & 3
    is_load = way == op.BULK_TO_SHARED
    map_at = _check_map(state, record, get(record, RECORD_TARGET if way == op.BULK_TO_GLOBAL else RECORD_SOURCE))
    if map_at < 0:
        return False
    nbytes = max(_slice_bytes(map_at), load_u8(map_at + tm.AT_ELEMENT_BYTES))
    for dimension in range(tm.MOST_DIMENSIONS):
        nbytes *= _box_extent(map_at, dimension)
    count_copy(state, record, nbytes)
    if way == op.BULK_PREFETCH:
        return True
    if (kind >> op.BULK_REDUCTION_SHIFT) & 15 and _type_of_elements(load_u8(map_at + tm.AT_TYPE)) < 0:
        return refuse_copy(state, record, NO_REDUCTION, load_u8(map_at + tm.AT_TYPE))
    address = get(record, RECORD_TARGET if is_load else RECORD_SOURCE)
    if address % BOX_ALIGNMENT_BYTES:
        return refuse_copy(state, record, MISALIGNED_BOX, address)
    begins_at = get(record, RECORD_COORDINATES) * load_u8(map_at + tm.AT_ELEMENT_BYTES)
    if is_load and not _slice_bytes(map_at) and begins_at % PIECE_BYTES:
        return refuse_copy(state, record, MISALIGNED_COORDINATE, begins_at)
    row_bytes = _row_bytes(map_at)
    room = nbytes // row_bytes * _pitch(map_at, row_bytes)
    if not is_load:
        block = block_at_address(state, get(record, RECORD_WARP), address)
        host = shared_bytes(state, record, block, address, room)
        return host >= 0 and _copy_rows(state, record, map_at, host - (address & OFFSET_MASK), address & OFFSET_MASK)
    if not has_all_blocks(state, record):
        return False
    for rank in range(ALL_BLOCKS):
        block = next_target(state, record, address, rank)
        if block < 0 and (rank or kind & op.BULK_MULTICAST):
            continue
        host = shared_bytes(state, record, block, address, room)
        if host < 0:
            return False
        if not _copy_rows(state, record, map_at, host - (address & OFFSET_MASK), address & OFFSET_MASK):
            return False
        if not settle_bytes(state, record, block, nbytes):
            return False
    return True


@inner
def _type_of_elements(data_type: int) -> int:
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
    slice_bytes, rows = _slice_bytes(map_at), 1
    pitch = _pitch(map_at, _row_bytes(map_at))
    first = 0 if slice_bytes else 1
    for dimension in range(first, tm.MOST_DIMENSIONS):
        rows *= _box_extent(map_at, dimension)
    for number in range(rows):
        rest, address, is_inside = number, get(map_at, tm.MAP_ADDRESS), True
        for dimension in range(first, tm.MOST_DIMENSIONS):
            extent = _box_extent(map_at, dimension)
            index = get(record, RECORD_COORDINATES + dimension) + rest % extent * load_u8(
                map_at + tm.AT_STEPS + dimension
            )
            rest //= extent
            if dimension >= load_u8(map_at + tm.AT_RANK):
                index = 0
            is_inside = is_inside and 0 <= index < get(map_at, tm.MAP_SIZES + dimension)
            address += index * (get(map_at, tm.MAP_STRIDES + dimension - 1) if dimension else slice_bytes)
        if not _copy_row(state, record, map_at, shared, offset, number * pitch, address, is_inside):
            return False
    return True


@inner
def _copy_row(
    state: int, record: int, map_at: int, shared: int, start: int, behind: int, address: int, is_inside: bool
) -> bool:
    """Copy a row of a box. start: of the box in shared memory; address: of the tensor's element 0 in that row."""
    offset = start + behind
    kind = field(state, get(record, RECORD_PC), row.KIND)
    is_load = (kind >> op.BULK_WAY_SHIFT) & 3 == op.BULK_TO_SHARED
    element, column = load_u8(map_at + tm.AT_ELEMENT_BYTES), get(record, RECORD_COORDINATES)
    extent, swizzle, size = _box_extent(map_at, 0), load_u8(map_at + tm.AT_SWIZZLE), get(map_at, tm.MAP_SIZES)
    if _slice_bytes(map_at):
        column, extent = 0, _slice_bytes(map_at) // element
        size = extent
    first = min(max(-column, 0), extent) * element
    last = min(max(size - column, 0), extent) * element
    if not is_inside or last <= first:
        first = last = 0
    host, reduction = 0, (kind >> op.BULK_REDUCTION_SHIFT) & 15
    if last > first:
        use = st.USED_LOAD if is_load else use_of_copy(kind)
        host = global_bytes(state, record, address + column * element + first, last - first, use) - first
        if host + first < 0:
            return False
    layout = ev.layout_of_box(swizzle, _pitch(map_at, _row_bytes(map_at)), start)
    block = (shared - get(state, st.LAYOUT_SHARED)) // max(get(state, st.LAYOUT_SHARED_BYTES), 1)
    if is_load:
        tell_of_bytes(state, record, ev.BULK_LOAD, GLOBAL, 0, address + column * element + first, last - first, 0)
        tell_of_bytes(state, record, ev.BULK_STORE, SHARED, block, offset, extent * element, layout)
    else:
        tell_of_bytes(state, record, ev.BULK_LOAD, SHARED, block, offset + first, last - first, layout)
        if last > first:
            tell_of_change(state, record, GLOBAL, 0, address + column * element + first, last - first)
    for piece in range(0, extent * element, PIECE_BYTES):
        place = shared + swizzled(offset + piece, swizzle)
        if first <= piece and piece + PIECE_BYTES <= last and not reduction:
            if is_load:
                move_bytes(place, host + piece, PIECE_BYTES)
            else:
                move_bytes(host + piece, place, PIECE_BYTES)
            continue
        for at in range(0, PIECE_BYTES, element):
            if first <= piece + at < last:
                if is_load:
                    move_bytes(place + at, host + piece + at, element)
                elif reduction:
                    data_type = _type_of_elements(load_u8(map_at + tm.AT_TYPE))
                    reduce_element(host + piece + at, place + at, reduction - 1, data_type)
                else:
                    move_bytes(host + piece + at, place + at, element)
            elif is_load:
                _store(place + at, element, _filling(map_at))
    if is_load and load_u8(map_at + tm.AT_TYPE) in (tm.TFLOAT32, tm.TFLOAT32_FTZ):
        for at in range(first, last, 4):
            _round_to_tf32(shared + swizzled(offset + at // PIECE_BYTES * PIECE_BYTES, swizzle) + at % PIECE_BYTES)
    return True


@inner
def _round_to_tf32(place: int) -> None:
    """Round a float32 to tf32, to the nearest; infinities and NaN stay as they are."""
    bits = load_u16(place) | load_u16(place + 2) << 16
    if bits & 0x7F800000 != 0x7F800000:
        store_32(place, nearest_tf32(bits))


@inner
def _filling(map_at: int) -> int:
    """Return the bits of an element outside of the tensor. The NaN is that of float32 on an H100, twice 0x7FF7."""
    if load_u8(map_at + tm.AT_FILL) != tm.FILLS_NAN:
        return 0
    element = load_u8(map_at + tm.AT_ELEMENT_BYTES)
    return 0x7FF7 if element == 2 else 0x7FF77FF7 if element == 4 else 0x7FF77FF77FF77FF7


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
