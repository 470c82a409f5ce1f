"""Products on Hopper: the best tile that fits, part by part, and what is done where there is nothing to multiply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tilewright.choose.batches import BatchSlice
from tilewright.choose.facts import DeviceFacts
from tilewright.choose.hopper import H200_SMS, HopperLaunches, hopper_launches
from tilewright.choose.hopper_cost import occupied
from tilewright.choose.hopper_rule import described, ranked_tiles
from tilewright.choose.launches import PlannedLaunch
from tilewright.choose.multiplication import Multiplication
from tilewright.choose.plan import PlanError

MOST_WORKS = 2**31 - 2**20
"""Tiles are counted in 32 bits, also with the clusters of a grid added."""


def hopper_refusal(product: Multiplication) -> str | None:
    """Return why matmul/wgmma does not compute a product that is not empty, as a sentence, or None where it does."""
    if product.k == 0:
        return "The inner size is 0, so there is nothing for matmul/wgmma to multiply: C is the epilogue of zeros."
    if product.batch_count >= MOST_WORKS // 64:
        return f"matmul/wgmma counts its tiles in 32 bits, and {product.batch_count:,} products have more."
    return None


def hopper_parts(
    parts: Sequence[BatchSlice], facts: DeviceFacts, asked: tuple[int, int] | None, *, with_small: bool
) -> tuple[tuple[PlannedLaunch, ...], int, tuple[str, ...]]:
    """Return the launches of all parts, the workspace that each in turn uses, and why.

    ``with_small``: where C is one wave of tiles, matmul/wgmma_small may do it.

    Raises:
        PlanError: the tile that was asked for is not among the kernel's, or does not fit.
    """
    launches: list[PlannedLaunch] = []
    workspace = 0
    reasons: tuple[str, ...] = ()
    for part in parts:
        found, why = _best(part, facts.sm_count or H200_SMS, asked, with_small)
        launches += found.launches
        workspace = max(workspace, found.workspace_bytes)
        reasons = reasons or (why, *found.reasons)
    return tuple(launches), workspace, reasons


def _best(part: BatchSlice, sms: int, asked: tuple[int, int] | None, with_small: bool) -> tuple[HopperLaunches, str]:
    product = part.part
    copied = any(side.copy_engine_refusal(product.element_bytes) for side in (product.a, product.b))
    refusals: list[str] = []
    for tile, why in ranked_tiles(product, sms, copied=copied, asked=asked, with_small=with_small):
        if occupied(product, tile, sms)[0] > MOST_WORKS:
            refusals.append(f"matmul/wgmma counts its tiles in 32 bits, and {product} has more.")
            continue
        # What C passes through on its way out depends on how it lies, and may leave room for a stage less.
        for stages in (tile.stages, tile.stages - 1):
            fitted = replace(tile, stages=stages)
            try:
                return hopper_launches(part, fitted, sms), f"{described(fitted)}: {why}."
            except PlanError as refused:
                refusals.append(str(refused))
    raise PlanError(refusals[-1])
