"""Nothing is found in the catalogue's own kernels."""

from __future__ import annotations

import pytest

from tests.emulate.catalogue_runs import run_kernel
from tests.lab.planted.running import JUDGED
from tests.lab.planted.watching import all_observers
from tests.repeats import sampled
from tilewright.kernels import TAUGHT

QUICK_TILES = (None, 4, 128)
EVERY = [
    (kernel, dtype, tile)
    for kernel in TAUGHT
    if "emulator" in kernel.runs_on
    for tile in (kernel.tile.usual if kernel.tile else (None,))
    for dtype in kernel.dtypes
]
QUICK = [case for case in EVERY if case[1] == "float32" and case[2] in QUICK_TILES]
OTHERS = sampled(case for case in EVERY if case not in QUICK)
"""tests/emulate/observers/test_silence.py runs all of them, at other sizes."""


def _named(case, *marks):
    kernel, dtype, tile = case
    return pytest.param(*case, id=f"{kernel.name}-{tile}-{dtype}", marks=marks)


CASES = [*(_named(case) for case in QUICK), *(_named(case, pytest.mark.slow) for case in OTHERS)]


@pytest.mark.parametrize(("kernel", "dtype", "tile"), CASES)
def test_nothing_is_found(kernel, dtype, tile):
    """Sizes that are no multiples of the tile, where the kernel takes them."""
    m, n, k = (2 * tile, tile, 3 * tile) if kernel.multiples_of_tile_only else (34, 18, 41)
    watching = all_observers()
    run = run_kernel(kernel.name, m, n, k, dtype=dtype, tile=tile, observers=watching)
    run.check(kernel.operation)

    assert [one for watcher in watching for one in watcher.findings if one.kind in JUDGED] == []
