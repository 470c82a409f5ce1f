"""Model the cache traffic of every launch of cache_launches/ on the emulator, beside what an H200 counted.

    python -m benchmarks.measure.caches.compare_caches [SET ...]

Writes benchmarks/results/cache_model.json, which docs/silicon.md's tables are made of (python -m
benchmarks.tables.write_silicon). Sets: probe, fit, test, later, drawn, "drawn
second" and "held back"; all but the last by default. Takes about a quarter of an hour of one core.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy

from benchmarks import record
from benchmarks.measure.caches.cache_launches import CacheCase, cache_cases, drawn_cases
from tilewright.choose import occupancy
from tilewright.compile.cubin import resources_in
from tilewright.emulate import Emulator, LaunchResult
from tilewright.emulate.observers.caches.observer import CacheObserver

RESULT = record.RESULTS / "cache_model.json"
DEVICE = "h200"


def observed(
    case: CacheCase, observing: Callable[[int], CacheObserver] = CacheObserver
) -> tuple[CacheObserver, LaunchResult]:
    """Run one launch, its result checked, under an observer made for its blocks per SM."""
    values = case.values()
    emulator = Emulator(workers=1)
    module = emulator.load(case.ptx())
    for name in case.variables:
        emulator.set_variable(module, name, values[name])
    held = {name: values[name] for name in case.arguments if isinstance(values[name], numpy.ndarray)}
    buffers = {name: emulator.allocate(array.nbytes, name) for name, array in held.items()}
    for name, buffer in buffers.items():
        buffer.write(held[name])
    shared_bytes = module.code.functions[case.symbol].shared_bytes + case.dynamic_shared_bytes
    registers = resources_in(case.cubin())[case.symbol].registers_per_thread
    limits = occupancy(case.block, DEVICE, registers, shared_bytes=shared_bytes)
    # It was launched: where another version's cubin takes more registers than an SM has, the measured one did not.
    observer = observing(limits.blocks_per_sm or 1)
    result = emulator.launch(
        module,
        case.symbol,
        grid=case.grid,
        block=case.block,
        arguments=[buffers.get(name, values[name]) for name in case.arguments],
        dynamic_shared_bytes=case.dynamic_shared_bytes,
        observers=[observer],
    )
    case.check(values, {name: buffers[name].read(array.dtype, array.shape) for name, array in held.items()})
    return observer, result


def modelled(case: CacheCase) -> dict[str, Any]:
    """One launch: its result checked, its traffic, and what it took, compilation and check of the result included."""
    started = time.process_time()
    observer, result = observed(case)
    seconds = time.process_time() - started
    assert observer.traffic is not None
    traffic, counts = observer.traffic, result.counts
    return {
        "set": case.of_set,
        "case": case.label,
        "blocks_per_sm": observer.blocks_per_sm,
        "counts": {
            "global_load_requests": counts.global_load_requests,
            "global_load_sectors": counts.global_load_sectors,
            "global_store_requests": counts.global_store_requests,
            "global_store_sectors": counts.global_store_sectors,
            "shared_load_requests": counts.shared_load_requests,
            "l1_load_hits": traffic.l1_hits,
            "l1_load_misses": traffic.l1_misses,
            "l2_merged": traffic.merged,
            "l2_in_step": traffic.in_step,
            "l2_reads": traffic.l2_reads,
            "l2_reads_low": traffic.l2_reads_low,
            "l2_reads_high": traffic.l2_reads_high,
            "l2_writes": traffic.l2_writes,
            "dram_reads": traffic.dram_reads,
            "dram_writes": traffic.dram_writes,
        },
        "modelled_us": round(traffic.microseconds, 1),
        "seconds": round(seconds, 2),
        "thread_instructions": counts.thread_instructions,
    }


def main() -> None:
    """Run the sets asked for, each launch in a process; rows of other sets stay as they are."""
    asked = set(sys.argv[1:]) or {"probe", "fit", "test", "later", "drawn", "drawn second"}
    kept = [row for row in record.read(RESULT)["rows"] if row["set"] not in asked] if RESULT.exists() else []
    everything = (*cache_cases(), *drawn_cases())
    cases = [case for case in everything if case.of_set in asked]
    modelled(cases[0])  # compiled once, before the processes part
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        rows = list(pool.map(modelled_at, [(case.of_set, case.label) for case in cases]))
    how = "CacheObserver on the emulator, registers from NVRTC's cubin for sm_90, the carve-out by the model's rule"
    places = {case.label: place for place, case in enumerate(everything)}
    record.write(RESULT, how, sorted([*kept, *rows], key=lambda row: places[row["case"]]))


def modelled_at(named: tuple[str, str]) -> dict[str, Any]:
    """The launch of a set with this label, modelled; a case itself does not go from process to process."""
    case = next(case for case in (*cache_cases(), *drawn_cases()) if (case.of_set, case.label) == named)
    row = modelled(case)
    print(f"{case.label}: {row['seconds']} s", flush=True)
    return row


if __name__ == "__main__":
    main()
