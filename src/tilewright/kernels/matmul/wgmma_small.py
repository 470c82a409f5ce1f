"""Planning of wgmma_small.cu: one block per tile of C."""

from __future__ import annotations

from dataclasses import replace

from tilewright.kernels.batches import BatchSlice
from tilewright.kernels.epilogue import (
    NO_ADDRESS,
    bias_macros,
    epilogue_macros,
    epilogue_pointers,
    epilogue_scalars,
    int_arguments,
    stride_arguments,
)
from tilewright.kernels.launch import MAX_GRID_Y, Extent, Launch, Pointer, Scalar
from tilewright.kernels.matmul.chunks import chunk_macros
from tilewright.kernels.matmul.wgmma_operands import Side, staged_c_operand, stages_of_c_operand, tile_map
from tilewright.kernels.matmul.wgmma_tile import SHARED_BYTES_PER_BLOCK, WgmmaTile
from tilewright.kernels.operand import COPY_ENGINE_BYTES
from tilewright.kernels.problem import Problem
from tilewright.kernels.refusals import PlanError

BOX_COLUMNS = 64
"""128 bytes, the width of a box of B's rows: those of narrower tiles are copied by threads."""
MOST_TILES = 2**31 - 2**16
MOST_SPLITS = 8
"""The blocks of a cluster that every chip runs."""


def _layout_refusal(product: Problem, tile: WgmmaTile, b: Side) -> str | None:
    """Return why the kernel cannot compute a product of operands that lie so with a tile, as a sentence, or None."""
    for name, refusal in zip("AB", product.copy_engine_refusals, strict=True):
        if refusal:
            return f"matmul/wgmma_small repacks nothing, and of {name} {refusal}."
    if _is_copied(b, tile) and (tile.cluster > 1 or tile.block_n > BOX_COLUMNS):
        return (
            f"B's rows come in boxes of {BOX_COLUMNS} columns, or one block's warp copies fewer of them, and this tile "
            f"has {tile.block_n} in clusters of {tile.cluster}."
        )
    if tile.splits > 1 and (tile.splits > MOST_SPLITS or tile.cluster > 1):
        return (
            f"matmul/wgmma_small splits the inner dimension into at most {MOST_SPLITS} parts, which are a cluster, and "
            f"this tile has {tile.splits} in clusters of {tile.cluster}."
        )
    if tile.persistent and (tile.splits > 1 or tile.cluster > 1 or _has_squares(product)):
        return "Persistent blocks of matmul/wgmma_small multiply all of k, alone, and store C as it is."
    return storing_refusal(product)


def storing_refusal(product: Problem) -> str | None:
    """Return why the kernel cannot store a product's C, as a sentence, or None."""
    c = product.c
    if _has_squares(product):
        return None if c.major is not None else "matmul/wgmma_small stores rows or columns that are contiguous."
    if c.copy_engine_refusal(product.out_bytes) is not None:
        return "matmul/wgmma_small stores rows or columns that are contiguous and begin on 16 bytes."
    row_bytes = product.out_bytes * (c.columns if c.major == "row" else c.rows)
    if row_bytes % COPY_ENGINE_BYTES:
        return f"matmul/wgmma_small stores rows or columns of a multiple of 16 bytes, not {row_bytes}."
    return None


def _has_squares(product: Problem) -> bool:
    """Whether C is that of a reduced product, whose squares of 2 x 2 sums are added as they are stored."""
    return product.operation == "reduced_matmul"


def _is_copied(b: Side, tile: WgmmaTile) -> bool:
    """Whether threads copy B, whose columns are contiguous and fewer than a box of the copy engine has."""
    return not b.k_major and tile.block_n % BOX_COLUMNS != 0


def _size_refusal(product: Problem, tile: WgmmaTile, k_blocks: int, grid: Extent, shared_bytes: int) -> str | None:
    """Return why the kernel cannot compute a product of these sizes with a tile, as a sentence, or None."""
    if shared_bytes > SHARED_BYTES_PER_BLOCK:
        return (
            f"{tile.stages} stages and the sums of a cluster take {shared_bytes:,} bytes of shared memory of "
            f"{SHARED_BYTES_PER_BLOCK:,}."
        )
    if tile.stages == 1 and k_blocks > 1:
        return (
            f"One stage holds {tile.block_k} of k, and there are {product.k}: the next would wait for the one before."
        )
    if tile.persistent and grid[0] * grid[1] * grid[2] > MOST_TILES:
        return f"Persistent blocks of matmul/wgmma_small count up to {MOST_TILES:,} tiles."
    if not tile.persistent and max(grid[1:]) > MAX_GRID_Y:
        return f"matmul/wgmma_small has a grid of up to {MAX_GRID_Y:,} tiles across and in a batch."
    return None


def small_launch(part: BatchSlice, tile: WgmmaTile, sides: tuple[Side, Side], sms: int) -> Launch:
    """Return the launch for a product on a chip of so many SMs.

    ``part`` is the problem as the kernel computes it, so already transposed for a tile of the transposed problem.

    Raises:
        PlanError: the kernel cannot compute it with this tile.
    """
    product = part.part
    a, b = sides
    k_blocks, per_split, splits = tile.parts_of_k(product.k)
    down, across = tile.clusters_over(product.m, product.n)
    grid = (down * tile.cluster_m, across * tile.cluster_n, product.batch_count * splits)
    tiles = down * across * product.batch_count
    shared_bytes = tile.small_bytes(splits)
    in_a_block = k_blocks if tile.chunked else per_split
    refused = _layout_refusal(product, tile, b) or _size_refusal(product, tile, in_a_block, grid, shared_bytes)
    if refused:
        raise PlanError(refused)
    if tile.persistent:
        grid = (min(tiles, sms * tile.blocks_per_sm), 1, 1)
    c = product.c
    (batches_1, c_stride_1), (_, c_stride_2) = c.batch_steps
    batched = product.batch_count > 1
    leading = c.leading_stride
    assert leading is not None
    is_copied = _is_copied(b, tile)
    may_be_staged = splits == 1 and not is_copied and not _has_squares(product) and not tile.persistent
    of_c_operand, c_operand_map = staged_c_operand(part, tile, batched) if may_be_staged else ((), {})
    if of_c_operand:
        tile = _with_stages_for_c_operand(product, tile, k_blocks, b_k_major=b.k_major)
        shared_bytes = tile.small_bytes(splits)
    macros = (
        *epilogue_macros(product),
        *of_c_operand,
        *bias_macros(product, along_rows=tile.transposed_problem),
        *tile.macros,
        ("CLUSTER_K", str(splits)),
        *chunk_macros(tile),
        ("A_K_MAJOR", str(int(a.k_major))),
        ("B_K_MAJOR", str(int(b.k_major))),
        ("B_COPIED", str(int(is_copied))),
        ("BATCHED", str(int(batched))),
        ("C_BY_COLUMNS", str(int(c.major == "column"))),
        ("SQUARES", str(int(_has_squares(product)))),
        *((("PERSISTENT", "1"),) if tile.persistent else ()),
    )
    arguments = {
        "maps.a": tile_map(a, product.dtype, tile, tile.block_m, tile.cluster_n, batched),
        **({} if is_copied else {"maps.b": tile_map(b, product.dtype, tile, tile.block_n, tile.cluster_m, batched)}),
        **c_operand_map,
        "B": Pointer(b.buffer, b.offset_bytes) if is_copied else NO_ADDRESS,
        "C": Pointer("C", part.c_offset * product.out_bytes),
        **epilogue_pointers(product, part.c_operand_offset),
        **int_arguments(
            "product",
            m=product.m,
            n=product.n,
            k_blocks=k_blocks,
            k_blocks_per_split=per_split,
            batches_1=batches_1,
            a_moves_1=a.moves[0],
            a_moves_2=a.moves[1],
            b_moves_1=b.moves[0],
            b_moves_2=b.moves[1],
            k=product.k,
            tiles=tiles,
        ),
        **stride_arguments("product.b", b.operand.transposed if is_copied else None),
        "product.c_stride": Scalar("long long", leading),
        "product.c_batch_stride_1": Scalar("long long", c_stride_1),
        "product.c_batch_stride_2": Scalar("long long", c_stride_2),
        **epilogue_scalars(product, bias_along_rows=tile.transposed_problem),
    }
    return Launch(
        kernel="matmul/wgmma_small",
        macros=macros,
        grid=grid,
        block=(tile.threads, 1, 1),
        arguments=arguments,
        cluster=(tile.cluster_m, tile.cluster_n, splits),
        shared_bytes=shared_bytes,
        overlaps_previous=True,
    )


def about(launch: Launch) -> tuple[str, ...]:
    """Return a sentence on the blocks of a cluster that share k, if they do."""
    splits = launch.cluster[2]
    if splits == 1:
        return ()
    return (
        f"Split-K: the {splits} blocks of a cluster multiply parts of k, and the first adds all sums in a fixed order.",
    )


def _with_stages_for_c_operand(product: Problem, tile: WgmmaTile, k_blocks: int, *, b_k_major: bool) -> WgmmaTile:
    """Return the tile with stages for all of k and the C operand, which is then loaded at once; else unchanged."""
    stages = k_blocks + stages_of_c_operand(tile, product.out_bytes, b_k_major=b_k_major)
    more = replace(tile, stages=max(stages, tile.stages))
    fits = more.small_bytes(1) <= SHARED_BYTES_PER_BLOCK
    return more if fits and tile.blocks_per_sm == 1 else tile
