"""Observers find nothing in kernels that are right, and change nothing."""

from __future__ import annotations

import pytest

from tests.emulate.catalogue_runs import run_kernel
from tilewright.emulate.observers import all_observers
from tilewright.kernels import TAUGHT

SIZES = {"matmul": (33, 50, 17), "reduced_matmul": (34, 66, 19), "dot": (1, 1, 1000)}
QUICK_TILES = (None, 16, 256)
CASES = [
    pytest.param(
        kernel,
        tile,
        dtype,
        id=f"{kernel.name}-{tile}-{dtype}",
        marks=[] if tile in QUICK_TILES and dtype == "float32" else [pytest.mark.slow],
    )
    for kernel in TAUGHT
    if "emulator" in kernel.runs_on
    for tile in (kernel.tile.usual if kernel.tile else (None,))
    for dtype in kernel.dtypes
]


@pytest.mark.parametrize(("kernel", "tile", "dtype"), CASES)
def test_catalogue_kernels(kernel, tile, dtype):
    """Neither errors nor notes at shapes with boundary tiles."""
    sizes = SIZES[kernel.operation]
    if kernel.multiples_of_tile_only:
        sizes = tuple(-(-size // tile) * tile for size in sizes)
    observers = all_observers()
    run = run_kernel(kernel.name, *sizes, dtype=dtype, tile=tile, observers=observers)
    run.check(kernel.operation)
    assert [finding for observer in observers for finding in observer.findings] == []
