"""Measure dot and vecdot beside torch on this GPU, as bench_gpu does for products.

python -m benchmarks.measure.bench_dot [--seconds 0.15] [--out FILE]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.measure.bench_gpu import geometric_mean
from tilewright.lab.bench.timing import NOT_MEASURED, OURS, ColdTimer

RESULT = record.RESULTS / "dot_h200.json"
REQUIRED = {"dot": 1.0, "dot 2^20 and 2^24": 1.2, "dot 16-bit": 1.2, "vecdot batched": 1.2, "vecdot strided": 1.2}
AGREES_WITHIN = 0.02
"""Of the largest result. The benchmark only makes sure that it times the same sums; proofs are the tests'."""


@dataclass(frozen=True)
class Case:
    """Vectors along ``axis`` of tensors of ``shape``; every ``step``-th element of larger ones, from ``offset`` on."""

    group: str
    dtype: str
    shape: tuple[int, ...]
    axis: int = -1
    steps: tuple[int, int] = (1, 1)
    offsets: tuple[int, int] = (0, 0)

    def operands(self) -> tuple[Any, Any]:
        """Return A and B on the current GPU, filled with random normal numbers."""
        return self._vectors(0), self._vectors(1)

    def _vectors(self, which: int) -> Any:
        import torch

        step, offset = self.steps[which], self.offsets[which]
        *others, last = self.shape
        whole = torch.randn((*others, last * step + offset), dtype=getattr(torch, self.dtype), device="cuda")
        return whole[..., offset::step][..., :last]

    def contenders(self, a: Any, b: Any) -> dict[str, Callable[[], Any]]:
        """Return tilewright's way and torch's by name; torch.sum reads one of the vectors."""
        import torch

        import tilewright

        if len(self.shape) == 1:
            ways = {OURS: lambda: tilewright.dot(a, b), "torch": lambda: torch.dot(a, b)}
            return ways | ({"torch.sum": lambda: torch.sum(a)} if self.shape[0] >= 2**28 else {})
        sums = "ij,ij->i" if self.axis == -1 else "ij,ij->j"
        return {
            OURS: lambda: tilewright.vecdot(a, b, axis=self.axis),
            "torch": lambda: torch.linalg.vecdot(a, b, dim=self.axis),
            "einsum": lambda: torch.einsum(sums, a, b),
        }


def cases() -> Iterator[Case]:
    """Yield what is measured."""
    for dtype in ("float32", "float64"):
        for power in range(10, 29, 2):
            yield Case("dot 2^20 and 2^24" if power in {20, 24} else "dot", dtype, (2**power,))
        for offsets in ((1, 1), (0, 1), (0, 4)):
            yield Case("dot misaligned", dtype, (2**26,), offsets=offsets)
        yield Case("dot strided", dtype, (2**24,), steps=(2, 2))
        yield Case("dot strided", dtype, (2**24,), steps=(3, 1))
    for dtype in ("float16", "bfloat16"):
        for power in (20, 24):
            yield Case("dot", dtype, (2**power,))
        for power in (28, 30):
            yield Case("dot 16-bit", dtype, (2**power,))
    for dtype in ("float32", "bfloat16", "float64"):
        batches = ((2**21, 16), (2**18, 100), (65536, 1000), (16384, 4096), (1024, 32768), (64, 2**19), (7, 2**21))
        for shape in (*batches, (40, 1000), (1000, 1000)):
            yield Case("vecdot batched", dtype, shape)
        for shape in ((4096, 4096), (64, 2**18), (2**17, 128), (2**20, 8), (1000, 1000), (100_000, 333)):
            yield Case("vecdot strided", dtype, shape, axis=0)
        yield Case("vecdot strided", dtype, (4096, 4096), steps=(2, 1))


def measured(case: Case, timer: ColdTimer, seconds: float) -> dict[str, Any]:
    """Return a row of the result: the case, its times in us, and the rate at which ours reads, in GB/s."""
    a, b = case.operands()
    ways = case.contenders(a, b)
    ours, theirs = ways[OURS]().double(), ways["torch"]().double()
    apart = float((ours - theirs).abs().max() / theirs.abs().max())
    if not (apart <= AGREES_WITHIN or theirs.isinf().any() or case.dtype == "float16"):
        raise RuntimeError(f"{case}: tilewright and torch differ by {apart:.2g} of the largest sum.")
    times = timer.time(ways, seconds)
    rival = min(time.median_us for name, time in times.items() if name not in {OURS, "torch.sum"})
    read = (a.numel() + b.numel()) * a.element_size()
    row = {
        **vars(case),
        "us": {name: [round(each, 2) for each in time.us] for name, time in times.items()},
        "median_us": round(times[OURS].median_us, 2),
        "rival_us": round(rival, 2),
        "ratio": round(rival / times[OURS].median_us, 3),
        "gb_per_s": round(read / times[OURS].median_us * 1e-3),
    }
    if "torch.sum" in times:
        row["sum_gb_per_s"] = round(a.numel() * a.element_size() / times["torch.sum"].median_us * 1e-3)
    return row


def main() -> int:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.15, help="GPU time for a case, about")
    parser.add_argument("--out", type=Path, default=RESULT)
    asked = parser.parse_args()
    import torch

    timer, rows = ColdTimer(), []
    for case in cases():
        row = measured(case, timer, asked.seconds)
        rows.append(row)
        more = "".join(
            f" {name} {getattr(case, name)}"
            for name in ("axis", "steps", "offsets")
            if getattr(case, name) not in {-1, (1, 1), (0, 0)}
        )
        sys.stdout.write(
            f"{case.group:18} {case.dtype:8} {case.shape!s:16}{more:18} {row['median_us']:9.2f} us "
            f"{row['gb_per_s']:5} GB/s {row['ratio']:6.2f}\n"
        )
        sys.stdout.flush()
        torch.cuda.empty_cache()
    means = {}
    for group in dict.fromkeys(row["group"] for row in rows):
        ratios = [row["ratio"] for row in rows if row["group"] == group]
        means[group] = {"mean": geometric_mean(ratios), "least": min(ratios), "required": REQUIRED.get(group)}
        sys.stdout.write(f"{group}: mean {means[group]['mean']:.3f}, least {means[group]['least']:.3f}\n")
    record.write(
        asked.out,
        "GPU time of a call in us, tilewright, torch.dot or torch.linalg.vecdot, and einsum in turn in one process, "
        "cold L2, random normal inputs; ratios are the best rival's time over ours",
        rows,
        torch=torch.__version__,
        cuda_of_torch=torch.version.cuda,
        not_measured=NOT_MEASURED,
        groups=means,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
