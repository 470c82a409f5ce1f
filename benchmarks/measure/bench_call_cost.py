"""What a call costs on the host, beside torch's: python -m benchmarks.measure.bench_call_cost [RESULT.json].

Products of 16 x 16 tensors on a GPU, 10,000 calls in a row without waiting for it, so that what is timed is the host.
One call in ten has an A whose address was never seen before; "fresh" has only such. "dot" multiplies the same two
vectors each time, of as many numbers. Contenders take turns, in several
rounds; the same twice, without the compiled extra and with it where it is installed, each in a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import record

RESULT = record.RESULTS / "call_cost.json"
SIZE = 16
CALLS = 10_000
ROUNDS = 7
FRESH_IN = 10
KNOWN = 16
DTYPES = ("float32", "float16", "bfloat16")
HOW = (
    f"us of the host per call, {SIZE} x {SIZE} tensors, medians of {ROUNDS} rounds of {CALLS:,} calls without "
    f"synchronisation, contenders in turn; one A in {FRESH_IN} is at an address never seen before"
)


class FreshTensors:
    """Matrices at addresses that no call has seen: views that walk through one allocation."""

    def __init__(self, dtype: Any) -> None:
        import torch

        self._flat = torch.randn(2**26, device="cuda").to(dtype)
        self._next = 0

    def take(self, count: int) -> list[Any]:
        """So many matrices, next to each other."""
        step = SIZE * SIZE
        self._next = self._next if (self._next + count) * step <= self._flat.numel() else 0
        found = self._flat[self._next * step : (self._next + count) * step].view(count, SIZE, SIZE)
        self._next += count
        return list(found.unbind())


def contenders(dtype: Any) -> dict[str, tuple[Callable[[Any], Any], bool]]:
    """What is called with an A, by name, and whether every A is fresh."""
    import torch

    import tilewright

    b, out = (torch.randn(SIZE, SIZE, device="cuda").to(dtype) for _ in range(2))
    x, y = (torch.randn(SIZE * SIZE, device="cuda").to(dtype) for _ in range(2))
    plan = tilewright.plan(b, b)
    return {
        "torch": (lambda a: torch.matmul(a, b), False),
        "torch, out": (lambda a: torch.matmul(a, b, out=out), False),
        "call": (lambda a: tilewright.matmul(a, b), False),
        "call, out": (lambda a: tilewright.matmul(a, b, out=out), False),
        "plan": (lambda a: plan(a, b), False),
        "plan, out": (lambda a: plan(a, b, out=out), False),
        "torch, out, fresh": (lambda a: torch.matmul(a, b, out=out), True),
        "call, out, fresh": (lambda a: tilewright.matmul(a, b, out=out), True),
        "plan, out, fresh": (lambda a: plan(a, b, out=out), True),
        "reduced": (lambda a: tilewright.reduced_matmul(a, b), False),
        "torch, dot": (lambda _: torch.dot(x, y), False),
        "dot": (lambda _: tilewright.dot(x, y), False),
    }


def measure() -> list[dict[str, Any]]:
    """A row for each type and contender."""
    import torch

    rows = []
    for name in DTYPES:
        dtype = getattr(torch, name)
        fresh, known = FreshTensors(dtype), FreshTensors(dtype).take(KNOWN)
        calls = contenders(dtype)
        host: dict[str, list[float]] = {contender: [] for contender in calls}
        done: dict[str, list[float]] = {contender: [] for contender in calls}
        for _ in range(ROUNDS):
            for contender, (call, always_fresh) in calls.items():
                unseen = fresh.take(CALLS if always_fresh else CALLS // FRESH_IN)
                order = unseen if always_fresh else [each for new in unseen for each in (new, *known[: FRESH_IN - 1])]
                torch.cuda.synchronize()
                started = time.perf_counter()
                for a in order:
                    call(a)
                host[contender].append((time.perf_counter() - started) / len(order) * 1e6)
                torch.cuda.synchronize()
                done[contender].append((time.perf_counter() - started) / len(order) * 1e6)
        for contender in calls:
            us = [round(each, 3) for each in host[contender]]
            done_us = round(median(done[contender]), 3)
            rows.append({"dtype": name, "contender": contender, "us": us, "median_us": median(us), "done_us": done_us})
    return rows


def rows_of_process(module: str, *, native: bool) -> list[dict[str, Any]]:
    """The rows that a benchmark prints in a process with the compiled extra, or without."""
    environment = {**os.environ, "TILEWRIGHT_NATIVE": "1" if native else "0"}
    command = [sys.executable, "-m", module, "--rows"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return [{"extra": native, **row} for row in json.loads(done.stdout)]


def extra_version() -> str | None:
    """The compiled extra's, where it is installed."""
    try:
        return version("tilewright-native")
    except PackageNotFoundError:
        return None


def main() -> None:
    """Measure, print, and write the result."""
    if "--rows" in sys.argv:
        print(json.dumps(measure()))
        return
    import torch

    rows = []
    for native in (False, True)[: 1 + (extra_version() is not None)]:
        rows += rows_of_process("benchmarks.measure.bench_call_cost", native=native)
    for row in rows:
        print(f"{row['extra']!s:6}{row['dtype']:10}{row['contender']:20}{row['median_us']:8.2f} us", flush=True)
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT
    versions = {"torch": torch.__version__, "tilewright_native": extra_version()}
    record.write(path, HOW, rows, versions=versions, calls=CALLS, size=SIZE)


if __name__ == "__main__":
    main()
