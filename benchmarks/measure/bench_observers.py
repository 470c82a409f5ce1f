"""What observing costs: the emulator's benchmark with each observer, with all that look for something, and with all.

    python -m benchmarks.measure.bench_observers [RESULT.json]

One core; processor time, the least of several rounds in which the settings take turns. Other processes change it less
than the time on the clock, but still by up to a third (caches), so the machine's load is written down. Every result
is compared with NumPy; a race detector that is fast because it sees nothing would not help, so findings are counted.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.measure.emulator_cases import Case, cases
from tilewright.emulate import Emulator
from tilewright.emulate.observers import CacheObserver, Observer, all_observers

RESULT = record.RESULTS / "observers_speed.json"
ROUNDS = 5

WARPS_PER_SM = 64

Setting = Callable[[], Sequence[Observer]]


def launch(case: Case, observers: Sequence[Observer]) -> tuple[float, int, int]:
    """Seconds of processor time of one launch, the thread-instructions that it executed, and the errors found."""
    emulator = Emulator(workers=1)
    module = emulator.load(case.ptx)
    buffers = [emulator.allocate(array.nbytes, dtype=array.dtype, shape=array.shape) for array in case.arrays]
    for buffer, array in zip(buffers, case.arrays, strict=True):
        buffer.write(array)
    started = time.process_time()
    result = emulator.launch(
        module,
        case.entry,
        grid=case.grid,
        block=case.block,
        arguments=[*buffers, *case.integers],
        observers=observers,
    )
    seconds = time.process_time() - started
    output = case.arrays[-1]
    if not case.is_right(buffers[-1].read(output.dtype, output.shape)):
        sys.exit(f"{case.name} gives a wrong result.")
    errors = [finding for observer in observers for finding in observer.findings if finding.severity == "error"]
    for finding in errors:
        print(f"{case.name}: {finding.message}")
    return seconds, result.counts.thread_instructions, len(errors)


def every_observer(case: Case) -> list[Observer]:
    """One of each kind, the model of the caches with as many blocks as fit an SM's warps."""
    return [*all_observers(), CacheObserver(WARPS_PER_SM * 32 // math.prod(case.block))]


def settings(case: Case) -> dict[str, Setting]:
    """Nothing, each observer alone, those that look for something, and with them the model of the caches."""
    alone: dict[str, Setting] = {
        type(observer).__name__: lambda index=index: [every_observer(case)[index]]  # type: ignore[misc]
        for index, observer in enumerate(every_observer(case))
    }
    return {"none": list, **alone, "looking": all_observers, "all": lambda: every_observer(case)}


def rates(case: Case) -> dict[str, Any]:
    """Thread-instructions per second under each setting."""
    chosen = settings(case)
    seconds: dict[str, list[float]] = {name: [] for name in chosen}
    errors = executed = 0
    for _ in range(ROUNDS):
        for name, make in chosen.items():
            taken, executed, found = launch(case, make())
            seconds[name].append(taken)
            errors += found
    by_setting = {name: round(executed / min(samples)) for name, samples in seconds.items()}
    print(f"{case.name}: " + ", ".join(f"{name} {rate / 1e9:.2f}" for name, rate in by_setting.items()) + " G/s")
    return {
        "kernel": case.name,
        "size": case.size,
        "thread_instructions": executed,
        "errors_found": errors,
        "rates": by_setting,
        "seconds": seconds,
    }


def main() -> None:
    """Measure everything and write the result."""
    before = os.getloadavg()
    rows = [rates(case) for case in cases()]
    lowest, looking = (min(row["rates"][name] for row in rows) for name in ("all", "looking"))
    print(f"lowest rate with all: {lowest / 1e9:.2f} G/s, without the model of the caches {looking / 1e9:.2f} G/s")
    how = f"processor time, one core, least of {ROUNDS} launches that took turns, every result compared with NumPy"
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT
    more = {"lowest_rate_with_all": lowest, "lowest_rate_with_all_that_look": looking}
    record.write(target, how, rows, **more, load_average={"before": before, "after": os.getloadavg()})


if __name__ == "__main__":
    main()
