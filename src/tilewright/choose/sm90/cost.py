"""A cost model of tiles on Hopper: waves of tiles, each bound by the tensor cores or by filling shared memory.

The model ranks tiles for shapes that were not measured. Its parameters (tiles.toml) were fitted to 2,062 times of 284
random products on an H200, all in 16 bits: of 133 that were held back, the chosen tile is 3.1 % slower than the
fastest tried, as a geometric mean. In large products shared memory is filled more slowly, on an H100 as much more as
its bandwidth is less.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from tilewright.kernels.launch import ceil_divide
from tilewright.kernels.matmul.repack import repacking_blocks
from tilewright.kernels.matmul.row_classes import class_tiles, takes_row_classes
from tilewright.kernels.matmul.shared_tiles import shared_tiles
from tilewright.kernels.matmul.wgmma import ROW_CLASS_BYTES, repacking
from tilewright.kernels.matmul.wgmma_operands import Side
from tilewright.kernels.matmul.wgmma_small import BOX_COLUMNS
from tilewright.kernels.matmul.wgmma_tile import LINE_BYTES, WgmmaTile, chunk_columns, stored_columns
from tilewright.kernels.operand import COPY_ENGINE_BYTES
from tilewright.kernels.problem import Problem

STORE_UNIT, USUAL_CONSUMERS = 32_768, 2
LARGEST_CLUSTER_ANYWHERE = 2
USABLE_BY_LARGE_CLUSTERS = 0.85
"""Clusters of four filled 112 of the H200's 132 SMs at once but not 128: its SMs come in GPCs of 16 or 18."""
LARGE_FLOPS = 1.5e11
"""From so many operations on, all SMs read the L2 cache for long enough to wait for each other."""
FLOAT_BYTES = 4
SECTOR_BYTES = 32
H200_GB_PER_S = 4800.0
MOST_FREE, LEAST_BUSY, LONG_WALK, LARGE_TILE = 0.15, 0.7, 24, 96 * 128
"""A single wave on most SMs, of large tiles with so many steps of k or more, gains by those that it leaves free, up to
that share: on an H200 one of 128 to 132 tiles takes 18 % longer than one of 108 to 120 does by the same rates."""
FEW_STAGES = 3
"""With no more, loads are waited for, but where SMs have two blocks."""
WHOLE_ROW_BYTES = 256
"""Of a row that threads store at once."""
MOST_SHORT = 16
"""Elements of a line so short that the copy engine is bound by the number of lines."""


class Occupied(NamedTuple):
    """How a product fills a chip: its tiles over all splits and batches, their waves, and the busy blocks per SM.

    A tile walks ``k_blocks`` steps of k; there are ``splits`` for each tile of C. Where clusters share tiles
    (stream-K), ``turns`` is how many tiles' steps a block does, and ``others`` how many blocks' sums it adds. ``busy``:
    the share of the chip that a single wave fills, 0 for more waves.
    """

    tiles: int
    waves: int
    blocks: int
    k_blocks: int
    splits: int
    turns: float = 0.0
    others: float = 0.0
    busy: float = 0.0


@dataclass(frozen=True)
class CostModel:
    """The model's parameters: times in us, rates of one SM per us, and shares of the chip's bandwidth."""

    launch_us: float
    multiplication_mflop_per_us: float
    filling_kb_per_us: float
    large_filling_kb_per_us: float
    step_overlap: float
    short_line_us: float
    tile_us: float
    store_us: float
    memory_share: float
    overlap: float
    cluster_us: float = 0.0
    free_sms: float = 0.0
    l2_kb_per_us: float = 1e9
    few_stages: float = 0.0
    row_classes: float = 0.0
    store_narrow_boxes: float = 0.0
    store_by_rows: float = 0.0
    store_short_rows: float = 0.0
    store_by_elements: float = 0.0
    store_parts_of_sectors: float = 0.0
    splitting_us: float = 0.0
    partial_share: float = 1.0
    handing_us: float = 0.0
    handing_kb_per_us: float = 1.0
    sharing_clusters: float = 0.0
    sharing_tf32: float = 0.0
    chunk_us: float = 0.0
    chunk_kb_per_us: float = 1.0
    held_chunks: float = 0.0
    repacking_us: float = 0.0
    repacking_share: float = 1.0
    repacking_mb_per_us: float = 1.0

    @classmethod
    def of(cls, numbers: Mapping[str, float]) -> CostModel:
        """Return the model with a table's numbers."""
        return cls(**numbers)

    def us(self, product: Problem, tile: WgmmaTile, found: Occupied, bandwidth: float | None = None) -> float:
        """Return the modelled GPU time of a product, without repacking (which is the same for every tile).

        ``bandwidth``: of the chip's memory in GB/s, that of an H200 if it is not known.

        The tensor cores take as long for 16 of k in 16 bits as for 8 in tf32: both are 32 bytes.
        """
        tiles, waves, blocks, k_blocks, splits, turns, others, busy = found
        if not tiles:
            return 0.0
        storing = 1 + (self._storing(product, tile) if splits == 1 else 0)
        alone = USUAL_CONSUMERS / (USUAL_CONSUMERS if tile.small else min(USUAL_CONSUMERS, tile.consumers * blocks))
        each = self.tile_us + self.store_us * storing * blocks * alone * tile.block_m * tile.block_n / STORE_UNIT
        if not tile.small:
            # A tile that fits its stages is loaded while the one before is stored.
            each -= self.tile_us * max(0.0, 1 - k_blocks / tile.stages)
        if turns:
            # A block ends whole tiles, and two parts of others.
            computing = turns * k_blocks * self._step_us(product, tile, blocks, bandwidth) + (ceil(turns) + 1) * each
            handed_kb = 1e-3 * FLOAT_BYTES * tile.block_m * tile.block_n * (1 + others)
            computing += self.handing_us + handed_kb / self.handing_kb_per_us
            computing *= 1 + (self.sharing_clusters if tile.cluster > 1 else 0.0)
            computing *= 1 + (self.sharing_tf32 if tile.element_bytes == FLOAT_BYTES else 0.0)
        else:
            computing = waves * (k_blocks * self._step_us(product, tile, blocks, bandwidth) + each)
            if tile.chunked:
                computing += waves * blocks * self._chunks_us(product, tile)
            if busy >= LEAST_BUSY and k_blocks >= LONG_WALK and tile.block_m * tile.block_n >= LARGE_TILE:
                computing *= 1 - self.free_sms * min(1.0 - busy, MOST_FREE)
        mb_per_us = 1e-3 * (bandwidth or H200_GB_PER_S)
        moved_bytes = float(product.least_bytes)
        c_stride = max(product.c.row_stride, product.c.column_stride)
        if splits == 1 and stores_boxes(product) and not _at_sectors(product.out_bytes, c_stride):
            # Boxes write parts of sectors.
            moved_bytes += self.store_parts_of_sectors * product.out_bytes * product.c.distinct_elements
        memory = 1e-6 * moved_bytes / (self.memory_share * mb_per_us)
        total = self.launch_us + (self.cluster_us if tile.cluster > 1 else 0.0)
        total += max(computing, memory) + self.overlap * min(computing, memory)
        if tile.chunked and tile.holds_chunks:
            total *= 1 + self.held_chunks
        if splits > 1:
            partial_bytes = 2 * FLOAT_BYTES * splits * product.batch_count * product.m * product.n
            total += self.splitting_us + 1e-6 * partial_bytes / (self.partial_share * mb_per_us)
        return total

    def _chunks_us(self, product: Problem, tile: WgmmaTile) -> float:
        """Return what a block takes to add up the chunks of a tile's k."""
        sums_kb = 0.0 if tile.holds_chunks else 1e-3 * FLOAT_BYTES * tile.block_m * tile.block_n
        adding = self.chunk_us + 2 * sums_kb / self.chunk_kb_per_us
        return (ceil_divide(product.k, tile.k_per_split) - 1) * adding

    def _step_us(self, product: Problem, tile: WgmmaTile, blocks: int, bandwidth: float | None) -> float:
        """Return the time of a step of k for all blocks of an SM."""
        line_bytes = tile.element_bytes * tile.block_k
        from_l2 = 1e-3 * lines_from_l2(product, tile) * line_bytes
        if product.flops >= LARGE_FLOPS:
            filling = from_l2 / self._large_filling(bandwidth)
        else:
            filled = 1e-3 * lines_filled(product, tile) * line_bytes
            filling = max(filled / self.filling_kb_per_us, from_l2 / self.l2_kb_per_us)
        multiplying = 1e-6 * tile.block_m * tile.block_n * line_bytes / self.multiplication_mflop_per_us
        step = max(
            max(multiplying, filling) + self.step_overlap * min(multiplying, filling),
            short_lines(product, tile) * self.short_line_us,
        )
        if tile.stages <= FEW_STAGES and blocks == 1 and not tile.small:
            step *= 1 + self.few_stages
        if by_row_classes(product, tile):
            step *= 1 + self.row_classes
        return blocks * step

    def _large_filling(self, bandwidth: float | None) -> float:
        """Return the rate in large products, in KB/us of an SM."""
        return self.large_filling_kb_per_us * (bandwidth or H200_GB_PER_S) / H200_GB_PER_S

    def _storing(self, product: Problem, tile: WgmmaTile) -> float:
        """Return how much more it takes to store C in narrow boxes, or by threads where the copy engine cannot."""
        is_by_rows = (product.c.column_stride == 1) != tile.transposed_problem
        if stores_boxes(product):
            narrow = is_by_rows and stored_columns(tile.block_n, product.out_bytes)[0] * product.out_bytes < LINE_BYTES
            return self.store_narrow_boxes if narrow else 0.0
        if not is_by_rows:
            return self.store_by_elements
        # Threads pass rows of a power of two through shared memory, whole where they have 256 bytes.
        whole = WHOLE_ROW_BYTES // product.out_bytes
        pieces = whole / chunk_columns(tile.block_n, whole)
        return self.store_by_rows * (1 + self.store_short_rows * (pieces - 1))

    def repacking_of(self, problem: Problem, tile: WgmmaTile, bandwidth: float | None = None) -> float:
        """Return the modelled time of repacking: what cannot be read as it lies with a tile is read and written."""
        repacked = [each for each, why in zip((problem.a, problem.b), repacking(problem), strict=True) if why]
        if by_row_classes(problem, tile):
            repacked.remove(problem.b if tile.transposed_problem else problem.a)
        if not repacked:
            return 0.0
        moved = [2e-6 * problem.element_bytes * operand.distinct_elements for operand in repacked]
        rates = [self.repacking_mb_per_us * repacking_blocks(operand) for operand in repacked]
        of_blocks = [mb / rate for mb, rate in zip(moved, rates, strict=True)]
        of_memory = sum(moved) / (1e-3 * self.repacking_share * (bandwidth or H200_GB_PER_S))
        return self.repacking_us + max(of_memory, *of_blocks)


def usable_sms(cluster: int, sms: int) -> int:
    """Return how many of a chip's SMs clusters of so many blocks find at once."""
    return sms if cluster <= LARGEST_CLUSTER_ANYWHERE else int(sms * USABLE_BY_LARGE_CLUSTERS)


def stores_boxes(product: Problem) -> bool:
    """Whether the copy engine can store C, in either orientation."""
    c = product.c
    along = c.rows if c.row_stride == 1 else c.columns
    is_whole = min(c.row_stride, c.column_stride) == 1 and along * product.out_bytes % COPY_ENGINE_BYTES == 0
    return is_whole and c.copy_engine_refusal(product.out_bytes) is None


def lines_filled(product: Problem, tile: WgmmaTile) -> float:
    """Return how many rows of A and columns of B a block loads per step of k, counted as the cache sees them."""
    aligned = tile.block_m + _columns_filled(product, tile)
    return max(aligned, lines_from_l2(product, tile)) if _begin_off_sectors(product) else aligned


def lines_from_l2(product: Problem, tile: WgmmaTile) -> float:
    """Return the same without what the other blocks of a cluster load for it.

    Where rows (or columns) start off a 32-byte boundary, 128 bytes of them span two cache lines, so each is requested
    twice.
    """
    lines = tile.block_m / tile.cluster_n + _columns_filled(product, tile) / tile.cluster_m
    return 2 * lines if _begin_off_sectors(product) else lines


def _begin_off_sectors(product: Problem) -> bool:
    """Whether rows or columns start off a 32-byte boundary. Repacked operands do not."""
    is_aligned = _at_sectors(product.element_bytes, product.a.leading_stride, product.b.leading_stride)
    return not is_aligned and not any(product.copy_engine_refusals)


def _at_sectors(element_bytes: int, *strides: int | None) -> bool:
    """Whether lines so many elements apart, or of no stride, begin at multiples of 32 bytes."""
    return all(stride is None or stride * element_bytes % SECTOR_BYTES == 0 for stride in strides)


def _columns_filled(product: Problem, tile: WgmmaTile) -> int:
    """Return how many columns of B a block loads: boxes along columns have 64 of them, whatever the tile's width."""
    b = product.a if tile.transposed_problem else product.b.transposed
    is_copied = tile.small and tile.block_n < BOX_COLUMNS
    if b.major != "column" or is_copied:
        return tile.block_n
    return ceil_divide(tile.block_n, BOX_COLUMNS) * BOX_COLUMNS


def short_lines(product: Problem, tile: WgmmaTile) -> int:
    """Return how many short lines a block loads per step of k.

    Those of a narrow operand that does not lie along k, and with a short k those of operands that do.
    """
    sides = product.a, product.b.transposed
    if product.k <= MOST_SHORT:
        blocks = (tile.block_n, tile.block_m) if tile.transposed_problem else (tile.block_m, tile.block_n)
        return sum(lines for side, lines in zip(sides, blocks, strict=True) if side.major != "column")
    narrow = [side for side in sides if side.rows <= MOST_SHORT and side.major == "column"]
    lies_so = not any(product.copy_engine_refusals) or by_row_classes(product, tile)
    return tile.block_k if narrow and lies_so else 0


def by_row_classes(product: Problem, tile: WgmmaTile) -> bool:
    """Whether tiles take every eighth row of what would else be repacked (kernels/matmul/row_classes.py)."""
    if tile.small or tile.k_classes or product.element_bytes != ROW_CLASS_BYTES:
        return False
    a, b, (refused, of_b) = product.a, product.b.transposed, product.copy_engine_refusals
    if tile.transposed_problem:
        a, b, refused = b, a, of_b
    return refused is not None and takes_row_classes(Side("A", a), Side("B", b), product, tile)


def occupied(
    sizes: tuple[int, int, int], batch: int, tile: WgmmaTile, sms: int, *, row_classes: bool = False
) -> Occupied:
    """Return how a product fills a chip with so many SMs, one tile per resident block and wave. sizes: m, n and k."""
    m, n, k = sizes
    rows, columns = (n, m) if tile.transposed_problem else (m, n)
    down, across = tile.clusters_over(rows, columns)
    if row_classes:
        down = class_tiles(rows, tile)
    _, k_blocks, splits = tile.split_k(k)
    tiles = down * across * tile.cluster * batch * splits
    places = sms * tile.blocks_per_sm
    waves = ceil_divide(tiles, places)
    busy = tiles / places if waves == 1 else 0.0
    found = Occupied(tiles, waves, tile.blocks_per_sm if tiles > sms else 1, k_blocks, splits, busy=busy)
    if not tile.stream_k:
        return found
    shared = shared_tiles(tiles // tile.cluster, max(1, places // tile.cluster), k_blocks)
    if not shared.tiles:
        return found
    return found._replace(turns=tiles / (shared.clusters * tile.cluster), others=max(1, shared.clusters / shared.tiles))
