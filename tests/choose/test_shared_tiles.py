"""Stream-K on Hopper: how clusters share the last tiles, and tiles as wide as a product asks for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.choose import choose_plan, find_chip
from tilewright.choose.sm90.cost import occupied
from tilewright.choose.sm90.widths import NARROWEST, WIDEST, fitting_tiles
from tilewright.kernels.batches import slices
from tilewright.kernels.launch import Scalar
from tilewright.kernels.matmul.shared_tiles import handed_bytes, shared_tiles
from tilewright.kernels.matmul.wgmma import part_launches
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Epilogue, Problem
from tilewright.kernels.refusals import PlanError

H200, SMS = find_chip("h200"), 132
LARGE = WgmmaTile(128, 256, 4, cluster_m=2, stream_k=True)


def product(m: int, k: int, n: int, dtype: str = "bfloat16", **more) -> Problem:
    """Packed matrices."""
    return Problem(packed((m, k)), packed((k, n)), packed((m, n)), dtype, dtype, **more)


def launched(problem: Problem, tile: WgmmaTile):
    """The launches with a tile."""
    (part,) = slices(problem)
    return part_launches(part, tile, SMS)


@given(st.integers(1, 5000), st.integers(1, 200), st.integers(1, 500))
def test_every_cluster_has_a_share_and_none_more_than_two_tiles(tiles, places, k_blocks):
    """Those of whole turns are nobody's to share; the others are between one turn and two, or all that there are."""
    clusters, shared = shared_tiles(tiles, places, k_blocks)

    assert 1 <= clusters <= places
    assert 0 <= shared <= tiles
    assert (tiles - shared) % clusters == 0
    if shared:
        assert shared < 2 * clusters
        assert shared * k_blocks >= clusters


def test_whole_turns_are_not_shared():
    """264 tiles on 132 SMs, and one tile more."""
    assert shared_tiles(264, 132, 64) == (132, 0)
    assert shared_tiles(265, 132, 64) == (132, 133)
    assert shared_tiles(80, 132, 64) == (132, 80)
    assert shared_tiles(1, 132, 8) == (2, 1)


def test_a_launch_says_what_is_shared():
    """160 tiles in clusters of two on 132 SMs: 66 clusters share 80, and hand their sums over in the workspace."""
    plan = launched(product(1280, 4096, 4096), LARGE)
    (launch,) = plan.launches

    assert launch.grid == (SMS, 1, 1)
    assert launch.has("STREAM_K")
    assert launch.arguments["product.shared_tiles"] == Scalar("int", 80)
    assert plan.workspace_bytes == handed_bytes(LARGE, 66)
    assert plan.reasons[-1] == "Stream-K: all blocks share the last 160 tiles."


def test_what_is_repacked_lies_before_the_sums():
    """Both in one workspace, the sums on a line of their own."""
    plan = launched(product(1279, 4095, 4095), LARGE)
    at = plan.launches[-1].arguments["workspace"]

    assert at.offset_bytes % 128 == 0
    assert plan.workspace_bytes == at.offset_bytes + handed_bytes(LARGE, 66)
    assert plan.launches[0].kernel == "matmul/repack"


def test_split_tiles_are_not_shared():
    """A split of k is a work of its own."""
    with pytest.raises(PlanError, match="take all of k"):
        launched(product(1280, 4096, 4096), replace(LARGE, splits=2))


@pytest.mark.parametrize("sizes", [(3288, 6816, 1352), (2600, 11576, 1624), (1104, 928, 2880), (1528, 1496, 6248)])
def test_widths_leave_no_wave_nearly_empty(sizes):
    """Of each product some tile covers C with whole waves, all but a tenth."""
    m, k, n = sizes
    problem = product(m, k, n)
    tiles = list(fitting_tiles(problem, SMS))
    waves = [occupied(problem.sizes, 1, tile, SMS).waves for tile in tiles]
    useful = [m * n / (each * SMS * tile.block_m * tile.block_n) for tile, each in zip(tiles, waves, strict=True)]

    assert max(useful) > 0.9
    assert all(tile.refusal is None and NARROWEST <= tile.block_n <= WIDEST for tile in tiles)
    assert len(tiles) < 200


@pytest.mark.parametrize("sizes", [(1001, 1024, 1003), (1000, 1021, 1000)])
def test_tiles_of_odd_widths_store_boxes_alone(sizes):
    """Threads store rows of a power of two, and what is repacked has few candidates."""
    assert not list(fitting_tiles(product(*sizes), SMS))


def test_one_wave_is_chosen():
    """13 tiles of 256 rows and 10 of 136 columns are 130: one wave, where 256 columns take two."""
    along_k = packed((1352, 6816)).transposed
    plan = choose_plan(replace(product(3288, 6816, 1352), b=along_k), H200)
    (launch,) = plan.launches

    assert launch.grid[0] <= SMS
    assert launch.arguments["product.shared_tiles"] == Scalar("int", 0)
    assert "in 1 wave on 132 SMs" in plan.reasons[1]


def test_a_long_k_is_shared():
    """288 tiles of the widest kind are 2.2 waves, which a long k makes worth a share."""
    plan = choose_plan(product(1544, 11224, 5960), H200)

    assert any(reason.startswith("Stream-K: all blocks share the last") for reason in plan.reasons)
    assert plan.workspace_bytes > 0


@pytest.mark.parametrize("sizes", [(4096, 4096, 4096), (6144, 6144, 6144), (1024, 1024, 1024), (2048, 4096, 2048)])
def test_whole_waves_are_one_launch_of_whole_tiles(sizes):
    """Products that were measured."""
    (launch,) = choose_plan(product(*sizes), H200).launches

    assert not launch.has("STREAM_K")


def test_bits_that_do_not_depend_on_other_rows_share_nothing():
    """How tiles are shared follows from their number, and so from the rows."""
    plan = choose_plan(product(1544, 11224, 5960, invariant=True), H200)

    assert not any(launch.has("STREAM_K") for launch in plan.launches)


@pytest.mark.parametrize(("more", "transposed"), [({"c_operand": packed((2600, 1624))}, False), ({}, None)])
def test_where_narrow_boxes_cost_widths_are_whole_boxes(more, transposed):
    """Of a C operand by rows, and of results in float32, boxes have 32 columns."""
    out_dtype = "bfloat16" if more else "float32"
    problem = replace(
        product(2600, 11576, 1624), out_dtype=out_dtype, epilogue=Epilogue(beta=float(bool(more))), **more
    )
    found = list(fitting_tiles(problem, SMS))
    tiles = [tile for tile in found if transposed in (None, tile.transposed_problem)]

    assert tiles
    assert all(tile.block_n % 32 == 0 for tile in tiles)
    assert not more or any(tile.block_n % 32 for tile in found)
    assert all(launched(problem, tile).launches for tile in tiles[:8])


@pytest.mark.parametrize("by_columns", [False, True])
def test_widths_along_n_are_multiples_of_16(by_columns):
    """Of the operand that is the narrow side's: B as it lies, or A of the transposed problem."""
    problem = product(3288, 6816, 1352)
    problem = replace(problem, a=packed((6816, 3288)).transposed) if by_columns else problem
    tiles = list(fitting_tiles(problem, SMS))
    along_n = {False: True, True: by_columns}

    for transposed in (False, True):
        widths = {tile.block_n for tile in tiles if tile.transposed_problem == transposed}
        assert widths
        assert any(width % 16 for width in widths) != along_n[transposed]
