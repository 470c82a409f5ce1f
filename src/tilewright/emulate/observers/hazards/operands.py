"""Which pieces of shared memory an instruction touches: copies in bulk, and the tiles of wgmma."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import tensor_map as tm
from tilewright.emulate.execute import bulk_events as be
from tilewright.emulate.execute.bulk_transfers import OFFSET_MASK
from tilewright.emulate.execute.descriptors import piece_address
from tilewright.emulate.execute.tiles import ROWS
from tilewright.emulate.observers.hazards.traces import PIECE_BYTES
from tilewright.emulate.state import Int32s

K_PIECES, LINES_OF_K = 2, 16
"""What a product takes of K: pieces of a line, or lines where K is not contiguous (elements of 2 bytes)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A copy in bulk. offset, nbytes: in shared memory of block `owner`; from_shared: where its source is, else -1.

    lines: first address and bytes of each of its rows in global memory.
    """

    owner: int
    offset: int
    nbytes: int
    barrier: int
    to_global: bool
    is_values: bool
    from_shared: int
    lines: tuple[tuple[int, int], ...]


def asked_of(words: list[int], kind: int) -> Asked:
    """Return what a copy was asked for. kind: of its instruction."""
    way, rank = kind >> op.BULK_WAY_SHIFT & 3, kind & op.BULK_DIMENSIONS
    address, nbytes = words[be.COPY_GLOBAL], words[be.COPY_BYTES]
    lines: tuple[tuple[int, int], ...] = ((address, nbytes),)
    if rank:
        lines, nbytes = _box(words, rank)
    is_between = way == op.BULK_BETWEEN_SHARED
    return Asked(
        words[be.COPY_OWNER],
        words[be.COPY_OFFSET],
        nbytes,
        words[be.COPY_BARRIER],
        way == op.BULK_TO_GLOBAL,
        bool(kind & op.BULK_VALUES),
        address & OFFSET_MASK if is_between and not kind & op.BULK_VALUES else -1,
        () if is_between else lines,
    )


def _box(words: list[int], rank: int) -> tuple[tuple[tuple[int, int], ...], int]:
    """Return the rows of a box inside its tensor, and the bytes that it has in shared memory."""
    data = np.array(words[be.COPY_MAP : be.COPY_MAP + tm.MAP_STEPS + 1], np.int64)
    head = data.view(np.uint8)
    element, slice_bytes = int(head[tm.AT_ELEMENT_BYTES]), tm.SLICE_BYTES * int(head[tm.AT_INTERLEAVE])
    box = head[tm.AT_BOX : tm.AT_BOX + 2 * rank].view(np.uint16).tolist()
    steps = [max(step, 1) for step in head[tm.AT_STEPS : tm.AT_STEPS + rank].tolist()]  # 0: no map could be read
    counts = [-(-extent // step) for extent, step in zip(box, steps, strict=True)]
    if slice_bytes:
        counts[rank - tm.SLICES_FROM_LAST] = 1
    first = 0 if slice_bytes else 1
    row_bytes = slice_bytes or box[0] * element
    rows = int(np.prod(counts[first:])) if rank > first else 1
    lines: list[tuple[int, int]] = []
    if not slice_bytes and rank <= 2:
        column, at = words[be.COPY_COORDINATES], words[be.COPY_COORDINATES + 1]
        low, high = max(column, 0), min(column + box[0], int(data[tm.MAP_SIZES]))
        for number in range(rows):
            index = at + number * (steps[1] if rank == 2 else 1)
            if high > low and (rank == 1 or 0 <= index < int(data[tm.MAP_SIZES + 1])):
                start = int(data[tm.MAP_ADDRESS]) + (index * int(data[tm.MAP_STRIDES]) if rank == 2 else 0)
                lines.append((start + low * element, (high - low) * element))
    return tuple(lines), rows * row_bytes


def pieces_of_product(columns: Int32s, of_a: int, of_b: int, warp: int) -> list[NDArray[np.int64]]:
    """Return the pieces that a warp's part of a product reads: of its 16 rows of A, and of B.

    columns: the instruction's row. warp: number in its block.
    """
    kind = int(columns[row.KIND])
    result = []
    if not kind & op.MATRIX_A_IN_REGISTERS:
        result.append(_pieces(of_a, int(bool(kind & op.MATRIX_A_TURNED)), ROWS * (warp % 4), ROWS))
    result.append(_pieces(of_b, int(bool(kind & op.MATRIX_B_TURNED)), 0, int(columns[row.EXTRA_1])))
    return result


@lru_cache(4096)
def _pieces(descriptor: int, is_turned: int, first: int, count: int) -> NDArray[np.int64]:
    """Return the numbers of the pieces of `count` rows of A or columns of B, from `first` on."""
    if is_turned:
        places = [(line, first // 8 + part) for line in range(LINES_OF_K) for part in range(count // 8)]
    else:
        places = [(first + line, part) for line in range(count) for part in range(K_PIECES)]
    locate = piece_address.py_func
    return np.unique([locate(descriptor, is_turned, line, part) // PIECE_BYTES for line, part in places])
