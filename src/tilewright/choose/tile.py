"""Choosing the tile of a taught kernel, with the reason in a sentence."""

from __future__ import annotations

from math import prod
from typing import Any

from tilewright.choose.occupancy.limits import resident_blocks
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.kernel import TileRule
from tilewright.kernels.problem import Problem
from tilewright.kernels.taught import TaughtKernel

SEED_TILES = (32, 16)


def choose_tile(
    problem: Problem, kernel: TaughtKernel, facts: DeviceFacts, asked: Any, *, free: bool
) -> tuple[int, str]:
    """Return the tile and the reason for it.

    A tile that was asked for is used as given. A kernel that was asked for by name gets its default tile. If the
    choice is ``free``, square tiles follow seed 000: of 32 and 16, the one that keeps more threads on an SM. On a tie
    it is 32, which loads less, unless that leaves SMs idle. The default is used if the SM's limits are not known.
    """
    assert kernel.tile is not None
    if asked is not None:
        return asked, f"Tile {asked} was asked for; {kernel.name} takes tiles {kernel.tile}."
    default = kernel.tile.default
    if not free:
        return default, f"Tile {default} is the default of {kernel.name}, which takes tiles {kernel.tile}."
    if kernel.tile.power_of_two:
        return _longest(kernel, kernel.tile, facts)

    blocks_of = {tile: (prod(kernel.block(tile)), kernel.shared_bytes(tile, problem.dtype)) for tile in SEED_TILES}
    fitting = [tile for tile in SEED_TILES if _fits(*blocks_of[tile], facts)]
    if len(fitting) < len(SEED_TILES):
        tile = fitting[0] if fitting else default
        return tile, f"Tile {tile}: a block of tile 32 does not fit {facts.name}."
    large, small = (_resident_threads(*blocks_of[tile], facts) for tile in SEED_TILES)
    if large is None or small is None:
        return default, f"Tile {default}, the default: the threads that an SM of {facts.name} holds are not known."
    held = f"an SM of {facts.name} holds {small:,} threads in blocks of tile 16 and {large:,} in blocks of tile 32"
    if small > large:
        return 16, f"Tile 16: {held}."
    if large > small:
        return 32, f"Tile 32: {held}."
    blocks = prod(kernel.grid(*problem.sizes, 32))
    if facts.sm_count is not None and blocks < facts.sm_count:
        return 16, f"Tile 16: tile 32 makes {blocks:,} blocks, which leaves some of the {facts.sm_count} SMs idle."
    return 32, f"Tile 32: {held}, and the larger tile loads less."


def _longest(kernel: TaughtKernel, rule: TileRule, facts: DeviceFacts) -> tuple[int, str]:
    allowed = facts.max_threads_per_block or rule.largest
    tile = max(
        tile for tile in range(1, rule.largest + 1) if rule.accepts(tile) and tile <= max(allowed, rule.smallest)
    )
    return (
        tile,
        f"Tile {tile}: the longest block that {facts.name} allows leaves {kernel.name} the fewest partial sums.",
    )


def _fits(threads: int, shared_bytes: int, facts: DeviceFacts) -> bool:
    return (facts.max_threads_per_block is None or threads <= facts.max_threads_per_block) and (
        facts.shared_bytes_per_block is None or shared_bytes <= facts.shared_bytes_per_block
    )


def _resident_threads(threads: int, shared_bytes: int, facts: DeviceFacts) -> int | None:
    blocks = resident_blocks(facts, threads, shared_bytes)
    return None if blocks is None else blocks * threads
