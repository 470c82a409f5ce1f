"""When A's rows of an odd size are loaded without a copy, by tiles of every eighth row (sm90/row_classes.cuh)."""

from __future__ import annotations

from tilewright.kernels.launch import TensorMap, ceil_divide
from tilewright.kernels.matmul.wgmma_operands import Side, inner_is_k
from tilewright.kernels.matmul.wgmma_tile import MOST_BOX_ROWS, WgmmaTile
from tilewright.kernels.operand import COPY_ENGINE_BYTES, COPY_ENGINE_STRIDE_LIMIT_BYTES
from tilewright.kernels.problem import LARGEST_EXTENT, Problem

CLASSES = 8
"""Rows of 16-bit elements begin in one of eight ways around a boundary of 16 bytes."""
MOST_WORK_FOR_A_COPY = 350
"""A copy moves 4 bytes per element of A at about 4 TB/s; the product makes 2 n operations of each at about 700 TFLOP/s.

So the copy costs as much as 350 / n more work does.
"""

LEAST_COPY_BYTES = 4 * 2**20
"""Below this a copy takes as long as a launch does, and it is made beside B's: 1023^3 is 7 % faster so."""


def takes_row_classes(a: Side, b: Side, product: Problem, tile: WgmmaTile) -> bool:
    """Whether tiles of every eighth row can be loaded, and cost less than a copy of A does.

    A must lie along k from an aligned address, its batches whole rows apart, and have a row of each class: what a class
    without one is loaded from would lie behind A. B must lie along its columns, so that it can be loaded from any row.
    """
    return (
        tile.splits == 1
        and tile.cluster_n == 1
        and a.operand.distinct_elements * a.element_bytes >= LEAST_COPY_BYTES
        and _loadable(a)
        and not inner_is_k(b)
        and more_work(a, tile) * product.n < MOST_WORK_FOR_A_COPY
    )


def more_work(a: Side, tile: WgmmaTile) -> float:
    """The work that classes add, as a fraction: tiles that are not full, and a phase where a shift needs one more."""
    rows = tile.block_m * tile.cluster_m
    tiles = class_tiles(a.mn, tile) / ceil_divide(a.mn, rows)
    shifts = [row * a.operand.row_stride % CLASSES for row in range(CLASSES)]
    phases = sum(ceil_divide(a.k + shift, tile.block_k) for shift in shifts) / CLASSES
    return tiles * phases / ceil_divide(a.k, tile.block_k) - 1


def class_tiles(m: int, tile: WgmmaTile) -> int:
    """The rows of tiles (of a cluster), all classes together."""
    return CLASSES * ceil_divide(ceil_divide(m, CLASSES), tile.block_m * tile.cluster_m)


def class_maps(a: Side, dtype: str, box_rows: int) -> tuple[TensorMap, ...]:
    """The maps of rows i, i + 8, i + 16, ... for i from 0 to 7, each from the boundary before its row i."""
    row = a.operand.row_stride
    shifts = [i * row % CLASSES for i in range(CLASSES)]
    return tuple(
        TensorMap(
            a.buffer,
            dtype,
            (a.k + shift, ceil_divide(_rows_of_all(a) - i, CLASSES)),
            (CLASSES * row * a.element_bytes,),
            (64, box_rows),
            offset_bytes=a.offset_bytes + (i * row - shift) * a.element_bytes,
        )
        for i, shift in enumerate(shifts)
    )


def _loadable(a: Side) -> bool:
    operand, row = a.operand, a.operand.row_stride
    return (
        operand.major == "row"
        and operand.columns > 1
        and operand.rows > 1
        and operand.alignment_bytes >= COPY_ENGINE_BYTES
        and a.offset_bytes % COPY_ENGINE_BYTES == 0
        and operand.columns <= row < COPY_ENGINE_STRIDE_LIMIT_BYTES // (CLASSES * a.element_bytes)
        and all(stride >= 0 and stride % row == 0 for stride in operand.batch_strides)
        and CLASSES <= _rows_of_all(a) <= LARGEST_EXTENT - CLASSES * MOST_BOX_ROWS
    )


def _rows_of_all(a: Side) -> int:
    """The rows from the first matrix of the batch to the last one's end."""
    steps = zip(a.operand.batch, a.operand.batch_strides, strict=True)
    return a.mn + sum((extent - 1) * (stride // a.operand.row_stride) for extent, stride in steps)
