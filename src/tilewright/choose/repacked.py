"""Launches of kernels/matmul/repack.cu: what the copy engine cannot address, as aligned rows in the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from tilewright.choose.epilogue import C_TYPES, batch_extent_pair, batch_stride_pair
from tilewright.choose.launches import Argument, PlannedLaunch, Pointer, Scalar
from tilewright.choose.multiplication import Operand
from tilewright.kernels.kernel import ceil_divide

THREADS = 256
ROWS_AT_ONCE = 4
PIECE_ELEMENTS = 8
LINE_ELEMENTS = 64
"""128 bytes: rows that begin on a line of the cache are read by the copy engine without touching a neighbour's."""

NO_MATRIX: tuple[Argument, ...] = (
    *(Scalar("long long", 0),) * 2,
    *(Scalar("int", 0),) * 2,
    *(Scalar("long long", 0),) * 2,
    *(Scalar("int", 0),) * 2,
    *(Scalar("long long", 0),) * 2,
    *(Scalar("int", 0),) * 2,
)


@dataclass(frozen=True)
class Side:
    """An operand as wgmma.cu sees it: ``operand`` has the rows of A, or the columns of B, as rows, and k as columns."""

    buffer: str
    operand: Operand
    offset: int = 0
    element_bytes: int = 2

    @property
    def offset_bytes(self) -> int:
        """Where it begins in its buffer."""
        return self.offset * self.element_bytes

    @property
    def mn(self) -> int:
        """The rows of A, or columns of B."""
        return self.operand.rows

    @property
    def k(self) -> int:
        """The inner extent."""
        return self.operand.columns

    @property
    def k_major(self) -> bool:
        """Whether neighbours in memory are neighbours in k."""
        return self.operand.major != "column"

    @property
    def moves(self) -> tuple[int, int]:
        """Whether it is another matrix from one batch to the next, in dimension 1 (inner) and 2, as 0 or 1."""
        extents, strides = batch_extent_pair(self.operand.batch), batch_stride_pair(self.operand.batch_strides)
        one, two = (int(extent > 1 and stride != 0) for extent, stride in zip(extents, strides, strict=True))
        return one, two


def repack_launch(sides: Sequence[Side], dtype: str) -> tuple[dict[str, Side], PlannedLaunch, int]:
    """Return the copies by the buffer that each replaces, the launch that makes them, and their bytes.

    Broadcast batches are copied once. One launch copies both operands.
    """
    copies: dict[str, Side] = {}
    arguments: list[Argument] = []
    total_blocks, used_bytes = 0, 0
    for side in sides:
        copy, size_bytes = _copy_of(side, used_bytes)
        blocks, described = _matrix(side, copy)
        copies[side.buffer] = copy
        arguments += described
        total_blocks += blocks
        used_bytes += size_bytes
    if len(sides) == 1:
        arguments += NO_MATRIX
    launch = PlannedLaunch(
        kernel="matmul/repack",
        source="matmul/repack.cu",
        entry="matmul_repack",
        macros=(("ELEMENT", C_TYPES[dtype]), ("ROWS_AT_ONCE", str(ROWS_AT_ONCE))),
        grid=(total_blocks, 1, 1),
        block=(THREADS, 1, 1),
        arguments=tuple(arguments),
        overlaps_previous=True,
    )
    return copies, launch, used_bytes


def inner_is_k(side: Side) -> bool:
    """Whether the copy keeps k contiguous: where it is, or where neither is and k's stride is the shorter."""
    operand = side.operand
    if operand.major is not None:
        return operand.major == "row"
    return abs(operand.column_stride) <= abs(operand.row_stride)


def _copy_of(side: Side, offset_bytes: int) -> tuple[Side, int]:
    """The dense copy in the workspace, and its bytes, a multiple of 256."""
    k_major = inner_is_k(side)
    rows, inner = (side.mn, side.k) if k_major else (side.k, side.mn)
    to_row_stride = _padded(inner)
    extents = [
        extent if moves else 1 for extent, moves in zip(batch_extent_pair(side.operand.batch), side.moves, strict=True)
    ]
    matrix = rows * to_row_stride
    strides = (extents[0] * matrix if side.moves[1] else 0, matrix if side.moves[0] else 0)
    row_stride, column_stride = (to_row_stride, 1) if k_major else (1, to_row_stride)
    batch = batch_extent_pair(side.operand.batch)
    operand = Operand(side.mn, side.k, row_stride, column_stride, (batch[1], batch[0]), strides)
    copy = replace(side, buffer="workspace", operand=operand, offset=offset_bytes // side.element_bytes)
    return copy, ceil_divide(prod(extents) * matrix * side.element_bytes, 256) * 256


def _matrix(side: Side, copy: Side) -> tuple[int, list[Argument]]:
    """How many blocks a matrix takes, and its part of the parameters."""
    operand = side.operand
    rows, inner = (side.mn, side.k) if inner_is_k(side) else (side.k, side.mn)
    row_stride, inner_stride = (
        (operand.row_stride, operand.column_stride) if inner_is_k(side) else (operand.column_stride, operand.row_stride)
    )
    if inner == 1:
        inner_stride = 1
    to_row_stride = _padded(inner)
    pieces = ceil_divide(inner, PIECE_ELEMENTS)
    lanes_log2 = min((pieces - 1).bit_length(), THREADS.bit_length() - 1)
    extents = [
        extent if moves else 1 for extent, moves in zip(batch_extent_pair(operand.batch), side.moves, strict=True)
    ]
    blocks = prod(extents) * ceil_divide(rows, ROWS_AT_ONCE * (THREADS >> lanes_log2))
    batch_strides = batch_stride_pair(operand.batch_strides)
    return blocks, [
        Pointer(side.buffer, side.offset_bytes),
        Pointer("workspace", copy.offset_bytes),
        Scalar("int", rows),
        Scalar("int", inner),
        Scalar("long long", row_stride),
        Scalar("long long", inner_stride),
        Scalar("int", to_row_stride),
        Scalar("int", extents[0]),
        *(Scalar("long long", stride) for stride in batch_strides),
        Scalar("int", lanes_log2),
        Scalar("int", blocks),
    ]


def _padded(inner: int) -> int:
    multiple = LINE_ELEMENTS if inner >= 4 * LINE_ELEMENTS else PIECE_ELEMENTS
    return ceil_divide(inner, multiple) * multiple
