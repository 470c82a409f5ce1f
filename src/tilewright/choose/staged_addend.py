"""When the addend comes by the copy engine, through the stages of A and B (include/addend_in_stages.cuh)."""

from __future__ import annotations

from tilewright.choose.batches import BatchSlice
from tilewright.choose.epilogue import Macros
from tilewright.choose.hopper_maps import matrix_map
from tilewright.choose.hopper_tile import HopperTile, chunk_columns
from tilewright.choose.launches import PlannedLaunch, TensorMap
from tilewright.kernels.kernel import ceil_divide

PART_ROWS = 64
LINE_BYTES = 128
NARROWEST_SWIZZLE_BYTES = 32


def staged_addend(part: BatchSlice, tile: HopperTile, batched: bool) -> tuple[Macros, tuple[TensorMap, ...]]:
    """Return the macros and the map for the addend, none where the copy engine cannot address it.

    ``part`` is the product as the kernel sees it: transposed already where the tile is swapped.
    """
    addend, out_bytes = part.part.addend, part.part.out_bytes
    if addend is None or addend.copy_engine_refusal(out_bytes) is not None:
        return (), ()
    columns = chunk_columns(tile.block_n, LINE_BYTES // out_bytes)
    by_columns = addend.major == "column"
    if by_columns:
        sizes, box = (addend.rows, addend.columns), (LINE_BYTES // out_bytes, columns)
    else:
        sizes, box = (addend.columns, addend.rows), (columns, PART_ROWS)
    line_bytes = box[0] * out_bytes
    swizzle_bytes = line_bytes if line_bytes >= NARROWEST_SWIZZLE_BYTES else 0
    offset_bytes = part.addend_offset * out_bytes
    one = matrix_map("addend", part.part.out_dtype, offset_bytes, addend, sizes, box, swizzle_bytes, batched)
    return (("ADDEND_STAGED", "1"), ("ADDEND_BY_COLUMNS", str(int(by_columns)))), (one,)


def stages_of_addend(tile: HopperTile, out_bytes: int, *, b_k_major: bool) -> int:
    """Return how many stages a tile's part of the addend takes: ADDEND_STAGES of include/addend_in_stages.cuh."""
    part_bytes = PART_ROWS * chunk_columns(tile.block_n, LINE_BYTES // out_bytes) * out_bytes
    line_bytes = 2 * tile.block_k
    b_columns = tile.block_n if b_k_major else 64 * ceil_divide(tile.block_n, 64)
    room = tile.block_m * line_bytes // part_bytes + b_columns * line_bytes // part_bytes
    return ceil_divide(tile.block_m * tile.block_n * out_bytes // part_bytes // tile.consumers, room // tile.consumers)


def about_addend(part: BatchSlice, launch: PlannedLaunch) -> tuple[str, ...]:
    """Return a sentence that says how the launch that adds the addend reads it, and why; none where there is none."""
    addend = part.part.addend
    if addend is None or not launch.has("ADDEND"):
        return ()
    if launch.has("ADDEND_STAGED"):
        return ("c is read by the copy engine, into the stages behind the last of k, while that is multiplied.",)
    refusal = addend.copy_engine_refusal(part.part.out_bytes)
    why = f"of c {refusal}" if refusal else "the copy engine brings every row, and these tiles have every eighth"
    if not launch.kernel.startswith("matmul/wgmma"):
        why = "that is where the partial sums are added"
    return (f"c is read by the threads that add it: {why}.",)
