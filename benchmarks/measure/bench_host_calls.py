"""What small calls cost on the CPU beside their library's: python -m benchmarks.measure.bench_host_calls [RESULT.json].

Each of our calls takes turns with the library's own, a thousand calls at a time, in one process, for many rounds, so
that what else the machine does falls on both. What is reported is the median of the rounds' differences; beside it the
share of torch's time for one large bfloat16 product. The same twice, without the compiled extra and with it where it is
installed. First calls are timed in processes of their own, from the end of the imports on, by the clock on the wall:
the process's own would count the threads of NumPy's BLAS, which spin for a while after they were started.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import record
from benchmarks.measure.bench_call_cost import extra_version, rows_of_process

RESULT = record.RESULTS / "host_calls.json"
SIZE = 16
CALLS = 1_000
ROUNDS = 200
LARGE = 512
LARGE_ROUNDS = 200
STARTS = 5
HOW = (
    f"us of the process per call of {SIZE} x {SIZE} float32 on the CPU, medians of {ROUNDS} rounds: a library's "
    f"own call and ours in turn, {CALLS:,} calls each; more_us is the median of the rounds' differences; {LARGE}^3 "
    f"in ms of wall-clock time, {LARGE_ROUNDS} rounds of one call, share being the median of the rounds' quotients; "
    f"first calls in ms of wall-clock time after the imports, of {STARTS} processes, with Python's compiled files there"
)
FIRST = """
import sys, time
import numpy, {library}, tilewright
a, b = {arrays}
started = time.perf_counter()
tilewright.matmul(a, b)
print(1e3 * (time.perf_counter() - started))
"""
FIRST_ARRAYS = {
    "numpy": "(numpy.ones((16, 16), numpy.float32) for _ in range(2))",
    "torch": "(torch.ones(16, 16) for _ in range(2))",
}


def pairs() -> dict[str, tuple[Callable[[], object], Callable[[], object]]]:
    """The library's own call and ours, by name."""
    import numpy
    import torch

    import tilewright

    x, y, z = (numpy.random.default_rng(0).standard_normal((SIZE, SIZE), numpy.float32) for _ in range(3))
    a, b, out = (torch.randn(SIZE, SIZE) for _ in range(3))
    weights = torch.randn(SIZE, SIZE, requires_grad=True)
    of_numpy, of_torch = tilewright.plan(x, y), tilewright.plan(a, b)
    return {
        "NumPy": (lambda: numpy.matmul(x, y), lambda: tilewright.matmul(x, y)),
        "NumPy, out": (lambda: numpy.matmul(x, y, out=z), lambda: tilewright.matmul(x, y, out=z)),
        "NumPy, plan": (lambda: tilewright.matmul(x, y), lambda: of_numpy(x, y)),
        "torch": (lambda: torch.matmul(a, b), lambda: tilewright.matmul(a, b)),
        "torch, out": (lambda: torch.matmul(a, b, out=out), lambda: tilewright.matmul(a, b, out=out)),
        "torch, gradients": (lambda: torch.matmul(a, weights), lambda: tilewright.matmul(a, weights)),
        "torch, gradients and backward": (
            lambda: torch.matmul(a, weights).sum().backward(),
            lambda: tilewright.matmul(a, weights).sum().backward(),
        ),
        "torch, plan": (lambda: tilewright.matmul(a, b), lambda: of_torch(a, b)),
    }


def seconds_of(call: Callable[[], object], count: int, clock: Callable[[], float]) -> float:
    """Seconds of one call, in a loop of ``count``."""
    calls = range(count)
    started = clock()
    for _ in calls:
        call()
    return (clock() - started) / count


def interleaved(
    own: Callable[[], object],
    ours: Callable[[], object],
    rounds: int,
    calls: int,
    clock: Callable[[], float] = time.process_time,
) -> tuple[list[float], list[float]]:
    """Seconds per call of both in each round; each begins every other one."""
    times: dict[Callable[[], object], list[float]] = {own: [], ours: []}
    for number in range(rounds):
        for call in (own, ours) if number % 2 else (ours, own):
            times[call].append(seconds_of(call, calls, clock))
    return times[own], times[ours]


def measure() -> list[dict[str, Any]]:
    """A row for each pair, and one for the large product."""
    import torch

    import tilewright

    rows = []
    for name, (own, ours) in pairs().items():
        first, second = interleaved(own, ours, ROUNDS, CALLS)
        more = median(after - before for before, after in zip(first, second, strict=True))
        us = {"own_us": median(first), "ours_us": median(second), "more_us": more}
        rows.append({"case": name, **{key: round(1e6 * value, 3) for key, value in us.items()}})
    a, b = (torch.randn(LARGE, LARGE).bfloat16() for _ in range(2))
    calls = (lambda: torch.matmul(a, b)), (lambda: tilewright.matmul(a, b))
    first, second = interleaved(*calls, LARGE_ROUNDS, 1, time.perf_counter)
    share = median(after / before for before, after in zip(first, second, strict=True))
    ms = {"own_ms": round(1e3 * median(first), 3), "ours_ms": round(1e3 * median(second), 3)}
    return [*rows, {"case": f"torch, bfloat16, {LARGE}^3", **ms, "share": round(share, 3)}]


def first_calls() -> list[dict[str, Any]]:
    """A row for each library: ms of the first call of a process, once Python has compiled the sources."""
    rows = []
    for library, arrays in FIRST_ARRAYS.items():
        command = [sys.executable, "-c", FIRST.format(library=library, arrays=arrays)]
        with tempfile.TemporaryDirectory() as folder:
            environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
            environment["PYTHONPYCACHEPREFIX"] = folder
            found = [
                float(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
                for _ in range(1 + STARTS)
            ]
        rows.append({"case": f"{library}, first call", "ms": [round(each, 1) for each in found[1:]]})
    return rows


def main() -> None:
    """Measure, print, and write the result."""
    if "--rows" in sys.argv:
        print(json.dumps(measure() + first_calls()))
        return
    import torch

    rows = []
    for native in (False, True)[: 1 + (extra_version() is not None)]:
        rows += rows_of_process("benchmarks.measure.bench_host_calls", native=native)
    for row in rows:
        print(json.dumps(row), flush=True)
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT
    record.write(path, HOW, rows, versions={"torch": torch.__version__, "tilewright_native": extra_version()})


if __name__ == "__main__":
    main()
