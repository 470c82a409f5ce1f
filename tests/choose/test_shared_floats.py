"""Stream-K of float32 and float64: which tiles blocks share, each with a step at least, and that bits do not change."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.choose import choose_plan, find_chip
from tilewright.kernels.batches import slices
from tilewright.kernels.launch import Pointer, Scalar, ceil_divide
from tilewright.kernels.matmul import cuda_cores_float32, mma_sync_float64
from tilewright.kernels.matmul.float_tile import Shares
from tilewright.kernels.problem import Problem

H200, SMS = find_chip("h200"), 132
KERNELS = {"float32": cuda_cores_float32.KERNEL, "float64": mma_sync_float64.KERNEL}
STREAMING = [
    pytest.param(dtype, tile, id=f"{dtype} {tile.block_m}x{tile.block_n}")
    for dtype, kernel in KERNELS.items()
    for tile in kernel.tiles
    if tile.streams
]
LONG = (6114, 10622, 3720)
"""Rows, columns and k of a product of float64 that blocks share on an H200."""


@pytest.mark.parametrize(("dtype", "tile"), STREAMING)
@given(tiles=st.integers(1, 600), k=st.integers(1, 3000), sms=st.sampled_from([1, 4, 108, 132, 170]))
def test_every_block_has_a_step(dtype, tile, tiles, k, sms):
    """One that has none leaves no sums, and the block that ends its tile would wait for them for ever."""
    problem = Problem.of("matmul", tile.block_m, tiles * tile.block_n, k, dtype)
    for shares in tile.shares(problem, sms):
        if shares.blocks:
            assert 0 <= shares.whole < tiles
            assert 1 <= shares.blocks <= (tiles - shares.whole) * ceil_divide(k, tile.block_k)
            assert shares.blocks <= sms * tile.blocks_per_sm


def test_whole_tiles_and_shared_ones_are_two_launches():
    """The second one's blocks begin where the first one's tiles end, and hand over all but one block's sums."""
    tile = next(tile for tile in mma_sync_float64.KERNEL.tiles if tile.apart)
    (part,) = slices(Problem.of("matmul", 12 * 128, 12 * 128, 1000, "float64"))
    plan = mma_sync_float64.KERNEL.divided(part, H200, tile, Shares(whole=132, blocks=100))
    whole, shared = plan.launches

    assert (whole.grid, shared.grid) == ((132, 1, 1), (100, 1, 1))
    assert whole.arguments["shared.tiles"] == shared.arguments["shared.first"] == Scalar("long long", 132)
    assert shared.arguments["shared.tiles"] == Scalar("long long", 144)
    assert isinstance(shared.arguments["workspace"], Pointer)
    assert plan.workspace_bytes == 99 * 128 * 128 * 8 * 2


def test_bits_that_do_not_depend_on_other_rows_share_nothing():
    """How tiles are shared follows from their number, and so from the rows."""
    problem = Problem.of("matmul", *LONG, "float64")
    for invariant in (False, True):
        plan = choose_plan(replace(problem, invariant=invariant), H200, "mma_sync_float64")
        assert any(dict(launch.macros)["STREAM_K"] == "1" for launch in plan.launches) != invariant
