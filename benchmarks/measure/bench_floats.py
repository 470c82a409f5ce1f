"""Measure float32 (IEEE) and float64 products beside torch on this GPU, as bench_gpu does for 16 bits.

python -m benchmarks.measure.bench_floats [--seconds 0.3] [--out FILE]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks import record
from benchmarks.measure.bench_gpu import geometric_mean
from tilewright.lab.bench.products import MeasuredProduct
from tilewright.lab.bench.timing import NOT_MEASURED, OURS, ColdTimer, compare_products

RESULT = record.RESULTS / "floats_h200.json"
PRECISION = {"float32": "ieee", "float64": "auto"}
GROUPS: dict[str, tuple[tuple[int, ...], ...]] = {
    "aligned large": ((2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (8192, 4096, 14336)),
    "aligned small": tuple((size, size, size) for size in (128, 256, 512, 768, 1000, 1024, 1536)),
    "odd large": ((4097, 4095, 4099), (8191, 8191, 8191), (8192, 8191, 8192), (8192, 8192, 8191)),
    "odd medium": ((2047, 2047, 2047), (333, 7777, 2222), (1536, 1537, 1539)),
    "odd small": ((1023, 1023, 1023), (511, 511, 511), (255, 257, 253)),
    "thin": ((16, 8192, 8192), (1, 8192, 8192), (8192, 8192, 16), (8192, 64, 8192), (100, 5000, 3000)),
    "deep": ((64, 2**18, 64), (64, 2**20, 64), (256, 65536, 256), (127, 100_003, 129)),
    "batched": ((64, 512, 512, 512), (1024, 128, 64, 128), (1024, 127, 63, 127), (4096, 32, 32, 32)),
}
"""Rows, inner size and columns; a batch comes first."""


def product_of(shape: tuple[int, ...], dtype: str) -> MeasuredProduct:
    """Return the product of packed matrices of a shape."""
    *batch, rows, inner, columns = shape
    return MeasuredProduct(rows, inner, columns, dtype, batch[0] if batch else None)


def main() -> int:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.3, help="GPU time for a product, about")
    parser.add_argument("--out", type=Path, default=RESULT)
    asked = parser.parse_args()
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    timer, rows, means = ColdTimer(), [], {}
    for dtype, precision in PRECISION.items():
        for group, shapes in GROUPS.items():
            products = [product_of(shape, dtype) for shape in shapes]
            found = [compare_products(each, timer, asked.seconds, precision=precision) for each in products]
            for each in found:
                sys.stdout.write(
                    f"{each.product!s:28} {dtype:8} {each.times[OURS].median_us:10.1f} us {each.tflops(OURS):6.1f} "
                    f"TFLOP/s, torch {each.times['torch'].median_us:10.1f} us: {each.ratio('torch'):.3f}\n"
                )
            rows += [{"group": group, **each.record()} for each in found]
            ratios = [each.ratio("torch") for each in found]
            means[f"{group} {dtype}"] = {"mean": geometric_mean(ratios), "least": min(ratios)}
            sys.stdout.write(f"{group} {dtype}: mean {geometric_mean(ratios):.3f}, least {min(ratios):.3f}\n")
            sys.stdout.flush()
    record.write(
        asked.out,
        "GPU time of a call in us, tilewright and torch in turn in one process, cold L2, random normal inputs; ratios "
        "are torch's time over ours",
        rows,
        torch=torch.__version__,
        cuda_of_torch=torch.version.cuda,
        not_measured=NOT_MEASURED,
        groups=means,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
