"""Tiles for products by classes of k (kernels/matmul/k_classes.py), and a model of their times.

The model was fitted to 433 times of random products on an H200 (random_plans_h200.json). Of those held back in turn its
choice was 0.5 % slower than the fastest tile tried, as a geometric mean, and its times were 9 % off.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tilewright.choose.sm90.cost import FLOAT_BYTES, H200_GB_PER_S, Occupied
from tilewright.kernels.launch import ceil_divide
from tilewright.kernels.matmul import k_classes
from tilewright.kernels.matmul.repack_turned import SIDE
from tilewright.kernels.matmul.row_classes import CLASSES
from tilewright.kernels.matmul.wgmma_small import BOX_COLUMNS
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.problem import Problem

TILES = (
    WgmmaTile(64, 64, 5, consumers=1, block_k=128, k_classes=True),
    WgmmaTile(64, 128, 8, consumers=1, k_classes=True),
    WgmmaTile(64, 192, 6, consumers=1, k_classes=True),
    WgmmaTile(128, 128, 6, k_classes=True),
    WgmmaTile(128, 192, 4, k_classes=True),
    WgmmaTile(128, 256, 4, k_classes=True),
)
LEAST_K_BLOCKS = 2
"""Of a part of a class."""
LAUNCHES_US, START_US, STEP_US, FILLING_KB_PER_US = 8.0, 0.38, 0.034, 48.0
"""Of the product and the sum of its parts; of a block, each of its steps, and how fast it fills shared memory."""
MEMORY_SHARE, PARTIAL_SHARE, OVERLAP = 1.07, 0.96, 0.29
TURNING_US, TURNING_SHARE = 0.9, 0.7
"""What an operand that lies along k takes before: a launch more, and of the bandwidth, to read and to write it. The
lines of a tile are turned together; those that are missing of the last ones take half as long as others. Fitted to 303
times."""


def class_tiles(product: Problem, sms: int, bandwidth: float | None) -> list[tuple[float, WgmmaTile, Occupied]]:
    """Return tiles for a product with their modelled times in us; none where its k cannot be taken in classes.

    ``bandwidth``: of the chip's memory in GB/s, that of an H200 if it is not known.
    """
    if k_classes.refusal(product) is not None:
        return []
    mb_per_us = 1e-3 * (bandwidth or H200_GB_PER_S)
    first_us = _turning_us(product, mb_per_us)
    return [(first_us + _us(product, tile, filled, mb_per_us), tile, filled) for tile, filled in _divided(product, sms)]


def _turning_us(product: Problem, mb_per_us: float) -> float:
    name = k_classes.turned(product)
    if name is None:
        return 0.0
    lines = product.m if name == "A" else product.n
    together = ceil_divide(lines, SIDE) * SIDE
    moved_bytes = product.element_bytes * product.k * (lines + together)
    return TURNING_US + 1e-6 * moved_bytes / (TURNING_SHARE * mb_per_us)


def _divided(product: Problem, sms: int) -> Iterator[tuple[WgmmaTile, Occupied]]:
    """Yield the tiles with as many parts of a class as give every SM a block."""
    m, n, k = product.m + k_classes.MORE, product.n + k_classes.MORE, ceil_divide(product.k, CLASSES)
    for tile in TILES:
        for transposed_problem in (False, True):
            down, across = tile.clusters_over(*((n, m) if transposed_problem else (m, n)))
            blocks = down * across * CLASSES
            parts = max(1, min(sms // blocks, k // (LEAST_K_BLOCKS * tile.block_k)))
            found = replace(tile, transposed_problem=transposed_problem, splits=parts)
            _, k_blocks, parts = found.split_k(k)
            waves = ceil_divide(blocks * parts, sms)
            yield found, Occupied(blocks * parts, waves, 1, k_blocks, CLASSES * parts)


def _us(product: Problem, tile: WgmmaTile, filled: Occupied, mb_per_us: float) -> float:
    columns = ceil_divide(tile.block_n, BOX_COLUMNS) * BOX_COLUMNS
    step_kb = 1e-3 * product.element_bytes * tile.block_k * (tile.block_m + columns)
    step = STEP_US * tile.block_k / 64 + step_kb / FILLING_KB_PER_US
    computing = filled.waves * (START_US + filled.k_blocks * step)
    memory = 1e-6 * product.least_bytes / (MEMORY_SHARE * mb_per_us)
    partial_bytes = 2 * FLOAT_BYTES * filled.splits * (product.m + k_classes.MORE) * (product.n + k_classes.MORE)
    adding = 1e-6 * partial_bytes / (PARTIAL_SHARE * mb_per_us)
    return LAUNCHES_US + max(computing, memory) + OVERLAP * min(computing, memory) + adding
