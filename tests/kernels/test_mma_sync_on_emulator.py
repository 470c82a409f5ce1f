"""The portable tensor-core kernel on the emulator: `cp.async`, `ldmatrix` and `mma.sync`, watched by every observer."""

from __future__ import annotations

import pytest

from tests.kernels.integer_product import IntegerProduct
from tests.kernels.test_chip_kernels_on_emulator import check, simple
from tests.lab.planted.watching import all_observers
from tilewright.emulate import Emulator
from tilewright.kernels.problem import Epilogue

AMPERE, TURING = ("a100", "compute_80"), ("t4", "compute_75")


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


def checked(product: IntegerProduct, emulator: Emulator, chip: tuple[str, str]) -> None:
    """Compare every element, and expect no error of any observer."""
    watching = all_observers()
    check(product, emulator, *chip, kernel="mma_sync", observers=watching)
    errors = [finding for observer in watching for finding in observer.findings if finding.severity == "error"]
    assert errors == []


@pytest.mark.parametrize(("dtype", "chip"), [("float16", AMPERE), ("bfloat16", AMPERE), ("float16", TURING)])
@pytest.mark.parametrize(("m", "k", "n"), [(64, 64, 64), (37, 50, 41)])
def test_sizes(emulator, dtype, chip, m, k, n):
    """Whole tiles and such that reach past each edge, in sums that float32 holds exactly."""
    checked(simple(dtype, "float32", m, k, n), emulator, chip)


@pytest.mark.slow
@pytest.mark.parametrize("chip", [AMPERE, TURING])
@pytest.mark.parametrize(
    "strides",
    [
        pytest.param(((1, 40), (1, 48), (1, 40)), id="columns"),
        pytest.param(((48, 1), (1, 48), (33, 1)), id="both along the inner size"),
        pytest.param(((1, 37), (60, 1), (41, 1)), id="odd rows"),
        pytest.param(((53, 1), (35, 1), (35, 1)), id="all odd"),
        pytest.param(((-53, 1), (2, 120), (1, 37)), id="backwards, with gaps, by columns"),
    ],
)
def test_layouts(emulator, chip, strides):
    """Loads along either index, of 16 bytes and of 2."""
    checked(IntegerProduct("float16", "float16", ((37, 48), (48, 33), (37, 33)), strides), emulator, chip)


@pytest.mark.slow
def test_the_epilogue(emulator):
    """alpha, beta with a C operand, bias and relu."""
    epilogue = Epilogue(0.5, -2, bias=True, activation="relu")
    shapes, strides = ((19, 40), (40, 24), (19, 24), (19, 24)), ((40, 1), (24, 1), (24, 1), (24, 1))
    checked(IntegerProduct("bfloat16", "float32", shapes, strides, epilogue=epilogue), emulator, AMPERE)
