"""Blocks that stay, of float64 on Hopper: results that the copy engine stores as boxes, and tiles that are taken."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.kernels.integer_product import IntegerProduct
from tests.kernels.plan_on_emulator import check_on_emulator
from tests.lab.planted.watching import all_observers
from tilewright.choose import find_chip
from tilewright.emulate import Emulator
from tilewright.kernels.batches import slices
from tilewright.kernels.launch import TensorMap
from tilewright.kernels.matmul.float_tile import Shares
from tilewright.kernels.matmul.mma_sync_float64 import KERNEL
from tilewright.kernels.problem import Epilogue

STAYING = [tile for tile in KERNEL.tiles if tile.stays]
SMALLEST = STAYING[-1]
TILES = pytest.mark.parametrize("tile", STAYING, ids=lambda tile: f"{tile.block_m}x{tile.block_n}")
FULL = Epilogue(0.5, -2, bias=True, activation="relu")


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


def stored(product, emulator, tile=SMALLEST, blocks=2, stages=None):
    """Run a product by so many blocks, expect no error of any observer, and return how C was stored, and its map."""
    (part,) = slices(product.multiplication())
    facts = replace(find_chip("h200"), sm_count=blocks)
    given = replace(tile, blocks_per_sm=1, stages=stages or tile.stages)
    plan = KERNEL.divided(part, facts, given, Shares())
    (launch,) = plan.launches
    assert dict(launch.macros)["STAYS"] == "1"
    assert dict(launch.macros)["STAGES"] == str(given.stages)
    watching = all_observers()
    check_on_emulator(product, plan, emulator, "compute_90", watching)
    assert [found for each in watching for found in each.findings if found.severity == "error"] == []
    return dict(launch.macros)["STORE"], launch.parameters.get("map_c")


@TILES
@pytest.mark.parametrize("beta", [0, -2])
def test_with_the_epilogue(emulator, tile, beta):
    """C ends inside of a tile both ways; the C operand lies along columns, the bias beside it ends where C does."""
    m, k, n = tile.block_m + 11, 35, 2 * tile.block_n + 10
    shapes, strides = ((m, k), (k, n), (m, n), (m, n)), ((k, 1), (1, k), (n + 2, 1), (1, m))
    given = 4 if beta else 3
    product = IntegerProduct("float64", "float64", shapes[:given], strides[:given], epilogue=replace(FULL, beta=beta))
    assert stored(product, emulator, tile)[0] == "BY_BOXES"


@pytest.mark.parametrize(
    ("batch", "c_batch"),
    [
        pytest.param((3,), (1,), id="one product behind the other"),
        pytest.param((2, 3), (3, 1), id="two extents"),
        pytest.param((3, 2), (1, 4), id="two extents, the outer one inside, with gaps"),
        pytest.param((1, 3), (0, 1), id="an extent of 1"),
    ],
)
@pytest.mark.parametrize("full", [False, True])
def test_batches(emulator, batch, c_batch, full):
    """Boxes lie at both batch indices, and nothing between the products is written."""
    m, k, n = 41, 18, 38
    matrix = m * (n + 4)
    c = (*(step * matrix for step in c_batch), n + 4, 1)
    zeros = (0,) * (len(batch) - 1)
    shapes = ((*batch, m, k), (*batch, k, n), (*batch, m, n), (*batch, m, n))
    strides = ((*zeros, m * k, k, 1), (*zeros, 0, n, 1), c, (*zeros, 0, 0, 1))
    count, epilogue = (4, FULL) if full else (3, Epilogue())
    product = IntegerProduct("float64", "float64", shapes[:count], strides[:count], epilogue=epilogue)
    store, given = stored(product, emulator)
    assert store == "BY_BOXES"
    assert isinstance(given, TensorMap)
    assert given.sizes == (n, m, *reversed((1, *batch)[-2:]))


@pytest.mark.parametrize(
    ("c", "offset"),
    [
        pytest.param((41 * 38 + 1, 38, 1), 0, id="an odd step from product to product"),
        pytest.param((41 * 39, 39, 1), 0, id="odd rows"),
        pytest.param((-41 * 38, 38, 1), 0, id="products backwards"),
        pytest.param((41 * 38, 38, 1), 1, id="an odd offset"),
    ],
)
def test_what_the_copy_engine_cannot_address(emulator, c, offset):
    """Threads store it, in rows, each element of it and nothing else."""
    m, k, n = 41, 18, 38
    shapes, strides = ((3, m, k), (3, k, n), (3, m, n)), ((m * k, k, 1), (0, n, 1), c)
    product = IntegerProduct("float64", "float64", shapes, strides, offset=offset)
    store, given = stored(product, emulator)
    assert store in {"BY_ROWS", "BY_VECTORS"}
    assert given is None


@pytest.mark.parametrize("offset", [2, 6, 14])
@pytest.mark.parametrize("n", [38, 39])
def test_a_view_of_a_larger_matrix(emulator, offset, n):
    """Its rows are farther apart than they are long; the copy engine would write 16 bytes where 8 are inside."""
    m, k = 41, 20
    shapes, strides = ((m, k), (k, n), (m, n)), ((k + 4, 1), (n + 1, 1), (60, 1))
    product = IntegerProduct("float64", "float64", shapes, strides, offset=offset)
    assert stored(product, emulator)[0] == ("BY_VECTORS" if n % 2 else "BY_BOXES")


@pytest.mark.parametrize(("m", "n"), [(1, 70), (2, 2), (100, 2), (70, 16), (33, 34)])
def test_few_rows_or_columns(emulator, m, n):
    """Smaller than a box, and less than a warp's part of one; a few columns are computed as rows."""
    k = 19
    product = IntegerProduct("float64", "float64", ((m, k), (k, n), (m, n)), ((k, 1), (n, 1), (n, 1)), guard=64)
    store, _ = stored(product, emulator)
    assert (store == "BY_BOXES") == (not (n <= 16 and n < m))


def test_columns_computed_as_rows_in_boxes(emulator):
    """A C of few columns, which lie one behind the other: so its transposed one is stored in boxes."""
    m, k, n = 70, 19, 6
    shapes, strides = ((m, k), (k, n), (m, n), (m, n)), ((k, 1), (n, 1), (1, m), (n, 1))
    product = IntegerProduct("float64", "float64", shapes, strides, epilogue=FULL)
    assert stored(product, emulator)[0] == "BY_BOXES"


@pytest.mark.parametrize("stages", [3, 4, *(pytest.param(rarely, marks=pytest.mark.slow) for rarely in (2, 5, 6))])
@pytest.mark.parametrize("k", [1, 15, 16, 17, 32, 33, 64, 100])
def test_tiles_are_taken_in_turn(emulator, stages, k):
    """Of a short k several tiles are taken before the first is stored; the ring of them goes round more than once."""
    m, n = 170, 70 + k % 2
    product = IntegerProduct("float64", "float64", ((m, k), (k, n), (m, n)), ((k, 1), (n, 1), (n, 1)))
    assert stored(product, emulator, blocks=2, stages=stages)[0] == ("BY_ROWS" if n % 2 else "BY_BOXES")


@pytest.mark.parametrize(("k", "splits"), [(33, 2), (100, 3), (65, 4)])
def test_splits_are_taken_in_turn(emulator, k, splits):
    """The last part of k is shorter, and the first tile's last part comes before the next tile's first."""
    m, n = 70, 72
    shapes, strides = ((2, m, k), (2, k, n), (2, m, n)), ((m * k, k, 1), (k * n, n, 1), (m * n, n, 1))
    product = IntegerProduct("float64", "float64", shapes, strides, epilogue=Epilogue(2, 0, bias=True))
    (part,) = slices(product.multiplication())
    facts = replace(find_chip("h200"), sm_count=2)
    plan = KERNEL.divided(part, facts, replace(SMALLEST, blocks_per_sm=1), Shares(splits))
    assert dict(plan.launches[0].macros)["STORE"] == "BY_VECTORS"
    watching = all_observers()
    check_on_emulator(product, plan, emulator, "compute_90", watching)
    assert [found for each in watching for found in each.findings if found.severity == "error"] == []
