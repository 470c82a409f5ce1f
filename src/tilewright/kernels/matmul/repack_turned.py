"""Planning of repack_turned.cu: an operand whose rows lie along k becomes rows of k, aligned, in the workspace."""

from __future__ import annotations

from dataclasses import replace

from tilewright.kernels.epilogue import int_arguments
from tilewright.kernels.launch import Launch, Pointer, Scalar, ceil_divide
from tilewright.kernels.matmul.repack import padded_row
from tilewright.kernels.matmul.wgmma_operands import Side
from tilewright.kernels.operand import C_TYPES, Operand

SIDE, THREADS = 64, 256
"""Of a tile, and of a block."""


def turned_launch(side: Side, dtype: str, offset_bytes: int) -> tuple[Side, Launch, int]:
    """Return the operand as it lies in the workspace from an offset on, the launch, and its size in bytes."""
    row = padded_row(side.mn)
    copy = replace(side, buffer="workspace", operand=Operand(side.mn, side.k, 1, row), offset_bytes=offset_bytes)
    launch = Launch(
        kernel="matmul/repack_turned",
        macros=(("ELEMENT", C_TYPES[dtype]),),
        grid=(ceil_divide(side.k, SIDE), ceil_divide(row, SIDE), 1),
        block=(THREADS, 1, 1),
        arguments={
            "from": Pointer(side.buffer, side.offset_bytes),
            "to": Pointer("workspace", offset_bytes),
            **int_arguments("matrix", lines=side.mn, k=side.k),
            "matrix.line_stride": Scalar("long long", side.operand.row_stride),
            **int_arguments("matrix", to_row_stride=row),
        },
        overlaps_previous=True,
    )
    return copy, launch, ceil_divide(side.k * row * side.element_bytes, 256) * 256
