"""A product's launches with a tile of the Hopper kernels that a test forces upon it."""

from __future__ import annotations

from tests.gpu.product_cases import ProductCase
from tilewright.kernels.batches import slices
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul.wgmma import part_launches
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.refusals import PlanError


def planned(case: ProductCase, tile: WgmmaTile) -> Launches | None:
    """The plan with this tile, or None where the kernel refuses the product."""
    product = case.multiplication()
    parts = slices(product) if product.batch_count * product.m * product.n * product.k else ()
    if len(parts) != 1:
        return None
    try:
        made = part_launches(parts[0], tile)
    except PlanError:
        return None
    return Launches(made.launches, made.workspace_bytes, ())
