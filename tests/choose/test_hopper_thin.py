"""Few rows or columns on Hopper: clusters share k where there are few tiles, and where another rule decides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.choose import find_chip
from tilewright.choose.choice import choose_plan
from tilewright.choose.sm90.rule import tuned_launches
from tilewright.choose.sm90.thin import thin_tiles
from tilewright.kernels.invariant import k_per_chunk
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Problem

H200 = find_chip("h200")
SMS = 132
SHARED = "blocks of a cluster multiply parts of k"


def product(m, k, n, batch=()):
    """Contiguous operands of m x k x n."""
    a, b, c = (packed((*batch, *shape)) for shape in ((m, k), (k, n), (m, n)))
    return Problem(a, b, c, "bfloat16", "bfloat16")


@pytest.mark.parametrize(
    ("sizes", "splits"),
    [
        ((8, 4096, 2048), 4),
        ((2048, 4096, 8), 4),
        ((8, 9504, 512), 8),
        ((48, 4096, 2048), 2),
        ((8, 4096, 16384), 1),
        ((48, 512, 30896), 1),
        ((8, 128, 512), 1),
    ],
)
def test_clusters_share_k_where_tiles_are_few(sizes, splits):
    """Then most SMs read the long operand; with many tiles, or little of k, a block has all of k."""
    us, tile = thin_tiles(product(*sizes), SMS, 4800.0)[0]
    plan = tuned_launches(product(*sizes), H200, None, with_small=True)

    assert tile.splits == splits
    (launch,) = plan.launches
    assert (launch.kernel, launch.cluster) == ("matmul/wgmma_small", (1, 1, splits))
    assert any(SHARED in reason for reason in plan.reasons) == (splits > 1)
    assert any(f"about {us:,.1f} us" in reason for reason in plan.reasons)


@pytest.mark.parametrize("sizes", [(8, 4096, 2048), (2048, 4096, 8), (40, 4096, 2048), (64, 4096, 2048)])
def test_every_tile_is_one_of_the_kernel(sizes):
    """Its stages and the sums of its cluster fit; the fastest come first, the short side is the narrow one."""
    found = thin_tiles(product(*sizes), SMS, None)

    assert [us for us, _ in found] == sorted(us for us, _ in found)
    assert {tile.splits for _, tile in found} == {1, 2, 4, 8}
    for _, tile in found:
        assert tile.refusal is None
        assert tile.blocks_per_sm * (tile.small_bytes(tile.splits) + 1024) <= 233_472
        assert tile.transposed_problem == (sizes[0] < sizes[2])
        assert tile.block_n >= min(sizes[0], sizes[2]) / 3


@pytest.mark.parametrize(
    "change",
    [
        {"b": packed((4096, 2048), alignment_bytes=2)},
        {"a": packed((65, 4096)), "c": packed((65, 2048))},
        {
            "a": packed((2, 8, 4096)),
            "b": packed((2, 4096, 2048)),
            "c": packed((2, 8, 2048)),
        },
    ],
    ids=["not aligned", "not thin", "a batch"],
)
def test_elsewhere_another_rule_decides(change):
    """The kernel repacks nothing, and the model was fitted to single matrices."""
    other = replace(product(8, 4096, 2048), **change)
    assert thin_tiles(other, SMS, None) == []
    assert not any(SHARED in reason for reason in choose_plan(other, H200).reasons)


@pytest.mark.parametrize(
    ("sizes", "ways"),
    [
        ((8, 2048, 4096), {(1, False)}),
        ((8, 8192, 1024), {(4, False), (1, True)}),
        ((8, 12288, 1024), {(6, False), (1, True)}),
        ((8, 16384, 1024), {(8, False), (1, True)}),
        ((8, 65536, 128), {(1, True)}),  # 32 parts: a cluster has no such number of blocks
    ],
)
def test_where_rows_decide_over_nothing_k_has_the_parts_of_other_tiles(sizes, ways):
    """Those of kernels/invariant.py, at the same places: blocks of a cluster have them, or one block has them all."""
    alone = replace(product(*sizes), invariant=True)
    tiles = [tile for _, tile in thin_tiles(alone, SMS, None)]

    assert {(tile.splits, tile.chunked) for tile in tiles} == ways
    assert {tile.k_per_split for tile in tiles} == {k_per_chunk(alone, SMS)}
    assert all(tile.refusal is None for tile in tiles)


@pytest.mark.parametrize(("by_rows", "loads"), [(True, "copied"), (False, "by the copy engine")])
def test_threads_copy_what_is_narrower_than_a_box(by_rows, loads):
    """A B of eight columns whose rows are contiguous, and the same one whose columns are."""
    few = replace(product(2048, 4096, 8), b=packed((4096, 8)) if by_rows else packed((8, 4096)).transposed)
    (launch,) = tuned_launches(few, H200, None, with_small=True).launches

    assert dict(launch.macros)["B_COPIED"] == str(int(loads == "copied"))
    assert ("maps.b" in launch.arguments) == (loads != "copied")


def test_what_the_kernel_refuses_goes_on_to_the_next_tile():
    """Odd sizes are repacked, odd rows of C stored by another kernel: no error comes of it."""
    assert choose_plan(product(8, 4096, 4095), H200).launches
    assert choose_plan(replace(product(8, 4096, 4096), b=packed((4096, 4096), alignment_bytes=2)), H200).launches
