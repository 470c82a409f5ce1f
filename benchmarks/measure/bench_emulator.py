"""How fast the emulator is, all counts on: `make bench-emulator`.

Or python -m benchmarks.measure.bench_emulator [RESULT.json].

Every result is compared with NumPy. Times are wall clock; the fastest of several rounds, because another process can
only make one slower; one and two cores take turns in each round.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.measure.emulator_cases import Case, cases, product_case
from tilewright.emulate import Emulator

RESULT = record.RESULTS / "emulator_speed.json"
ROUNDS = 20
SIMULATED_SIZE = 64
COMMAND = "compare --operation matmul --kernel tiled --device emulator --size 64 64 64"


def launch(case: Case, workers: int) -> tuple[float, int]:
    """Seconds of one launch and the thread-instructions that it executed; stops when the result is wrong."""
    emulator = Emulator(workers=workers)
    module = emulator.load(case.ptx)
    buffers = [emulator.allocate(array.nbytes) for array in case.arrays]
    for buffer, array in zip(buffers, case.arrays, strict=True):
        buffer.write(array)
    started = time.perf_counter()
    result = emulator.launch(module, case.entry, grid=case.grid, block=case.block, arguments=[*buffers, *case.integers])
    seconds = time.perf_counter() - started
    output = case.arrays[-1]
    if not case.is_right(buffers[-1].read(output.dtype, output.shape)):
        sys.exit(f"{case.name} gives a wrong result.")
    return seconds, result.counts.thread_instructions


def rates(case: Case) -> dict[str, Any]:
    """Thread-instructions per second on one core and on two."""
    seconds: dict[int, list[float]] = {1: [], 2: []}
    instructions = set()
    for _ in range(ROUNDS):
        for workers, samples in seconds.items():
            taken, executed = launch(case, workers)
            samples.append(taken)
            instructions.add(executed)
    assert len(instructions) == 1, "the count depends on the workers"
    executed = instructions.pop()
    one_core, two_cores = (executed / min(seconds[workers]) for workers in (1, 2))
    print(f"{case.name}: {one_core / 1e9:.2f} G/s, two cores {two_cores / 1e9:.2f} G/s")
    return {
        "kernel": case.name,
        "size": case.size,
        "thread_instructions": executed,
        "rate_one_core": round(one_core),
        "rate_two_cores": round(two_cores),
        "seconds_one_core": seconds[1],
        "seconds_two_cores": seconds[2],
    }


def whole_call_seconds(case: Case) -> float:
    """Parse, copy in, launch on all cores, copy out."""
    started = time.perf_counter()
    emulator = Emulator()
    module = emulator.load(case.ptx)
    buffers = [emulator.allocate(array.nbytes) for array in case.arrays]
    for buffer, array in zip(buffers, case.arrays, strict=True):
        buffer.write(array)
    emulator.launch(module, case.entry, grid=case.grid, block=case.block, arguments=[*buffers, *case.integers])
    output = buffers[-1].read(case.arrays[-1].dtype, case.arrays[-1].shape)
    seconds = time.perf_counter() - started
    assert case.is_right(output), f"{case.name} gives a wrong result"
    return seconds


def simulator_seconds() -> float:
    """The same product in Numba's CUDA simulator, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.measure.simulator_peer", str(SIMULATED_SIZE)],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout)


def command_seconds(cache: Path | None) -> float:
    """Start to end of the command on a small product; with a cache folder of its own or the user's."""
    environment = os.environ if cache is None else {**os.environ, "TILEWRIGHT_CACHE": str(cache)}
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "tilewright", *COMMAND.split()], env=environment, check=True, capture_output=True
    )
    return time.perf_counter() - started


def main() -> None:
    """Measure everything and write the result."""
    command_seconds(None)
    rows = [rates(case) for case in cases()]
    large = product_case(512)
    small = product_case(SIMULATED_SIZE)
    ours = min(whole_call_seconds(small) for _ in range(20))
    theirs = simulator_seconds()
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = command_seconds(Path(cache)), min(command_seconds(Path(cache)) for _ in range(3))
    gains = [row["rate_two_cores"] / row["rate_one_core"] for row in rows]
    more = {
        "lowest_rate_one_core": min(row["rate_one_core"] for row in rows),
        "two_cores_over_one": {
            "lowest": round(min(gains), 2),
            "geometric_mean": round(math.prod(gains) ** (1 / len(gains)), 2),
        },
        "tiled_16_at_512_seconds": {
            "one_core": min(launch(large, 1)[0] for _ in range(3)),
            "all_cores": min(whole_call_seconds(large) for _ in range(3)),
        },
        "tiled_16_at_64_seconds": {"emulator": ours, "numba_simulator": theirs, "ratio": round(theirs / ours)},
        "command_seconds": {"first_run_compiles": cold, "warm": warm, "command": COMMAND},
    }
    for name, value in more.items():
        print(f"{name}: {value}")
    how = f"wall clock, fastest of {ROUNDS} launches, every count on, every result compared with NumPy"
    record.write(Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT, how, rows, **more)


if __name__ == "__main__":
    main()
