"""Tiles on Hopper for a product of few rows: it is bound by memory, and each SM streams columns of B.

The transposed problem C^T = B^T A^T is computed, so that the columns of B are the long side of a tile and the few rows
of A its short side. Such a product is fast if nearly every SM has a tile, if the rows of B in a tile are at least 128
bytes wide, and if enough stages are in flight to saturate memory. Measured on an H200 for 1 to 64 rows, k and n from
2,048 to 14,336, B row-major and column-major: 0.98 to 1.22 times as fast as torch. Tiles of 32 columns of B or of few
stages were up to 3 times slower.
"""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.kernels.launch import ceil_divide
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.problem import Problem

LEAST_INNER, MOST_INNER = 2048, 16384
"""The measured range of k. Above it, split-K keeps more SMs busy when there are few tiles."""
LEAST_TILES = 32
NARROW, WIDE = 64, 128
"""Columns of B per tile: narrow as long as one wave suffices, else wide."""
STAGES = {(NARROW, 16): 6, (NARROW, 32): 8, (NARROW, 64): 6, (WIDE, 16): 5, (WIDE, 32): 4, (WIDE, 64): 4}
"""Stages by (columns of B, rows of A)."""
INNER = 128
WHY = "few rows, whose time is that of reading B: the fastest of those tried on an H200 for so many columns"


def few_rows_tiles(product: Problem, sms: int) -> Iterator[tuple[WgmmaTile, str]]:
    """Yield the tile for a product of few rows within the measured range, and the reason as half a sentence."""
    rows = next((block for block in (16, 32, 64) if product.m <= block), None)
    if rows is None or product.batch_count > 1 or product.c.major == "column":
        return
    if not LEAST_INNER <= product.k <= MOST_INNER:
        return
    if ceil_divide(product.n, NARROW) < LEAST_TILES:
        return
    for columns in (NARROW, WIDE):
        if ceil_divide(product.n, columns) <= sms:
            stages = STAGES[columns, rows]
            yield WgmmaTile(columns, rows, stages, consumers=1, block_k=INNER, transposed_problem=True, small=True), WHY
            return
