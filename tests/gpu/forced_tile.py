"""A product's launches with a tile of the Hopper kernels that a test forces upon it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.gpu.product_cases import ProductCase
from tilewright.kernels.batches import slices
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul.wgmma import part_launches
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.refusals import PlanError


def taken(
    variants: Iterable[Iterable[ProductCase]], tile: WgmmaTile, *, count: int, per_variant: int
) -> Iterator[tuple[ProductCase, Launches]]:
    """Yield ``count`` cases that the kernel takes with a tile, at most so many of each variant, and their plans."""
    found = 0
    for cases in variants:
        accepted = 0
        for case in cases:
            plan = planned(case, tile)
            if plan is not None:
                found, accepted = found + 1, accepted + 1
                yield case, plan
            if found == count:
                return
            if accepted == per_variant:
                break


def planned(case: ProductCase, tile: WgmmaTile) -> Launches | None:
    """The plan with this tile, or None where the kernel refuses the product or has no tiles to share."""
    product = case.multiplication()
    parts = slices(product) if product.batch_count * product.m * product.n * product.k else ()
    if len(parts) != 1:
        return None
    try:
        made = part_launches(parts[0], tile)
    except PlanError:
        return None
    if tile.stream_k and not any(launch.has("STREAM_K") for launch in made.launches):
        return None
    return Launches(made.launches, made.workspace_bytes, ())
