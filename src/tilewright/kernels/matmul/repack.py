"""Planning of repack.cu: operands that TMA cannot address are repacked to aligned rows in the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from tilewright.kernels.epilogue import NO_ADDRESS
from tilewright.kernels.launch import Argument, Arguments, Launch, Pointer, Scalar, ceil_divide
from tilewright.kernels.matmul.wgmma_operands import Side, inner_is_k
from tilewright.kernels.operand import C_TYPES, Operand

THREADS = 256
ROWS_AT_ONCE = 4
VECTOR_ELEMENTS = 8
LEAST_VECTORS, ENOUGH_BLOCKS = 4, 1024
"""Of a thread in each of its rows, where several blocks share a row, and the blocks from which on none do. Few long
rows with a block each leave SMs without work: 480 of 380,771 took 300 us on an H200, and take 214."""
LINE_ELEMENTS = 64
"""128 bytes: with rows aligned to cache lines, TMA reads no line of a neighbouring row."""

MEMBERS = (
    ("rows", "int"),
    ("inner", "int"),
    ("row_stride", "long long"),
    ("inner_stride", "long long"),
    ("to_row_stride", "int"),
    ("batches_1", "int"),
    ("batch_stride_1", "long long"),
    ("batch_stride_2", "long long"),
    ("lanes_log2", "int"),
    ("parts", "int"),
    ("blocks", "int"),
)
"""Of struct Matrix of the source."""


def repack_launch(sides: Sequence[Side], dtype: str) -> tuple[dict[str, Side], Launch, int]:
    """Return the repacked operands by the buffer that each replaces, the launch, and their size in bytes.

    Broadcast batches are repacked once. One launch repacks both operands.
    """
    copies: dict[str, Side] = {}
    arguments: Arguments = {}
    total_blocks, used_bytes = 0, 0
    for side in sides:
        copy, size_bytes = _copy_of(side, used_bytes)
        members = _members(side)
        copies[side.buffer] = copy
        source, target = Pointer(side.buffer, side.offset_bytes), Pointer("workspace", copy.offset_bytes)
        arguments |= _arguments(len(copies), source, target, members)
        total_blocks += members[-1]
        used_bytes += size_bytes
    if len(sides) == 1:
        arguments |= _arguments(2, NO_ADDRESS, NO_ADDRESS, [0] * len(MEMBERS))
    launch = Launch(
        kernel="matmul/repack",
        macros=(("ELEMENT", C_TYPES[dtype]), ("ROWS_AT_ONCE", str(ROWS_AT_ONCE))),
        grid=(total_blocks, 1, 1),
        block=(THREADS, 1, 1),
        arguments=arguments,
        overlaps_previous=True,
    )
    return copies, launch, used_bytes


def _arguments(number: int, source: Argument, target: Argument, members: Sequence[int]) -> Arguments:
    matrix = {
        f"matrix_{number}.{name}": Scalar(ctype, value) for (name, ctype), value in zip(MEMBERS, members, strict=True)
    }
    return {f"from_{number}": source, f"to_{number}": target, **matrix}


def _copy_of(side: Side, offset_bytes: int) -> tuple[Side, int]:
    """Return the repacked operand in the workspace, and its size in bytes, a multiple of 256."""
    k_major = inner_is_k(side)
    rows, inner = (side.mn, side.k) if k_major else (side.k, side.mn)
    to_row_stride = padded_row(inner)
    (one, _), (two, _) = side.operand.batch_steps
    extents = [extent if moves else 1 for extent, moves in zip((one, two), side.moves, strict=True)]
    matrix = rows * to_row_stride
    strides = (extents[0] * matrix if side.moves[1] else 0, matrix if side.moves[0] else 0)
    row_stride, column_stride = (to_row_stride, 1) if k_major else (1, to_row_stride)
    operand = Operand(side.mn, side.k, row_stride, column_stride, (two, one), strides)
    copy = replace(side, buffer="workspace", operand=operand, offset_bytes=offset_bytes)
    return copy, ceil_divide(prod(extents) * matrix * side.element_bytes, 256) * 256


def _members(side: Side) -> list[int]:
    """The values of a matrix's MEMBERS."""
    operand = side.operand
    rows, inner = (side.mn, side.k) if inner_is_k(side) else (side.k, side.mn)
    row_stride, inner_stride = (
        (operand.row_stride, operand.column_stride) if inner_is_k(side) else (operand.column_stride, operand.row_stride)
    )
    if inner == 1:
        inner_stride = 1
    to_row_stride = padded_row(inner)
    lanes_log2 = _lanes_log2(inner)
    (one, stride_one), (two, stride_two) = operand.batch_steps
    extents = [extent if moves else 1 for extent, moves in zip((one, two), side.moves, strict=True)]
    parts = _parts(prod(extents), rows, inner)
    blocks = prod(extents) * parts * _groups(rows, inner)
    return [
        rows,
        inner,
        row_stride,
        inner_stride,
        to_row_stride,
        extents[0],
        stride_one,
        stride_two,
        lanes_log2,
        parts,
        blocks,
    ]


def repacking_blocks(operand: Operand) -> int:
    """Return how many blocks repack a matrix, or a batch, whose rows or columns are contiguous."""
    rows, inner = (operand.rows, operand.columns) if operand.major != "column" else (operand.columns, operand.rows)
    matrices = max(1, operand.distinct_elements // max(1, rows * inner))
    return matrices * _parts(matrices, rows, inner) * _groups(rows, inner)


def _lanes_log2(inner: int) -> int:
    return min((ceil_divide(inner, VECTOR_ELEMENTS) - 1).bit_length(), THREADS.bit_length() - 1)


def _groups(rows: int, inner: int) -> int:
    """Return the groups of rows that blocks copy together."""
    return ceil_divide(rows, ROWS_AT_ONCE * (THREADS >> _lanes_log2(inner)))


def _parts(matrices: int, rows: int, inner: int) -> int:
    """Return how many blocks share a group of rows."""
    most = ceil_divide(ceil_divide(inner, VECTOR_ELEMENTS), LEAST_VECTORS * THREADS)
    return min(most, ceil_divide(ENOUGH_BLOCKS, matrices * _groups(rows, inner)))


def padded_row(inner: int) -> int:
    """Return the elements from one repacked row of so many 16-bit elements to the next."""
    multiple = LINE_ELEMENTS if inner >= 4 * LINE_ELEMENTS else VECTOR_ELEMENTS
    return ceil_divide(inner, multiple) * multiple
