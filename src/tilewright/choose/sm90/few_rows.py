"""Tiles on Hopper for few rows by a large matrix: memory sets the pace, and each SM streams columns of B.

C^T = B^T A^T is computed, so that the columns of B are the long side of a tile and the few rows of A its short one.
What counts is that nearly every SM has a tile, that its rows of B are 128 bytes wide or more, and that as many stages
as the pace of memory takes are on their way. Measured on an H200 for 1 to 64 rows, inner sizes and columns from 2,048
to 14,336, B along either index: 0.98 to 1.22 times as fast as torch, where tiles of 32 columns of B or of few stages
were up to 3 times slower.
"""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.kernels.launch import ceil_divide
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.problem import Problem

LEAST_INNER, MOST_INNER = 2048, 16384
"""As were measured: with a longer one and few tiles, cutting the inner size keeps more SMs busy."""
LEAST_TILES = 32
NARROW, WIDE = 64, 128
"""Columns of B that a block takes: the narrow tiles while each SM has one at most, then the wide ones."""
STAGES = {(NARROW, 16): 6, (NARROW, 32): 8, (NARROW, 64): 6, (WIDE, 16): 5, (WIDE, 32): 4, (WIDE, 64): 4}
"""By columns of B and rows of A."""
INNER = 128
WHY = "few rows, whose time is that of reading B: the fastest of those tried on an H200 for so many columns"


def few_rows_tiles(product: Problem, sms: int) -> Iterator[tuple[WgmmaTile, str]]:
    """Yield the tile, if the product has as few rows as were measured, and half a sentence that says why."""
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
            yield WgmmaTile(columns, rows, stages, consumers=1, block_k=INNER, swapped=True, small=True), WHY
            return
