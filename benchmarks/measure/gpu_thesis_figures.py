"""The thesis's figures 4.4 and 4.5 (seed 003) at its own size, from the counters of the GPU at hand.

    python -m benchmarks.measure.gpu_thesis_figures [RESULT.json]

The reduced product at 4096 x 4096, naive and tiled: what it loads, and what L2 and DRAM read, each launch with cold
caches. No other run measures that size, and the emulator takes minutes for it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks import record
from benchmarks.measure.caches.cache_launches.case import CacheCase, catalogued
from benchmarks.measure.caches.gpu_caches import METRICS, NEEDED, kernel_of, profile_command
from benchmarks.measure.gpu_counters import extent, number
from tests.gpu.run_corpus import Gpu

RESULT = record.RESULTS / "thesis_figures_h200.json"
SIZE = 4096
KERNELS: tuple[tuple[str, int | None], ...] = (
    ("reduced_matmul/naive_p", None),
    ("reduced_matmul/tiled", 4),
    ("reduced_matmul/tiled", 8),
    ("reduced_matmul/tiled", 16),
    ("reduced_matmul/tiled", 32),
)
CHOSEN = {name: METRICS[name] for name in NEEDED}


def cases() -> list[CacheCase]:
    """The launches."""
    return [catalogued("thesis", kernel, "float32", tile, SIZE, SIZE, SIZE) for kernel, tile in KERNELS]


def launch_all(*, checked: bool) -> None:
    """Launch each case, and check its result."""
    gpu = Gpu()
    for case in cases():
        got = gpu.run_case(case)
        if checked:
            case.check(case.values(), got)


def main() -> None:
    """Profile, and write the result."""
    ncu = shutil.which("ncu")
    if ncu is None:
        sys.exit("ncu (Nsight Compute) is not on the path; it comes with the CUDA toolkit.")
    launch_all(checked=True)
    listed = cases()
    command = [sys.executable, "-m", "benchmarks.measure.gpu_thesis_figures", "--launch"]
    measured = profile_command(ncu, CHOSEN, command, {case.symbol for case in listed})
    rows = []
    for case, row in zip(listed, measured, strict=True):
        if kernel_of(row) != case.symbol or extent(row["Grid Size"]) != list(case.grid):
            sys.exit(f"ncu's rows are out of step: {case.label} expected, {row['Kernel Name']} found.")
    for (kernel, tile), row in zip(KERNELS, measured, strict=True):
        counts = {name: number(row.get(metric)) for name, metric in CHOSEN.items()}
        if None in counts.values():
            sys.exit(f"ncu reads no counters here: {counts}")
        sizes = {"m": SIZE, "n": SIZE, "k": SIZE}
        rows.append({"kernel": kernel, "dtype": "float32", "tile": tile, **sizes, "counts": counts})
    said = subprocess.run([ncu, "--version"], check=True, capture_output=True, text=True).stdout
    record.write(
        Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT,
        "Nsight Compute, one launch per row, clocks left alone, caches flushed before each pass, results checked",
        rows,
        ncu=next((line.strip() for line in said.splitlines() if line.startswith("Version")), "unknown"),
        metrics=CHOSEN,
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--launch"]:
        launch_all(checked=False)
    else:
        main()
