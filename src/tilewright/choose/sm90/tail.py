"""A product on Hopper in two launches: whole waves of tiles first, and what is left as a product of its own.

With 160 tiles on 132 SMs, 104 of them wait in the second wave for 28. Cut off, these rows or columns of C (or products
of the batch) get tiles of their own, or split-K, with which all SMs work. Of 19 products that are cut by this rule, 17
were 1 to 24 % faster on an H100, one as fast, and one 10 % slower. To begin the second launch before the first one ends
(griddepcontrol.launch_dependents) was tried, and changed nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tilewright.choose.sm90.cost import CostModel, Occupied, occupied
from tilewright.kernels.batches import BatchSlice, cut_out
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.problem import Problem

OVERLAP_US = 2.5
"""Of the second launch, which is made while the first runs."""
LEAST_GAIN = 1.03
"""Less is within the model's error."""
FULL = 0.93
"""The share of the SMs' turns that tiles take from which on nothing is cut off."""
MOST_CUTS = 4
"""The cuts that are compared: those whose first parts do the most in their time."""


class Cut(NamedTuple):
    """A product's first part with the tile that fills whole waves of it, its modelled time in us, and the rest."""

    first: BatchSlice
    tile: WgmmaTile
    rest: BatchSlice
    us: float
    about: str


def cuts(
    part: BatchSlice, variants: list[tuple[WgmmaTile, Occupied]], model: CostModel, sms: int, bandwidth: float | None
) -> list[Cut]:
    """Return the ways to cut off what whole waves of a tile leave, the first part that does most in its time first."""
    found: dict[tuple[str, float], Cut] = {}
    for tile, filled in variants:
        for dimension, size in _sizes(part.part, tile, filled, sms):
            first, rest = (cut_out(part, dimension, *span) for span in ((0, size), (size, None)))
            us = model.us(first.part, tile, occupied(first.part.sizes, first.part.batch_count, tile, sms), bandwidth)
            about = f"{size:,} {dimension}"
            found.setdefault((about, us), Cut(first, tile, rest, us, about))
    return sorted(found.values(), key=lambda cut: cut.us / cut.first.part.flops)[:MOST_CUTS]


def leaves_sms_idle(filled: Occupied, tile: WgmmaTile, sms: int) -> bool:
    """Return whether a last wave of tiles leaves so many SMs without one that cutting it off may pay."""
    slots = sms * tile.blocks_per_sm
    return filled.splits == 1 and filled.tiles > slots and filled.tiles < FULL * filled.waves * slots


def _sizes(product: Problem, tile: WgmmaTile, filled: Occupied, sms: int) -> Iterator[tuple[str, int]]:
    """Yield how many rows, columns or products of the batch whole waves of tiles cover, and how many whole tiles do."""
    slots = sms * tile.blocks_per_sm
    if filled.splits > 1 or filled.tiles <= slots:
        return
    clusters = filled.tiles // slots * slots // tile.cluster
    swapped = tile.transposed_problem
    sizes = (product.n, product.m) if swapped else (product.m, product.n)
    down, across = tile.clusters_over(*sizes)
    if product.batch_count > 1:
        if len(product.batch) == 1 and 0 < clusters // (down * across) < product.batch_count:
            yield "products", clusters // (down * across)
        return
    height, width = tile.cluster_m * tile.block_m, tile.cluster_n * tile.block_n
    rows, columns = clusters // across * height, clusters // down * width
    whole_rows, whole_columns = (whole // size * size for whole, size in zip(sizes, (height, width), strict=True))
    names = ("columns", "rows") if swapped else ("rows", "columns")
    for name, whole, *found in ((names[0], sizes[0], rows, whole_rows), (names[1], sizes[1], columns, whole_columns)):
        # A bias has an element for each column, and its address is the product's.
        if name == "rows" or not product.epilogue.bias:
            yield from ((name, size) for size in dict.fromkeys(found) if 0 < size < whole)
