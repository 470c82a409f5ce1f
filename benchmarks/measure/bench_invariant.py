"""Prove on this GPU that rows do not depend on the batch, and measure what that costs.

python -m benchmarks.measure.bench_invariant [--splits 1000] [--seed 1] [--seconds 0.1] [--out FILE]

The proof: for each type, random n and k, and random rows of a random product, multiplied alone: all bits are compared
with those of the same rows in the whole. The speed: layers of language models, a square and products with few tiles,
from 64 rows on, `matmul(..., invariant=True)` beside `matmul` with the same precision, in turn.
"""

from __future__ import annotations

import argparse
import random
import sys
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.measure.bench_gpu import geometric_mean
from tilewright.lab.bench.timing import NOT_MEASURED, ColdTimer

RESULT = record.RESULTS / "invariant_h200.json"
DTYPES = ("float16", "bfloat16", "float32")
REQUIRED = 0.9
MOST_ELEMENTS = 2**26
"""Of a matrix in the proof."""
ROWS_OF_A_PRODUCT = 20
"""Splits that are compared with one whole product: making it takes longer than they do."""

LAYERS = ((4096, 4096), (4096, 12288), (4096, 14336), (14336, 4096), (8192, 8192), (8192, 28672), (28672, 8192))
FEW_TILES = ((8192, 1024), (16384, 1024), (65536, 128), (4096, 512))
AWKWARD = ((4095, 4097), (5001, 3000))
COLUMNS: tuple[tuple[str, tuple[tuple[int, int], ...]], ...] = (
    ("layers", LAYERS),
    ("few tiles", FEW_TILES),
    ("odd", AWKWARD),
)
"""Inner sizes and columns."""
ROWS = (64, 100, 256, 1024, 4096, 8192)


def prove(dtype: str, splits: int, seed: int) -> dict[str, Any]:
    """Compare the bits of random rows alone and in a whole.

    Raises:
        RuntimeError: a row has other bits alone.
    """
    import torch

    import tilewright

    chance, kind = random.Random(f"{seed} {dtype}"), getattr(torch, dtype)  # noqa: S311  (no secret)
    done, products, free_differ = 0, 0, 0
    kernels: set[str] = set()
    while done < splits:
        m, k, n = (int(2 ** chance.uniform(low, high)) for low, high in ((1, 13), (0, 14), (0, 13)))
        if max(m * k, k * n, m * n) > MOST_ELEMENTS:
            continue
        a, b = (torch.randn(shape, device="cuda").to(kind) for shape in ((m, k), (k, n)))
        if chance.random() < 0.3:  # B as columns, as the weights of torch's layers lie
            b = b.mT.contiguous().mT
        options: dict[str, Any] = {}
        if chance.random() < 0.3:
            options = {"bias": torch.randn(n, device="cuda").to(kind), "activation": chance.choice(["relu", "silu"])}
        whole, free = tilewright.matmul(a, b, invariant=True, **options), tilewright.matmul(a, b, **options)
        products += 1
        for _ in range(min(ROWS_OF_A_PRODUCT, splits - done)):
            first = chance.randrange(m)
            last = chance.choice([first + 1, chance.randint(first + 1, m)])
            part = tilewright.matmul(a[first:last], b, invariant=True, **options)
            if not torch.equal(part.view(torch.uint8), whole[first:last].view(torch.uint8)):
                raise RuntimeError(f"{dtype} {m}x{k}x{n}: rows {first} to {last} have other bits alone")
            free_differ += not torch.equal(tilewright.matmul(a[first:last], b, **options), free[first:last])
            done += 1
        kernels.update(launch.kernel for launch in tilewright.plan(a, b, invariant=True).plan.launches)
    found = {"dtype": dtype, "splits": done, "products": products, "other_bits": 0, "other_bits_without": free_differ}
    return {**found, "kernels": sorted(kernels)}


def timed(dtype: str, group: str, sizes: tuple[int, int, int], timer: ColdTimer, seconds: float) -> dict[str, Any]:
    """Return the times of a product with and without, in us."""
    import torch

    import tilewright

    rows, inner, columns = sizes
    a = torch.randn((rows, inner), device="cuda").to(getattr(torch, dtype))
    b = torch.randn((inner, columns), device="cuda").to(a.dtype)
    precision: dict[str, Any] = {"precision": "ieee"} if dtype == "float32" else {}
    ways = {
        "invariant": partial(tilewright.matmul, a, b, invariant=True, **precision),
        "free": partial(tilewright.matmul, a, b, **precision),
    }
    times = timer.time(ways, seconds)
    plans = {
        "invariant": tilewright.plan(a, b, invariant=True, **precision).plan,
        "free": tilewright.plan(a, b, **precision).plan,
    }
    ratio = times["free"].median_us / times["invariant"].median_us
    return {
        "dtype": dtype,
        "group": group,
        "rows": rows,
        "inner": inner,
        "columns": columns,
        "ratio": float(f"{ratio:.4g}"),
        "reasons": {name: list(plan.reasons) for name, plan in plans.items()},
        "us": {name: [round(each, 2) for each in found.us] for name, found in times.items()},
    }


def main() -> int:
    """Prove, measure, print and write; 1 where a mean is less than required."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=1000, help="random rows for each type")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.1, help="GPU time for a product, about")
    parser.add_argument("--dtypes", nargs="+", choices=DTYPES, default=list(DTYPES))
    parser.add_argument("--out", type=Path, default=RESULT)
    asked = parser.parse_args()
    import torch

    proofs = []
    for dtype in asked.dtypes:
        proofs.append(prove(dtype, asked.splits, asked.seed))
        sys.stdout.write(f"{proofs[-1]}\n")
        sys.stdout.flush()
    timer, rows = ColdTimer(), []
    for dtype in asked.dtypes:
        for group, sizes in COLUMNS:
            for inner, columns in sizes:
                for count in ROWS:
                    rows.append(timed(dtype, group, (count, inner, columns), timer, asked.seconds))
                    row = rows[-1]
                    sys.stdout.write(f"{dtype:9} {count:5} x {inner:5} x {columns:5}: {row['ratio']:.3f} of free\n")
                    sys.stdout.flush()
    groups = means(rows)
    for name, found in groups.items():
        sys.stdout.write(f"{name}: mean {found['mean']:.3f}, least {found['least']:.3f} (required: {REQUIRED})\n")
    record.write(
        asked.out,
        "GPU time of a call in us, matmul with invariant=True and without in turn in one process, cold L2, random "
        "normal inputs, float32 as 'ieee' in both; ratios are the time without over that with; proofs compare all bits "
        "of random rows alone and in a whole",
        rows,
        torch=torch.__version__,
        not_measured=NOT_MEASURED,
        proofs=proofs,
        groups=groups,
    )
    return int(any(found["mean"] < REQUIRED for found in groups.values()))


def means(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return mean and least ratio of each type and group."""
    ratios: dict[str, list[float]] = {}
    for row in rows:
        ratios.setdefault(f"{row['dtype']} {row['group']}", []).append(row["ratio"])
    return {
        name: {"mean": float(f"{geometric_mean(found):.4g}"), "least": min(found)} for name, found in ratios.items()
    }


if __name__ == "__main__":
    sys.exit(main())
