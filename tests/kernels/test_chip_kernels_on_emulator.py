"""Kernels of the chip's half of the catalogue that the emulator runs: products of 16-bit matrices, without a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.kernels.integer_product import IntegerProduct
from tests.kernels.plan_on_emulator import check_on_emulator
from tests.kernels.strided_operands import Strided, strided
from tilewright.choose import find_chip
from tilewright.choose.choice import choose_plan
from tilewright.emulate import Emulator
from tilewright.emulate.observers import Observer
from tilewright.kernels.problem import Epilogue


def check(
    product: IntegerProduct,
    emulator: Emulator,
    chip: str = "t4",
    architecture: str = "compute_75",
    kernel: str = "cuda_cores_16bit",
    observers: Sequence[Observer] = (),
) -> None:
    """Run on the emulator and compare every element, inside C and outside it."""
    plan = choose_plan(product.multiplication(), find_chip(chip), kernel)
    check_on_emulator(product, plan, emulator, architecture, observers)


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


def simple(dtype, out_dtype, m, k, n, **more):
    """A product of packed matrices."""
    shapes = ((m, k), (k, n), (m, n))
    return IntegerProduct(dtype, out_dtype, shapes, [(shape[1], 1) for shape in shapes], **more)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize(("m", "k", "n"), [(1, 1, 1), (65, 17, 63), (3, 0, 5), (64, 16, 64)])
def test_sizes_that_are_no_multiples(emulator, dtype, m, k, n):
    """Tiles that reach past an edge add nothing and store nothing; an empty inner size gives zeros."""
    check(simple(dtype, "float32", m, k, n), emulator)


@pytest.mark.parametrize(
    "strides",
    [
        pytest.param(((1, 37), (1, 19), (1, 37)), id="columns"),
        pytest.param(((2 * 20, 2), (3, 60), (41, 1)), id="gaps"),
        pytest.param(((-19, 1), (23, -1), (-23, 1)), id="backwards"),
        pytest.param(((0, 1), (23, 0), (23, 1)), id="broadcast"),
    ],
)
def test_any_strides(emulator, strides):
    """Rows, columns, gaps, backwards and broadcast: an element's address is all that strides decide."""
    check(IntegerProduct("float16", "float16", ((37, 19), (19, 23), (37, 23)), strides, offset=3), emulator)


def test_a_batch_broadcast_on_either_side(emulator):
    """Two batch extents, of which A lacks one and B the other; nothing is copied for it."""
    shapes = ((2, 3, 5, 7), (2, 3, 7, 6), (2, 3, 5, 6))
    strides = ((35, 0, 7, 1), (0, 43, 6, 1), (90, 30, 6, 1))
    check(IntegerProduct("bfloat16", "bfloat16", shapes, strides), emulator)


def test_the_epilogue(emulator):
    """alpha, beta with a C operand of other strides, bias and relu in one pass."""
    epilogue = Epilogue(0.5, -2, bias=True, activation="relu")
    shapes, strides = ((9, 8), (8, 10), (9, 10), (9, 10)), ((8, 1), (10, 1), (10, 1), (0, 3))
    check(IntegerProduct("bfloat16", "float32", shapes, strides, epilogue=epilogue), emulator)


def test_what_beta_ignores_is_not_read(emulator):
    """A beta of 0 leaves C's old NaN and a C operand's alone."""
    product = simple("float16", "float16", 5, 6, 7, epilogue=Epilogue(alpha=2))
    assert np.isnan(product.operands[2].buffer).all()
    check(product, emulator)


def test_nan_spoils_its_own_row_and_column_only(emulator):
    """NaN in A reaches its row of C, Inf in B its column, and zeros past an edge reach nothing."""
    product = simple("float16", "float32", 66, 18, 65)
    a, b = product.operands[0].view, product.operands[1].view
    a[65, 17], b[17, 64] = np.nan, np.inf
    a[:65, 17] = 1
    with np.errstate(invalid="ignore"):
        check(product, emulator)
        assert np.isnan(product.expected()[65]).all()
        assert np.isinf(product.expected()[:65, 64]).all()
        assert np.isfinite(product.expected()[:65, :64]).all()


def test_offsets_beyond_32_bits():
    """A row stride of 2^31 elements and more is an address like any other: the second row of a view with a far gap."""
    product = simple("float16", "float32", 2, 4, 3)
    far = product.multiplication()
    a = replace(far.a, row_stride=2**31 + 5)
    plan = choose_plan(replace(far, a=a), find_chip("t4"), "cuda_cores_16bit")
    assert any(getattr(argument, "value", 0) == 2**31 + 5 for argument in plan.launches[0].arguments.values())


def test_an_operand_of_strides_knows_its_outside():
    """The helper itself: elements between rows and round the view are outside, those of the view are not."""
    example = strided((2, 3), (-5, 1), "float32", 7.0)
    example.view[...] = 1
    assert isinstance(example, Strided)
    assert (example.outside == 7).all()
    assert example.outside.size == example.buffer.size - 6
