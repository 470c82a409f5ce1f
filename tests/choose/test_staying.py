"""Where blocks of float64's products stay for several tiles, and that as many fit an SM as the model counts on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.choose import choose_plan, find_chip
from tilewright.kernels.batches import slices
from tilewright.kernels.launch import TensorMap
from tilewright.kernels.matmul.float_tile import Shares
from tilewright.kernels.matmul.mma_sync_float64 import KERNEL as PRODUCTS
from tilewright.kernels.matmul.multistage import LEAST_STAGES
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Problem
from tilewright.kernels.reduced_matmul.fused_float64 import KERNEL as OF_PAIRS

H200 = find_chip("h200")


@pytest.mark.parametrize("m", [1000, 8192])
@pytest.mark.parametrize(("k", "stays"), [(0, False), (20, True)])
def test_blocks_need_a_k_to_stay(m, k, stays):
    """A block finds its next tile as it loads operands, of which there are none."""
    plan = choose_plan(Problem.of("matmul", m, 50_000, k, "float64"), H200, "mma_sync_float64")
    assert any("STAYS" in dict(launch.macros) for launch in plan.launches) == stays


def test_blocks_that_stay_are_stored_for_by_the_copy_engine():
    """Where it can address C, and rows end on 16 bytes; the map's boxes are those of a warp."""
    tile = next(tile for tile in PRODUCTS.tiles if tile.stays)
    for n, chip, store in ((4096, "h200", "BY_BOXES"), (4097, "h200", "BY_ROWS"), (4096, "a100", "BY_VECTORS")):
        (part,) = slices(Problem.of("matmul", 8192, n, 64, "float64"))
        (launch,) = PRODUCTS.divided(part, find_chip(chip), tile, Shares()).launches
        assert dict(launch.macros)["STORE"] == store
        assert ("map_c" in launch.parameters) == (store == "BY_BOXES")
    (part,) = slices(Problem.of("matmul", 8192, 4096, 64, "float64"))
    (launch,) = PRODUCTS.divided(part, H200, tile, Shares()).launches
    given = launch.parameters["map_c"]
    assert isinstance(given, TensorMap)
    assert given.box[:2] == (16, tile.block_m // tile.warps[0])
    assert given.sizes == (4096, 8192, 1, 1)


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
