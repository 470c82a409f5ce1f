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


def launch(case: Case, workers: int, *, only_counts: bool = False) -> tuple[float, int]:
    """Seconds of one launch and the thread-instructions that it executed; stops when the result is wrong."""
    emulator = Emulator(workers=workers)
    module = emulator.load(case.ptx)
    buffers = [emulator.allocate(array.nbytes) for array in case.arrays]
    for buffer, array in zip(buffers, case.arrays, strict=True):
        buffer.write(array)
    started = time.perf_counter()
    result = emulator.launch(
        module,
        case.entry,
        grid=case.grid,
        block=case.block,
        arguments=[*buffers, *case.integers],
        only_counts=only_counts,
    )
    seconds = time.perf_counter() - started
    output = case.arrays[-1]
    if not only_counts and not case.is_right(buffers[-1].read(output.dtype, output.shape)):
        sys.exit(f"{case.name} gives a wrong result.")
    return seconds, result.counts.thread_instructions


def rates(case: Case) -> dict[str, Any]:
    """Thread-instructions per second on one core and on two, and on one where only counts are wanted."""
    settings = {"one_core": (1, False), "two_cores": (2, False), "counted_alone": (1, True)}
    seconds: dict[str, list[float]] = {name: [] for name in settings}
    instructions = set()
    for _ in range(ROUNDS):
        for name, (workers, only_counts) in settings.items():
            taken, executed = launch(case, workers, only_counts=only_counts)
            seconds[name].append(taken)
            instructions.add(executed)
    assert len(instructions) == 1, "the count depends on how the kernel is run"
    executed = instructions.pop()
    by_setting = {f"rate_{name}": round(executed / min(samples)) for name, samples in seconds.items()}
    print(f"{case.name}: " + ", ".join(f"{name} {rate / 1e9:.2f} G/s" for name, rate in by_setting.items()))
    return {
        "kernel": case.name,
        "size": case.size,
        "thread_instructions": executed,
        **by_setting,
        **{f"seconds_{name}": samples for name, samples in seconds.items()},
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
        "tiled_16_at_2048_counted_seconds": min(launch(product_case(2048), 2, only_counts=True)[0] for _ in range(3)),
        "tiled_16_at_64_seconds": {"emulator": ours, "numba_simulator": theirs, "ratio": round(theirs / ours)},
        "command_seconds": {"first_run_compiles": cold, "warm": warm, "command": COMMAND},
    }
    for name, value in more.items():
        print(f"{name}: {value}")
    how = (
        f"wall clock, fastest of {ROUNDS} launches, every count on, every result compared with NumPy; "
        "counted_alone: what no count depends on is left out"
    )
    record.write(Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT, how, rows, **more)


if __name__ == "__main__":
    main()
