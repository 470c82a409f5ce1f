"""What a kernel of the catalogue loads and what L1, L2 and DRAM read of it, without a GPU.

The thesis (seed 003) shows this for the reduced product in its figures 4.4 and 4.5: `thesis_figures` gives both as
data.
Loads are counted by execution; what the caches do with them is modelled (docs/silicon.md says how well).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilewright.choose import EMULATOR_FACTS, Problem, choose_plan
from tilewright.emulate.observers.caches.observer import CacheObserver, CacheTraffic
from tilewright.kernels.catalogue import find_taught
from tilewright.lab.compiled_occupancy import compiled_occupancy
from tilewright.lab.on_zeros import run_on_zeros

DEVICE = "h200"
THESIS_TILES = (8, 16, 32)


@dataclass(frozen=True)
class CacheReading:
    """One launch: a kernel and its reads.

    load_requests and load_sectors are counted; traffic is modelled. blocks_per_sm: as planned with, and registers:
    where the count is from.
    """

    kernel: str
    tile: int | None
    dtype: str
    m: int
    n: int
    k: int
    blocks_per_sm: int
    registers: str
    load_requests: int
    load_sectors: int
    traffic: CacheTraffic

    def __str__(self) -> str:
        """What was read at each level, the L2 reads with their interval."""
        traffic, tile = self.traffic, f" tile {self.tile}" if self.tile else ""
        return (
            f"{self.kernel}{tile} {self.dtype}, {self.m}x{self.n}x{self.k}: {self.load_requests:,} loads of "
            f"{self.load_sectors:,} sectors, {self.l1_hit_rate:.1%} of them in L1; modelled: "
            f"{traffic.l2_reads:,} L2 reads (likely {traffic.l2_reads_low:,} to {traffic.l2_reads_high:,}), "
            f"{traffic.dram_reads:,} DRAM reads"
        )

    @property
    def l1_hit_rate(self) -> float:
        """The part of the loaded sectors that L1 had."""
        return self.traffic.l1_hits / self.load_sectors if self.load_sectors else 0.0


def cache_reading(
    kernel: str, m: int, n: int, k: int, *, tile: int | None = None, dtype: str = "float32"
) -> CacheReading:
    """Run a kernel of the catalogue on the emulator and model the caches of an H200.

    Args:
        kernel: its name, such as "reduced_matmul/tiled".
        m: rows of A.
        n: columns of B.
        k: columns of A, rows of B; the length of a dot product's vectors.
        tile: the kernel's tile; None: its default.
        dtype: "float32" or "float64".

    Raises:
        UnknownKernelError, PlanError: no such kernel, tile, type or sizes.
    """
    operation, _, idea = kernel.partition("/")
    find_taught(operation, idea)
    plan = choose_plan(Problem.of(operation, m, n, k, dtype), EMULATOR_FACTS, kernel=kernel, tile=tile)
    limits, registers = compiled_occupancy(kernel, DEVICE, tile=plan.side, dtype=dtype)
    blocks_per_sm = limits.blocks_per_sm or 1
    observer = CacheObserver(blocks_per_sm)
    counts = run_on_zeros(plan, observers=[observer]).counts
    assert observer.traffic is not None
    loads = counts.global_load_requests, counts.global_load_sectors
    return CacheReading(kernel, plan.side, dtype, m, n, k, blocks_per_sm, registers, *loads, observer.traffic)


def thesis_figures(n: int, tiles: Sequence[int] = THESIS_TILES) -> list[CacheReading]:
    """Return figures 4.4 and 4.5 as data: the naive and the tiled reduced product at n x n, a row per kernel and tile.

    The thesis has n = 4096; here that takes minutes per kernel, and 512 seconds.
    """
    naive = cache_reading("reduced_matmul/naive_p", n, n, n)
    return [naive, *(cache_reading("reduced_matmul/tiled", n, n, n, tile=tile) for tile in tiles)]
