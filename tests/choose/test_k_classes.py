"""Products whose splits take every eighth k: which they are, what is loaded, and where C begins in a class's sums."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.choose import choose_plan, find_chip
from tilewright.choose.sm90.k_classes import class_tiles
from tilewright.kernels.batches import BatchSlice
from tilewright.kernels.launch import Scalar, TensorMap
from tilewright.kernels.matmul import k_classes
from tilewright.kernels.matmul.wgmma import part_launches
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.operand import Operand, packed
from tilewright.kernels.problem import Problem
from tilewright.kernels.refusals import PlanError

H200 = replace(find_chip("h200"), machine="gpu")
TILE = WgmmaTile(64, 128, 4, consumers=1, splits=4, k_classes=True)


def product(m: int, k: int, n: int, layouts: str = "TN", **more) -> Problem:
    """Packed matrices in bfloat16, T where they lie along columns."""
    a = packed((m, k)) if layouts[0] == "N" else packed((k, m)).transposed
    b = packed((k, n)) if layouts[1] == "N" else packed((n, k)).transposed
    return Problem(a, b, packed((m, n)), "bfloat16", "bfloat16", **more)


@pytest.mark.parametrize(
    ("layouts", "kernels"),
    [("TN", ["wgmma", "splitk_reduce"]), ("NN", ["repack_turned", "wgmma", "splitk_reduce"])],
)
def test_a_long_odd_product_is_not_repacked(layouts, kernels):
    """But for an operand that lies along k, if the other one does not."""
    plan = choose_plan(product(101, 200_003, 301, layouts), H200)

    assert [launch.kernel.removeprefix("matmul/") for launch in plan.launches] == kernels
    assert "each for an eighth of k" in plan.reasons[1]
    assert any(
        reason.startswith("Rows of A and B are unaligned: splits take every eighth k") for reason in plan.reasons
    )


def test_each_class_begins_on_a_boundary():
    """Rows of 101 elements: number 3 begins 303 elements in, 7 past a boundary; it is 7 elements longer in the map."""
    multiply, _ = part_launches(BatchSlice(product(101, 4099, 301)), TILE).launches
    third = multiply.arguments["maps.a[3]"]

    assert third == TensorMap("A", "bfloat16", (108, 512, 1, 1), (1616,) * 3, (64, 64, 1, 1), 128, 2 * 296)
    assert isinstance(multiply.arguments["maps.b[7]"], TensorMap)


def test_sums_are_added_from_where_c_begins():
    """Row 1 of A is 5 elements past a boundary, row 1 of B 5 as well: class i begins at 5 i, modulo 8."""
    _, reduction = part_launches(BatchSlice(product(101, 4099, 301)), TILE).launches

    assert dict(reduction.macros)["K_CLASSES"] == "1"
    assert reduction.arguments["product.row_shift"] == Scalar("int", 5)
    assert reduction.arguments["product.column_shift"] == Scalar("int", 5)
    assert reduction.arguments["product.splits"] == Scalar("int", 24)
    assert reduction.arguments["product.split_stride"] == Scalar("long long", 111 * 312)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (product(101, 511, 301), "for an inner size of 512 or more, not 511"),
        (product(101, 4099, 301, "NT"), "unaligned operands that lie across k and begin on 16 bytes"),
        (product(101, 4099, 304, "NN"), "unaligned operands that lie across k and begin on 16 bytes"),
        (product(101, 4099, 301, invariant=True), "whose bits may depend on its rows"),
        (replace(product(101, 4099, 301), a=Operand(101, 4099, 1, 101, alignment_bytes=2)), "begin on 16 bytes"),
    ],
)
def test_refusals_are_sentences(asked, why):
    """A short k, both along k, nothing unaligned but what is turned, bits, and an address."""
    assert why in (k_classes.refusal(asked) or "")
    assert class_tiles(asked, 132, 4800.0) == []
    with pytest.raises(PlanError, match=why):
        part_launches(BatchSlice(asked), TILE)


def test_every_tile_of_the_model_can_be_launched():
    """And none of its parts of a class is empty."""
    asked = product(101, 4099, 301)
    for us, tile, filled in class_tiles(asked, 132, 4800.0):
        multiply, _ = part_launches(BatchSlice(asked), tile).launches
        per_split = multiply.arguments["product.k_blocks_per_split"]
        assert us > 0
        assert isinstance(per_split, Scalar)
        assert (filled.splits // 8 - 1) * per_split.value * tile.block_k < -(-4099 // 8)
