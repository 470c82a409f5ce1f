"""Whole small matrices on the emulator, watched by every observer: stretches that begin anywhere, a block for many."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.kernels.integer_product import IntegerProduct
from tests.kernels.plan_on_emulator import run_on_emulator
from tests.lab.planted.watching import all_observers
from tilewright.choose import find_chip
from tilewright.choose.choice import choose_plan
from tilewright.emulate import Emulator
from tilewright.kernels.problem import Epilogue

AMPERE = replace(find_chip("a100"), sm_count=1)
"""With one SM a block takes several products of a batch in turn."""


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


def checked(product: IntegerProduct, emulator: Emulator, facts=AMPERE, architecture="compute_80") -> None:
    """Compare every element, inside C and outside it, and expect no error of any observer."""
    plan = choose_plan(product.multiplication(), facts, "small_batched")
    held = {name: emulator.allocate(array.nbytes, name) for name, array in product.buffers.items()}
    for name, array in product.buffers.items():
        held[name].write(array)
    watching = all_observers()
    addresses = {name: buffer.address + product.firsts[name] for name, buffer in held.items()}
    run_on_emulator(emulator, plan, addresses, architecture, watching)

    product.check(held["C"].read(product.buffers["C"].dtype, product.buffers["C"].shape))
    assert [found for observer in watching for found in observer.findings if found.severity == "error"] == []
    for buffer in held.values():
        buffer.free()


def packed_batch(dtype: str, out_dtype: str, sizes: tuple[int, int, int, int], **more) -> IntegerProduct:
    """Packed row-major matrices: batch, rows, inner size, columns."""
    batch, m, k, n = sizes
    shapes = ((batch, m, k), (batch, k, n), (batch, m, n))
    strides = ((m * k, k, 1), (k * n, n, 1), (m * n, n, 1))
    return IntegerProduct(dtype, out_dtype, shapes, strides, guard=0, **more)


@pytest.mark.parametrize(("dtype", "out_dtype"), [("float16", "float16"), ("bfloat16", "float32")])
def test_stretches_that_begin_anywhere(emulator, dtype, out_dtype):
    """Odd matrices one after another, in buffers that end with them: every product begins elsewhere in its piece."""
    checked(packed_batch(dtype, out_dtype, (19, 13, 7, 11)), emulator)


@pytest.mark.parametrize("sizes", [(3, 1, 1, 1), (2, 33, 1, 2), (2, 1, 33, 3), (2, 5, 17, 1)])
def test_the_smallest(emulator, sizes):
    """Stretches of less than a piece, single rows, columns and elements."""
    checked(packed_batch("float16", "float16", sizes, offset=1), emulator)


@pytest.mark.slow
@pytest.mark.parametrize("n", [126, 124, 120, 112, 128, 127])
def test_columns_of_every_alignment(emulator, n):
    """C as one stretch with rows that lie 1, 2, 4 or 8 apart, and row by row where all rows are aligned."""
    checked(packed_batch("bfloat16", "bfloat16", (1, 128, 33, n)), emulator)


@pytest.mark.slow
@pytest.mark.parametrize(
    "strides",
    [
        pytest.param(((300, 1, 37), (1000, 1, 19), (1200, 29, 1)), id="both along their columns"),
        pytest.param(((800, 21, 1), (600, 1, 19), (1200, 29, 1)), id="gaps in A, B along its columns"),
        pytest.param(((703, 19, 1), (551, 29, 1), (1300, 1, 41)), id="C along its columns"),
        pytest.param(((703, 19, 1), (0, 29, 1), (-1500, 40, 1)), id="one B for all, C with gaps, backwards"),
        pytest.param(((0, 0, 1), (551, 29, 1), (1073, 29, 1)), id="one row for all of A"),
    ],
)
def test_layouts(emulator, strides):
    """Rows and columns that are contiguous or have gaps, of each matrix; broadcasts."""
    shapes = ((5, 37, 19), (5, 19, 29), (5, 37, 29))
    checked(IntegerProduct("float16", "float16", shapes, strides, offset=5), emulator)


@pytest.mark.slow
def test_the_epilogue(emulator):
    """alpha, beta with a C operand of other strides, bias and relu; of the transposed product too."""
    full = Epilogue(0.5, -2, bias=True, activation="relu")
    shapes = ((3, 9, 8), (3, 8, 11), (3, 9, 11), (3, 9, 11))
    for c in ((99, 11, 1), (99, 1, 9)):
        strides = ((72, 8, 1), (88, 11, 1), c, (0, 0, 3))
        checked(IntegerProduct("bfloat16", "float32", shapes, strides, epilogue=full), emulator)


@pytest.mark.slow
def test_without_asynchronous_copies(emulator):
    """Turing has neither cp.async nor bfloat16."""
    turing = replace(find_chip("t4"), sm_count=1)
    checked(packed_batch("float16", "float16", (5, 21, 35, 17), offset=3), emulator, turing, "compute_75")


@pytest.mark.parametrize(
    ("dtype", "sizes"),
    [
        ("float16", (3, 64, 64, 64)),
        pytest.param("bfloat16", (5, 100, 33, 77), marks=pytest.mark.slow),
        pytest.param("bfloat16", (2, 128, 128, 128), marks=pytest.mark.slow),
        pytest.param("float16", (2, 65, 1, 127), marks=pytest.mark.slow),
    ],
)
def test_warpgroups_on_hopper(emulator, dtype, sizes):
    """More than 32 rows: wgmma with A in registers and B in shared memory."""
    hopper = replace(find_chip("h200"), sm_count=1)
    checked(packed_batch(dtype, "float32", sizes), emulator, hopper, "compute_90a")
