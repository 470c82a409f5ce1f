"""Tiles as wide as a product asks for: so wide that a few whole waves of them cover C, and no wider.

Six tiles of 256 columns cover 1,352, the last one nearly empty. Five of 272 are too wide for a block, ten of 136 fit:
with 13 tiles of 256 rows above one another they are 130, one wave on 132 SMs. Widths are multiples of 8, as the tensor
cores' are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tilewright.choose.sm90.cost import MOST_FREE, stores_boxes
from tilewright.kernels.launch import ceil_divide
from tilewright.kernels.matmul.wgmma import repacking
from tilewright.kernels.matmul.wgmma_tile import BY_COPY_ENGINE, SHARED_BYTES_PER_BLOCK, WgmmaTile
from tilewright.kernels.problem import Problem

HEIGHTS = {64: 1, 128: 2, 192: 3, 256: 2}
"""Rows of a tile, and how many consumers share them."""
CLUSTERS = ((2, 1), (1, 2), (1, 1))
NARROWEST, WIDEST, STEP = 64, 256, 8
ALONG_N_STEP = 16
"""Of a B that lies along its columns: of 48 large products timed on an H200, other widths were 10 % slower there."""
BOX_STEP = 32
"""Of results in float32 and where a C operand is loaded: other widths move boxes of as few as 8 columns there."""
MOST_WAVES = 6
"""Beyond so many, the usual tiles leave little of the last one empty."""
FEW_ACROSS = 4
"""Tiles across, for a C that split-K covers many times."""
MOST_STAGES, LEAST_STAGES = 8, 3


def fitting_tiles(product: Problem, sms: int) -> Iterator[WgmmaTile]:
    """Yield tiles of both orientations; none where threads store C, which take powers of two of a row at once."""
    if any(repacking(product)) or not stores_boxes(product):
        return
    for transposed_problem in (False, True):
        rows, columns = (product.n, product.m) if transposed_problem else (product.m, product.n)
        loads_c = product.c_operand is not None and not transposed_problem  # its lines are columns, else
        b_k_major = (product.a if transposed_problem else product.b.transposed).major != "column"
        step = BOX_STEP if product.out_bytes == 4 or loads_c else STEP if b_k_major else ALONG_N_STEP
        for block_m in HEIGHTS:
            for cluster_m, cluster_n in CLUSTERS:
                down = ceil_divide(rows, block_m * cluster_m) * cluster_m * product.batch_count
                for width in _widths(columns, down, cluster_n, sms, step):
                    tile = _tile(block_m, width, (cluster_m, cluster_n), product.out_bytes, b_k_major=b_k_major)
                    if tile is not None:
                        yield tile.of_transposed_problem if transposed_problem else tile


def _widths(columns: int, down: int, cluster_n: int, sms: int, step: int) -> Iterator[int]:
    """Yield the multiples of ``step`` with which columns, ``down`` tiles high, take few tiles across, or few waves.

    One of these waves leaves some SMs free (cost.py).
    """
    places = int((1 - MOST_FREE / 2) * sms), *(waves * sms for waves in range(1, MOST_WAVES + 1))
    in_waves = (each // down // cluster_n * cluster_n for each in places)
    seen = set()
    for across in (*range(cluster_n, FEW_ACROSS + 1, cluster_n), *in_waves):
        if across == 0:
            continue
        width = ceil_divide(columns, across * step) * step
        if NARROWEST <= width <= WIDEST and width not in seen:
            seen.add(width)
            yield width


@cache
def _tile(block_m: int, width: int, cluster: tuple[int, int], out_bytes: int, *, b_k_major: bool) -> WgmmaTile | None:
    """Return the tile with as many stages as fit, or None if too few do."""
    for stages in range(MOST_STAGES, LEAST_STAGES - 1, -1):
        tile = WgmmaTile(block_m, width, stages, HEIGHTS[block_m], cluster_m=cluster[0], cluster_n=cluster[1])
        shared = tile.shared_bytes(BY_COPY_ENGINE, out_bytes, b_k_major=b_k_major)
        if shared <= SHARED_BYTES_PER_BLOCK and tile.refusal is None:
            return tile
    return None
