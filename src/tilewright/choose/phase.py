"""One phase of a tiled kernel: a block loads a tile of A and a tile of B, waits, multiplies them, and waits again."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from tilewright.kernels.taught import TaughtKernel


@dataclass(frozen=True)
class Phase:
    """What a block does in one phase, away from the matrices' edges, by the seeds' arithmetic.

    ``loads_per_block`` counts elements from global memory, all in flight together before the barrier;
    ``flops_per_block`` counts each multiply-add as two.
    """

    loads_per_thread: int
    loads_per_block: int
    flops_per_block: int


def phase_of(kernel: TaughtKernel, tile: int | None) -> Phase | None:
    """Return the phase of a kernel whose blocks share tiles of A and B; None for other kernels."""
    if not kernel.loads_once_per_block or tile is None:
        return None
    threads = prod(kernel.block(tile))
    loads_per_thread = 2 * kernel.about.row_group
    return Phase(loads_per_thread, threads * loads_per_thread, threads * 2 * tile)
