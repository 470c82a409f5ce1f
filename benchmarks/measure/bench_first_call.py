"""What a first call costs: python -m benchmarks.measure.bench_first_call [RESULT.json].

A new process for each start: cold (nothing on disk) and warm (the program is there). With a GPU: what is imported at a
first call, the first call to the end of its work, and the second. Without one, only what comes before the launch, for
an H200: planning and compiling. torch has been imported and has opened the GPU before the clock starts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks import record

RESULT = record.RESULTS / "first_call.json"
ROUNDS = 5
CASES = (("bfloat16", 4096), ("bfloat16", 4097), ("float16", 512), ("float32", 1024))

COMPILE = """
import json, sys, time
dtype, size = sys.argv[1], int(sys.argv[2])
import tilewright.choose.multiplication_plan
from tilewright.choose import find_chip
from tilewright.choose.choice import choose_plan
from tilewright.kernels.problem import Problem
from tilewright.kernels.operand import packed
from tilewright.compile.planned import compile_launches
matrix = packed((size, size), 16 if size % 8 == 0 else 2)
started = time.perf_counter()
plan = choose_plan(Problem(matrix, matrix, packed((size, size)), dtype, dtype), find_chip("h200"))
planned = time.perf_counter()
compile_launches(plan.launches, (9, 0))
print(json.dumps({"plan_ms": 1e3 * (planned - started), "compile_ms": 1e3 * (time.perf_counter() - planned),
                  "kernels": [launch.kernel for launch in plan.launches]}))
"""

CALL = """
import json, sys, time
dtype, size = sys.argv[1], int(sys.argv[2])
import torch, tilewright
a = torch.randn(size, size, device="cuda").to(getattr(torch, dtype))
torch.cuda.synchronize()
started = time.perf_counter()
import cuda.bindings.driver
import tilewright.call.cuda_product, tilewright.choose.multiplication_plan, tilewright.launch.cuda.planned
tilewright.matmul
imported = time.perf_counter() - started
seconds = []
for _ in range(2):
    started = time.perf_counter()
    tilewright.matmul(a, a)
    torch.cuda.synchronize()
    seconds.append(time.perf_counter() - started)
print(json.dumps({"import_ms": 1e3 * imported, "first_ms": 1e3 * seconds[0], "second_ms": 1e3 * seconds[1],
                  "kernels": [launch.kernel for launch in tilewright.explain(a, a).launches]}))
"""


def start(script: str, dtype: str, size: int, cache: str) -> dict[str, object]:
    """Run a script in a new process; what it printed."""
    environment = {**os.environ, "TILEWRIGHT_CACHE": cache}
    command = [sys.executable, "-c", script, dtype, str(size)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found: dict[str, object] = json.loads(done.stdout)
    return found


def measured(script: str, dtype: str, size: int) -> dict[str, object]:
    """Cold and warm starts of one case, the median of several each."""
    cold, warm = [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(start(script, dtype, size, cache))
            warm.append(start(script, dtype, size, cache))
    result: dict[str, object] = {"dtype": dtype, "size": size, "kernels": cold[0]["kernels"]}
    for name, starts in (("cold", cold), ("warm", warm)):
        for key in starts[0]:
            if key != "kernels":
                result[f"{name}_{key}"] = round(median(float(str(each[key])) for each in starts), 2)
    return result


def main() -> None:
    """Measure, print, and write the result."""
    from tilewright.launch import driver_report

    gpus = driver_report().gpus
    rows = []
    for dtype, size in CASES:
        rows.append(measured(CALL if gpus else COMPILE, dtype, size))
        print(rows[-1], flush=True)
    how = "a first call, cold and warm" if gpus else "planning and compiling for an H200, cold and warm, without a GPU"
    record.write(Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT, f"{how}: medians of {ROUNDS} processes", rows)


if __name__ == "__main__":
    main()
