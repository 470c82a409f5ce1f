"""Measure reduced_matmul beside torch on this GPU, as bench_gpu does for products.

python -m benchmarks.measure.bench_reduced [--seconds 0.08] [--compile-seconds 25] [--out FILE]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.measure.bench_gpu import geometric_mean
from benchmarks.measure.reduced_cases import DTYPES, ReducedCase, cases, rivals, summed_before
from tilewright.lab.bench.products import AGREES_WITHIN, disagreement
from tilewright.lab.bench.timing import NOT_MEASURED, OURS, ColdTimer

RESULT = record.RESULTS / "reduced_h200.json"
PRECISIONS = {"float32": ("ieee", "auto", "fp16x3")}
REQUIRED = 1.2


class Compiled:
    """torch.compile's way, for as long as compiling has not taken longer than it may."""

    def __init__(self, seconds: float) -> None:
        import torch

        self._seconds = seconds
        self._call: Callable[..., Any] = torch.compile(summed_before, dynamic=True)

    def ready(self, a: Any, b: Any) -> Callable[..., Any] | None:
        """Return it, compiled for such operands; None if there is no time left, or it cannot be compiled."""
        if self._seconds <= 0:
            return None
        begun = time.perf_counter()
        try:
            self._call(a, b)
        except Exception as error:  # noqa: BLE001  (whatever torch.compile raises: it is one rival of three)
            sys.stdout.write(f"torch.compile: {type(error).__name__}\n")
            self._seconds = 0
            return None
        self._seconds -= time.perf_counter() - begun
        return self._call


def ours(a: Any, b: Any, precision: str) -> Callable[[], Any]:
    """Return tilewright's way with a precision."""
    import tilewright

    return lambda: tilewright.reduced_matmul(a, b, precision=precision)


def measured(case: ReducedCase, timer: ColdTimer, compiled: Compiled, seconds: float) -> list[dict[str, Any]]:
    """Return a row of the result for each precision: the case, its times in us, the best rival's."""
    import torch

    a, b = case.operands()
    others = rivals(case, a, b, compiled.ready(a, b))
    mine = {f"{OURS} {each}".strip(): ours(a, b, each or "auto") for each in PRECISIONS.get(case.dtype, ("",))}
    expected = others["summed before"]()
    for name, call in (mine | others).items():
        apart = disagreement(call(), expected)
        if not apart <= AGREES_WITHIN:
            raise RuntimeError(f"{case} in {case.dtype}: {name} differs by {apart:.2g} of the norm.")
    del expected
    times = timer.time(mine | others, seconds)
    rival = min(others, key=lambda name: times[name].median_us)
    rows = []
    for name in mine:
        median = times[name].median_us
        rows.append(
            {
                **vars(case),
                "group": case.group,
                "precision": name.removeprefix(OURS).strip(),
                "us": {each: [round(one, 2) for one in times[each].us] for each in (name, *others)},
                "median_us": round(median, 2),
                "rival": rival,
                "rival_us": round(times[rival].median_us, 2),
                "ratio": round(times[rival].median_us / median, 3),
                "tflops": round(case.flops / median * 1e-6, 1),
            }
        )
    del a, b, others, mine
    torch.cuda.empty_cache()
    return rows


def main() -> int:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.08, help="GPU time for a case, about")
    parser.add_argument("--compile-seconds", type=float, default=25, help="the most that torch.compile may take")
    parser.add_argument("--out", type=Path, default=RESULT)
    asked = parser.parse_args()
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    timer, compiled, rows = ColdTimer(), Compiled(asked.compile_seconds), []
    for dtype in DTYPES:
        for case in cases(dtype):
            for row in measured(case, timer, compiled, asked.seconds):
                rows.append(row)
                sys.stdout.write(
                    f"{case.group:10} {dtype:8} {row['precision']:7} {case!s:18} {row['median_us']:9.2f} us "
                    f"{row['tflops']:6.1f} TFLOP/s {row['ratio']:6.2f} against {row['rival']}\n"
                )
            sys.stdout.flush()
    means = {}
    for name in dict.fromkeys(f"{row['dtype']} {row['precision']}".strip() for row in rows):
        ratios = [row["ratio"] for row in rows if f"{row['dtype']} {row['precision']}".strip() == name]
        means[name] = {"mean": geometric_mean(ratios), "least": min(ratios), "required": REQUIRED}
        sys.stdout.write(f"{name}: mean {means[name]['mean']:.3f}, least {means[name]['least']:.3f}\n")
    record.write(
        asked.out,
        "GPU time of a call in us, tilewright.reduced_matmul and torch's ways (pairs summed before torch.matmul, that "
        "by torch.compile, torch.matmul and a sum of squares) in turn in one process, cold L2, random normal inputs; "
        "ratios are the best rival's time over ours",
        rows,
        torch=torch.__version__,
        cuda_of_torch=torch.version.cuda,
        not_measured=NOT_MEASURED,
        groups=means,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
