"""Pairs added with the product, on the emulator, watched by every observer: layouts, splits, tiles, batches."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.reduced_product import ReducedProduct, checked, packed
from tilewright.emulate import Emulator
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.problem import Epilogue
from tilewright.kernels.reduced_matmul import fused, fused_float64

TILES = [
    pytest.param(dtype, (tile.block_m, tile.block_n), id=f"{dtype}-{tile.block_m}x{tile.block_n}")
    for dtype in DTYPE_BYTES
    for tile in (fused_float64.KERNEL.tiles if dtype == "float64" else fused.TILES)
]
HOPPER = {"chip": "h200", "architecture": "compute_90", "kernel": "fused"}


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


@pytest.mark.parametrize(("dtype", "tile"), TILES)
def test_sizes(emulator, dtype, tile):
    """One sum, odd inner sizes, primes, more than a tile, no sum at all."""
    for m, k, n in ((1, 1, 1), (1, 2, 3), (31, 17, 37), (67, 130, 70), (3, 0, 5)):
        checked(packed(dtype, m, k, n), emulator, **HOPPER, tile=tile)


@pytest.mark.parametrize("dtype", DTYPE_BYTES)
@pytest.mark.parametrize(
    ("strides", "offset"),
    [
        pytest.param(((1, 40), (1, 24), (1, 20)), 0, id="columns"),
        pytest.param(((24, 1), (1, 24), (24, 1)), 1, id="both along the inner size, one element off"),
        pytest.param(((1, 37), (37, 1), (19, 1)), 1, id="odd columns and rows"),
        pytest.param(((-41, 2), (0, 1), (3, 200)), 0, id="backwards, with gaps, broadcast"),
        pytest.param(((-41, 1), (-53, 1), (30, 1)), 0, id="backwards"),
        pytest.param(((1, -41), (3, -70), (30, 1)), 1, id="backwards columns, none contiguous"),
    ],
)
def test_layouts(emulator, dtype, strides, offset):
    """Lines in aligned vectors, in vectors cut out of two, and by elements; pairs one below the other or beside."""
    shapes = ((36, 21), (21, 36), (18, 18))
    checked(ReducedProduct(dtype, dtype, shapes, strides, offset=offset), emulator, **HOPPER)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_old_chips(emulator, dtype):
    """Those from compute capability 7.5 on."""
    checked(packed(dtype, 33, 67, 35), emulator, kernel="fused")


@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "float64"])
def test_batches_with_the_epilogue(emulator, dtype):
    """Two batch extents, of which A lacks one and B the other; every operand of the epilogue."""
    epilogue = Epilogue(0.5, -2, bias=True, activation="relu")
    shapes = ((2, 3, 10, 7), (2, 3, 7, 6), (2, 3, 5, 3), (2, 3, 5, 3))
    strides = ((70, 0, 7, 1), (0, 43, 6, 1), (45, 15, 3, 1), (0, 0, 0, 1))
    plan = checked(ReducedProduct(dtype, dtype, shapes, strides, epilogue=epilogue), emulator, **HOPPER)
    assert len(plan.launches) == 1


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize(("m", "n"), [(5, 3), (3, 19), (37, 33)])
def test_splits_are_handed_over(emulator, dtype, m, n):
    """Blocks take the sums of others in a fixed order, in one launch; few columns are computed as rows."""
    k = 401  # in every type at least two splits, the last one shorter
    plan = checked(packed(dtype, m, k, n), emulator, **HOPPER)
    assert len(plan.launches) == 1
    assert plan.launches[0].arguments["product.splits"].value > 1


@pytest.mark.parametrize(("m", "n"), [(5, 9), (19, 5), (37, 33)])
def test_splits_of_float64_are_added_after(emulator, m, n):
    """By a launch of their own, in a fixed order; few columns are computed as rows."""
    plan = checked(packed("float64", m, 1201, n), emulator, **HOPPER)
    assert [launch.kernel for launch in plan.launches] == ["matmul/mma_sync_float64", "matmul/splitk_reduce"]


def test_batches_are_split(emulator):
    """Each of the products has its own place in the workspace."""
    shapes = ((3, 4, 200), (3, 200, 6), (3, 2, 3))
    strides = ((800, 200, 1), (1200, 6, 1), (6, 3, 1))
    plan = checked(ReducedProduct("float32", "float32", shapes, strides), emulator, **HOPPER)
    assert plan.launches[0].arguments["product.splits"].value > 1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_batch_that_no_two_extents_describe(emulator, dtype):
    """Part after part."""
    shapes = ((2, 2, 2, 4, 3), (2, 2, 2, 3, 2), (2, 2, 2, 2, 1))
    strides = ((100, 0, 12, 3, 1), (0, 20, 6, 2, 1), (8, 4, 2, 1, 1))
    plan = checked(ReducedProduct(dtype, dtype, shapes, strides), emulator, **HOPPER)
    assert len(plan.launches) == 2


@pytest.mark.parametrize(("n", "kernel"), [(2, "matmul/few_lines"), (7, "matmul/mma_sync_float64")])
def test_batches_of_float64_with_splits_and_the_epilogue(emulator, n, kernel):
    """A broadcast batch of B, whose columns are contiguous; rows of A that begin off 16 bytes."""
    epilogue = Epilogue(0.5, -2, bias=True, activation="relu")
    shapes = ((2, 50, 1201), (2, 1201, 2 * n), (2, 25, n), (2, 25, n))
    strides = ((50 * 1201, 1201, 1), (0, 1, 1203), (25 * n, n, 1), (0, 0, 1))
    plan = checked(ReducedProduct("float64", "float64", shapes, strides, epilogue=epilogue), emulator, **HOPPER)
    assert plan.launches[0].kernel == kernel


def test_nan_spoils_its_own_row_and_column_only(emulator):
    """NaN in A reaches the row of its pair, Inf in B its column."""
    product = packed("float16", 5, 9, 7)
    a, b = product.operands[0].view, product.operands[1].view
    a[3, 8], b[8, 13] = np.nan, np.inf
    a[4:, 8], a[:2, 8] = 1, 1
    with np.errstate(invalid="ignore"):
        checked(product, emulator, **HOPPER)
