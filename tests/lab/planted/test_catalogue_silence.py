"""Nothing is found in the catalogue's own kernels."""

from __future__ import annotations

import pytest

from tests.emulate.catalogue_runs import run_kernel
from tests.lab.planted.running import JUDGED
from tests.lab.planted.watching import all_observers
from tilewright.kernels import TAUGHT

QUICK_TILES = (None, 4, 128)
CASES = [
    pytest.param(
        *(kernel, dtype, tile),
        id=f"{kernel.name}-{tile}-{dtype}",
        marks=() if tile in QUICK_TILES and dtype == "float32" else pytest.mark.slow,
    )
    for kernel in TAUGHT
    if "emulator" in kernel.runs_on
    for tile in (kernel.tile.usual if kernel.tile else (None,))
    for dtype in kernel.dtypes
]


@pytest.mark.parametrize(("kernel", "dtype", "tile"), CASES)
def test_nothing_is_found(kernel, dtype, tile):
    """Sizes that are no multiples of the tile, where the kernel takes them."""
    m, n, k = (2 * tile, tile, 3 * tile) if kernel.multiples_of_tile_only else (34, 18, 41)
    watching = all_observers()
    run = run_kernel(kernel.name, m, n, k, dtype=dtype, tile=tile, observers=watching)
    run.check(kernel.operation)

    assert [one for watcher in watching for one in watcher.findings if one.kind in JUDGED] == []
