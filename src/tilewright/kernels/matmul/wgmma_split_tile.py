"""The tiles of wgmma_split.cu, and a model of their times, by which one is chosen, with splits of k or without."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tilewright.kernels.launch import ceil_divide
from tilewright.kernels.matmul.split_float32 import PARTS
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.problem import Problem

STEP, PROMOTE_STEPS = 16, 2
"""The inner indices of one instruction, and after how many of them a sum is promoted."""
SUMS_IN_MEMORY_FROM = 512
"""Above this inner size sums are kept in groups, which wait in memory."""

TILES = {
    "bf16x6": (
        (WgmmaTile(128, 192, 4), 3.12),
        (WgmmaTile(128, 128, 5), 1.95),
        (WgmmaTile(128, 96, 6), 1.58),
        (WgmmaTile(128, 64, 6), 1.15),
    ),
    "fp16x3": (
        (WgmmaTile(128, 128, 6), 1.15),
        (WgmmaTile(128, 96, 6), 0.99),
        (WgmmaTile(128, 64, 6), 0.71),
    ),
}
"""By precision, those that are chosen from, the largest first; each with the time that 64 of k take, in us."""
WIDEST_WITH_EPILOGUE = 128
"""A consumer of a wider tile has no registers left for what an epilogue reads."""


@dataclass(frozen=True)
class Rates:
    """What a precision takes beside the blocks of k, in us: the launches, a tile and each of its columns, split-K."""

    launches_us: float
    tile_us: float
    column_us: float
    split_k_us: float


RATES = {"bf16x6": Rates(8.0, 0.76, 0.0134, 2.2), "fp16x3": Rates(15.2, 0.85, 0.0585, 4.4)}
"""fp16x3 has a launch more, which finds exponents, and multiplies each result by those of its row and column."""
MEMORY_MB_PER_US = 3.9
"""The model's rates, fitted with those of the tiles to 205 times of 30 products on an H200, k from 64 to 16,384: it
errs by 4 and 5 %, and its choices take 0.1 and 0.6 % longer than the fastest, at most 1 and 7 %."""
LEAST_BLOCKS_PER_SPLIT = 4
MOST_SPLITS = 64


def group_blocks(k_blocks: int, block_k: int) -> int:
    """Return how many blocks of k a group has, whose sums then go to memory.

    p promotions in g groups leave a rounding error of p / g^2 + g in its square, the least for g = (2 p)^(1/3).
    """
    if k_blocks * block_k <= SUMS_IN_MEMORY_FROM:
        return k_blocks
    promotions = k_blocks * block_k // (STEP * PROMOTE_STEPS)
    return ceil_divide(k_blocks, round((2 * promotions) ** (1 / 3)))


def best_tile(
    product: Problem, precision: str, sms: int, asked: tuple[int, int] | None = None
) -> tuple[float, WgmmaTile]:
    """Return the tile that the model finds the fastest, of the size asked if one is, after its time in us."""
    return min(timed_tiles(product, precision, sms, asked), key=lambda each: each[0])


def timed_tiles(
    product: Problem, precision: str, sms: int, asked: tuple[int, int] | None = None
) -> list[tuple[float, WgmmaTile]]:
    """Return the tiles that may be the fastest, with splits of k and without, each after its modelled time in us."""
    return [
        (_us(product, split, (RATES[precision], block_us), sms) + split_us(product, precision), split)
        for tile, block_us in TILES[precision]
        if (tile.block_n <= WIDEST_WITH_EPILOGUE or product.epilogue.is_plain if asked is None else _is(tile, asked))
        for split in _splits(tile, product, sms)
    ]


def split_us(product: Problem, precision: str) -> float:
    """Return the modelled time of splitting A and B, in us: each is read (twice where it is scaled), parts written."""
    dtype, planes = PARTS[precision]
    element_bytes = 4 * (2 if dtype == "float16" else 1) + 2 * planes
    return 1e-6 * element_bytes * (product.a.distinct_elements + product.b.distinct_elements) / MEMORY_MB_PER_US


def _is(tile: WgmmaTile, asked: tuple[int, int]) -> bool:
    return (tile.block_m, tile.block_n) == asked


def _us(product: Problem, tile: WgmmaTile, rates: tuple[Rates, float], sms: int) -> float:
    """Return the modelled time of all but splitting A and B: waves of tiles, and adding the sums of splits of k."""
    of_precision, block_us = rates
    _, per_split, splits = tile.split_k(product.k)
    down, across = tile.clusters_over(product.m, product.n)
    waves = ceil_divide(down * across * splits * product.batch_count, sms)
    of_tile = of_precision.tile_us + tile.block_n * of_precision.column_us
    us = of_precision.launches_us + waves * (of_tile + per_split * block_us)
    if splits > 1:
        us += of_precision.split_k_us
        us += 4e-6 * (splits + 1) * product.batch_count * product.m * product.n / MEMORY_MB_PER_US
    return us


def _splits(tile: WgmmaTile, product: Problem, sms: int) -> Iterator[WgmmaTile]:
    """Yield the tile, alone and with as many splits of k as fill the chip once or twice."""
    yield tile
    down, across = tile.clusters_over(product.m, product.n)
    most = min(ceil_divide(product.k, tile.block_k) // LEAST_BLOCKS_PER_SPLIT, MOST_SPLITS)
    for fill in (1, 2):
        splits = min(fill * sms // (down * across * product.batch_count), most)
        if splits > 1:
            yield replace(tile, splits=splits)
