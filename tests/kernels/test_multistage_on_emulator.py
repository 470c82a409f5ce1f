"""The float32 and float64 kernels on the emulator, watched by every observer: layouts, splits, batches, epilogues."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.kernels.integer_product import IntegerProduct
from tests.kernels.plan_on_emulator import check_on_emulator, run_on_emulator
from tests.kernels.test_chip_kernels_on_emulator import simple
from tests.lab.planted.watching import all_observers
from tilewright.choose import choose_plan, find_chip
from tilewright.emulate import Emulator
from tilewright.kernels.batches import slices
from tilewright.kernels.matmul import cuda_cores_float32, mma_sync_float64
from tilewright.kernels.matmul.float_tile import Shares
from tilewright.kernels.problem import Epilogue

KERNELS = {"float32": "cuda_cores_float32", "float64": "mma_sync_float64"}
PLANNING = {"float32": cuda_cores_float32.KERNEL, "float64": mma_sync_float64.KERNEL}
MOST_OF_QUICK = 64 * 32
"""Results of a tile that is tried in the quick tests, too."""
CASES = pytest.mark.parametrize(
    ("dtype", "chip", "architecture"),
    [
        ("float32", "h200", "compute_90"),
        ("float32", "t4", "compute_75"),
        ("float64", "h200", "compute_90"),
        ("float64", "a100", "compute_80"),
    ],
)


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


def checked(product, emulator, chip, architecture, tile=None, launches=None):
    """Compare every element, inside C and outside, and expect no error of any observer."""
    plan = choose_plan(product.multiplication(), replace(find_chip(chip), sm_count=4), KERNELS[product.dtype], tile)
    assert launches is None or len(plan.launches) == launches
    held = {name: emulator.allocate(array.nbytes, name) for name, array in product.buffers.items()}
    workspace = emulator.allocate(max(plan.workspace_bytes, 1), "workspace")
    workspace.write(np.full(workspace.nbytes, 0xFF, np.uint8))
    for name, array in product.buffers.items():
        held[name].write(array)
    addresses = {name: buffer.address + product.firsts[name] for name, buffer in held.items()}
    watching = all_observers()
    run_on_emulator(emulator, plan, addresses | {"workspace": workspace.address}, architecture, watching)

    assert [found for each in watching for found in each.findings if found.severity == "error"] == []
    product.check(held["C"].read(product.buffers["C"].dtype, product.buffers["C"].shape))
    for buffer in (*held.values(), workspace):
        buffer.free()


@CASES
@pytest.mark.parametrize("tile", [None, (32, 32), (64, 64)])
def test_sizes(emulator, dtype, chip, architecture, tile):
    """Tiles that reach past each edge, and an inner size of 0."""
    for m, k, n in ((37, 21, 41), (64, 32, 68), (3, 0, 5)):
        checked(simple(dtype, dtype, m, k, n), emulator, chip, architecture, tile)


@pytest.mark.parametrize(
    ("dtype", "tile", "chip", "architecture"),
    [
        ("float32", (64, 32), "h200", "compute_90"),
        ("float32", (64, 32), "t4", "compute_75"),
        ("float64", (128, 32), "h200", "compute_90"),
    ],
)
@pytest.mark.parametrize("strides", [((21, 1), (26, 1), (26, 1)), ((1, 114), (1, 24), (1, 108))])
def test_narrow_tiles(emulator, dtype, tile, chip, architecture, strides):
    """All warps of a block one below the other."""
    product = IntegerProduct(dtype, dtype, ((106, 21), (21, 26), (106, 26)), strides)
    checked(product, emulator, chip, architecture, tile)


EACH_TILE = [
    pytest.param(
        dtype,
        tile,
        id=f"{dtype}-{tile.block_m}x{tile.block_n}x{tile.block_k}",
        marks=[pytest.mark.slow] * (tile.block_m * tile.block_n > MOST_OF_QUICK),
    )
    for dtype, planning in PLANNING.items()
    for tile in planning.tiles
    if not tile.stays
]


@pytest.mark.parametrize(("dtype", "tile"), EACH_TILE)
@pytest.mark.parametrize("odd", [0, 1])
def test_each_tile(emulator, dtype, tile, odd):
    """Four of it, of which three reach past edges, and more steps than stages; in vectors and by elements."""
    m, k, n = tile.block_m + 4, 10 * tile.block_k + 4 + odd, tile.block_n + 8 + odd
    product = simple(dtype, dtype, m, k, n)
    (part,) = slices(product.multiplication())
    watching = all_observers()
    plan = PLANNING[dtype].divided(part, find_chip("h200"), tile, Shares())
    check_on_emulator(product, plan, emulator, "compute_90", watching)
    assert [found for each in watching for found in each.findings if found.severity == "error"] == []


@CASES
@pytest.mark.parametrize(
    "strides",
    [
        pytest.param(((1, 40), (1, 20), (1, 40)), id="columns"),
        pytest.param(((20, 1), (1, 20), (36, 1)), id="both along the inner size"),
        pytest.param(((1, 37), (37, 1), (37, 1)), id="odd columns and rows"),
        pytest.param(((-41, 2), (0, 1), (3, 200)), id="backwards, with gaps, broadcast"),
    ],
)
def test_layouts(emulator, dtype, chip, architecture, strides):
    """Copies along either index, in vectors and by elements."""
    product = IntegerProduct(dtype, dtype, ((36, 20), (20, 36), (36, 36)), strides)
    checked(product, emulator, chip, architecture, (32, 32))


@CASES
@pytest.mark.parametrize(("m", "n"), [(9, 11), (40, 9)])
def test_splits_with_the_epilogue(emulator, dtype, chip, architecture, m, n):
    """A long inner size is split; what is left of alpha, beta, bias and relu is the reduction's."""
    epilogue = Epilogue(0.5, -2, bias=True, activation="relu")
    shapes, strides = ((m, 1500), (1500, n), (m, n), (m, n)), ((1500, 1), (n, 1), (n + 1, 1), (1, m))
    product = IntegerProduct(dtype, dtype, shapes, strides, epilogue=epilogue)
    checked(product, emulator, chip, architecture, launches=2)


@CASES
@pytest.mark.parametrize(
    ("m", "n", "shares"),
    [
        pytest.param(100, 70, Shares(whole=4, blocks=5), id="blocks that end one tile and begin another"),
        pytest.param(60, 40, Shares(blocks=11), id="several blocks to a tile"),
        pytest.param(33, 3, Shares(blocks=2), id="few columns, computed as rows"),
        pytest.param(100, 70, Shares(whole=9, blocks=3), id="whole tiles alone"),
    ],
)
def test_tiles_are_shared(emulator, dtype, chip, architecture, m, n, shares):
    """Blocks hand the sums of what they do not end to those after them; the epilogue comes once."""
    epilogue = Epilogue(0.5, -2, bias=True, activation="relu")
    shapes, strides = ((m, 91), (91, n), (m, n), (m, n)), ((91, 1), (n, 1), (n + 1, 1), (1, m))
    product = IntegerProduct(dtype, dtype, shapes, strides, epilogue=epilogue)
    _check_shared(product, emulator, chip, architecture, shares)


@CASES
@pytest.mark.parametrize(
    ("shapes", "strides"),
    [
        pytest.param(((9, 72), (72, 1), (9, 1)), ((76, 1), (3, 1), (2, 1)), id="a matrix times a vector"),
        pytest.param(((1, 70), (70, 9), (1, 9)), ((70, 1), (1, 72), (9, 1)), id="a vector times a matrix"),
        pytest.param(((1, 20), (20, 37), (1, 37)), ((20, 1), (37, 1), (37, 1)), id="the same across k"),
        pytest.param(((3, 5, 92), (3, 92, 1), (3, 5, 1)), ((460, 92, 1), (0, 1, 1), (5, 1, 1)), id="a batch"),
    ],
)
def test_products_with_a_vector_are_dot_products(emulator, dtype, chip, architecture, shapes, strides):
    """Every element of C is one of a batch of dot products."""
    product = IntegerProduct(dtype, dtype, shapes, strides)
    facts = replace(find_chip(chip), sm_count=4)
    plan = choose_plan(product.multiplication(), facts, KERNELS[dtype])
    assert [launch.kernel for launch in plan.launches] == ["dot/two_stage"]
    watching = all_observers()
    check_on_emulator(product, plan, emulator, architecture, watching)
    assert [found for each in watching for found in each.findings if found.severity == "error"] == []


@CASES
def test_batches_share_blocks(emulator, dtype, chip, architecture):
    """A block may end the last tile of one product and begin the first of the next."""
    shapes, strides = ((3, 40, 70), (3, 70, 33), (3, 40, 33)), ((2800, 70, 1), (2310, 33, 1), (1320, 33, 1))
    product = IntegerProduct(dtype, dtype, shapes, strides)
    _check_shared(product, emulator, chip, architecture, Shares(whole=1, blocks=7))


@pytest.mark.parametrize("columns", ["even", "odd", "apart"])
@pytest.mark.parametrize(("chip", "architecture"), [("h200", "compute_90"), ("a100", "compute_80")])
def test_whole_tiles_of_float64_have_a_launch_of_their_own(emulator, chip, architecture, columns):
    """The launch behind it shares the others; C is stored in vectors, by rows and by elements, with an epilogue."""
    m, k, n = 100, 91, 70 if columns == "even" else 71
    step = 2 if columns == "apart" else 1
    shapes, strides = ((m, k), (k, n), (m, n), (m, n)), ((k, 1), (n, 1), (n * step, step), (1, m))
    product = IntegerProduct("float64", "float64", shapes, strides, epilogue=Epilogue(0.5, -2, bias=True))
    _check_apart(product, emulator, chip, architecture, Shares(whole=4, blocks=5))


@pytest.mark.parametrize(
    ("shares", "launches"),
    [
        pytest.param(Shares(whole=5, blocks=7), 2, id="some of both"),
        pytest.param(Shares(whole=11, blocks=6), 2, id="a block a step of the last tile"),
        pytest.param(Shares(blocks=13), 1, id="all are shared"),
    ],
)
@pytest.mark.parametrize("columns", [33, 34, 3])
def test_whole_tiles_of_a_batch_have_a_launch_of_their_own(emulator, shares, launches, columns):
    """Which of its products a block shares is counted on from them; a few columns are computed as rows."""
    m, k, n = 40 if columns > 16 else 130, 90, columns
    shapes = ((3, m, k), (3, k, n), (3, m, n), (3, m, n))
    strides = ((0, k, 1), (n * k, 1, k), (m * n + 1, n, 1), (0, 0, 1))
    product = IntegerProduct("float64", "float64", shapes, strides, epilogue=Epilogue(2, -1, True, "relu"))
    _check_apart(product, emulator, "h200", "compute_90", shares, launches)


def _check_apart(product, emulator, chip, architecture, shares, launches=2):
    """Run a product by a tile that is shared apart, made as small as the smallest."""
    (part,) = slices(product.multiplication())
    apart = next(tile for tile in mma_sync_float64.KERNEL.tiles if tile.apart)
    small = next(each for each in mma_sync_float64.KERNEL.tiles if (each.block_m, each.stays) == (32, False))
    tile = replace(small, streams=True, apart=apart.apart)
    plan = mma_sync_float64.KERNEL.divided(part, find_chip(chip), tile, shares)
    grids = [(each.grid[0], dict(each.macros)["STREAM_K"]) for each in plan.launches]
    assert grids == [(shares.whole, "0"), (shares.blocks, "1")][-launches:]
    watching = all_observers()
    check_on_emulator(product, plan, emulator, architecture, watching)
    kinds = {found.kind for each in watching for found in each.findings if found.severity == "error"}
    # A block looks for sums that are not there yet, in memory that nobody has cleared.
    assert kinds <= ({"uninitialised read"} if shares.blocks > 8 else set())


def _check_shared(product, emulator, chip, architecture, shares):
    facts, planning = find_chip(chip), PLANNING[product.dtype]
    (part,) = slices(product.multiplication())
    tile = next(each for each in planning.tiles if (each.block_m, each.block_n) == (32, 32) and not each.stays)
    watching = all_observers()
    check_on_emulator(product, planning.divided(part, facts, tile, shares), emulator, architecture, watching)
    assert [found for each in watching for found in each.findings if found.severity == "error"] == []


STAYING = [tile for tile in mma_sync_float64.KERNEL.tiles if tile.stays]


@pytest.mark.parametrize("tile", STAYING, ids=lambda tile: f"{tile.block_m}x{tile.block_n}")
@pytest.mark.parametrize(("k", "splits"), [(5, 1), (48, 1), (70, 2)])
@pytest.mark.parametrize("columns", ["even", "odd", "apart"])
def test_blocks_that_stay(emulator, tile, k, splits, columns):
    """Two blocks take all tiles of three products in turn; C is stored in vectors, in rows and by elements."""
    m, n = tile.block_m + 9, 2 * tile.block_n + (6 if columns == "even" else 7)
    shapes, c = ((3, m, k), (3, k, n), (3, m, n)), 2 if columns == "apart" else 1
    strides = ((m * k, k, 1), (k * n, n, 1), (m * n * c, n * c, c))
    product = IntegerProduct("float64", "float64", shapes, strides)
    (part,) = slices(product.multiplication())
    facts = replace(find_chip("h200"), sm_count=2, shared_bytes_per_block_optin=232_448)
    one = replace(tile, blocks_per_sm=1)
    plan = mma_sync_float64.KERNEL.divided(part, facts, one, Shares(splits))
    watching = all_observers()
    check_on_emulator(product, plan, emulator, "compute_90", watching)

    assert plan.launches[0].grid == (2, 1, 1)
    kinds = {found.kind for each in watching for found in each.findings if found.severity == "error"}
    # Rows of partial sums are padded to vectors, and the last one is read as a whole.
    assert kinds <= ({"uninitialised read"} if splits > 1 else set())


@pytest.mark.parametrize("tile", STAYING, ids=lambda tile: f"{tile.block_m}x{tile.block_n}")
@pytest.mark.parametrize("k", [1, 35])
def test_blocks_that_stay_store_with_an_epilogue(emulator, tile, k):
    """B lies along k, and C is the epilogue's."""
    m, n = 2 * tile.block_m, 2 * tile.block_n - 1
    shapes = ((3, m, k), (3, k, n), (3, m, n), (3, m, n))
    strides = ((m * k, k, 1), (n * k, 1, k), (m * n, n, 1), (0, 0, 1))
    epilogue = Epilogue(2, -1, bias=True, activation="relu")
    product = IntegerProduct("float64", "float64", shapes, strides, epilogue=epilogue)
    (part,) = slices(product.multiplication())
    facts = replace(find_chip("h200"), sm_count=2, shared_bytes_per_block_optin=232_448)
    plan = mma_sync_float64.KERNEL.divided(part, facts, replace(tile, blocks_per_sm=1), Shares())
    watching = all_observers()
    check_on_emulator(product, plan, emulator, "compute_90", watching)

    assert plan.launches[0].grid == (2, 1, 1)
    assert [found for each in watching for found in each.findings if found.severity == "error"] == []


@CASES
def test_batches_with_the_epilogue(emulator, dtype, chip, architecture):
    """Two batch extents, of which A lacks one and B the other, in one launch."""
    epilogue = Epilogue(2, 1, bias=True)
    shapes = ((2, 3, 5, 7), (2, 3, 7, 6), (2, 3, 5, 6), (2, 3, 5, 6))
    strides = ((35, 0, 7, 1), (0, 43, 6, 1), (90, 30, 6, 1), (0, 0, 0, 1))
    checked(IntegerProduct(dtype, dtype, shapes, strides, epilogue=epilogue), emulator, chip, architecture, launches=1)


@CASES
def test_split_batches(emulator, dtype, chip, architecture):
    """Partial sums of a batch lie one product after another."""
    shapes, strides = ((2, 5, 1500), (2, 1500, 6), (2, 5, 6)), ((7500, 1500, 1), (9000, 6, 1), (30, 6, 1))
    checked(IntegerProduct(dtype, dtype, shapes, strides), emulator, chip, architecture, launches=2)


@CASES
def test_nan_spoils_its_own_row_and_column_only(emulator, dtype, chip, architecture):
    """NaN in A reaches its row of C, Inf in B its column, and zeros past an edge reach nothing."""
    product = simple(dtype, dtype, 34, 18, 33)
    a, b = product.operands[0].view, product.operands[1].view
    a[33, 17], b[17, 32] = np.nan, np.inf
    a[:33, 17] = 1
    with np.errstate(invalid="ignore"):
        checked(product, emulator, chip, architecture)
