"""Large products of bfloat16 by each large tile of matmul/wgmma, and by the tile that the model chooses, beside torch.

    python -m benchmarks.measure.bench_large_tiles [--seed 20261126] [--count 27] [--out FILE]

Each product is repeated for some time, since a GPU that is busy for long has a lower clock, and its L2 cache is read by
all SMs at once. FITTED were used to fit `large_filling_kb_per_us` of `choose/sm90/tiles.toml`; those drawn were not.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from math import exp, log
from pathlib import Path
from random import Random
from statistics import geometric_mean, median
from typing import Any

from benchmarks import record

FITTED = (
    (49920, 30000, 3840), (17152, 27056, 17152), (25088, 40000, 3840), (33280, 40000, 3840), (16384, 16384, 16384),
    (12032, 12032, 12032), (12000, 11000, 13000), (20000, 9000, 5000), (8192, 32768, 8192), (10240, 10240, 10240),
    (9000, 9000, 9000), (8192, 8192, 8192), (6144, 6144, 6144), (5120, 5120, 5120), (4096, 16384, 4096),
    (7000, 3000, 7000), (14000, 2000, 14000), (30000, 512, 8000),
)  # fmt: skip
"""Rows, inner extent and columns."""
TILES = ((128, 256), (256, 128), (128, 192), (192, 128), (128, 128))
LEAST_FLOPS, MOST_FLOPS, MOST_BYTES = 1.5e11, 1.2e13, 3e10
RATE_FLOPS = 6e14
HOW = (
    "TFLOP/s of products of random normal bfloat16, each repeated for about `seconds`: torch.matmul, tilewright.matmul "
    "(auto) and each tile by name; medians of three turns. Groups: geometric means of auto over torch and over the "
    "fastest tile, for the shapes that the model was fitted to and for those drawn."
)


def drawn(seed: int, count: int) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Large shapes: multiples of 8, even and odd in turn."""
    draw, found = Random(seed), 0  # noqa: S311  (nothing is kept secret)
    while found < count:
        kind = ("multiples of 8", "even", "odd")[found % 3]
        sizes = [int(exp(draw.uniform(log(1500), log(20000)))) for _ in range(3)]
        if kind == "odd":
            sizes = [size // 2 * 2 + 1 for size in sizes]
        else:
            sizes = [size // 8 * 8 + (0 if kind != "even" else 2 * draw.randint(1, 3)) for size in sizes]
        m, k, n = sizes
        if LEAST_FLOPS <= 2 * m * k * n <= MOST_FLOPS and 2 * (m * k + k * n + m * n) <= MOST_BYTES:
            found += 1
            yield kind, (m, k, n)


def measured(kind: str, shape: tuple[int, int, int], seconds: float) -> dict[str, Any]:
    """Rates of one product, in turn."""
    import torch

    import tilewright

    m, k, n = shape
    a, b = (torch.randn(sizes, device="cuda", dtype=torch.bfloat16) for sizes in ((m, k), (k, n)))
    c = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    calls: dict[str, Callable[[], object]] = {
        "torch": lambda: torch.matmul(a, b, out=c),
        "auto": lambda: tilewright.matmul(a, b, out=c),
    }
    for tile in TILES:
        calls["x".join(map(str, tile))] = partial(tilewright.matmul, a, b, out=c, kernel="wgmma", tile=tile)
    for call in calls.values():
        call()
    flops = 2 * m * k * n
    count = max(1, int(seconds * RATE_FLOPS / flops))
    rates: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(3):
        for name, call in calls.items():
            torch.cuda.synchronize()
            started = time.perf_counter()
            for _ in range(count):
                call()
            torch.cuda.synchronize()
            rates[name].append(flops * count / (time.perf_counter() - started) * 1e-12)
    return {
        "kind": kind,
        "shape": list(shape),
        "tflops": {name: round(median(each), 1) for name, each in rates.items()},
    }


def groups_of(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Means and the least of auto over torch, and over the fastest tile."""
    found = {}
    for kind in dict.fromkeys(row["kind"] for row in rows):
        own = [row["tflops"] for row in rows if row["kind"] == kind]
        for rival, best in (
            ("torch", [each["torch"] for each in own]),
            ("the fastest tile", [max(rate for name, rate in each.items() if "x" in name) for each in own]),
        ):
            ratios = [each["auto"] / of for each, of in zip(own, best, strict=True)]
            found[f"{kind}, {rival}"] = {"mean": round(geometric_mean(ratios), 3), "least": round(min(ratios), 3)}
    return found


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=20261126)
    parser.add_argument("--count", type=int, default=27)
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--out", type=Path, default=record.RESULTS / "large_tiles.json")
    asked = parser.parse_args()
    rows = []
    for kind, shape in [*(("fitted", shape) for shape in FITTED), *drawn(asked.seed, asked.count)]:
        rows.append(measured(kind, shape, asked.seconds))
        print(rows[-1], flush=True)
    record.write(asked.out, HOW, rows, groups=groups_of(rows), seed=asked.seed, seconds=asked.seconds)


if __name__ == "__main__":
    main()
