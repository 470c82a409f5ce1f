"""Where blocks of float64's products stay for several tiles, and that as many fit an SM as the model counts on."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from random import Random

import pytest

from tilewright.choose import choose_plan, find_chip
from tilewright.kernels.batches import slices
from tilewright.kernels.launch import Scalar, ceil_divide
from tilewright.kernels.matmul.float_tile import WAVES_TO_STAY, Shares
from tilewright.kernels.matmul.mma_sync_float64 import KERNEL as PRODUCTS
from tilewright.kernels.matmul.multistage import LEAST_STAGES
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Problem
from tilewright.kernels.reduced_matmul.fused_float64 import KERNEL as OF_PAIRS

H200 = find_chip("h200")


def products():
    """Large products with few waves or a k below a step, cut or whole, and random ones."""
    yield from ((7807, 2741, 2001), (9466, 4380, 14), (8192, 8192, 64), (40_000, 40_000, 8), (3000, 50_000, 15))
    random = Random("blocks that stay")
    for _ in range(150):
        yield tuple(round(2 ** random.uniform(3, 15)) for _ in range(3))


def test_blocks_of_one_product_stay_only_for_many_waves():
    """Of a product alone, or of a part that is cut out of C, with a step of k at least."""
    for m, n, k in products():
        for launch in choose_plan(Problem.of("matmul", m, n, k, "float64"), H200, "mma_sync_float64").launches:
            if "STAYS" in dict(launch.macros):
                of_tile = [int(dict(launch.macros)[name]) for name in ("BLOCK_M", "BLOCK_N", "BLOCK_K")]
                of_product = [launch.arguments[f"product.{name}"] for name in "mnk"]
                extents = [int(each.value) for each in of_product if isinstance(each, Scalar)]
                tiles = prod(ceil_divide(extent, side) for extent, side in zip(extents[:2], of_tile, strict=False))
                assert tiles >= WAVES_TO_STAY * launch.grid[0], (m, n, k)
                assert extents[2] >= of_tile[2], (m, n, k)


@pytest.mark.parametrize(("batch", "sides", "stays"), [(1, (500, 500, 16), False), (1024, (127, 127, 63), True)])
def test_blocks_of_a_batch_stay(batch, sides, stays):
    """Whose operands come from memory, so that loading the next ones early is worth it; the plan says so."""
    m, n, k = sides
    a, b, c = (packed((batch, *shape)) for shape in ((m, k), (k, n), (m, n)))
    plan = choose_plan(Problem(a, b, c, "float64", "float64"), H200)
    assert ("STAYS" in dict(plan.launches[0].macros)) == stays
    assert any("whose blocks stay" in reason for reason in plan.reasons) == stays


@pytest.mark.parametrize("along_k", [False, True])
@pytest.mark.parametrize(
    ("kernel", "tile"),
    [
        pytest.param(kernel, tile, id=f"{tile.block_m}x{tile.block_n}{'s' * tile.stays} {name}")
        for name, kernel in (("products", PRODUCTS), ("pairs", OF_PAIRS))
        for tile in kernel.tiles
    ],
)
def test_an_sm_holds_the_blocks_that_are_counted_on(kernel, tile, along_k):
    """An H200's shared memory takes as many as the tile says, in its stages, or in fewer; and their threads fit."""
    problem = Problem.of("matmul", 4 * tile.block_m, 4 * tile.block_n, 100, "float64")
    b = replace(problem.b, row_stride=1, column_stride=100) if along_k else problem.b
    (part,) = slices(replace(problem, b=b))
    (launch,) = kernel.divided(part, H200, tile, Shares()).launches
    per_block = launch.shared_bytes + H200.reserved_shared_bytes_per_block
    assert int(dict(launch.macros)["STAGES"]) >= LEAST_STAGES
    assert tile.blocks_per_sm * per_block <= H200.shared_bytes_per_sm
    assert tile.blocks_per_sm * tile.threads <= 2048
