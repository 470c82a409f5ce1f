"""Kernels of the chip's half of the catalogue that the emulator runs: products of 16-bit matrices, without a GPU."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.kernels.plan_on_emulator import run_on_emulator
from tests.kernels.strided_operands import Strided, strided
from tilewright.choose import find_chip
from tilewright.choose.multiplication import Epilogue, Multiplication
from tilewright.choose.multiplication_plan import plan_multiplication
from tilewright.emulate import Emulator

PLAIN = Epilogue()
BITS = {"float16": "float16", "bfloat16": "uint16", "float32": "float32"}


def bits_of(values, dtype):
    """Float32 values as an array of the type: of its bits for bfloat16, which NumPy lacks; exact values only."""
    if dtype != "bfloat16":
        return values.astype(BITS[dtype])
    bits = values.astype(np.float32).view(np.uint32)
    assert not np.any(bits & 0xFFFF)
    return (bits >> 16).astype(np.uint16)


def values_of(bits, dtype):
    """The values as float64."""
    if dtype != "bfloat16":
        return bits.astype(np.float64)
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


class Product:
    """A product on the emulator: operands of small integers, so that float32 sums are exact and comparison is ==."""

    def __init__(self, dtype, out_dtype, shapes, strides, offset=0, epilogue=PLAIN, seed=0) -> None:
        self.random, self.dtype, self.out_dtype, self.epilogue = np.random.default_rng(seed), dtype, out_dtype, epilogue
        nan = float("nan")
        kinds = (dtype, dtype, out_dtype, out_dtype)
        self.operands = [
            strided(shape, stride, BITS[kind], 0x7FC0 if kind == "bfloat16" else nan, offset=offset)
            for shape, stride, kind in zip(shapes, strides, kinds, strict=False)
        ]
        for operand, kind in zip(self.operands, kinds, strict=False):
            if operand is not self.operands[2]:
                operand.view[...] = bits_of(self.random.integers(-4, 5, operand.view.shape).astype(np.float32), kind)
        self.bias = bits_of(self.random.integers(-4, 5, shapes[2][-1]).astype(np.float32), out_dtype)

    def multiplication(self) -> Multiplication:
        """The product as plans see it."""
        a, b, c, *addend = [operand.operand for operand in self.operands]
        return Multiplication(a, b, c, self.dtype, self.out_dtype, self.epilogue, addend[0] if addend else None)

    def expected(self):
        """The result in float64, exact."""
        a, b = (values_of(operand.view, self.dtype) for operand in self.operands[:2])
        result = self.epilogue.alpha * (a @ b)
        if self.epilogue.beta:
            result += self.epilogue.beta * values_of(self.operands[3].view, self.out_dtype)
        if self.epilogue.bias:
            result += values_of(self.bias, self.out_dtype)
        return np.maximum(result, 0) if self.epilogue.activation == "relu" else result

    def check(self, emulator: Emulator, chip: str = "t4", architecture: str = "compute_75") -> None:
        """Run and compare every element, inside C and outside it."""
        plan = plan_multiplication(self.multiplication(), find_chip(chip), "cuda_cores_16bit")
        names = ("A", "B", "C", "addend")
        arrays = {name: operand.buffer for name, operand in zip(names, self.operands, strict=False)}
        buffers = {name: emulator.allocate(array.nbytes, name) for name, array in {**arrays, "bias": self.bias}.items()}
        for name, array in {**arrays, "bias": self.bias}.items():
            buffers[name].write(array)
        firsts = {name: operand.first for name, operand in zip(names, self.operands, strict=False)}
        addresses = {
            name: buffer.address + firsts.get(name, 0) * arrays[name].itemsize if name in arrays else buffer.address
            for name, buffer in buffers.items()
        }
        run_on_emulator(emulator, plan, addresses, architecture)

        c = self.operands[2]
        before = c.outside.copy()
        c.buffer[...] = buffers["C"].read(c.buffer.dtype, c.buffer.shape)
        np.testing.assert_array_equal(values_of(c.view, self.out_dtype), self.expected())
        np.testing.assert_array_equal(bits(c.outside), bits(before))
        for buffer in buffers.values():
            buffer.free()


def bits(array):
    """The array's bits, so that NaN compares equal to itself."""
    return np.ascontiguousarray(array).view(f"u{array.itemsize}")


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


def simple(dtype, out_dtype, m, k, n, **more):
    """A product of packed matrices."""
    shapes = ((m, k), (k, n), (m, n))
    return Product(dtype, out_dtype, shapes, [(shape[1], 1) for shape in shapes], **more)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize(("m", "k", "n"), [(1, 1, 1), (65, 17, 63), (3, 0, 5), (64, 16, 64)])
def test_sizes_that_are_no_multiples(emulator, dtype, m, k, n):
    """Tiles that reach past an edge add nothing and store nothing; an empty inner size gives zeros."""
    simple(dtype, "float32", m, k, n).check(emulator)


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
    Product("float16", "float16", ((37, 19), (19, 23), (37, 23)), strides, offset=3).check(emulator)


def test_a_batch_broadcast_on_either_side(emulator):
    """Two batch extents, of which A lacks one and B the other; nothing is copied for it."""
    shapes = ((2, 3, 5, 7), (2, 3, 7, 6), (2, 3, 5, 6))
    strides = ((35, 0, 7, 1), (0, 43, 6, 1), (90, 30, 6, 1))
    Product("bfloat16", "bfloat16", shapes, strides).check(emulator)


def test_the_epilogue(emulator):
    """alpha, beta with an addend of other strides, bias and relu in one pass."""
    epilogue = Epilogue(0.5, -2, bias=True, activation="relu")
    shapes, strides = ((9, 8), (8, 10), (9, 10), (9, 10)), ((8, 1), (10, 1), (10, 1), (0, 3))
    Product("bfloat16", "float32", shapes, strides, epilogue=epilogue).check(emulator)


def test_what_beta_ignores_is_not_read(emulator):
    """A beta of 0 leaves C's old NaN and an addend's alone."""
    product = simple("float16", "float16", 5, 6, 7, epilogue=Epilogue(alpha=2))
    assert np.isnan(product.operands[2].buffer).all()
    product.check(emulator)


def test_nan_spoils_its_own_row_and_column_only(emulator):
    """NaN in A reaches its row of C, Inf in B its column, and zeros past an edge reach nothing."""
    product = simple("float16", "float32", 66, 18, 65)
    a, b = product.operands[0].view, product.operands[1].view
    a[65, 17], b[17, 64] = np.nan, np.inf
    a[:65, 17] = 1
    with np.errstate(invalid="ignore"):
        product.check(emulator)
        assert np.isnan(product.expected()[65]).all()
        assert np.isinf(product.expected()[:65, 64]).all()
        assert np.isfinite(product.expected()[:65, :64]).all()


def test_offsets_beyond_32_bits():
    """A row stride of 2^31 elements and more is an address like any other: the second row of a view with a far gap."""
    product = simple("float16", "float32", 2, 4, 3)
    far = product.multiplication()
    a = replace(far.a, row_stride=2**31 + 5)
    plan = plan_multiplication(replace(far, a=a), find_chip("t4"), "cuda_cores_16bit")
    assert any(getattr(argument, "value", 0) == 2**31 + 5 for argument in plan.launches[0].arguments)


def test_an_operand_of_strides_knows_its_outside():
    """The helper itself: elements between rows and round the view are outside, those of the view are not."""
    example = strided((2, 3), (-5, 1), "float32", 7.0)
    example.view[...] = 1
    assert isinstance(example, Strided)
    assert (example.outside == 7).all()
    assert example.outside.size == example.buffer.size - 6
