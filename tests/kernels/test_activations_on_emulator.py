"""The activations of every kernel for 16-bit types, in float32, against float64 in Python."""

from __future__ import annotations

from math import erfc, exp, inf, isnan, nan, sqrt

import numpy as np
import pytest

from tests.kernels.plan_on_emulator import run_on_emulator
from tilewright.choose import find_chip
from tilewright.choose.choice import choose_plan
from tilewright.emulate import Emulator
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Epilogue, Problem

UNITS_OF_X = 8
"""The error that is allowed, in units of 2^-24 |x|; half of what the tests on a GPU allow."""
EXACT = {
    "relu": lambda x: max(x, 0.0),
    "gelu": lambda x: 0.5 * x * erfc(-x / sqrt(2)),
    "silu": lambda x: x / (1 + exp(-x)),
}


def activated(values, activation):
    """What the kernel makes of float16 values: the products of a column of them by 1."""
    count = len(values)
    shapes = packed((count, 1)), packed((1, 1)), packed((count, 1))
    product = Problem(*shapes, "float16", "float32", Epilogue(activation=activation))
    plan = choose_plan(product, find_chip("t4"), "cuda_cores_16bit")
    emulator = Emulator()
    held = {name: emulator.allocate(max(array.nbytes, 16), name) for name, array in values_by_buffer(values).items()}
    for name, array in values_by_buffer(values).items():
        held[name].write(array)
    run_on_emulator(emulator, plan, {name: buffer.address for name, buffer in held.items()}, "compute_75")
    return held["C"].read(np.float32, (count,)).astype(float)


def values_by_buffer(values):
    """A, B and C, which holds NaN."""
    return {"A": values, "B": np.ones(8, np.float16), "C": np.full(max(len(values), 4), np.nan, np.float32)}


@pytest.mark.parametrize("activation", EXACT)
def test_an_activation_is_near_the_exact_one_everywhere(activation):
    """Also far below 0, where the result is tiny, and near 0."""
    values = np.concatenate([np.linspace(-30, 30, 801), np.geomspace(1e-7, 1, 100), -np.geomspace(1e-7, 1, 100)])
    values = values.astype(np.float16)

    got = activated(values, activation)

    for x, value in zip(values.astype(float), got, strict=True):
        assert abs(value - EXACT[activation](x)) <= UNITS_OF_X * 2.0**-24 * abs(x), x


@pytest.mark.parametrize("activation", EXACT)
def test_what_is_no_number_stays_so(activation):
    """NaN is NaN, and infinity infinite."""
    got = activated(np.array([nan, inf, 60000.0, -60000.0], np.float16), activation)

    assert isnan(got[0])
    assert got[1] == inf
    assert got[2] == np.float16(60000)
    assert got[3] == 0
