"""How results of the float32 and float64 kernels leave their blocks (device/epilogue/store_some.cuh)."""

from __future__ import annotations

from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Pointer, TensorMap
from tilewright.kernels.matmul.float_tile import FloatTile, Shares
from tilewright.kernels.matmul.wgmma_operands import matrix_map
from tilewright.kernels.problem import Problem

BY_ELEMENTS, BY_VECTORS, BY_ROWS, BY_BOXES = "BY_ELEMENTS", "BY_VECTORS", "BY_ROWS", "BY_BOXES"
VECTOR_BYTES = 16
HOPPER = (9, 0)
STAGED_ROWS, STAGED_PADDING = 16, 8
"""Of results in shared memory, in rows of a warp (device/epilogue/store_rows.cuh)."""
BOX_BYTES = 128
"""Of a row of a box (device/epilogue/store_boxes.cuh)."""


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


def map_of_c(product: Problem, c: Pointer, tile: FloatTile) -> dict[str, TensorMap]:
    """Return the tensor map with which warps store their results."""
    box = (BOX_BYTES // product.out_bytes, tile.block_m // tile.warps[0])
    found = matrix_map(c.buffer, product.out_dtype, c.offset_bytes, product.c, box, BOX_BYTES, batched=True)
    return {"map_c": found}
