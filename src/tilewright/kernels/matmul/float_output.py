"""How results of the float32 and float64 kernels leave their blocks (device/epilogue/store_some.cuh)."""

from __future__ import annotations

from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Pointer, TensorMap, ceil_divide
from tilewright.kernels.matmul.float_tile import FloatTile, Shares
from tilewright.kernels.matmul.wgmma_operands import matrix_map
from tilewright.kernels.problem import Problem

BY_ELEMENTS, BY_VECTORS, BY_ROWS, BY_BOXES = "BY_ELEMENTS", "BY_VECTORS", "BY_ROWS", "BY_BOXES"
VECTOR_BYTES = 16
HOPPER = (9, 0)
STAGED_ROWS, STAGED_PADDING = 16, 8
"""Of results in shared memory, in rows of a warp (device/epilogue/store_rows.cuh)."""
BOX_BYTES, BOXES_BEGIN = 128, 1024
"""Of a row of a box, and on which multiple the boxes of a warp begin (device/epilogue/store_boxes.cuh)."""
LAYER_BYTES, STEPS_LEFT_BYTES = 40, 4
"""Of what a kernel declares in shared memory: each tile that a block takes in turn, the steps that blocks share."""


def store_of(product: Problem, tile: FloatTile, shares: Shares, facts: DeviceFacts | None = None) -> str:
    """Return how results leave: as boxes where blocks stay and the given chip has a copy engine to store them."""
    c, size = product.c, product.out_bytes
    if c.major != "row" or c.column_stride != 1 or (shares.blocks and not tile.apart):
        return BY_ELEMENTS
    # Storing a box fills its last 16 bytes, but the gap between two rows of C belongs to the caller.
    can_store = c.columns * size % VECTOR_BYTES == 0 and c.copy_engine_refusal(size) is None
    if tile.stays and can_store and facts is not None and facts.compute_capability == HOPPER:
        return BY_BOXES
    return BY_VECTORS if c.vector_bytes(size) == VECTOR_BYTES else BY_ROWS


def staged_bytes(tile: FloatTile, element_bytes: int, store: str | None) -> int:
    """Return the shared memory of results beside the stages, where these hold the next tile."""
    if not tile.stays:
        return 0
    if store == BY_BOXES:
        return tile.block_m * tile.block_n * element_bytes
    down, across = tile.warps
    return down * across * STAGED_ROWS * (tile.block_n // across + STAGED_PADDING) * element_bytes


def declared_bytes(tile: FloatTile, shares: Shares, store: str | None) -> int:
    """Return the shared memory that the kernel declares itself, up to where the stages, or results, may begin."""
    of_tiles = LAYER_BYTES * (tile.stages + 1) if tile.stays else 0
    begin = BOXES_BEGIN if store == BY_BOXES else VECTOR_BYTES
    return ceil_divide(of_tiles + (STEPS_LEFT_BYTES if shares.blocks else 0), begin) * begin


def map_of_c(product: Problem, c: Pointer, tile: FloatTile) -> dict[str, TensorMap]:
    """Return the tensor map with which warps store their results."""
    box = (BOX_BYTES // product.out_bytes, tile.block_m // tile.warps[0])
    found = matrix_map(c.buffer, product.out_dtype, c.offset_bytes, product.c, box, BOX_BYTES, batched=True)
    return {"map_c": found}
