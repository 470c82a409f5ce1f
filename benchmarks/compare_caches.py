"""Model the cache traffic of every launch of cache_launches/ on the emulator, beside what an H200 counted.

    python -m benchmarks.compare_caches [SET ...]

Writes benchmarks/results/cache_model.json, which docs/silicon.md's tables are made of (python -m
benchmarks.write_silicon). Sets: probe, fit, test, later; all by default. Takes about a quarter of an hour.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy

from benchmarks import record
from benchmarks.cache_launches import CacheCase, cache_cases
from tilewright.choose import occupancy
from tilewright.compile.cubin import resources_in
from tilewright.emulate import Emulator
from tilewright.emulate.observers.caches import CacheObserver

RESULT = record.RESULTS / "cache_model.json"
DEVICE = "h200"


def modelled(case: CacheCase) -> dict[str, Any]:
    """One launch: its result checked, its traffic, and what it took."""
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
    assert limits.blocks_per_sm is not None
    observer = CacheObserver(limits.blocks_per_sm)
    started = time.process_time()
    result = emulator.launch(
        module,
        case.symbol,
        grid=case.grid,
        block=case.block,
        arguments=[buffers.get(name, values[name]) for name in case.arguments],
        dynamic_shared_bytes=case.dynamic_shared_bytes,
        observers=[observer],
    )
    seconds = time.process_time() - started
    case.check(values, {name: buffers[name].read(array.dtype, array.shape) for name, array in held.items()})
    assert observer.traffic is not None
    traffic, counts = observer.traffic, result.counts
    return {
        "set": case.of_set,
        "case": case.label,
        "blocks_per_sm": limits.blocks_per_sm,
        "counts": {
            "global_load_requests": counts.global_load_requests,
            "global_load_sectors": counts.global_load_sectors,
            "global_store_requests": counts.global_store_requests,
            "global_store_sectors": counts.global_store_sectors,
            "shared_load_requests": counts.shared_load_requests,
            "l1_load_hits": traffic.l1_hits,
            "l1_load_misses": traffic.l1_misses,
            "l2_reads": traffic.l2_reads,
            "l2_writes": traffic.l2_writes,
            "dram_reads": traffic.dram_reads,
            "dram_writes": traffic.dram_writes,
        },
        "modelled_us": round(traffic.microseconds, 1),
        "seconds": round(seconds, 2),
        "thread_instructions": counts.thread_instructions,
    }


def main() -> None:
    """Run the sets asked for; rows of other sets stay as they are."""
    asked = set(sys.argv[1:]) or {"probe", "fit", "test", "later"}
    kept = [row for row in record.read(RESULT)["rows"] if row["set"] not in asked] if RESULT.exists() else []
    rows = []
    for case in cache_cases():
        if case.of_set in asked:
            rows.append(modelled(case))
            print(f"{case.label}: {rows[-1]['seconds']} s", flush=True)
    how = "CacheObserver on the emulator, registers from NVRTC's cubin for sm_90, the carve-out by the model's rule"
    record.write(RESULT, how, [*kept, *rows])


if __name__ == "__main__":
    main()
