"""Stream-K of wgmma.cu: how clusters share the last tiles of a grid whose turns do not come out even (sm90/parts.cuh).

Where 132 SMs take 160 tiles in turn, 104 of them wait in the second turn for 28. Shared, each takes as many steps along
k as any other, of one to two tiles: a part of a tile is handed within the launch to the cluster that ends it.
"""

from __future__ import annotations

from typing import NamedTuple

from tilewright.kernels.matmul.wgmma_tile import WgmmaTile

LEAST_STEPS = 4
"""Of k for each cluster."""
MOST_STEPS = 2**31 - 1
"""Of all shared tiles: the kernel counts them in 32 bits."""
WORKSPACE_ALIGNMENT = 128
SUM_BYTES = 4


class SharedTiles(NamedTuple):
    """How many clusters there are, and how many of the last tiles (of a cluster each) they share."""

    clusters: int
    tiles: int


def shared_tiles(tile_count: int, places: int, k_blocks: int) -> SharedTiles:
    """Return how clusters share tiles, of which so many find a place at a time: none where whole turns take all."""
    if tile_count >= places:
        left = tile_count % places
        return SharedTiles(places, left + places if left else 0)
    clusters = min(places, tile_count * k_blocks // LEAST_STEPS)
    return SharedTiles(clusters, tile_count) if clusters > tile_count else SharedTiles(tile_count, 0)


def handed_bytes(tile: WgmmaTile, clusters: int) -> int:
    """Return the workspace for sums that are handed over: a place for each consumer (sm90/handed_tiles.cuh)."""
    of_consumer = SUM_BYTES * tile.block_m * tile.block_n // tile.consumers + WORKSPACE_ALIGNMENT
    return clusters * tile.cluster * tile.consumers * of_consumer


def refusal(tile: WgmmaTile, shared: SharedTiles, k_blocks: int) -> str | None:
    """Return why clusters cannot share tiles of a product, as a sentence, or None."""
    if tile.k_classes or tile.splits > 1:
        return "Tiles that clusters share take all of k."
    if shared.tiles * k_blocks > MOST_STEPS:
        return f"matmul/wgmma counts the steps of shared tiles in 32 bits, and there are {shared.tiles * k_blocks:,}."
    return None
