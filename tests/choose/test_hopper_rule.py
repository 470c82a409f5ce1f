"""Tiles for Hopper: the measured one where there is one, the model's where not, and a sentence that says which."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.choose import PlanError, find_chip
from tilewright.choose.choice import choose_plan
from tilewright.choose.sm90.cost import lines_filled, occupied
from tilewright.choose.sm90.rule import described, is_measured, ranked_tiles, timed_tiles
from tilewright.choose.sm90.tiles import MeasuredTile, tile_table
from tilewright.kernels.launch import TensorMap
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.operand import Operand, packed
from tilewright.kernels.problem import Epilogue, Problem

H200 = find_chip("h200")
SMS = 132
TABLE = tile_table()


def product(m: int, k: int, n: int, batch: int = 1) -> Problem:
    """A product of packed matrices."""
    first = () if batch == 1 else (batch,)
    a, b, c = packed((*first, m, k)), packed((*first, k, n)), packed((*first, m, n))
    return Problem(a, b, c, "bfloat16", "bfloat16")


def with_aligned_rows(asked: Problem) -> Problem:
    """The product of views into rows that begin on 16 bytes."""
    a, b = (
        replace(side, row_stride=-(-side.columns // 8) * 8, batch_strides=tuple(8 * s for s in side.batch_strides))
        for side in (asked.a, asked.b)
    )
    return replace(asked, a=a, b=b)


def by_shape(row: MeasuredTile) -> str:
    """A measured row as a test's name has it."""
    return f"{row.batch}x{row.shape[0]}x{row.shape[1]}x{row.shape[2]}{'-repacked' if row.repacked else ''}"


@pytest.mark.parametrize("row", TABLE.measured, ids=by_shape)
def test_a_measured_shape_gets_its_tile(row):
    """And the model is not far from what was measured."""
    m, k, n = row.shape
    asked = product(m, k, n, row.batch)
    if not row.repacked:
        asked = with_aligned_rows(asked)
    repacked = any(side.copy_engine_refusal(2) for side in (asked.a, asked.b))
    tile, why = next(iter(ranked_tiles(asked, SMS, repacked=repacked)))

    assert repacked == row.repacked
    assert tile == row.tile
    sizes = f"{row.batch} x ({m}x{k}x{n})" if row.batch > 1 else f"{m}x{k}x{n}"
    assert why.endswith(f"the fastest of those tried for {sizes} on an H200 ({row.us:g} us)")
    if not repacked:
        assert 0.6 < TABLE.us(asked, tile, occupied(asked.sizes, row.batch, tile, SMS), None) / row.us < 1.7


@pytest.mark.parametrize("row", TABLE.measured, ids=by_shape)
def test_a_measured_tile_is_among_the_candidates(row):
    """With the model's time, or less if the model fills the chip otherwise; and with that of repacking."""
    m, k, n = row.shape
    asked = product(m, k, n, row.batch)
    asked = asked if row.repacked else with_aligned_rows(asked)
    bandwidth = H200.bandwidth_gb_per_s
    us = TABLE.us(asked, row.tile, occupied(asked.sizes, row.batch, row.tile, SMS), bandwidth)
    us += TABLE.model.repacking_of(asked, row.tile, bandwidth)

    timed = [(tile, us) for us, tile in timed_tiles(asked, H200)]

    assert len(dict(timed)) == len(timed)
    assert 0 < dict(timed)[row.tile] <= us * (1 + 1e-9)
    if not row.repacked:
        assert is_measured(asked, H200)


@pytest.mark.parametrize("tile", TABLE.candidates, ids=described)
def test_every_candidate_is_a_tile_of_the_kernel(tile):
    """Each fits the chip, however C is stored."""
    assert tile.refusal is None
    assert not tile.transposed_problem  # which the rule tries as well
    for c in (packed((512, 512)), packed((512, 511)), packed((512, 512)).transposed):
        n = c.columns
        for out_dtype in ("bfloat16", "float32"):
            asked = Problem(packed((512, 512)), packed((512, n)), c, "bfloat16", out_dtype)
            assert choose_plan(asked, H200, "wgmma", (tile.block_m, tile.block_n)).launches


def test_a_near_shape_gets_a_measured_tile_only_in_as_many_waves():
    """2,048 is one wave of 128 tiles; 2,060 needs more, whatever was measured at 2,048."""
    near, beyond = (next(iter(ranked_tiles(product(n, n, n), SMS, repacked=False))) for n in (2040, 2060))

    assert "on an H200" in near[1]
    assert near[0].block_m * near[0].block_n == 128 * 256
    assert "by the model" in beyond[1]


def test_the_model_wants_work_for_every_sm():
    """Small results get small tiles, a long inner size is cut, and large results get large tiles."""

    def best(m: int, k: int, n: int) -> WgmmaTile:
        return next(iter(ranked_tiles(product(m, k, n), SMS, repacked=False)))[0]

    assert best(600, 600, 600).block_m * best(600, 600, 600).block_n <= 64 * 128
    assert best(3000, 5000, 10_000).block_m * best(3000, 5000, 10_000).block_n >= 128 * 192
    long = best(96, 300_000, 96)
    assert occupied((96, 96, 300_000), 1, long, SMS).tiles >= SMS // 2
    assert best(8, 6000, 5000).transposed_problem


@pytest.mark.parametrize(
    ("m", "k", "n"), [(49920, 30000, 3840), (17152, 27056, 17152), (12032, 12032, 12032), (10240, 10240, 10240)]
)
def test_large_products_take_large_tiles(m, k, n):
    """By the model's rate for small ones 128 x 128 would do, which an H100 computed at 0.69 to 0.86 of the rate."""
    plan = choose_plan(product(m, k, n), find_chip("h100"))

    assert "Tile 128 x 256 x 64 in 4 stages, clusters of 2 x 1" in str(plan) or "Tile 128 x 224" in str(plan)


def test_an_unaligned_result_is_stored_by_rows():
    """Its columns are contiguous: rows of the transposed product are stored together, where boxes cannot be."""
    asked = replace(product(3001, 512, 2000), c=packed((2000, 3001)).transposed)
    tile, _ = next(iter(ranked_tiles(asked, SMS, repacked=False)))

    assert tile.transposed_problem
    by_rows = replace(product(2000, 512, 3001), b=packed((3001, 512)).transposed)
    tile, _ = next(iter(ranked_tiles(by_rows, SMS, repacked=False)))
    assert not tile.transposed_problem


@pytest.mark.parametrize(
    ("k", "splits", "expected"), [(64, 4, (1, 1, 1)), (640, 3, (10, 4, 3)), (640, 9, (10, 2, 5)), (0, 1, (1, 1, 1))]
)
def test_splits_are_of_whole_blocks(k, splits, expected):
    """As many as make equal parts, never an empty one."""
    assert WgmmaTile(128, 128, 4, splits=splits).split_k(k) == expected


def test_plans_say_what_is_copied_and_what_is_cut():
    """Odd sizes are repacked into the workspace, which the plan asks for; every reason is a sentence."""
    odd = choose_plan(product(333, 7777, 2222), H200)

    assert [launch.kernel for launch in odd.launches] == ["matmul/repack", "matmul/wgmma", "matmul/splitk_reduce"]
    assert odd.workspace_bytes > 2 * (333 * 7777 + 7777 * 2222)
    assert any("A is repacked to aligned rows first: its stride of 7,777 elements" in reason for reason in odd.reasons)
    assert any("added in a fixed order" in reason for reason in odd.reasons)
    even = choose_plan(product(512, 512, 512), H200)
    assert [launch.kernel for launch in even.launches] == ["matmul/wgmma_small"]
    assert even.workspace_bytes == 0


def test_a_broadcast_batch_is_not_copied():
    """B's map has one matrix for all products of the batch."""
    asked = product(256, 256, 256, batch=7)
    shared = replace(asked, b=replace(asked.b, batch_strides=(0,)))
    (launch,) = choose_plan(shared, H200, "wgmma").launches
    maps = {map_.buffer: map_ for map_ in launch.arguments.values() if isinstance(map_, TensorMap)}

    assert maps["A"].sizes[2] == 7
    assert maps["B"].sizes[2] == 1


def test_an_empty_inner_size_goes_elsewhere():
    """There is nothing to multiply, and still an epilogue."""
    bias = replace(product(64, 0, 64), epilogue=Epilogue(bias=True))
    for kernel in ("auto", "wgmma"):
        plan = choose_plan(bias, H200, kernel)
        assert [launch.kernel for launch in plan.launches] == ["matmul/mma_sync"]
        assert any("The inner size is 0" in reason for reason in plan.reasons)


def test_parts_of_a_batch_share_the_workspace():
    """They run one after another."""
    asked = product(64, 65, 64, batch=1)
    a = Operand(64, 65, 65, 1, (2, 3, 4), (60_000, 0, 5000))
    b = Operand(65, 64, 64, 1, (2, 3, 4), (0, 9000, 0))
    c = packed((2, 3, 4, 64, 64))
    plan = choose_plan(replace(asked, a=a, b=b, c=c), H200, "wgmma")
    whole = [launch for launch in plan.launches if launch.kernel == "matmul/wgmma"]

    assert len(whole) == 2
    one_a = replace(a, batch=(3, 4), batch_strides=(0, 5000))
    one_b = replace(b, batch=(3, 4), batch_strides=(9000, 0))
    one = replace(asked, a=one_a, b=one_b, c=packed((3, 4, 64, 64)))
    assert plan.workspace_bytes == choose_plan(one, H200, "wgmma").workspace_bytes


def test_a_tile_that_is_not_there_is_refused():
    """The ones that are there are named."""
    with pytest.raises(PlanError, match=r"matmul/wgmma has the tiles \(128, 256\), .*not \(48, 48\)\."):
        choose_plan(product(64, 64, 64), H200, "wgmma", (48, 48))


def test_a_candidate_that_is_asked_for_is_used():
    """Rows and columns of C that a block computes."""
    (launch,) = choose_plan(product(512, 512, 512), H200, "wgmma", (128, 192)).launches
    macros = dict(launch.macros)

    assert (macros["BLOCK_M"], macros["BLOCK_N"]) == ("128", "192")


def test_rows_off_32_bytes_want_clusters():
    """A line of 128 bytes of them lies in two lines of the cache, and blocks that share it ask for it once."""
    alone, shared = WgmmaTile(64, 128, 8, 1, small=True), WgmmaTile(64, 128, 8, 1, cluster_m=2, small=True)

    assert lines_filled(product(1024, 1024, 1024), alone) == lines_filled(product(1024, 1024, 1024), shared) == 192
    assert lines_filled(product(1000, 1000, 1000), alone) == 384
    assert lines_filled(product(1000, 1000, 1000), shared) == 256
    assert lines_filled(product(1001, 1001, 1001), alone) == 192  # repacked to aligned rows first


def test_clusters_of_four_leave_some_sms_out():
    """Groups of SMs are no multiples of four, and a cluster lies in one group."""
    for n in (600, 840, 1112, 1400):
        for tile, why in ranked_tiles(product(n, n, n), SMS, repacked=False):
            if tile.small and tile.cluster > 2 and "by the model" in why:
                assert occupied((n, n, n), 1, tile, SMS).tiles <= 112


@pytest.mark.parametrize(("k", "stages"), [(256, 2), (384, 3), (65536, 4)])
def test_a_tile_with_two_stages_is_for_a_k_that_they_hold(k, stages):
    """Else few loads are under way, as where a row times 65,536 x 8,192 streamed B through two stages."""
    tile, _ = next(ranked_tiles(product(1, k, 8192), SMS, repacked=False))
    assert tile.stages >= stages


def test_more_tiles_than_the_kernel_counts_are_refused():
    """Whatever the tile: they are counted in 32 bits."""
    with pytest.raises(PlanError, match=r"counts its tiles in 32 bits, and with this one there are [\d,]{13,}\."):
        choose_plan(product(2**31 - 1024, 64, 2**31 - 1024), H200)
