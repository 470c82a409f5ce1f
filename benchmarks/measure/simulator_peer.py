"""Seed 004's tiled product in Numba's CUDA simulator: what a machine without a GPU had before.

    NUMBA_ENABLE_CUDASIM=1 python -m benchmarks.measure.simulator_peer SIZE

Prints the seconds of a warm call, transfers included: the faster of two.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy
from numba import cuda, float32
from numpy.typing import NDArray

Array = NDArray[Any]

TILE = 16


@cuda.jit
def tiled(a: Array, b: Array, c: Array) -> None:
    """Blocks of TILE x TILE threads over C, guarded as in matmul/tiled."""
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    col, row = cuda.grid(2)
    total = float32(0)
    for phase in range((a.shape[1] + TILE - 1) // TILE):
        a_col, b_row = phase * TILE + x, phase * TILE + y
        tile_a[y, x] = a[row, a_col] if row < a.shape[0] and a_col < a.shape[1] else 0
        tile_b[y, x] = b[b_row, col] if b_row < b.shape[0] and col < b.shape[1] else 0
        cuda.syncthreads()
        for p in range(TILE):
            total += tile_a[y, p] * tile_b[p, x]
        cuda.syncthreads()
    if row < c.shape[0] and col < c.shape[1]:
        c[row, col] = total


def main() -> None:
    """Time two calls after another has warmed everything up."""
    n = int(sys.argv[1])
    rng = numpy.random.default_rng()
    a, b = (rng.standard_normal((n, n), dtype=numpy.float32) for _ in range(2))
    blocks = -(-n // TILE)

    def call() -> Array:
        c = cuda.device_array((n, n), numpy.float32)
        tiled[(blocks, blocks), (TILE, TILE)](cuda.to_device(a), cuda.to_device(b), c)
        result: Array = c.copy_to_host()
        return result

    call()
    samples = []
    for _ in range(2):
        started = time.perf_counter()
        c = call()
        samples.append(time.perf_counter() - started)
        numpy.testing.assert_allclose(c, a @ b, atol=1e-4)
    print(min(samples))


if __name__ == "__main__":
    main()
