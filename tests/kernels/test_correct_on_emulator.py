"""Every kernel of the catalogue in the emulator, as tests/gpu runs them on a GPU, without the largest shapes."""

from __future__ import annotations

import numpy
import pytest

from benchmarks.kernel_run import KernelRun, Launch, Operands
from tests.kernels.awkward_shapes import awkward_shapes
from tilewright.kernels import TAUGHT
from tilewright.launch.emulator import EmulatorMachine

MOST_PRODUCTS = 2_100_000
QUICK_TILES = (None, 12, 16, 256)
CASES = [
    pytest.param(
        *(kernel, dtype, tile),
        id=f"{kernel.name}-{tile}-{dtype}",
        marks=() if tile in QUICK_TILES else pytest.mark.slow,
    )
    for kernel in TAUGHT
    if "emulator" in kernel.runs_on
    for tile in (kernel.tile.usual if kernel.tile else (None,))
    for dtype in kernel.dtypes
]


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all kernels."""
    return EmulatorMachine()


@pytest.mark.parametrize(("kernel", "dtype", "tile"), CASES)
def test_kernel_is_correct(emulator, kernel, dtype, tile):
    """All of C is within the bound, nothing behind it is touched, and the loads are those that are predicted."""
    rng = numpy.random.default_rng()
    shapes = [(m, n, k) for m, n, k in awkward_shapes(kernel, tile) if m * n * k <= MOST_PRODUCTS]
    assert len(shapes) >= 3
    for shape in shapes:
        launch = Launch(kernel.name, dtype, tile, *shape)
        operands = Operands(emulator, launch, rng)
        run = KernelRun(emulator, launch, operands)
        counts = run.run_checked().counts
        assert counts.global_loads == kernel.predicted_global_loads(*shape, tile)
        assert counts.global_stores == run.c_elements
        run.close()
        operands.close()
