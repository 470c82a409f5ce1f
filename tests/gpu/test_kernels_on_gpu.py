"""Every kernel on a GPU: fresh random inputs, poisoned C, guard bands, a float64 reference with a derived bound."""

from __future__ import annotations

import numpy
import pytest

import tilewright
from benchmarks.kernel_run import KernelRun, Launch, Operands
from tests.kernels.awkward_shapes import awkward_shapes
from tilewright.kernels import TAUGHT

CASES = [
    pytest.param(kernel, dtype, tile, id=f"{kernel.name}-{tile}-{dtype}")
    for kernel in TAUGHT
    if "gpu" in kernel.runs_on
    for tile in (kernel.tile.usual if kernel.tile else (None,))
    for dtype in kernel.dtypes
]


@pytest.mark.parametrize(("kernel", "dtype", "tile"), CASES)
def test_kernel_is_correct(gpu, kernel, dtype, tile):
    """All of C is within the bound and nothing behind it is touched, for every awkward shape."""
    rng = numpy.random.default_rng()
    for shape in awkward_shapes(kernel, tile):
        launch = Launch(kernel.name, dtype, tile, *shape)
        operands = Operands(gpu, launch, rng)
        run = KernelRun(gpu, launch, operands)
        run.run_checked()
        run.close()
        operands.close()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("m", "n", "k"), [(0, 4, 4), (4, 0, 4), (4, 4, 0), (0, 0, 0)])
def test_empty_matrices(gpu, dtype, m, n, k):
    """Zero-sized inputs give what NumPy gives."""
    a, b = numpy.ones((m, k), dtype), numpy.ones((k, n), dtype)

    c = tilewright.matmul(a, b, kernel="tiled", device=gpu.name)

    assert c.shape == (m, n)
    assert c.dtype == dtype
    numpy.testing.assert_array_equal(c, a @ b)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nan_and_infinity_stay_in_their_row(gpu, dtype):
    """NaN and Inf spread as IEEE says: to the row of A and the column of B that hold them, and no further."""
    rng = numpy.random.default_rng()
    a, b = rng.standard_normal((40, 50)).astype(dtype), rng.standard_normal((50, 60)).astype(dtype)
    a[3, 7], b[20, 11] = numpy.nan, numpy.inf

    finite = numpy.isfinite(tilewright.matmul(a, b, kernel="tiled", device=gpu.name))

    expected = numpy.ones((40, 60), bool)
    expected[3, :] = expected[:, 11] = False
    numpy.testing.assert_array_equal(finite, expected)


def test_inputs_are_left_alone(gpu):
    """No kernel writes to A or B."""
    for kernel in TAUGHT:
        if "gpu" not in kernel.runs_on:
            continue
        m, n = (1, 1) if kernel.operation == "dot" else (64, 32)
        launch = Launch(kernel.name, "float32", None, m, n, 96)
        operands = Operands(gpu, launch, numpy.random.default_rng())
        run = KernelRun(gpu, launch, operands)
        run.run_checked()
        for buffer, array in zip(operands.buffers, (operands.a, operands.b), strict=True):
            after = numpy.empty_like(array)
            gpu.copy_out(buffer, after)
            numpy.testing.assert_array_equal(after, array, err_msg=kernel.name)
        run.close()
        operands.close()
