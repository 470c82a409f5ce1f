"""Time every tile and split of reduced_matmul/fused beside pair_sums on this GPU, each checked against float64.

python -m benchmarks.measure.fused_divisions OUT.json [--seconds 25]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.measure.reduced_cases import DTYPES, ReducedCase, cases, fused_ways
from tilewright.choose.choice import choose_plan
from tilewright.compile.planned import compile_launches
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launches
from tilewright.kernels.problem import Problem
from tilewright.lab.bench.timing import ColdTimer

MOST_MODELLED_RATIO = 2.5
"""A division is timed if the model gives it no more than this many times the best one's time."""
MOST_PRODUCTS = 2**35
EPSILON = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}
ROUNDED_PAIRS = ("float16", "bfloat16")
WORKERS = 14


def candidates(case: ReducedCase, facts: DeviceFacts) -> dict[str, Launches]:
    """Return what is timed of a case by name."""
    problem = Problem.of("reduced_matmul", case.rows, case.columns, case.inner, case.dtype)
    if case.dtype == "float32":
        problem = replace(problem, precision="ieee")
    summed = choose_plan(problem, facts, "pair_sums")
    found = {"summed": Launches(summed.launches, summed.workspace_bytes)}
    ways = list(fused_ways(problem, facts))
    least = min(us for _, us, _ in ways)
    found |= {name: make() for name, us, make in ways if us <= MOST_MODELLED_RATIO * least}
    return found


def prepared(launches: Launches, device: Any, a: Any, b: Any, c: Any, workspace: Any) -> Callable[[], Any]:
    """Return what runs launches on torch's current stream."""
    import torch

    from tilewright.launch.cuda.planned import PlannedRun

    run = PlannedRun(launches, device)
    addresses = [a.data_ptr(), b.data_ptr(), c.data_ptr(), 0, 0, workspace.data_ptr()]
    stream = torch.cuda.current_stream().cuda_stream
    return lambda: run.run(addresses, stream)


def worst_share(case: ReducedCase, a: Any, b: Any, c: Any) -> float:
    """Return the largest error as a share of its bound: below 1 all is right."""
    a, b = a.double(), b.double()
    sums_a, sums_b = a[0::2] + a[1::2], b[:, 0::2] + b[:, 1::2]
    expected, terms = sums_a @ sums_b, sums_a.abs() @ sums_b.abs()
    unit = EPSILON[case.dtype]
    single = 2.0**-24 if case.dtype in ROUNDED_PAIRS else unit
    bound = (2 * unit + unit**2 + (case.inner + 16) * single) * terms + unit * expected.abs() + 1e-30
    return float(((c.double() - expected).abs() / bound).nan_to_num(nan=float("inf")).max())


def measured(case: ReducedCase, device: Any, timer: ColdTimer) -> dict[str, Any]:
    """Check and time all of a case."""
    import torch

    a, b = case.operands()
    c = torch.empty((case.rows // 2, case.columns // 2), dtype=a.dtype, device="cuda")
    found = candidates(case, device.facts)
    workspace = torch.empty(
        max(each.workspace_bytes for each in found.values()) + 512, dtype=torch.uint8, device="cuda"
    )
    calls, shares = {}, {}
    for name, launches in found.items():
        workspace.fill_(0xFF)
        c.fill_(float("nan"))
        calls[name] = prepared(launches, device, a, b, c, workspace)
        calls[name]()
        shares[name] = round(worst_share(case, a, b, c), 4)
        first = c.clone()
        for _ in range(3):
            c.fill_(float("nan"))
            calls[name]()
            if not torch.equal(first, c):
                shares[name] = float("inf")
        torch.cuda.synchronize()
        if not shares[name] < 1:
            sys.stdout.write(f"WRONG: {case} {case.dtype} {name}: {shares[name]} of the bound\n")
    times = timer.time(calls, 0)
    us = {name: round(each.median_us, 2) for name, each in times.items()}
    return {**vars(case), "us": us, "shares": shares, "launches": {n: len(f.launches) for n, f in found.items()}}


def main() -> int:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=30, help="stop after so long, compiling not counted")
    asked = parser.parse_args()
    from tilewright.launch.cuda.device import cuda_device

    device = cuda_device(0)
    wanted = [case for dtype in DTYPES for case in cases(dtype) if case.flops // 2 <= MOST_PRODUCTS]
    wanted.sort(key=lambda case: case.flops)
    distinct = {
        (each.kernel, each.macros): each
        for case in wanted
        for one in candidates(case, device.facts).values()
        for each in one.launches
    }
    begun = time.perf_counter()
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(lambda launch: compile_launches((launch,), device.capability), distinct.values()))
    sys.stdout.write(f"{len(distinct)} programs compiled in {time.perf_counter() - begun:.1f} s\n")
    timer, rows, begun = ColdTimer(), [], time.perf_counter()
    for case in wanted:
        if time.perf_counter() - begun > asked.seconds:
            sys.stdout.write(f"stopped before {case} {case.dtype}\n")
            break
        row = measured(case, device, timer)
        rows.append(row)
        best = min((name for name in row["us"] if name != "summed"), key=lambda name: row["us"][name])
        sys.stdout.write(
            f"{case.dtype:8} {case!s:18} summed {row['us']['summed']:8.2f} fused {row['us'][best]:8.2f} {best}\n"
        )
        sys.stdout.flush()
        asked.out.write_text(json.dumps(rows, indent=0), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
