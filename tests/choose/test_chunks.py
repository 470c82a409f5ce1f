"""Chunks of k that a block adds up: which tiles have them, where their sums wait, and what the models say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.choose import choose_plan, find_chip
from tilewright.choose.sm90.cost import occupied
from tilewright.choose.sm90.rule import ranked_tiles
from tilewright.choose.sm90.tiles import tile_table
from tilewright.kernels.batches import slices
from tilewright.kernels.invariant import k_per_chunk
from tilewright.kernels.launch import Scalar
from tilewright.kernels.matmul.wgmma import part_launches
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Problem
from tilewright.kernels.refusals import PlanError

H200, SMS, BANDWIDTH = find_chip("h200"), 132, 4800.0
LARGE = WgmmaTile(128, 256, 4, cluster_m=2, chunked=True, k_per_split=2048)


def product(m: int, n: int, k: int, dtype: str = "bfloat16", **more) -> Problem:
    """Packed matrices, whose rows are not to depend on each other."""
    return Problem(packed((m, k)), packed((k, n)), packed((m, n)), dtype, dtype, invariant=True, **more)


def launched(problem: Problem, tile: WgmmaTile):
    """The launches with a tile."""
    (part,) = slices(problem)
    return part_launches(part, tile, SMS)


@pytest.mark.parametrize(
    ("tile", "holds"),
    [
        (WgmmaTile(128, 128, 6), True),  # 128 sums of both, of the 224 registers that two consumers have
        (WgmmaTile(128, 136, 5), False),
        (WgmmaTile(64, 152, 4, 1), True),  # of 248
        (WgmmaTile(64, 160, 4, 1), False),
        (WgmmaTile(192, 56, 4, 3), True),  # of 152
        (WgmmaTile(192, 64, 4, 3), False),
        (WgmmaTile(64, 104, 4, 1, blocks_per_sm=2), True),  # of 200
        (WgmmaTile(64, 112, 4, 1, blocks_per_sm=2), False),
        (WgmmaTile(64, 152, 4, 1, small=True), True),  # five warps, two of them on a part of an SM with 512 for a lane
        (WgmmaTile(64, 160, 4, 1, small=True), False),
        (WgmmaTile(128, 72, 4, small=True), True),  # nine warps, three on a part
        (WgmmaTile(128, 80, 4, small=True), False),
        (WgmmaTile(64, 72, 3, 1, small=True, blocks_per_sm=2), True),  # ten warps
        (WgmmaTile(64, 80, 3, 1, small=True, blocks_per_sm=2), False),
    ],
    ids=str,
)
def test_who_has_registers_for_the_chunks_before(tile, holds):
    """Where threads have them to spare; the tiles that have one block each are refused else."""
    chunked = replace(tile, chunked=True, k_per_split=2048)

    assert chunked.holds_chunks == holds
    assert (chunked.refusal is None) == (holds or not tile.small)
    assert tile.refusal is None


@pytest.mark.parametrize(("width", "taken"), [(128, True), (144, True), (152, False), (192, False)])
def test_who_has_registers_to_ask_for_those_in_memory(width, taken):
    """Of the 152 that three consumers have, 64 for other things and 16 for what is asked for."""
    tile = WgmmaTile(192, width, 3, 3, chunked=True, k_per_split=2048)

    assert (tile.refusal is None) == taken
    assert replace(tile, chunked=False).refusal is None


def test_a_launch_with_chunks():
    """They are counted as the parts of splits are, without another launch; sums wait in the workspace."""
    plan = launched(product(4096, 1024, 8000), LARGE)
    (launch,) = plan.launches

    assert dict(launch.macros)["K_IN_CHUNKS"] == "1"
    assert launch.arguments["product.k_blocks_per_split"] == Scalar("int", 32)
    assert launch.arguments["product.splits"] == Scalar("int", 1)
    assert plan.workspace_bytes == 128 * 4 * 128 * 256
    assert plan.reasons[-1] == "Chunks: k is cut into 4 parts, whose sums a block adds in a fixed order."


def test_sums_that_wait_in_registers_take_no_workspace():
    """Whatever waits there."""
    plan = launched(product(4096, 1024, 8192), replace(LARGE, block_n=128, stages=6))

    assert dict(plan.launches[0].macros)["K_IN_CHUNKS"] == "2"
    assert plan.workspace_bytes == 0
    assert plan.launches[0].arguments["workspace"].value == 0


def test_a_chunk_of_all_of_k():
    """The kernel counts no more steps than there are."""
    assert LARGE.parts_of_k(1000) == (16, 16, 1)
    assert LARGE.parts_of_k(8192) == (128, 32, 1)
    assert LARGE.split_k(8192) == (128, 128, 1)


def test_results_are_stored_before_the_next_tile():
    """Where sums wait, results cannot: rows off 16 bytes, of several tiles for a block."""
    tile = replace(LARGE, block_n=64, cluster_m=1, stages=6)
    kept = launched(product(4096, 1023, 8192), tile)
    free = launched(product(4096, 1023, 8192), replace(tile, chunked=False, k_per_split=0))

    assert [dict(each.launches[-1].macros)["STORE_LATER"] for each in (kept, free)] == ["0", "1"]


def test_one_stage_holds_all_chunks_or_there_are_more():
    """A block that has several waits for none of them where each has its stage."""
    one = WgmmaTile(64, 64, 1, 1, 256, small=True, chunked=True, k_per_split=256)

    with pytest.raises(PlanError, match="One stage holds 256 of k, and there are 512"):
        launched(product(64, 64, 512), one)


def test_the_models_add_what_chunks_cost():
    """For each but the first; more where sums wait in memory."""
    problem, model = product(4096, 1024, 8192), tile_table().model

    def us(tile: WgmmaTile) -> float:
        return model.us(problem, tile, occupied(problem.sizes, 1, tile, SMS), BANDWIDTH)

    whole, two, four = (us(replace(LARGE, chunked=each > 0, k_per_split=each)) for each in (0, 4096, 2048))
    assert whole < two < four
    assert four - two == pytest.approx(2 * (two - whole))
    narrow = replace(LARGE, block_n=128, stages=6)
    more = us(narrow) / (1 + model.held_chunks) - us(replace(narrow, chunked=False))
    assert 0 < more < four - whole


@pytest.mark.parametrize("m", [8, 100, 1024, 8192])
@pytest.mark.parametrize(("n", "k"), [(1024, 8192), (4096, 14336), (128, 65536), (512, 4096)])
def test_every_tile_has_the_same_parts(m, n, k):
    """Splits, chunks and blocks of a cluster: no tile that a plan could take leaves k whole, or cuts it elsewhere."""
    problem = product(m, n, k)
    fixed = k_per_chunk(problem, SMS)
    tiles = [tile for tile, _ in ranked_tiles(problem, SMS, repacked=False, bandwidth=BANDWIDTH)]

    assert {tile.k_per_split for tile in tiles} == {fixed}
    assert all(tile.chunked != (tile.splits > 1) for tile in tiles)
    assert {tile.splits for tile in tiles} <= {1, -(-k // fixed)}
    assert not any(tile.stream_k or tile.k_classes for tile in tiles)
    assert all(tile.refusal is None for tile in tiles)
    assert len({tile.chunked for tile in tiles}) == 2
    assert all(tile.block_n >= 64 for tile in tiles if tile.small and tile.chunked and m > 64)


def test_tf32_has_no_chunks():
    """What is read from registers leaves none for them."""
    problem = product(4096, 1024, 16384, "float32", precision="tf32")
    tiles = [tile for tile, _ in ranked_tiles(problem, SMS, repacked=False, with_small=False)]

    assert not any(tile.chunked for tile in tiles)
    assert {tile.splits for tile in tiles} == {4}


def test_reasons_name_the_chunks():
    """With their k."""
    reasons = choose_plan(product(8192, 1024, 8192), H200).reasons

    assert any("chunks of 2,048 of k" in reason for reason in reasons)
    assert reasons[-1].startswith("Chunks: k is cut into 4 parts")
