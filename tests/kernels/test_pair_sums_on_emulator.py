"""Pairs added before the product, on the emulator, watched by every observer: layouts, batches, epilogues, tiles."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.reduced_product import ReducedProduct, checked, packed
from tilewright.choose import choose_plan, find_chip
from tilewright.emulate import Emulator
from tilewright.kernels.launch import Pointer
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.problem import Epilogue, Problem


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


@pytest.mark.parametrize("dtype", DTYPE_BYTES)
def test_sizes(emulator, dtype):
    """One sum, odd inner sizes, primes, a line of more vectors than a block has threads, no sum at all."""
    longer = 256 * 16 // DTYPE_BYTES[dtype] + 5
    for m, k, n in ((1, 1, 1), (1, 2, 3), (31, 17, 37), (1, longer, 2), (3, 0, 5)):
        checked(packed(dtype, m, k, n), emulator)


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
    checked(ReducedProduct(dtype, dtype, shapes, strides, offset=offset), emulator)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_batches_with_the_epilogue(emulator, dtype):
    """Two batch extents, of which A lacks one and B the other: each sum is made once."""
    epilogue = Epilogue(0.5, -2, bias=True, activation="relu")
    shapes = ((2, 3, 10, 7), (2, 3, 7, 6), (2, 3, 5, 3), (2, 3, 5, 3))
    strides = ((70, 0, 7, 1), (0, 43, 6, 1), (45, 15, 3, 1), (0, 0, 0, 1))
    product = ReducedProduct(dtype, dtype, shapes, strides, epilogue=epilogue)
    plan = checked(product, emulator)
    assert len(plan.launches) == 2
    assert plan.workspace_bytes < 2 * 3 * (5 * 8 + 7 * 4) * DTYPE_BYTES[dtype]


def test_a_batch_that_no_two_extents_describe(emulator):
    """Part after part in the same workspace."""
    shapes = ((2, 2, 2, 4, 3), (2, 2, 2, 3, 2), (2, 2, 2, 2, 1))
    strides = ((100, 0, 12, 3, 1), (0, 20, 6, 2, 1), (8, 4, 2, 1, 1))
    plan = checked(ReducedProduct("float32", "float32", shapes, strides), emulator)
    assert len(plan.launches) == 4


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_splits(emulator, dtype):
    """The partial sums of a long inner size lie behind the pair sums."""
    plan = checked(packed(dtype, 6, 1501, 6), emulator, "h200", "compute_90")
    assert [launch.kernel.split("/")[1] for launch in plan.launches][::2] == ["pair_sums", "splitk_reduce"]


@pytest.mark.parametrize("later", ["A", "B"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_pairs_of_results_are_added_afterwards(emulator, monkeypatch, dtype, later):
    """Rows or columns of C's own, batches, every operand of the epilogue, strides; one rounding in the end."""
    monkeypatch.setattr("tilewright.choose.summed.summed_later", lambda *_: later)
    epilogue = Epilogue(0.5, -2, bias=True, activation="relu")
    shapes = ((2, 3, 10, 7), (2, 3, 7, 6), (2, 3, 5, 3), (2, 3, 5, 3))
    strides = ((70, 0, 7, 1), (0, 43, 6, 1), (45, 15, 3, 1), (0, 0, 0, 1))
    plan = checked(ReducedProduct(dtype, dtype, shapes, strides, epilogue=epilogue), emulator)
    assert [launch.kernel.split("/")[1] for launch in plan.launches][::2] == ["pair_sums", "splitk_reduce"]
    checked(packed(dtype, 5, 501, 3), emulator, "h200", "compute_90")
    odd = ((36, 21), (21, 34), (18, 17)), ((1, -41), (37, 1), (1, 18))
    checked(ReducedProduct(dtype, dtype, *odd, offset=1), emulator)


@pytest.mark.parametrize(("m", "n", "later"), [(8192, 64, "A"), (64, 8192, "B"), (4096, 4096, None)])
def test_a_long_operand_is_not_summed_for_few_results(m, n, later):
    """A pass over it would take longer than twice the products."""
    plan = choose_plan(Problem.of("reduced_matmul", m, n, 8192, "bfloat16"), find_chip("a100"))
    read = [name for name in "AB" if isinstance(plan.launches[0].arguments[name], Pointer)]
    assert read == [name for name in "AB" if name != later]


def test_many_lines_at_once(emulator, monkeypatch):
    """Large matrices take several lines a thread."""
    monkeypatch.setattr("tilewright.kernels.reduced_matmul.pair_sums.LEAST_VECTORS", 1)
    checked(packed("float32", 9, 19, 5), emulator)
    checked(packed("float16", 7, 300, 13), emulator)


@pytest.mark.parametrize("m", [40, 72])
def test_tma_reads_the_sums(emulator, m):
    """On Hopper wgmma multiplies them, of an odd k too, without another copy."""
    plan = checked(packed("bfloat16", m, 67, 40), emulator, "h200", "compute_90a")
    assert [launch.kernel.partition("_")[0] for launch in plan.launches[1:]] == ["matmul/wgmma"]


def test_nan_spoils_its_own_row_and_column_only(emulator):
    """NaN in A reaches the row of its pair, Inf in B its column."""
    product = packed("float16", 5, 9, 7)
    a, b = product.operands[0].view, product.operands[1].view
    a[3, 8], b[8, 13] = np.nan, np.inf
    a[4:, 8], a[:2, 8] = 1, 1
    with np.errstate(invalid="ignore"):
        checked(product, emulator)
