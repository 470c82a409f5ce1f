"""Products in a row, each of the result of the one before: python -m benchmarks.measure.bench_in_a_row [RESULT.json].

What a stream full of products takes on the GPU: here it counts how closely kernels follow each other, which
`bench_gpu` leaves out. The row is queued behind what empties the L2 cache; within it the cache is warm.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import record
from benchmarks.shapes import DTYPES, sizes_in_a_row
from tilewright.lab.bench.timing import ColdTimer

RESULT = record.RESULTS / "in_a_row_h200.json"
PRODUCTS = 100
SECONDS = 0.4
HOW = (
    f"GPU time of {PRODUCTS} products in a row divided by {PRODUCTS}, in us: each takes the result of the one before, "
    "into one of two buffers, and B is a random rotation; rows of both contenders in turn in one process"
)


def row(multiply: Callable[..., object], start: Any, b: Any) -> Callable[[], None]:
    """What queues products, the first of ``start`` and each next of the last result."""
    buffers = [start.clone(), start.clone()]

    def queue() -> None:
        for step in range(PRODUCTS):
            multiply(buffers[step % 2], b, out=buffers[1 - step % 2])

    return queue


def main() -> None:
    """Measure, print and write."""
    import torch

    import tilewright

    timer = ColdTimer()
    rows = []
    for dtype in DTYPES:
        for size in sizes_in_a_row():
            start = torch.randn(size, size, device="cuda").to(getattr(torch, dtype))
            rotation, _ = torch.linalg.qr(torch.randn(size, size, device="cuda"))
            b = rotation.to(start.dtype)  # so that results neither grow nor vanish
            queues = {"tilewright": row(tilewright.matmul, start, b), "torch": row(torch.matmul, start, b)}
            us = {
                name: [round(each / PRODUCTS, 3) for each in times.us]
                for name, times in timer.time(queues, SECONDS).items()
            }
            ours_us, torch_us = median(us["tilewright"]), median(us["torch"])
            sys.stdout.write(f"{size:6} {dtype:9} {ours_us:8.2f} us, {torch_us / ours_us:.3f} x torch\n")
            rows.append({"size": size, "dtype": dtype, "us": us})
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT
    record.write(path, HOW, rows, torch=torch.__version__)


if __name__ == "__main__":
    main()
