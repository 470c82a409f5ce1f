"""Tiles with a block for each: which products they take, and that grid, maps and strides are those of the product."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.choose import PlanError, find_chip
from tilewright.choose.choice import choose_plan
from tilewright.choose.sm90.rule import described, ranked_tiles
from tilewright.choose.sm90.tiles import tile_table
from tilewright.kernels.batches import slices
from tilewright.kernels.launch import Pointer, Scalar, TensorMap
from tilewright.kernels.matmul.wgmma import part_launches
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Epilogue, Problem

H200 = find_chip("h200")
TILE = WgmmaTile(64, 128, 8, 1, small=True)
NARROW = WgmmaTile(64, 72, 6, 1, transposed_problem=True, small=True)


def product(m, k, n, batch=(), out_dtype="bfloat16"):
    """Contiguous operands of m x k x n."""
    a, b, c = (packed((*batch, *shape)) for shape in ((m, k), (k, n), (m, n)))
    return Problem(a, b, c, "bfloat16", out_dtype)


def launch_of(multiplication, tile):
    """The one launch of a product that is one part."""
    (part,) = slices(multiplication)
    (launch,) = part_launches(part, tile).launches
    return launch


def numbers(launch, *names):
    """Members of the parameter `product`."""
    return [launch.arguments[f"product.{name}"].value for name in names]


def test_a_block_for_each_tile():
    """The grid has the tiles of m and of n, and nothing else decides a block's place."""
    launch = launch_of(product(200, 104, 264), TILE)

    assert launch.kernel == "matmul/wgmma_small"
    assert launch.grid == (4, 3, 1)
    assert launch.block == (160, 1, 1)
    assert launch.arguments["maps.a"] == TensorMap("A", "bfloat16", (104, 200), (208,), (64, 64))
    assert launch.arguments["maps.b"] == TensorMap("B", "bfloat16", (264, 104), (528,), (64, 64))
    assert launch.arguments["C"] == Pointer("C")
    assert numbers(launch, "c_stride", "c_batch_stride_1", "c_batch_stride_2") == [264, 0, 0]
    assert numbers(launch, "m", "n", "k_blocks") == [200, 264, 2]


def test_the_transposed_product_stores_the_columns_of_its_c():
    """Rows of A are the columns of the transposed B and need no boxes of 64, and C is still the caller's."""
    launch = launch_of(product(200, 128, 264), NARROW)

    assert launch.grid == (5, 3, 1)
    assert dict(launch.macros)["C_BY_COLUMNS"] == "1"
    assert next(iter(launch.arguments.values())).buffer == "B"
    assert launch.arguments["maps.b"] == TensorMap("A", "bfloat16", (128, 200), (256,), (64, 72))
    assert numbers(launch, "c_stride") == [264]


def test_batches_and_an_epilogue_go_with_it():
    """Broadcasts do not move; the epilogue's parameters are last."""
    asked = product(64, 64, 128, batch=(3, 5))
    asked = replace(asked, b=replace(asked.b, batch_strides=(0, 64 * 128)), epilogue=Epilogue(alpha=2.0))
    launch = launch_of(asked, TILE)

    assert launch.grid == (1, 1, 15)
    assert numbers(launch, "batches_1", "a_moves_1", "a_moves_2", "b_moves_1", "b_moves_2") == [5, 1, 1, 1, 0]
    assert launch.arguments["scalars.alpha"] == Scalar("float", 2.0)


@pytest.mark.parametrize(
    ("asked", "tile", "words"),
    [
        (product(64, 65, 64), TILE, "repacks nothing, and of A its stride of 65 elements"),
        (product(64, 64, 64, out_dtype="float32"), replace(TILE, splits=9), "at most 8 parts, .* has 9"),
        (product(64, 64, 64), replace(TILE, splits=2, cluster_m=2), "has 2 in clusters of 2"),
        (product(64, 64, 128), replace(NARROW, transposed_problem=False), "boxes of 64 columns"),
        (product(64, 64, 64), replace(TILE, stages=9, block_k=128), "9 stages"),
        (product(64, 64, 64, batch=(70_000,)), TILE, "65,535"),
        (product(64, 264, 64), WgmmaTile(64, 64, 1, 1, block_k=256, small=True), "One stage holds 256 of k"),
    ],
)
def test_what_it_does_not_take_is_a_sentence(asked, tile, words):
    """The rules then go on to the next tile."""
    with pytest.raises(PlanError, match=words):
        launch_of(asked, tile)


def test_rows_of_c_that_end_inside_of_16_bytes_are_refused():
    """Whatever their stride is: threads store pieces of 16 bytes."""
    asked = product(64, 64, 64)
    asked = replace(asked, b=replace(asked.b, columns=60), c=replace(asked.c, columns=60))

    with pytest.raises(PlanError, match="a multiple of 16 bytes, not 120"):
        launch_of(asked, TILE)


@pytest.mark.parametrize("tile", tile_table().small, ids=described)
def test_every_small_candidate_is_a_tile_of_the_kernel(tile):
    """Each fits a block, in both directions of A."""
    assert tile.small
    for turned in (replace(tile, transposed_problem=True), tile):
        asked = product(512, 512, 512)
        if not turned.transposed_problem:
            asked = replace(asked, b=asked.b.transposed)
        assert launch_of(asked, turned).shared_bytes <= 232_448


def test_small_products_get_a_block_for_each_tile_and_larger_ones_do_not():
    """By the table or by the model; a product of several waves, a copied operand or a C off boundaries has none."""
    for n in (128, 200, 512, 600, 768, 1000, 1024):
        plan = choose_plan(product(n - n % 8, n - n % 8, n - n % 8), H200)
        assert [launch.kernel for launch in plan.launches] == ["matmul/wgmma_small"]
        assert any("one block per tile" in reason for reason in plan.reasons)
    for asked in (product(4096, 4096, 4096), product(513, 511, 509)):
        assert all(launch.kernel != "matmul/wgmma_small" for launch in choose_plan(asked, H200).launches)
    asked_for = choose_plan(product(512, 512, 512), H200, "wgmma")
    assert [launch.kernel for launch in asked_for.launches] == ["matmul/wgmma"]
    odd = product(512, 512, 512)
    odd = replace(odd, c=replace(odd.c, row_stride=513))
    assert [launch.kernel for launch in choose_plan(odd, H200).launches] == ["matmul/wgmma"]


def test_a_small_tile_takes_one_wave():
    """A second wave of blocks would begin as late as the first."""
    for n in range(64, 2100, 136):
        for tile, why in ranked_tiles(product(n, 512, n), 132, repacked=False):
            if tile.small and "by the model" in why:
                assert " in 1 wave on 132 SMs" in why


def test_one_stage_is_only_for_a_k_that_it_holds():
    """The multiplying warps give a stage back after the next one has come: with one alone both would wait forever."""
    for k in range(232, 280, 8):
        for plan in (
            choose_plan(product(256, k, 256), H200),
            choose_plan(product(128, k // 2, 128), H200),
        ):
            for launch in plan.launches:
                macros = dict(launch.macros)
                if launch.kernel == "matmul/wgmma_small":
                    (blocks,) = numbers(launch, "k_blocks")
                    assert int(macros["STAGES"]) > 1 or blocks == 1
