"""Where wgmma.cu and wgmma_split.cu put what they compute, C or partial sums, and which path stores it."""

from __future__ import annotations

from tilewright.kernels.batches import BatchSlice
from tilewright.kernels.launch import Arguments, TensorMap, ceil_divide
from tilewright.kernels.matmul.splitk_reduce import SUMS_AT_ONCE
from tilewright.kernels.matmul.wgmma_operands import matrix_map
from tilewright.kernels.matmul.wgmma_tile import (
    BOXES,
    BY_COLUMN_BOXES,
    BY_COLUMNS,
    BY_COPY_ENGINE,
    BY_ELEMENTS,
    BY_ROWS,
    LINE_BYTES,
    WgmmaTile,
    stored_columns,
)
from tilewright.kernels.operand import COPY_ENGINE_BYTES, DTYPE_BYTES, Operand

FLOAT32_BYTES = DTYPE_BYTES["float32"]
SWIZZLED_BYTES = (32, 64, 128)
"""Of a box's row, which is swizzled."""


class Output:
    """The output of a launch, C or partial sums in the workspace: as it lies, and which path stores it."""

    def __init__(
        self,
        buffer: str,
        operand: Operand,
        dtype: str,
        offset_bytes: int,
        tile: WgmmaTile,
        padding_is_ours: bool = False,
    ) -> None:
        self.buffer, self.operand, self.dtype, self.offset_bytes = buffer, operand, dtype, offset_bytes
        self.box_columns, self.rest_columns = stored_columns(tile.block_n, DTYPE_BYTES[dtype])
        self.store = self._store_path(DTYPE_BYTES[dtype], padding_is_ours)

    def _store_path(self, out_bytes: int, padding_is_ours: bool) -> int:
        """Return how it is stored: as boxes by TMA if possible, else as contiguous rows, else element by element."""
        c, is_narrow = self.operand, self.box_columns * out_bytes < 32
        if c.major == "column" and c.row_stride == 1 and not (is_narrow and out_bytes < FLOAT32_BYTES):
            ends_evenly = c.rows * out_bytes % COPY_ENGINE_BYTES == 0 or padding_is_ours
            if ends_evenly and c.copy_engine_refusal(out_bytes) is None:
                return BY_COLUMN_BOXES
            return BY_COLUMNS if out_bytes == FLOAT32_BYTES else BY_ELEMENTS
        if c.major != "row" or (c.columns > 1 and c.column_stride != 1) or is_narrow:
            return BY_ELEMENTS
        # On the H200, storing a box fills its last 16 bytes, but the gap between two rows of C belongs to the caller.
        ends_evenly = c.columns * out_bytes % COPY_ENGINE_BYTES == 0 or padding_is_ours
        return BY_COPY_ENGINE if ends_evenly and c.copy_engine_refusal(out_bytes) is None else BY_ROWS


def partial_sums(part: BatchSlice, tile: WgmmaTile, splits: int, offset_bytes: int) -> Output:
    """Return the output for partial sums: a dense matrix per split, in C's orientation, rows padded to 16 bytes."""
    product = part.part
    rows, columns = (product.n, product.m) if tile.transposed_problem else (product.m, product.n)
    padded = ceil_divide(columns, SUMS_AT_ONCE) * SUMS_AT_ONCE
    strides = (splits * rows * padded, rows * padded)
    dense = Operand(rows, columns, padded, 1, (product.batch_count, splits), strides)
    operand = dense.transposed if tile.transposed_problem else dense
    return Output("workspace", operand, "float32", offset_bytes, tile, padding_is_ours=True)


def maps_of_c(out: Output, batched: bool) -> Arguments:
    """Return the arguments for the tensor maps of C, if TMA stores it: of boxes, and of what they leave of a tile."""
    if out.store not in BOXES:
        return {}
    out_bytes, found = DTYPE_BYTES[out.dtype], dict[str, TensorMap]()
    for number, columns in enumerate(each for each in (out.box_columns, out.rest_columns) if each):
        box = (columns, 64) if out.store == BY_COPY_ENGINE else (LINE_BYTES // out_bytes, columns)
        row_bytes = box[0] * out_bytes
        swizzle_bytes = row_bytes if row_bytes in SWIZZLED_BYTES else 0
        found[f"maps.c[{number}]"] = matrix_map(
            out.buffer, out.dtype, out.offset_bytes, out.operand, box, swizzle_bytes, batched
        )
    return {**found}
