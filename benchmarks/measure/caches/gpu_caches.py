"""Measure what kernels read from L1, L2 and DRAM with Nsight Compute, each launch with cold caches.

    python -m benchmarks.measure.caches.gpu_caches [OUTDIR [SET]]

Writes cache_counters_h200.json (the launches of cache_launches/, results checked) and block_places_h200.json (which
SM ran which block when); of one set of launches, cache_counters_SET_h200.json alone. Those drawn at random are sets of
their own, "drawn", "drawn second" and "held back". A metric that this ncu does not know is left out. Exit status
1: a result is wrong.
"""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import numpy

from benchmarks import record
from benchmarks.measure.caches.cache_launches import KERNELS, CacheCase, cache_cases, drawn_cases
from benchmarks.measure.gpu_counters import extent, number
from tests.counters.corpus.case import output
from tests.gpu.run_corpus import Gpu

L1 = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
METRICS = {
    "global_load_requests": L1.format("requests", "ld"),
    "global_load_sectors": L1.format("sectors", "ld"),
    "global_store_requests": L1.format("requests", "st"),
    "global_store_sectors": L1.format("sectors", "st"),
    "l1_load_hits": L1.format("sectors", "ld_lookup_hit"),
    "l1_load_misses": L1.format("sectors", "ld_lookup_miss"),
    "l1_store_hits": L1.format("sectors", "st_lookup_hit"),
    "l1_load_lines": "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum",
    "l1_fill_sectors": "l1tex__m_xbar2l1tex_read_sectors.sum",
    "l2_reads": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_read_hits": "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
    "l2_read_misses": "lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum",
    "l2_writes": "lts__t_sectors_srcunit_tex_op_write.sum",
    "l2_read_requests": "lts__t_requests_srcunit_tex_op_read.sum",
    "l2_reads_of_all": "lts__t_sectors_op_read.sum",
    "l2_read_hits_of_all": "lts__t_sectors_op_read_lookup_hit.sum",
    "l2_fabric": "lts__t_sectors_srcunit_ltcfabric.sum",
    "l2_fabric_hits": "lts__t_sectors_srcunit_ltcfabric_lookup_hit.sum",
    "l2_fills": "lts__d_sectors_fill_device.sum",
    "dram_reads": "dram__sectors_read.sum",
    "dram_writes": "dram__sectors_write.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "shared_load_instructions": "smsp__inst_executed_op_shared_ld.sum",
    "shared_store_instructions": "smsp__inst_executed_op_shared_st.sum",
    "warp_instructions": "smsp__inst_executed.sum",
    "duration_ns": "gpu__time_duration.sum",
}
LAUNCH_METRICS = {
    "limit_blocks": "launch__occupancy_limit_blocks",
    "limit_registers": "launch__occupancy_limit_registers",
    "limit_shared": "launch__occupancy_limit_shared_mem",
    "limit_warps": "launch__occupancy_limit_warps",
    "registers_per_thread": "launch__registers_per_thread",
    "shared_bytes_per_block": "launch__shared_mem_per_block",
    "shared_bytes_config": "launch__shared_mem_config_size",
    "waves_per_sm": "launch__waves_per_multiprocessor",
}
UNSURE = ("l1_load_lines", "l1_fill_sectors", "l2_fabric", "l2_fabric_hits", "l2_fills")
"""Metrics that only some versions of ncu read."""
NEEDED = ("global_load_requests", "global_load_sectors", "l1_load_hits", "l2_reads", "dram_reads")
ALL = "all"
PLACED = (
    "matmul_naive 1024x1024x1024 float32 tile 16",
    "reduced_matmul_tiled 1024x1024x1024 float32 tile 16",
    "reduced_matmul_tiled 2048x2048x2048 float32 tile 16",
    "reduced_matmul_tiled 2048x2048x2048 float32 tile 32",
    "sgemm_register_tile 1024",
)


class CacheGpu(Gpu):
    """Runs cases, and says where their blocks ran."""

    def places(self, case: CacheCase) -> list[list[int]]:
        """SM, begin and end of each block; the second of two runs, so that the code is loaded."""
        blocks = case.grid[0] * case.grid[1] * case.grid[2]
        noted = NotingCase(
            "block_places",
            grid=case.grid,
            block=case.block,
            arguments={"places": output((blocks, 3), "u8"), **case.arguments},
            expected=case.expected,
            path=case.path,
            macros=case.macros,
            title=case.name,
        )
        self.run_case(noted)
        places = self.run_case(noted)["places"].astype(numpy.int64)
        places[:, 1:] -= places[:, 1].min()
        return [[int(word) for word in place] for place in places]


class NotingCase(CacheCase):
    """A kernel, named by the title, in the wrapper of block_places.cu."""

    @property
    def source_text(self) -> str:
        """The kernel as a device function, and the wrapper with its parameters."""
        text = self.path.read_text(encoding="utf-8")
        head = re.search(
            r'extern "C" __global__ void[^(]*?(__launch_bounds__\(\d+\))?\s+' + self.title + r"\(([^)]*)\)", text
        )
        assert head is not None, f"{self.path} has no kernel {self.title}"
        parameters = " ".join(head[2].split())
        names = ", ".join(re.findall(r"(\w+)(?:,|$)", parameters))
        defines = f"#define PARAMETERS {parameters}\n#define ARGUMENTS {names}\n#define KERNEL {self.title}\n"
        function = f"__device__ __forceinline__ void {self.title}({head[2]})"
        return text.replace(head[0], function) + defines + (KERNELS / "block_places.cu").read_text(encoding="utf-8")


def launch_all(cases: tuple[CacheCase, ...]) -> None:
    """Launch each case as often as it asks for: what ncu profiles."""
    gpu = CacheGpu()
    for case in cases:
        for _ in range(case.repeats):
            gpu.run_case(case)


def wrong_results(cases: tuple[CacheCase, ...]) -> list[str]:
    """Run each case once, and say which results are not NumPy's."""
    gpu, wrong = CacheGpu(), []
    for case in cases:
        try:
            case.check(case.values(), gpu.run_case(case))
        except AssertionError as error:
            wrong.append(str(error))
    return wrong


def profile(ncu: str, metrics: Mapping[str, str], count: int, of_set: str = ALL) -> list[dict[str, str]]:
    """Profile the first `count` cases of a set: one row of ncu's raw page per launch."""
    command = [sys.executable, "-m", "benchmarks.measure.caches.gpu_caches", "--launch", str(count), of_set]
    return profile_command(ncu, metrics, command, {case.symbol for case in (*cache_cases(), *drawn_cases())})


def profile_command(
    ncu: str, metrics: Mapping[str, str], command: Sequence[str], names: Collection[str]
) -> list[dict[str, str]]:
    """Profile the kernels of these names that a command launches, caches flushed before each pass."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "ncu.csv"
        done = subprocess.run(
            [
                *(ncu, "--clock-control", "none", "--target-processes", "all", "--cache-control", "all"),
                *("--csv", "--page", "raw", "--print-units", "base", "--log-file", str(log)),
                *("--metrics", ",".join(metrics.values())),
                *command,
            ],
            check=False,
            capture_output=True,
            text=True,
        )
        text = log.read_text(encoding="utf-8") if log.exists() else ""
    rows = list(csv.DictReader(line for line in text.splitlines() if line.startswith('"')))
    rows = [row for row in rows if kernel_of(row) in names]
    if done.returncode != 0 or not rows:
        sys.stdout.write(
            f"ncu ended with status {done.returncode}, {len(rows)} launches:\n{text[:2000]}\n{text[-1000:]}\n"
        )
        sys.stdout.write(f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}\n")
    return rows


def kernel_of(row: Mapping[str, str | None]) -> str:
    """The kernel's name in ncu's row, without its parameters."""
    return (row["Kernel Name"] or "").partition("(")[0]


def readable_metrics(ncu: str) -> dict[str, str]:
    """The metrics that ncu lists and those of the launch; by trial with fewer where that fails."""
    said = subprocess.run([ncu, "--query-metrics"], check=False, capture_output=True, text=True).stdout
    listed = {line.split()[0] for line in said.splitlines() if line.strip()}
    known = {name: metric for name, metric in METRICS.items() if metric.removesuffix(".sum") in listed}
    needed = {name: METRICS[name] for name in NEEDED}
    sure = {name: metric for name, metric in known.items() if name not in UNSURE}
    for chosen in ({**needed, **known}, {**needed, **sure}, needed):
        metrics = {**chosen, **LAUNCH_METRICS}
        rows = profile(ncu, metrics, 1)
        if rows and all(number(rows[0].get(METRICS[name])) is not None for name in NEEDED):
            left_out = sorted({**METRICS, **LAUNCH_METRICS}.keys() - metrics.keys())
            sys.stdout.write(f"{len(metrics)} metrics are read, left out: {', '.join(left_out) or 'none'}\n")
            return metrics
    sys.exit("ncu reads no counters here: they may need administrator rights or a real (not shared) GPU.")


def as_row(case: CacheCase, measured: Mapping[str, str], metrics: Mapping[str, str]) -> dict[str, object]:
    """One launch with its counts; refuses a row of another launch."""
    grid, block = extent(measured["Grid Size"]), extent(measured["Block Size"])
    if kernel_of(measured) != case.symbol or (grid, block) != (list(case.grid), list(case.block)):
        sys.exit(f"ncu's rows are out of step: {case.label} expected, {measured['Kernel Name']} {grid} {block} found.")
    values = {name: (measured.get(metric) or "").replace(",", "") for name, metric in metrics.items()}
    return {
        "set": case.of_set,
        "case": case.label,
        "grid": grid,
        "block": block,
        "counts": {name: number(value) for name, value in values.items() if name != "waves_per_sm"},
        "waves_per_sm": float(values.get("waves_per_sm") or "nan"),
    }


def note_places(out: Path) -> None:
    """Write where the blocks of a few launches run, and when."""
    gpu = CacheGpu()
    placed = [case for case in cache_cases() if case.label in PLACED]
    record.write(
        out / "block_places_h200.json",
        "Per block, in the order of their numbers: SM, begin and end in ns of the global timer; warm caches",
        [{"case": case.label, "grid": case.grid, "block": case.block, "places": gpu.places(case)} for case in placed],
    )


def cases_of(of_set: str) -> tuple[CacheCase, ...]:
    """The launches of a set, or all that were chosen by hand."""
    if of_set == ALL:
        return cache_cases()
    return tuple(case for case in (*cache_cases(), *drawn_cases()) if case.of_set == of_set)


def launches_of(cases: tuple[CacheCase, ...]) -> Iterator[CacheCase]:
    """Each case as often as it is launched."""
    for case in cases:
        yield from [case] * case.repeats


def main() -> int:
    """Check the results, read the counters, note where blocks run; write both files."""
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else record.RESULTS
    of_set = sys.argv[2] if len(sys.argv) > 2 else ALL
    cases = cases_of(of_set)
    ncu = shutil.which("ncu")
    if ncu is None:
        sys.exit("ncu (Nsight Compute) is not on the path; it comes with the CUDA toolkit.")
    metrics = readable_metrics(ncu)
    rows = profile(ncu, metrics, len(cases), of_set)
    launched = list(launches_of(cases))
    if len(rows) != len(launched):
        sys.stdout.write(
            f"{len(launched)} launches were listed, and ncu read {len(rows)} of them: only those are written.\n"
        )
    said = subprocess.run([ncu, "--version"], check=True, capture_output=True, text=True).stdout
    pairs = list(zip(launched, rows, strict=False))
    record.write(
        out / ("cache_counters_h200.json" if of_set == ALL else f"cache_counters_{of_set.replace(' ', '_')}_h200.json"),
        "Nsight Compute, one launch per row, clocks left alone, caches flushed before each pass",
        [as_row(case, row, metrics) for case, row in pairs],
        ncu=next((line.strip() for line in said.splitlines() if line.startswith("Version")), "unknown"),
        metrics=metrics,
    )
    if of_set == ALL:
        note_places(out)
    wrong = wrong_results(cases)
    sys.stdout.write(f"{len(cases) - len(wrong)} of {len(cases)} results are NumPy's\n" + "\n".join([*wrong, ""]))
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--launch"]:
        launch_all(cases_of(sys.argv[3])[: int(sys.argv[2])])
    else:
        raise SystemExit(main())
