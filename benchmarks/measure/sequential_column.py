"""Table 4.2's first column (seed 003): the sequential loop, one thread of this processor, up to its limit of 2048.

python -m benchmarks.measure.sequential_column [RESULT.json]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median

import numpy

from benchmarks import record
from benchmarks.kernel_run import Launch, normal, reference
from tilewright.launch import sequential

RESULT = record.RESULTS / "sequential_column.json"
SIZES = (128, 512, 2048)
REPEATS = 3


def main() -> None:
    """Time each size after one call that compiles, compare with float64, write the result."""
    rng = numpy.random.default_rng()
    rows = []
    for n in SIZES:
        launch = Launch("reduced_matmul/sequential", "float32", None, n, n, n)
        a, b = normal(rng, (n, n), launch.dtype), normal(rng, (n, n), launch.dtype)
        c = numpy.full((n // 2, n // 2), numpy.nan, launch.dtype)
        sequential.reduced_matmul(a[:2, :2].copy(), b[:2, :2].copy(), c[:1, :1].copy())
        samples = []
        for _ in range(REPEATS):
            started = time.perf_counter()
            sequential.reduced_matmul(a, b, c)
            samples.append(round(1e6 * (time.perf_counter() - started), 1))
        expected, bound = reference(launch, a, b, numpy.arange(launch.c_rows))
        assert (numpy.abs(c - expected) <= bound).all(), f"{launch} is wrong"
        print(f"{launch}: {median(samples):,.0f} us")
        rows.append({**vars(launch), "median_us": median(samples), "samples_us": samples})
    how = f"wall clock of one call in one thread, {REPEATS} calls after compiling, random normal inputs"
    record.write(Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT, how, rows)


if __name__ == "__main__":
    main()
