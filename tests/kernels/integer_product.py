"""A product of small integers, on buffers that any machine can copy: its result is exact."""

from __future__ import annotations

import numpy as np

from tests.kernels.strided_operands import strided
from tilewright.kernels.problem import Epilogue, Problem

PLAIN = Epilogue()
BITS = {"float16": "float16", "bfloat16": "uint16", "float32": "float32", "float64": "float64"}


def bits_of(values, dtype):
    """Float32 values as an array of the type: of its bits for bfloat16, which NumPy lacks; exact values only."""
    if dtype != "bfloat16":
        return values.astype(BITS.get(dtype, dtype))
    bits = values.astype(np.float32).view(np.uint32)
    assert not np.any(bits & 0xFFFF)
    return (bits >> 16).astype(np.uint16)


def values_of(bits, dtype):
    """The values as float64."""
    if dtype != "bfloat16":
        return bits.astype(np.float64)
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def rounded(values, dtype):
    """Float64 values that float32 holds exactly, rounded once to the type, ties to even; as float64."""
    if dtype != "bfloat16":
        return values.astype(BITS.get(dtype, dtype)).astype(np.float64)
    bits = values.astype(np.float32).view(np.uint32)
    up = np.where(np.isfinite(values), 0x7FFF + (bits >> 16 & 1), 0).astype(np.uint32)
    return ((bits + up) & np.uint32(0xFFFF0000)).view(np.float32).astype(np.float64)


class IntegerProduct:
    """A product on buffers of the host, of small integers: float32 sums are exact, and comparison is ==."""

    def __init__(self, dtype, out_dtype, shapes, strides, offset=0, epilogue=PLAIN, seed=0, guard=64) -> None:
        self.random, self.dtype, self.out_dtype, self.epilogue = np.random.default_rng(seed), dtype, out_dtype, epilogue
        nan = float("nan")
        kinds = (dtype, dtype, out_dtype, out_dtype)
        self.operands = [
            strided(shape, stride, BITS[kind], 0x7FC0 if kind == "bfloat16" else nan, offset=offset, guard=guard)
            for shape, stride, kind in zip(shapes, strides, kinds, strict=False)
        ]
        for operand, kind in zip(self.operands, kinds, strict=False):
            if operand is not self.operands[2]:
                operand.view[...] = bits_of(self.random.integers(-4, 5, operand.view.shape).astype(np.float32), kind)
        self.bias = bits_of(self.random.integers(-4, 5, shapes[2][-1]).astype(np.float32), out_dtype)

    def multiplication(self) -> Problem:
        """The product as plans see it."""
        a, b, c, *c_operand = [operand.operand for operand in self.operands]
        return Problem(a, b, c, self.dtype, self.out_dtype, self.epilogue, c_operand[0] if c_operand else None)

    def factors(self):
        """A and B as float64."""
        return [values_of(operand.view, self.dtype) for operand in self.operands[:2]]

    def expected(self):
        """The result, rounded once, as float64."""
        a, b = self.factors()
        result = self.epilogue.alpha * (a @ b)
        if self.epilogue.beta:
            result += self.epilogue.beta * values_of(self.operands[3].view, self.out_dtype)
        if self.epilogue.bias:
            result += values_of(self.bias, self.out_dtype)
        return rounded(np.maximum(result, 0) if self.epilogue.activation == "relu" else result, self.out_dtype)

    @property
    def buffers(self):
        """The flat buffers by the names that plans have for them."""
        names = ("A", "B", "C", "c_operand")
        return {**{name: each.buffer for name, each in zip(names, self.operands, strict=False)}, "bias": self.bias}

    @property
    def firsts(self):
        """Where in its buffer each operand's first element is, in bytes."""
        names = ("A", "B", "C", "c_operand")
        firsts = {name: each.first * each.buffer.itemsize for name, each in zip(names, self.operands, strict=False)}
        return {**firsts, "bias": 0}

    def check(self, result) -> None:
        """Compare C's buffer, as a machine left it: what is expected inside C, what was there before outside."""
        c = self.operands[2]
        before = c.outside.copy()
        c.buffer[...] = result
        np.testing.assert_array_equal(values_of(c.view, self.out_dtype), self.expected())
        np.testing.assert_array_equal(bits(c.outside), bits(before))


def bits(array):
    """The array's bits, so that NaN compares equal to itself."""
    return np.ascontiguousarray(array).view(f"u{array.itemsize}")
