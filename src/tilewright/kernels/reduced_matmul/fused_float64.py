"""Reduced products of float64 by matmul/mma_sync_float64, which adds pairs as they leave shared memory.

Once they are added, an operand has half of its lines: `of_first_lines` gives the planning of matrix products a problem
of that size, and `Multistage.pairs` copies all lines.
"""

from __future__ import annotations

from dataclasses import replace

from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul.mma_sync_float64 import KERNEL as PRODUCTS
from tilewright.kernels.matmul.mma_sync_float64 import tile_of
from tilewright.kernels.operand import Operand
from tilewright.kernels.problem import Problem

KERNEL = replace(
    PRODUCTS,
    tiles=(
        tile_of(128, 64, (4, 2), 4, 1, (0.705, 0.3, 3.27), (2.28, 1.18)),
        tile_of(64, 128, (2, 4), 4, 1, (0.748, 0.3, 3.18), (1.53, 1.12)),
        tile_of(16, 128, (1, 4), 3, 1, (0.501, 0.5, 1.48), (1.2, 1.1)),
        tile_of(64, 32, (4, 1), 4, 2, (0.337, 0.299, 1.61), (2.45, 0.963)),
        tile_of(32, 64, (2, 2), 4, 2, (0.34, 0.308, 1.76), (1.83, 1.05)),
        tile_of(16, 64, (1, 4), 6, 2, (0.3, 0.301, 1.42), (1.13, 0.918)),
        tile_of(32, 32, (2, 2), 4, 3, (0.26, 0.215, 1.26), (1.44, 1.07)),
    ),
    pairs=True,
)
"""Their times were fitted to 519 of 71 products on an H200. Of 24 that were held back, the chosen tile is 0.3 % slower
than the fastest tried."""


def refusal(tile: object) -> str | None:
    """Return why there is no such tile, as a sentence, or None."""
    refused = KERNEL.refusal(tile)
    return refused and refused.replace(KERNEL.name, "reduced_matmul/fused", 1)


def launches(problem: Problem, facts: DeviceFacts, tile: object) -> Launches:
    """Return the launches of each part of the batch; raises as `Multistage.launches`."""
    found = KERNEL.launches(of_first_lines(problem), facts, tile)
    why = "Pairs are added as they leave shared memory, in the launch that multiplies their sums."
    return replace(found, reasons=(why, *found.reasons))


def us(problem: Problem, facts: DeviceFacts) -> float:
    """Return the modelled time on a chip whose SMs are counted."""
    return KERNEL.us(of_first_lines(problem), facts)


def of_first_lines(problem: Problem) -> Problem:
    """Return the product of the first row of each of A's pairs with the first column of each of B's."""
    a, b = _first_rows(problem.a), _first_rows(problem.b.transposed).transposed
    return replace(problem, operation="matmul", a=a, b=b)


def _first_rows(operand: Operand) -> Operand:
    return replace(operand, rows=operand.rows // 2, row_stride=2 * operand.row_stride)
