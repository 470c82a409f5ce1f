"""Read the hardware's counters of every kernel with Nsight Compute, for the emulator's counts to be compared with.

    python -m benchmarks.measure.gpu_counters [RESULT.json]

ncu profiles one process that launches the whole list of benchmarks/measure/launches.py, each launch checked against the
reference. Clocks are left alone: counts do not depend on them.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy

from benchmarks import record
from benchmarks.kernel_run import KernelRun, Launch, Operands
from benchmarks.measure.launches import launches

RESULT = record.RESULTS / "hardware_counters_h200.json"
METRICS = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "global_load_instructions": "smsp__inst_executed_op_global_ld.sum",
    "global_store_instructions": "smsp__inst_executed_op_global_st.sum",
    "shared_load_instructions": "smsp__inst_executed_op_shared_ld.sum",
    "shared_store_instructions": "smsp__inst_executed_op_shared_st.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "warp_instructions": "smsp__inst_executed.sum",
    "thread_instructions": "smsp__thread_inst_executed.sum",
}


def launch_all(count: int | None) -> None:
    """Launch the first `count` of the list, or all: what ncu profiles."""
    from tilewright.launch.cuda.machine import CudaMachine

    machine = CudaMachine()
    rng = numpy.random.default_rng()
    for launch in launches()[:count]:
        operands = Operands(machine, launch, rng)
        run = KernelRun(machine, launch, operands)
        run.run_checked()
        run.close()
        operands.close()


def profile(ncu: str, log: Path, count: int | None) -> list[dict[str, str]]:
    """Profile the launches; one row for each."""
    own = ["benchmarks.measure.gpu_counters", "--launch", *([str(count)] if count else [])]
    rows = profiled(ncu, log, METRICS.values(), own, "--cache-control", "none")
    # The row of units below the header has no kernel, and a memset between launches is none of ours.
    entries = {launch.kernel.replace("/", "_") for launch in launches()}
    return [row for row in rows if (row["Kernel Name"] or "").partition("(")[0] in entries]


def find_ncu() -> str:
    """Where Nsight Compute is; ends the process where it is not."""
    ncu = shutil.which("ncu")
    if ncu is None:
        sys.exit("ncu (Nsight Compute) is not on the path; it comes with the CUDA toolkit.")
    return ncu


def profiled(ncu: str, log: Path, metrics: Iterable[str], module: Sequence[str], *options: str) -> list[dict[str, str]]:
    """Profile a Python module's process, clocks left alone; the rows of ncu's raw page, numbers as text."""
    done = subprocess.run(
        [
            *(ncu, "--clock-control", "none", "--target-processes", "all", *options),
            *("--csv", "--page", "raw", "--print-units", "base", "--log-file", str(log)),
            *("--metrics", ",".join(metrics)),
            *(sys.executable, "-m", *module),
        ],
        check=False,
        capture_output=True,
        text=True,
    )
    text = log.read_text(encoding="utf-8") if log.exists() else ""
    if done.returncode != 0:
        sys.exit(
            f"ncu ended with status {done.returncode}:\n{text[-2000:]}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        )
    return list(csv.DictReader(line for line in text.splitlines() if line.startswith('"')))


def readable(rows: list[dict[str, str]]) -> bool:
    """Whether ncu read numbers: without permission it lists launches with empty or n/a counters."""
    return bool(rows) and all(number(row.get(metric)) is not None for row in rows for metric in METRICS.values())


def number(text: str | None) -> int | None:
    """One of ncu's numbers, such as "2,147,483,648" or "512.00"; None when it is none."""
    try:
        return round(float((text or "").replace(",", "")))
    except ValueError:
        return None


def as_row(launch: Launch, measured: dict[str, str]) -> dict[str, object]:
    """One launch with its counts; refuses a row of another kernel."""
    entry = launch.kernel.replace("/", "_")
    if measured["Kernel Name"].partition("(")[0] != entry:
        sys.exit(f"ncu's rows are out of step: {launch} expected, {measured['Kernel Name']} found.")
    return {
        "kernel": launch.kernel,
        "dtype": launch.dtype,
        "tile": launch.tile,
        "m": launch.m,
        "n": launch.n,
        "k": launch.k,
        "grid": extent(measured["Grid Size"]),
        "block": extent(measured["Block Size"]),
        "counts": {name: number(measured[metric]) for name, metric in METRICS.items()},
    }


def extent(text: str) -> list[int]:
    """Ncu's "(16, 16, 1)" as numbers."""
    return [int(part) for part in text.strip("()").split(",")]


def main() -> None:
    """Check that ncu can read counters, profile the list, write the result."""
    ncu = find_ncu()
    with tempfile.TemporaryDirectory() as folder:
        if not readable(profile(ncu, Path(folder) / "probe.csv", 1)):
            sys.exit(
                "ncu runs but reads no counters here: they may need administrator rights or a real (not shared) GPU."
            )
        rows = profile(ncu, Path(folder) / "all.csv", None)
    listed = launches()
    if len(rows) != len(listed) or not readable(rows):
        sys.exit(f"{len(listed)} launches were listed, and ncu read {len(rows)} of them, readable: {readable(rows)}.")
    said = subprocess.run([ncu, "--version"], check=True, capture_output=True, text=True).stdout
    version = next((line.strip() for line in said.splitlines() if line.startswith("Version")), "unknown")
    record.write(
        Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT,
        "Nsight Compute, one launch per row, clocks and caches left alone, each result checked against float64",
        [as_row(launch, row) for launch, row in zip(listed, rows, strict=True)],
        ncu=version,
        metrics=METRICS,
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--launch"]:
        launch_all(int(sys.argv[2]) if len(sys.argv) > 2 else None)
    else:
        main()
