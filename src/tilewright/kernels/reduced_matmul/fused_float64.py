"""Reduced products of float64 by kernels of matrix products that add pairs as they load them.

matmul/mma_sync_float64 adds them as they leave shared memory; matmul/few_lines, for a few rows or columns of C, as they
come from memory.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul import few_lines
from tilewright.kernels.matmul.line_pairs import of_first_lines
from tilewright.kernels.matmul.mma_sync_float64 import KERNEL as PRODUCTS
from tilewright.kernels.matmul.mma_sync_float64 import tile_of
from tilewright.kernels.problem import Problem

KERNEL = replace(
    PRODUCTS,
    tiles=(
        tile_of(128, 64, (4, 2), 4, 1, (0.705, 0.3, 3.27), (2.28, 1.18)),
        tile_of(64, 128, (2, 4), 4, 1, (0.748, 0.3, 3.18), (1.53, 1.12)),
        tile_of(16, 128, (1, 4), 3, 1, (0.501, 0.5, 1.48), (1.2, 1.1)),
        tile_of(64, 32, (4, 1), 4, 2, (0.337, 0.299, 1.61), (2.45, 0.963)),
        tile_of(32, 64, (2, 2), 4, 2, (0.34, 0.308, 1.76), (1.83, 1.05)),
        tile_of(16, 64, (1, 4), 6, 1, (0.3, 0.301, 1.42), (1.13, 0.918)),
        tile_of(32, 32, (2, 2), 4, 3, (0.26, 0.215, 1.26), (1.44, 1.07)),
    ),
    pair_sums=True,
)
"""Their times were fitted to 519 of 71 products on an H200. Of 24 that were held back, the chosen tile is 0.3 % slower
than the fastest tried."""


def refusal(tile: object) -> str | None:
    """Return why there is no such tile, as a sentence, or None."""
    refused = KERNEL.refusal(tile)
    return refused and refused.replace(KERNEL.name, "reduced_matmul/fused", 1)


def launches(problem: Problem, facts: DeviceFacts, tile: object) -> Launches:
    """Return the launches of each part of the batch; raises as `Multistage.launches`."""
    product = of_first_lines(problem)
    if tile is None and _few_lines_us(product, facts) < (KERNEL.us(product, facts) if facts.sm_count else 0):
        found = few_lines.launches(product, facts, None, pair_sums=True)
        why = "Pairs are added as they come from memory, by matmul/few_lines."
    else:
        found = KERNEL.launches(product, facts, tile)
        why = "Pairs are added as they leave shared memory, in the launch that multiplies their sums."
    return replace(found, reasons=(why, *found.reasons))


def us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time on a chip whose SMs are counted."""
    product = of_first_lines(problem)
    return min(KERNEL.us(product, facts), _few_lines_us(product, facts))


def _few_lines_us(product: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time of matmul/few_lines, infinite where it does not compute a product."""
    refused = not facts.sm_count or product.is_empty or product.k == 0
    if refused or few_lines.refusal(product, facts, None, pair_sums=True) is not None:
        return inf
    return few_lines.us(product, facts, pair_sums=True)
