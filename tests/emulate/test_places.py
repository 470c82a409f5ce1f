"""The words for a place: names and elements."""

from __future__ import annotations

import pytest

from tilewright.emulate.machine.places import element_name
from tilewright.emulate.ptx.symbols import plain_function_name, plain_name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("As", "As"),
        ("_ZZ12matmul_tiledPKfS0_PfiiiE2As", "As"),
        ("_ZZ12matmul_tiledE2As_0", "As"),
        ("_ZN2ns2ddE", "dd"),
        ("_ZN2ns5inner4dataE", "data"),
        ("_ZL5table", "table"),
        ("_ZZN2ns4tileIfLi16EEEvPKT_E4rows", "rows"),
    ],
)
def test_plain_name(symbol, name):
    """A mangled symbol's last name is the one in the source."""
    assert plain_name(symbol) == name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("matmul_tiled", "matmul_tiled"),
        ("_Z6matMulPdS_S_", "matMul"),
        ("_Z5tiledILi16EEvPKfS1_Pfiii", "tiled"),
        ("_Z5scale6float4Pf", "scale"),
        ("_ZN3lab5tiledE6float4", "tiled"),
        ("_ZN3lab5inner5tiledIfLi16EEEvPKT_", "tiled"),
        ("_ZN12_GLOBAL__N_15tiledEPf", "tiled"),
        ("_ZL5tiledPf", "tiled"),
    ],
)
def test_plain_function_name(symbol, name):
    """Neither namespaces nor the types of parameters are its name."""
    assert plain_function_name(symbol) == name


@pytest.mark.parametrize(
    ("offset", "dtype", "shape", "name"),
    [
        (0, "float32", (4, 4), "A[0][0]"),
        (52, "float32", (4, 4), "A[3][1]"),
        (64, "float32", (4, 4), "A[4][0]"),
        (-4, "float32", (4, 4), "A[-1][3]"),
        (16, "float64", (5,), "A[2]"),
        (12, None, None, "A+12 bytes"),
    ],
)
def test_element_name(offset, dtype, shape, name):
    """A byte offset becomes an element, also one outside of the array."""
    assert element_name("A", offset, dtype, shape) == name
