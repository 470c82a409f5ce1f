"""What a tile takes on Hopper, by a model: waves of tiles that multiply or fill shared memory, whichever is longer.

The model ranks tiles for shapes that nobody measured. Its numbers (tiles.toml) were fitted to measurements of
many tiles on an H200: among those tried for a shape, its choice was 5 % slower than the fastest, as a geometric mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tilewright.kernels.launch import ceil_divide
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.problem import Problem

STORE_UNIT = 32_768
FLOAT_BYTES = 4
SECTOR_BYTES = 32


@dataclass(frozen=True)
class CostModel:
    """The model's numbers: us, and what one SM or the memory does in a us."""

    launch_us: float
    multiplication_mflop_per_us: float
    filling_kb_per_us: float
    tile_us: float
    store_us: float
    memory_mb_per_us: float
    overlap: float
    splitting_us: float
    small_us: float
    small_cluster_us: float

    @classmethod
    def of(cls, numbers: Mapping[str, float]) -> CostModel:
        """Return the model of a table's numbers."""
        return cls(**numbers)

    def us(self, product: Problem, tile: WgmmaTile, sms: int) -> float:
        """Return the GPU time that a product would take, without repacking, which is the same for every tile."""
        works, waves, blocks = occupied(product, tile, sms)
        k_blocks, _, splits = cut(product.k, tile)
        step = blocks * max(
            2e-6 * tile.block_m * tile.block_n * tile.block_k / self.multiplication_mflop_per_us,
            2e-3 * lines_filled(product, tile) * tile.block_k / self.filling_kb_per_us,
        )
        each = ceil_divide(k_blocks, splits) * step + self.tile_us
        each += self.store_us * blocks * tile.block_m * tile.block_n / STORE_UNIT
        computing = waves * each
        memory = 1e-6 * product.least_bytes / self.memory_mb_per_us
        total = self.beginning_us(tile) + max(computing, memory) + self.overlap * min(computing, memory)
        if splits > 1:
            partial_bytes = 2 * FLOAT_BYTES * splits * product.batch_count * product.m * product.n
            total += self.splitting_us + 1e-6 * partial_bytes / self.memory_mb_per_us
        return total if works else 0.0

    def beginning_us(self, tile: WgmmaTile) -> float:
        """Return what passes round the tiles: the launch, and what a kernel does before its first load."""
        if not tile.small:
            return self.launch_us
        return self.small_us + (self.small_cluster_us if tile.cluster > 1 else 0.0)


def lines_filled(product: Problem, tile: WgmmaTile) -> float:
    """Return how many rows of A and columns of B take the time of filling a block's shared memory.

    Where rows (or columns) begin off 32 bytes, 128 bytes of them lie in two lines of the cache: they are asked for
    twice, but by the blocks of a cluster that share them together. Copied operands begin on lines.
    """
    here = tile.block_m + tile.block_n
    sides = (product.a, product.b)
    if any(side.copy_engine_refusal(product.element_bytes) for side in sides):
        return here
    strides = (side.leading_stride for side in sides)
    if all(stride is None or stride * product.element_bytes % SECTOR_BYTES == 0 for stride in strides):
        return here
    return max(here, 2 * (tile.block_m / tile.cluster_n + tile.block_n / tile.cluster_m))


def cut(k: int, tile: WgmmaTile) -> tuple[int, int, int]:
    """Return how many blocks of k there are, how many each split takes, and how many splits that makes."""
    k_blocks = max(1, ceil_divide(k, tile.block_k))
    per_split = ceil_divide(k_blocks, min(tile.splits, k_blocks))
    return k_blocks, per_split, ceil_divide(k_blocks, per_split)


def occupied(product: Problem, tile: WgmmaTile, sms: int) -> tuple[int, int, int]:
    """Return the tiles of all splits and batches, the waves that they take, and the blocks at work on one SM."""
    works = works_of((product.m, product.n, product.k), product.batch_count, tile)
    return works, waves_of(works, tile, sms), tile.blocks_per_sm if works > sms else 1


def works_of(sizes: tuple[int, int, int], batch: int, tile: WgmmaTile) -> int:
    """Return the tiles of all splits and batches. sizes: m, n and k."""
    m, n, k = sizes
    rows, columns = (n, m) if tile.swapped else (m, n)
    down = ceil_divide(rows, tile.block_m * tile.cluster_m) * tile.cluster_m
    across = ceil_divide(columns, tile.block_n * tile.cluster_n) * tile.cluster_n
    return down * across * batch * cut(k, tile)[2]


def waves_of(works: int, tile: WgmmaTile, sms: int) -> int:
    """Return how often all blocks that the SMs hold at a time take a tile."""
    return ceil_divide(works, sms * tile.blocks_per_sm)
