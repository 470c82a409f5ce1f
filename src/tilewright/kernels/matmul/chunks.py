"""Chunks of k that a block of wgmma.cu or wgmma_small.cu adds up, one after another (device/sm90/chunk_sums.cuh)."""

from __future__ import annotations

from tilewright.kernels.launch import ceil_divide
from tilewright.kernels.matmul.shared_tiles import SUM_BYTES
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile

IN_MEMORY, IN_REGISTERS = "1", "2"
"""Where the sums of the chunks before wait for those of the next one."""


def chunk_macros(tile: WgmmaTile) -> tuple[tuple[str, str], ...]:
    """Return the macro that a block with chunks has."""
    return (("K_IN_CHUNKS", IN_REGISTERS if tile.holds_chunks else IN_MEMORY),) if tile.chunked else ()


def waiting_bytes(tile: WgmmaTile, clusters: int) -> int:
    """Return the workspace for the sums that wait, a place for each block; 0 where none is needed."""
    if not tile.chunked or tile.holds_chunks:
        return 0
    return clusters * tile.cluster * SUM_BYTES * tile.block_m * tile.block_n


def about_chunks(tile: WgmmaTile, k: int) -> tuple[str, ...]:
    """Return a sentence on the chunks, if there are some."""
    if not tile.chunked:
        return ()
    parts = ceil_divide(k, tile.k_per_split)
    return (f"Chunks: k is cut into {parts} parts, whose sums a block adds in a fixed order.",)
