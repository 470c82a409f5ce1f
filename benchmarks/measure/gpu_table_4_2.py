"""The thesis's table 4.2 (seed 003) on the GPU at hand: reduced matrix products by size and kernel, float32.

    python -m benchmarks.measure.gpu_table_4_2 [RESULT.json]

Its first column, the sequential loop, needs no GPU: see benchmarks/measure/sequential_column.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks import record
from benchmarks.kernel_run import Launch
from benchmarks.measure.gpu_timing import HOW, floor_us, open_gpu, time_kernels

RESULT = record.RESULTS / "table_4_2_h200.json"
SIZES = (128, 512, 2048, 8192, 16_384)
COLUMNS: tuple[tuple[str, int | None], ...] = (
    ("reduced_matmul/naive_4p", None),
    ("reduced_matmul/naive_p", None),
    ("reduced_matmul/tiled", 8),
    ("reduced_matmul/tiled", 16),
    ("reduced_matmul/tiled", 32),
)


def main() -> None:
    """Measure and write the result."""
    machine = open_gpu()
    rows = [
        row
        for n in SIZES
        for row in time_kernels(machine, [Launch(kernel, "float32", tile, n, n, n) for kernel, tile in COLUMNS])
    ]
    record.write(Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT, HOW, rows, floor_us=floor_us(machine))


if __name__ == "__main__":
    main()
