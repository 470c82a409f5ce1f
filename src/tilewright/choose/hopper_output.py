"""Where kernels/matmul/wgmma.cu stores, and how: C, or partial sums in the workspace."""

from __future__ import annotations

from tilewright.choose.batches import BatchSlice
from tilewright.choose.hopper_tile import BY_COPY_ENGINE, BY_ELEMENTS, BY_ROWS, HopperTile, chunk_columns
from tilewright.choose.multiplication import COPY_ENGINE_BYTES, DTYPE_BYTES, Operand
from tilewright.kernels.kernel import ceil_divide

SUMS_AT_ONCE = 4
"""How many partial sums a thread of sum_splits.cu loads at once: rows of them are padded to 16 bytes."""


class Output:
    """Where wgmma.cu stores: C, or partial sums in the workspace."""

    def __init__(self, part: BatchSlice, tile: HopperTile) -> None:
        product = part.part
        self.buffer, self.operand, self.dtype = "C", product.c, product.out_dtype
        self.offset_bytes = part.c_offset * product.out_bytes
        self.floats_of_split = 0
        self.store = _way_out(self.operand, self.dtype, tile)

    @classmethod
    def of_partial_sums(cls, part: BatchSlice, tile: HopperTile, splits: int, offset_bytes: int) -> Output:
        """Dense row-major matrices as the caller's C lies, rows padded to 16 bytes, a split after another."""
        product = part.part
        rows, columns = (product.n, product.m) if tile.swapped else (product.m, product.n)
        padded = ceil_divide(columns, SUMS_AT_ONCE) * SUMS_AT_ONCE
        output = cls(part, tile)
        output.buffer, output.dtype, output.offset_bytes = "workspace", "float32", offset_bytes
        output.floats_of_split = rows * padded
        batches = product.batch_count
        strides = (splits * rows * padded, rows * padded)
        dense = Operand(rows, columns, padded, 1, (batches, splits), strides)
        output.operand = dense.transposed if tile.swapped else dense
        output.store = _way_out(output.operand, "float32", tile, padding_is_ours=True)
        return output


def _way_out(c: Operand, dtype: str, tile: HopperTile, padding_is_ours: bool = False) -> int:
    """How C is stored: boxes where the copy engine can, rows where they are contiguous, else element by element."""
    out_bytes = DTYPE_BYTES[dtype]
    if c.major != "row" or (c.columns > 1 and c.column_stride != 1):
        return BY_ELEMENTS
    if chunk_columns(tile.block_n, 128 // out_bytes) * out_bytes < 32:
        return BY_ELEMENTS
    # Seen on the H200: a stored box fills its last 16 bytes, and what lies between two rows of C is the caller's.
    ends_evenly = c.columns * out_bytes % COPY_ENGINE_BYTES == 0 or padding_is_ours
    return BY_COPY_ENGINE if ends_evenly and c.copy_engine_refusal(out_bytes) is None else BY_ROWS
