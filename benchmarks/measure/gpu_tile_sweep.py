"""Seed 001's question, which tile, on the GPU at hand: 2048 x 2048 products by tile and type.

    python -m benchmarks.measure.gpu_tile_sweep [RESULT.json]

Beside the sweep of `tiled`: `naive` with the same blocks, and seed 002's barrier inside the inner loop.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks import record
from benchmarks.kernel_run import Launch
from benchmarks.measure.gpu_timing import HOW, floor_us, open_gpu, time_kernels

RESULT = record.RESULTS / "tile_sweep_h200.json"
SIZE = 2048
TILES = (1, 2, 4, 8, 12, 14, 15, 16, 32)
BESIDE = (16, 32)


def main() -> None:
    """Measure and write the result."""
    machine = open_gpu()
    variants = [("matmul/tiled", tile) for tile in TILES]
    variants += [(kernel, tile) for kernel in ("matmul/tiled_inner_barrier", "matmul/naive") for tile in BESIDE]
    rows = [
        row
        for dtype in ("float32", "float64")
        for row in time_kernels(machine, [Launch(name, dtype, tile, SIZE, SIZE, SIZE) for name, tile in variants])
    ]
    record.write(Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT, HOW, rows, floor_us=floor_us(machine))


if __name__ == "__main__":
    main()
