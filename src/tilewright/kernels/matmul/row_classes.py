"""Row classes: an A with rows of an odd size is loaded without repacking, by tiles of every eighth row.

See sm90/row_classes.cuh.
"""

from __future__ import annotations

from tilewright.kernels.launch import TensorMap, ceil_divide
from tilewright.kernels.matmul.wgmma_operands import Side, inner_is_k
from tilewright.kernels.matmul.wgmma_tile import MOST_BOX_ROWS, WgmmaTile
from tilewright.kernels.operand import COPY_ENGINE_BYTES, COPY_ENGINE_STRIDE_LIMIT_BYTES
from tilewright.kernels.problem import LARGEST_EXTENT, Problem

CLASSES = 8
"""A row of 16-bit elements has one of eight offsets from a 16-byte boundary."""
MOST_WORK_FOR_A_COPY = 350
"""Repacking moves 4 bytes per element of A at about 4 TB/s; the product takes 2 n operations of each at 700 TFLOP/s.

So repacking costs as much as a fraction 350 / n of additional work.
"""

LEAST_COPY_BYTES = 4 * 2**20
"""Below this, repacking takes only as long as a launch, and A is repacked together with B: 1023^3 is 7 % faster."""


def takes_row_classes(a: Side, b: Side, product: Problem, tile: WgmmaTile) -> bool:
    """Whether tiles of every eighth row can be loaded, and cost less than repacking A.

    A must be contiguous along k and start at an aligned address, its batches must be whole rows apart, and each class
    must have a row: an empty class would be loaded from behind A. B must be contiguous along n, so that it can be
    loaded from any row. A row's shift puts up to seven zeros before k, which moves the sums of 16 products that the
    tensor cores make at a time: where bits must not depend on the other rows, A is repacked.
    """
    return (
        not product.invariant
        and tile.splits == 1
        and not tile.stream_k
        and tile.cluster_n == 1
        and a.operand.distinct_elements * a.element_bytes >= LEAST_COPY_BYTES
        and _loadable(a)
        and not inner_is_k(b)
        and more_work(a, tile) * product.n < MOST_WORK_FOR_A_COPY
    )


def more_work(a: Side, tile: WgmmaTile) -> float:
    """Return the additional work as a fraction: partly filled tiles, and one more k-block where a shift needs it."""
    rows = tile.block_m * tile.cluster_m
    tiles = class_tiles(a.mn, tile) / ceil_divide(a.mn, rows)
    shifts = [row * a.operand.row_stride % CLASSES for row in range(CLASSES)]
    phases = sum(ceil_divide(a.k + shift, tile.block_k) for shift in shifts) / CLASSES
    return tiles * phases / ceil_divide(a.k, tile.block_k) - 1


def class_tiles(m: int, tile: WgmmaTile) -> int:
    """Return the number of rows of tiles (of a cluster) over all classes."""
    return CLASSES * ceil_divide(ceil_divide(m, CLASSES), tile.block_m * tile.cluster_m)


def class_maps(a: Side, dtype: str, box_rows: int) -> tuple[TensorMap, ...]:
    """Return the maps of rows i, i + 8, i + 16, ... for i from 0 to 7, each starting at the boundary before row i."""
    return maps_of_lines(a, dtype, a.operand.row_stride, (a.k, _rows_of_all(a)), box_rows)


def maps_of_lines(
    side: Side, dtype: str, step: int, size: tuple[int, int], box_lines: int, *, batched: bool = False
) -> tuple[TensorMap, ...]:
    """Return the maps of every eighth of an operand's lines, which are ``step`` elements apart.

    ``size``: the elements of a line, and how many lines there are. ``batched``: maps have four dimensions, two of 1.
    """
    shifts = [i * step % CLASSES for i in range(CLASSES)]
    stride_bytes = CLASSES * step * side.element_bytes
    ones = (1, 1) if batched else ()
    return tuple(
        TensorMap(
            side.buffer,
            dtype,
            (size[0] + shift, ceil_divide(size[1] - i, CLASSES), *ones),
            (stride_bytes,) * (1 + len(ones)),
            (64, box_lines, *ones),
            offset_bytes=side.offset_bytes + (i * step - shift) * side.element_bytes,
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
    """Return the number of rows from the first matrix of the batch to the end of the last."""
    steps = zip(a.operand.batch, a.operand.batch_strides, strict=True)
    return a.mn + sum((extent - 1) * (stride // a.operand.row_stride) for extent, stride in steps)
