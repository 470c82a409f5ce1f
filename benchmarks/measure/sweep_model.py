"""The model of `tilewright sweep` beside the times of an H200: the same kernels, tiles and sizes.

    python -m benchmarks.measure.sweep_model [RESULT.json]

Needs no GPU: the times are those of tile_sweep_h200.json and table_4_2_h200.json, up to the size that the counts can
lay out. Counts are executed on the emulator, registers are NVRTC's.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from benchmarks import record
from tilewright.choose import EMULATOR_FACTS, Problem, choose_plan, find_chip
from tilewright.lab.compiled_occupancy import compiled_occupancy
from tilewright.lab.sweep.counting import count_launch
from tilewright.lab.sweep.model import modelled_time
from tilewright.lab.sweep.run import work_of

RESULT = record.RESULTS / "sweep_model.json"
SOURCES = ("tile_sweep_h200", "table_4_2_h200")
CHIP = "h200"
LARGEST = 4096
HOW = "counts from the emulator, registers from NVRTC's cubin for sm_90, the model of tilewright.lab.sweep.model"


def modelled_row(timed: dict[str, Any]) -> dict[str, Any]:
    """A timed row with the model's time beside it."""
    kernel, tile, dtype = timed["kernel"], timed["tile"], timed["dtype"]
    problem = Problem.of(kernel.partition("/")[0], timed["m"], timed["n"], timed["k"], dtype)
    plan = choose_plan(problem, EMULATOR_FACTS, kernel, tile)
    occupancy, _ = compiled_occupancy(kernel, CHIP, tile=tile, dtype=dtype)
    assert occupancy.blocks_per_sm is not None
    counts = count_launch(plan)
    time = modelled_time(work_of(plan, counts, occupancy.blocks_per_sm), find_chip(CHIP), dtype)
    return {
        **{name: timed[name] for name in ("kernel", "dtype", "tile", "m", "n", "k")},
        "timed_us": timed["median_us"],
        "modelled_us": round(time.us, 3),
        "bound": time.bound,
        "parts_us": {name: round(us, 3) for name, us in time.parts.items()},
        "blocks": counts.blocks,
        "blocks_run": counts.blocks_run,
    }


def main() -> None:
    """Model every timed row whose kernel has tiles, and write the result."""
    results = [record.read(record.RESULTS / f"{name}.json") for name in SOURCES]
    rows = [
        modelled_row(row)
        for result in results
        for row in result["rows"]
        if row["tile"] is not None and max(row["m"], row["n"], row["k"]) <= LARGEST
    ]
    timed = [[result["environment"]["device"], result["date"]] for result in results]
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT
    record.write(path, HOW, rows, timed=sorted(set(map(tuple, timed))))


if __name__ == "__main__":
    main()
