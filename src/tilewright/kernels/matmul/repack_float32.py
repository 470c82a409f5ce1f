"""Planning of repack_float32.cu: float32 operands become rows of k, as the tensor cores read tf32."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from tilewright.kernels.epilogue import NO_ADDRESS
from tilewright.kernels.launch import Arguments, Launch, Pointer, Scalar, ceil_divide
from tilewright.kernels.matmul.split_float32 import (
    FLOAT32_BYTES,
    MEMBERS,
    REGION,
    THREADS,
    WORKSPACE_MULTIPLE,
    matrix_values,
)
from tilewright.kernels.matmul.wgmma_operands import Side
from tilewright.kernels.operand import Operand

LINE_ELEMENTS, VECTOR_ELEMENTS = 32, 4
"""128 bytes, with which TMA reads no line of a neighbouring row; 16 bytes, which it needs."""


def repack_float32_launch(sides: Sequence[Side]) -> tuple[dict[str, Side], Launch, int]:
    """Return the repacked operands by the buffer that each replaces, the launch, and their size in bytes.

    Broadcast batches are repacked once. One launch repacks both operands.
    """
    copies: dict[str, Side] = {}
    arguments: Arguments = {}
    total, used_bytes = 0, 0
    for number, side in enumerate(sides, 1):
        (one, _), (two, _) = side.operand.batch_steps
        batches = [extent if moves else 1 for extent, moves in zip((one, two), side.moves, strict=True)]
        copy, size_bytes = _copy_of(side, batches, used_bytes)
        blocks = prod(batches) * ceil_divide(side.mn, REGION) * ceil_divide(side.k, REGION)
        copies[side.buffer] = copy
        arguments |= {
            f"from_{number}": Pointer(side.buffer, side.offset_bytes),
            f"to_{number}": Pointer("workspace", used_bytes),
            **_members(number, matrix_values(side, copy.operand.row_stride, blocks)),
        }
        total += blocks
        used_bytes += size_bytes
    if len(sides) == 1:
        arguments |= {"from_2": NO_ADDRESS, "to_2": NO_ADDRESS, **_members(2, [0] * len(MEMBERS))}
    launch = Launch(
        kernel="matmul/repack_float32",
        macros=(),
        grid=(total, 1, 1),
        block=(THREADS, 1, 1),
        arguments=arguments,
        overlaps_previous=True,
    )
    return copies, launch, used_bytes


def _members(number: int, values: Sequence[int]) -> Arguments:
    return {
        f"matrix_{number}.{name}": Scalar(ctype, value) for (name, ctype), value in zip(MEMBERS, values, strict=True)
    }


def _copy_of(side: Side, batches: Sequence[int], offset_bytes: int) -> tuple[Side, int]:
    """Return the repacked operand in the workspace, and its size in bytes. ``batches``: 1 where they are broadcast."""
    multiple = LINE_ELEMENTS if side.k >= 4 * LINE_ELEMENTS else VECTOR_ELEMENTS
    row = ceil_divide(side.k, multiple) * multiple
    matrix = side.mn * row
    (one, _), (two, _) = side.operand.batch_steps
    strides = (batches[0] * matrix if side.moves[1] else 0, matrix if side.moves[0] else 0)
    operand = Operand(side.mn, side.k, row, 1, (two, one), strides)
    size_bytes = prod(batches) * matrix * FLOAT32_BYTES
    copy = replace(side, buffer="workspace", operand=operand, offset_bytes=offset_bytes)
    return copy, ceil_divide(size_bytes, WORKSPACE_MULTIPLE) * WORKSPACE_MULTIPLE
