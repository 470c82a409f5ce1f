"""Measure products drawn at random beside torch.matmul and padding by hand on this GPU.

    python -m benchmarks.measure.bench_random --seed SEED [--count 100] [--seconds 0.05] [--floats] [--out FILE]

A figure is torch's time, or that of padding by hand where it is less, over ours. With --floats products are of float32,
by precision="ieee", and of float64: padding gives torch nothing there. Choices are to be judged on seeds that
no model was fitted to; the result says its seed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.measure.bench_gpu import geometric_mean
from benchmarks.random_products import KINDS, REGIMES, RandomProduct, drawn
from tilewright.compile.planned import compile_launches
from tilewright.kernels.launch import Launch
from tilewright.lab.bench.products import AGREES_WITHIN, MULTIPLE, disagreement, padded_product
from tilewright.lab.bench.timing import NOT_MEASURED, OURS, ColdTimer

RESULT = record.RESULTS / "random_products.json"
NOISE = 0.98
"""A ratio from here on counts as 1: what two timings of the same differ by."""
WORST = 10
FLOATS = {"float32": "ieee", "float64": "auto"}
"""The precision of types that are no 16-bit ones."""
MOST_FLOAT_FLOPS = 5e11


def measured(product: RandomProduct, timer: ColdTimer, seconds: float) -> dict[str, Any]:
    """Return a row: the product, its plan, the times of all contenders in us, and the ratio.

    Raises:
        RuntimeError: the results differ by more than types round, or the GPU has no room.
    """
    import torch

    import tilewright

    a, b = product.operands()
    options = _options(product)
    ways: dict[str, Callable[[], Any]] = {
        OURS: lambda: tilewright.matmul(a, b, **options),
        "torch": lambda: torch.matmul(a, b),
    }
    if not options and any(size % MULTIPLE for size in (product.rows, product.inner, product.columns)):
        ways["padded"] = lambda: padded_product(a, b)
    apart = disagreement(ways[OURS](), ways["torch"]())
    if not apart <= AGREES_WITHIN:
        # torch may add partial sums in 16 bits: 16 x 96,824 x 56 in bfloat16 came out 2.4 % of the norm off on an H200.
        apart = disagreement(ways[OURS](), a.double() @ b.double())
    if not apart <= AGREES_WITHIN:
        raise RuntimeError(f"{product}: ours differs by {apart:.2g} of the norm.")
    times = {name: each.median_us for name, each in timer.time(ways, seconds).items()}
    plan = tilewright.explain(a, b, **options)
    return {
        **vars(product),
        "flops": product.flops,
        "us": {name: round(us, 2) for name, us in times.items()},
        "ratio": round(min(us for name, us in times.items() if name != OURS) / times[OURS], 4),
        "kernels": [launch.kernel for launch in plan.launches],
        "reasons": list(plan.reasons),
    }


def _options(product: RandomProduct) -> dict[str, Any]:
    return {"precision": FLOATS[product.dtype]} if product.dtype in FLOATS else {}


def distributions(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Return what is published of the ratios of each regime, of each kind of sizes, and of all."""
    groups = {regime.name: [row for row in rows if row["regime"] == regime.name] for regime in REGIMES}
    groups |= {name: [row for row in rows if row["dtype"] == name] for name in FLOATS}
    groups |= {kind: [row for row in rows if row["kind"] == kind] for kind in KINDS}
    groups["all"] = list(rows)
    return {name: _distribution([row["ratio"] for row in group]) for name, group in groups.items() if group}


def _distribution(ratios: Sequence[float]) -> dict[str, float]:
    ordered = sorted(ratios)
    return {
        "count": len(ordered),
        "mean": round(geometric_mean(ordered), 4),
        "share_at_1": round(sum(ratio >= NOISE for ratio in ordered) / len(ordered), 4),
        "share_at_0.95": round(sum(ratio >= 0.95 for ratio in ordered) / len(ordered), 4),
        "percentile_5": ordered[int(0.05 * (len(ordered) - 1))],
        "worst": ordered[0],
    }


def compile_ahead(products: Sequence[RandomProduct]) -> int:
    """Compile what they will launch here, several at a time; return how many programs that are."""
    import torch

    import tilewright

    capability = torch.cuda.get_device_capability()
    launches: dict[Any, Launch] = {}
    for product in products:
        a, b = product.operands()
        launches |= {
            (launch.kernel, launch.macros): launch for launch in tilewright.explain(a, b, **_options(product)).launches
        }
        del a, b
    compile_launches(list(launches.values()), capability)
    return len(launches)


def main() -> int:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", required=True)
    parser.add_argument("--count", type=int, default=100, help="products of each regime")
    parser.add_argument("--seconds", type=float, default=0.05, help="GPU time for a product, about")
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--floats", action="store_true", help="float32 and float64")
    asked = parser.parse_args()
    of_floats = tuple(FLOATS), MOST_FLOAT_FLOPS
    products = list(drawn(asked.seed, asked.count, *of_floats) if asked.floats else drawn(asked.seed, asked.count))
    sys.stdout.write(f"{len(products)} products, {compile_ahead(products)} programs\n")
    timer, rows = ColdTimer(), []
    for product in products:
        rows.append(measured(product, timer, asked.seconds))
        sys.stdout.write(f"{product.regime:12} {product!s:44} {rows[-1]['ratio']:.3f} {rows[-1]['us']}\n")
        sys.stdout.flush()
    groups = distributions(rows)
    for name, group in groups.items():
        sys.stdout.write(f"{name:16} {group}\n")
    for row in sorted(rows, key=lambda row: row["ratio"])[:WORST]:
        sys.stdout.write(f"{row['ratio']:.3f} {row['regime']} {row['kernels']} {row['reasons']}\n")
    record.write(
        asked.out,
        f"medians of GPU time in us, tilewright, torch.matmul{'' if asked.floats else ' and padding by hand'} in turn "
        "in one process, cold L2, random normal inputs; ratios are the faster rival's time over ours",
        rows,
        seed=asked.seed,
        not_measured=NOT_MEASURED,
        groups=groups,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
