"""Measure every product of shapes.toml beside torch on this GPU: `make bench-gpu`.

    python -m benchmarks.measure.bench_gpu [--seconds 1.2] [--groups odd-large ...] [--dtypes bfloat16] [--compiled]

Ours and torch's run in one process in turn, on the same random normal numbers, each with a cold L2 cache, queued behind
what empties it. Odd sizes are also padded by hand first; with --compiled, torch.compile is measured too.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable
from math import exp, log
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.shapes import DTYPES, ShapeGroup, shape_groups
from tilewright.lab.bench.products import MeasuredProduct
from tilewright.lab.bench.timing import NOT_MEASURED, OURS, ColdTimer, Comparison, compare_products

RESULT = record.RESULTS / "products_h200.json"


def geometric_mean(ratios: Iterable[float]) -> float:
    """Return the mean under which twice as fast and half as fast cancel."""
    logarithms = [log(ratio) for ratio in ratios]
    return exp(sum(logarithms) / len(logarithms))


def measure(
    groups: Iterable[ShapeGroup], dtypes: Iterable[str], seconds: float, *, compiled: bool
) -> tuple[dict[MeasuredProduct, Comparison], list[dict[str, str]]]:
    """Return a comparison for each product, measured once however many groups name it, and those that failed."""
    timer = ColdTimer()
    failures: list[dict[str, str]] = []
    found: dict[MeasuredProduct, Comparison] = {}
    for product in dict.fromkeys(product for group in groups for product in group.products):
        if product.dtype not in dtypes:
            continue
        rivals = ["torch"]
        if not product.epilogue:
            rivals += [*(["padded"] if product.is_odd else []), *(["compiled"] if compiled else [])]
        started = time.monotonic()
        try:
            found[product] = comparison = compare_products(product, timer, seconds, rivals)
        except (RuntimeError, ValueError) as error:
            failures.append(
                {"product": str(product), "dtype": product.dtype, "layout": product.layout, "why": str(error)}
            )
            sys.stdout.write(f"{product!s:28} {product.dtype:9} {product.layout:10} FAILED: {error}\n")
            continue
        ratios = ", ".join(f"{comparison.ratio(rival):.3f} x {rival}" for rival in rivals)
        sys.stdout.write(
            f"{product!s:28} {product.dtype:9} {product.layout:10} {comparison.times[OURS].median_us:10.1f} us "
            f"{comparison.tflops(OURS):6.1f} TFLOP/s  {ratios}  ({time.monotonic() - started:.1f} s)\n"
        )
        sys.stdout.flush()
    return found, failures


def group_means(groups: Iterable[ShapeGroup], found: dict[MeasuredProduct, Comparison]) -> list[dict[str, Any]]:
    """Return for each group the geometric mean of its ratios, in each type and in all, and the least of them."""
    means = []
    for group in groups:
        measured = [found[product] for product in group.products if product in found]
        if not measured:
            continue
        ratios = {dtype: [c.ratio(group.against) for c in measured if c.product.dtype == dtype] for dtype in DTYPES}
        every = [ratio for of_dtype in ratios.values() for ratio in of_dtype]
        means.append(
            {
                "group": group.name,
                "title": group.title,
                "against": group.against,
                "epilogue": group.products[0].epilogue,
                "required": group.required,
                "aimed_at": group.aimed_at,
                "mean": geometric_mean(every),
                "least": min(every),
                **{f"mean_{dtype}": geometric_mean(of_dtype) for dtype, of_dtype in ratios.items() if of_dtype},
            }
        )
    return means


def verdict(mean: dict[str, Any]) -> str:
    """Return whether a group's mean is what it has to be."""
    if mean["required"] is None:
        return "no requirement"
    return f"required {mean['required']}: {'reached' if mean['mean'] >= mean['required'] else 'MISSED'}"


def main() -> int:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.2, help="GPU time for a product, about")
    parser.add_argument("--groups", nargs="+", choices=[group.name for group in shape_groups()])
    parser.add_argument("--dtypes", nargs="+", choices=DTYPES, default=list(DTYPES))
    parser.add_argument("--compiled", action="store_true", help="measure torch.compile(torch.matmul) too")
    parser.add_argument("--out", type=Path, default=RESULT)
    asked = parser.parse_args()
    groups = [group for group in shape_groups() if not asked.groups or group.name in asked.groups]
    found, failures = measure(groups, asked.dtypes, asked.seconds, compiled=asked.compiled)
    means = group_means(groups, found)
    for mean in means:
        ratio = f"{mean['mean']:6.3f} x {mean['against']:6} (least {mean['least']:.3f}; {verdict(mean)})"
        sys.stdout.write(f"{mean['title']:50} {ratio}\n")
    import torch

    record.write(
        asked.out,
        "GPU time of a call in us, contenders in turn in one process, cold L2, random normal inputs",
        [comparison.record() for comparison in found.values()],
        torch=torch.__version__,
        cuda_of_torch=torch.version.cuda,
        not_measured=NOT_MEASURED,
        groups=means,
        failures=failures,
    )
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
