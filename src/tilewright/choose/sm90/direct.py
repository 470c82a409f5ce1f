"""Whether 16-bit operands that TMA cannot address are multiplied as they lie, or repacked first for Hopper's kernels.

To repack is to read an operand, to write it and to read it again, after a launch of its own. Where memory is the limit
(few rows or columns, a huge k, small products) matmul/mma_sync is faster, which reads it once: by its and by
matmul/wgmma's cost model.
"""

from __future__ import annotations

from tilewright.choose.sm90.cost import few_rows_tiles
from tilewright.choose.sm90.rule import repacked_us
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.matmul import mma_sync
from tilewright.kernels.matmul.wgmma import repacking
from tilewright.kernels.problem import Problem

HOPPER = (9, 0)
FEW = 16
"""Up to so many rows or columns, aligned operands are compared, too: matmul/wgmma takes 64 rows or columns at once."""


def advantage_of_direct(problem: Problem, facts: DeviceFacts) -> str | None:
    """Return why operands are not repacked, as half a sentence, or None if they need not be or it may be faster.

    For a product in a 16-bit type; None on chips without matmul/wgmma, too.
    """
    if facts.compute_capability != HOPPER or facts.machine != "gpu" or problem.is_empty or problem.k == 0:
        return None
    is_repacked = any(repacking(problem))
    if not is_repacked and (min(problem.m, problem.n) > FEW or any(few_rows_tiles(problem, facts.sm_count or 1))):
        return None
    direct_us, hopper_us = mma_sync.us(problem, facts), repacked_us(problem, facts)
    if direct_us >= hopper_us:
        return None
    other = "to repack them for matmul/wgmma" if is_repacked else "by matmul/wgmma"
    direct = f"to multiply its operands as they lie takes about {direct_us:,.0f} us by the model"
    return f"{direct}, and {hopper_us:,.0f} us {other}"
