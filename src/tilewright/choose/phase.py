"""One phase of a tiled kernel: a block loads a tile of A and one of B, waits, computes with them, waits."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from tilewright.kernels.taught import TaughtKernel


@dataclass(frozen=True)
class Phase:
    """What a block does in a phase inside the matrices, by the seeds' arithmetic.

    ``loads_per_block`` are elements from global memory, all under way at once before the barrier; ``flops_per_block``
    are the multiply-adds with them, each counted as two.
    """

    loads_per_thread: int
    loads_per_block: int
    flops_per_block: int


def phase_of(kernel: TaughtKernel, tile: int | None) -> Phase | None:
    """Return the phase of a kernel whose blocks share tiles of A and B, or None for any other."""
    if not kernel.loads_once_per_block or tile is None:
        return None
    threads = prod(kernel.block(tile))
    loads_per_thread = 2 * kernel.about.row_group
    return Phase(loads_per_thread, threads * loads_per_thread, threads * 2 * tile)
