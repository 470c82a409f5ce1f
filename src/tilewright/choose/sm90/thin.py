"""Tiles for thin products on Hopper, and a model of their times.

A thin product has a C of at most 64 rows, or at most 64 columns, and is bound by reading its long operand. A tile has
all of the short side, or a part of it; the blocks of a cluster share k where there are fewer tiles than SMs, and where
there are more, blocks may be persistent (matmul/wgmma_small). Where C has few rows, the transposed problem
C^T = B^T A^T is computed, so that the short side is the narrow one of a tile.

The model was fitted to 3,186 times of 140 random products on an H200, aligned and of one matrix. In 146 others, 28 of
them batches, half of its times were within 8 %, and its choice was 2.3 % slower than the fastest of 11 tiles tried, as
a geometric mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tilewright.choose.sm90.cost import usable_sms
from tilewright.kernels.invariant import k_per_chunk
from tilewright.kernels.launch import ceil_divide
from tilewright.kernels.matmul.wgmma_small import BOX_COLUMNS
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.problem import Problem

MOST_SHORT = 64
"""Rows or columns of a thin product."""
PARTS = {24: 16, 32: 16, 40: 16, 48: 16, 64: 32, 96: 48, 128: 64}
"""For a short side of so many, the columns of a narrower tile, too: more blocks read the long operand."""
WIDTHS = (8, 16, *PARTS)
SHAPES = ((64, 64), (64, 128), (128, 64), (128, 128))
"""Rows and inner indices of a tile."""
MOST_STAGES = {64: 12, 128: 8}
LEAST_STAGES = 3
STAGES_BYTES = {1: 200_000, 2: 100_000}
"""The shared memory of a block, where so many share an SM."""
SPLITS = (1, 2, 4, 8)
LEAST_K_BLOCKS_PER_SPLIT = 2
MOST_BLOCKS_PER_SM = 4
"""Of a product whose k is split."""

LAUNCH_US, WAVE_US, STEP_US = 2.77, 1.54, 0.042
ARRIVAL_US, SM_KB_PER_US = 0.29, 139
"""What a stage takes to arrive, and how much arrives at an SM at most, however many stages are under way."""
COPIED_US, ACROSS_US = 0.038, 0.015
"""Of a step's 64 inner indices: for eight columns that threads copy, and where the long operand lies across k."""
STORE_US, STORE_UNIT = 3.9, 32_768
CHUNK_US = 0.2
"""For each chunk of k but the first."""
CLUSTER_US, CLUSTER_US_PER_KB = 0.47, 0.025
NEXT_TILE_US, PERSISTENT_ALONG, PERSISTENT_ACROSS = 0.3, 1.06, 1.03
"""From a tile to the next one of a persistent block, and by how much it has to be faster than a block for each tile,
by whether the long operand lies along k."""
MEMORY_SHARE, OVERLAP = 1.05, 0.61
H200_MB_PER_US = 4.8


def thin_tiles(
    product: Problem, sms: int, bandwidth: float | None, most_short: int = MOST_SHORT
) -> list[tuple[float, WgmmaTile]]:
    """Return tiles for a thin product with their modelled times in us, the fastest first; none if it is not thin.

    ``bandwidth``: of the chip's memory in GB/s, that of an H200 if it is not known. ``most_short``: rows or columns of
    a thin product.
    """
    short = min(product.m, product.n)
    if short > most_short or any(product.copy_engine_refusals):
        return []
    if product.batch_count > 1 and product.batch_count * ceil_divide(max(product.m, product.n), SHAPES[0][0]) < sms:
        return []  # a product of so few tiles is over before their stages pay
    found = [(_us(product, tile, sms, bandwidth), index, tile) for index, tile in enumerate(_tiles(product, sms))]
    return [(us, tile) for us, _, tile in sorted(found)]


def _tiles(product: Problem, sms: int) -> Iterator[WgmmaTile]:
    short, long = sorted((product.m, product.n))
    whole = next(width for width in WIDTHS if short <= width)
    fixed = k_per_chunk(product, sms) if product.invariant else 0
    parts = ceil_divide(product.k, fixed) if fixed else 1
    ways = (1, parts)[: 2 if 1 < parts <= SPLITS[-1] else 1] if product.invariant else SPLITS
    for width in dict.fromkeys((whole, PARTS.get(whole, whole))):
        for block_m, block_k in SHAPES:
            for resident, most_bytes in STAGES_BYTES.items():
                for splits in ways:
                    sums_bytes = 4 * (splits - 1) * block_m * width
                    stages = (most_bytes - sums_bytes) // (2 * block_k * (block_m + width))
                    tile = WgmmaTile(
                        block_m,
                        width,
                        min(stages, MOST_STAGES[block_k]),
                        consumers=block_m // 64,
                        block_k=block_k,
                        blocks_per_sm=resident,
                        splits=splits,
                        k_per_split=fixed,
                        chunked=fixed > 0 and splits == 1,
                        transposed_problem=product.m < product.n,
                        small=True,
                    )
                    blocks = ceil_divide(long, block_m) * ceil_divide(short, width) * splits * product.batch_count
                    is_split = splits > 1
                    if (
                        stages >= LEAST_STAGES
                        and (resident == 1 or blocks > sms)
                        and not (is_split and blocks > MOST_BLOCKS_PER_SM * sms)
                        and not (is_split and product.k < LEAST_K_BLOCKS_PER_SPLIT * splits * block_k)
                    ):
                        yield tile
                        room = most_bytes - tile.lines_bytes
                        fewer = min(tile.stages, room // (2 * block_k * (block_m + width)))
                        may_last = not is_split and blocks > resident * sms and product.operation == "matmul"
                        if may_last and fewer >= LEAST_STAGES:
                            yield replace(tile, stages=fewer, persistent=True)


def _us(product: Problem, tile: WgmmaTile, sms: int, bandwidth: float | None) -> float:
    short, long = sorted((product.m, product.n))
    narrow, wide = (product.a, product.b.transposed) if product.m < product.n else (product.b.transposed, product.a)
    _, k_blocks, splits = tile.split_k(product.k)
    tiles = ceil_divide(long, tile.block_m) * ceil_divide(short, tile.block_n) * product.batch_count
    blocks = tiles * splits
    resident = min(tile.blocks_per_sm, ceil_divide(blocks, sms))
    waves, turns = ceil_divide(blocks, usable_sms(splits, sms) * tile.blocks_per_sm), 1
    if tile.persistent:
        waves, turns = 1, waves
    stage_kb = 2e-3 * tile.block_k * (tile.block_m + tile.block_n)
    kb_per_us = min(SM_KB_PER_US, min(tile.stages, turns * k_blocks) * stage_kb * resident / ARRIVAL_US)
    is_copied = narrow.major == "column" and tile.block_n % BOX_COLUMNS != 0
    slowed = (COPIED_US * tile.block_n / 8 if is_copied else 0) + (ACROSS_US if wide.major == "column" else 0)
    step = resident * (stage_kb / kb_per_us + STEP_US + slowed * tile.block_k / 64)
    storing = STORE_US * tiles / sms * tile.block_m * tile.block_n / STORE_UNIT
    chunks = ceil_divide(product.k, tile.k_per_split) if tile.chunked else 1
    of_k = k_blocks * step + resident * (chunks - 1) * CHUNK_US
    computing = waves * (WAVE_US + turns * of_k + (turns - 1) * NEXT_TILE_US) + storing
    memory = 1e-6 * product.least_bytes / (MEMORY_SHARE * (1e-3 * bandwidth if bandwidth else H200_MB_PER_US))
    us = LAUNCH_US + max(computing, memory) + OVERLAP * min(computing, memory)
    if tile.persistent:
        us *= PERSISTENT_ACROSS if wide.major == "column" else PERSISTENT_ALONG
    if splits > 1:
        us += CLUSTER_US + CLUSTER_US_PER_KB * 4e-3 * (splits - 1) * tile.block_m * tile.block_n
    return us
