"""What kernels share that load fragments straight from global memory (device/mma/direct_fragments.cuh)."""

from __future__ import annotations

from tilewright.kernels.operand import Operand
from tilewright.kernels.problem import Problem

STEP = 16
"""The inner indices of one instruction, and the rows or columns that fragments come in."""
SINGLE, ALONG, ACROSS = 0, 1, 2
"""A_LOADS and B_LOADS: elements by themselves, two neighbours along k, two neighbours across it."""
MOST_BLOCKS_ACROSS = 65_535
"""Blocks of a grid along y and z."""
MOST_OFFSET = 2**31 - 2**16
"""Elements: what 32 bits count within a line, and past its end."""
MEMORY_SHARE = 1.0
"""What products reach of the bandwidth."""


def loads_of(operand: Operand, element_bytes: int) -> int:
    """Return how an operand is loaded whose columns are k: by several elements where all lie at such addresses."""
    if operand.vector_bytes(element_bytes) < 2 * element_bytes:
        return SINGLE
    if operand.major == "row":
        return ALONG if operand.columns % 2 == 0 else SINGLE
    return ACROSS if operand.rows % 2 == 0 else SINGLE


def k_run(product: Problem, steps: int) -> int:
    """Return K_RUN: how many neighbours along k a thread loads at once of an operand that lies along k.

    As many as all such operands allow, 8 only where ``steps`` steps are loaded in pairs.
    """
    run, size = 8 if steps % 2 == 0 else 4, product.element_bytes
    sides = [side for side in (product.a, product.b.transposed) if loads_of(side, size) == ALONG]
    for side in sides:
        while run * size > side.vector_bytes(size) or side.columns % run:
            run //= 2
    return run if sides else 2


def loads_per_step(operand: Operand, element_bytes: int, run: int) -> float:
    """Return what the loads of 16 lines of an operand by 16 inner indices cost a warp, in loads of single elements.

    A load of 16 bytes along k costs hardly less than one of 4: each lane's lies in a sector of its own. Fitted to 1,778
    times of 374 products on an H200.
    """
    return {SINGLE: 8, ACROSS: 3.5, ALONG: 3 + 2 / run}[loads_of(operand, element_bytes)]


def offset_refusal(name: str, problem: Problem) -> str | None:
    """Return why inner indices cannot be counted in 32 bits, as a sentence, or None."""
    span = max(abs(problem.a.column_stride), abs(problem.b.row_stride)) * (problem.k + 1024)
    return None if span <= MOST_OFFSET else f"{name} counts inner indices in 32 bits, and they span {span:,} elements."


def fits_grid(grid: tuple[int, int, int]) -> bool:
    """Return whether a grid is within CUDA's limits."""
    return max(grid[1:]) <= MOST_BLOCKS_ACROSS
