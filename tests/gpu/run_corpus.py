"""Run tests/counters/corpus on this machine's GPU, check its results, and write what Nsight Compute counts.

    python -m tests.gpu.run_corpus [--out FILE]

Kernels are compiled by NVRTC for sm_90 with the options that the emulator's PTX gets. Counters that this ncu does not
know are left out, those that the test compares excepted. Exit status 1: a result is not NumPy's; the file names it.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy

from benchmarks import record
from benchmarks.measure.gpu_counters import extent, number
from tests.counters.corpus import CORPUS
from tests.counters.corpus.case import Array, Case
from tests.gpu.fill_instruction_table import Driver

RESULT = Path(__file__).parents[1] / "counters" / "corpus_h200.json"
COMPARED = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
}
METRICS = {
    **COMPARED,
    "global_load_instructions": "smsp__inst_executed_op_global_ld.sum",
    "global_store_instructions": "smsp__inst_executed_op_global_st.sum",
    "global_atom_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
    "global_atom_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "global_red_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "global_red_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "local_load_requests": "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
    "local_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "local_store_requests": "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
    "local_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "shared_load_instructions": "smsp__inst_executed_op_shared_ld.sum",
    "shared_store_instructions": "smsp__inst_executed_op_shared_st.sum",
    "shared_atom_instructions": "smsp__inst_executed_op_shared_atom.sum",
    "warp_instructions": "smsp__inst_executed.sum",
    "thread_instructions": "smsp__thread_inst_executed.sum",
}


class Gpu(Driver):
    """Runs cases on the first GPU."""

    def run_case(self, case: Case) -> dict[str, Array]:
        """Launch once, and return the arrays as they are afterwards."""
        cubin, module, function = case.cubin(), ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(cubin))
        self.call("cuModuleGetFunction", ctypes.byref(function), module, case.symbol.encode())
        values = case.values()
        for name in case.variables:
            address, nbytes = ctypes.c_uint64(), ctypes.c_size_t()
            self.call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(nbytes), module, name.encode())
            if nbytes.value != values[name].nbytes:
                raise RuntimeError(f"{case.label}: {name} has {nbytes.value} bytes, not {values[name].nbytes}.")
            self.copy_in(address, values[name])
        held: dict[str, ctypes.c_uint64] = {}
        passed: list[ctypes.Array[ctypes.c_char]] = []
        for name in case.arguments:
            value = values[name]
            if isinstance(value, numpy.ndarray):
                held[name] = ctypes.c_uint64()
                self.call("cuMemAlloc_v2", ctypes.byref(held[name]), ctypes.c_size_t(value.nbytes))
                self.copy_in(held[name], value)
                raw = bytes(held[name])
            else:
                raw = value if isinstance(value, bytes) else value.tobytes()
            passed.append(ctypes.create_string_buffer(raw, len(raw)))
        pointers = (ctypes.c_void_p * len(passed))(*(ctypes.addressof(buffer) for buffer in passed))
        sizes = [ctypes.c_uint(size) for size in (*case.grid, *case.block, case.dynamic_shared_bytes)]
        self.call("cuLaunchKernel", function, *sizes, None, pointers, None)
        self.call("cuCtxSynchronize")
        return {name: self.copied_out(address, values[name]) for name, address in held.items()}

    def copy_in(self, address: ctypes.c_uint64, array: Array) -> None:
        """Copy an array to the device."""
        raw = array.tobytes()
        self.call("cuMemcpyHtoD_v2", address, ctypes.c_char_p(raw), ctypes.c_size_t(len(raw)))

    def copied_out(self, address: ctypes.c_uint64, like: Array) -> Array:
        """Copy an array from the device and free its memory."""
        raw = ctypes.create_string_buffer(like.nbytes)
        self.call("cuMemcpyDtoH_v2", raw, address, ctypes.c_size_t(like.nbytes))
        self.call("cuMemFree_v2", address)
        return numpy.frombuffer(raw.raw, like.dtype).reshape(like.shape)


def run_all(count: int) -> dict[Case, str]:
    """Run the first `count` cases; what is wrong with the result of each that ran, empty where it is NumPy's."""
    gpu = Gpu()
    failures = {}
    for case in CORPUS[:count]:
        try:
            got = gpu.run_case(case)
        except RuntimeError as error:
            sys.stdout.write(f"{case.label} did not run: {error}\n")
            continue
        try:
            case.check(case.values(), got)
            failures[case] = ""
        except AssertionError as error:
            failures[case] = str(error)
    return failures


def profile(ncu: str, metrics: Mapping[str, str], count: int) -> list[dict[str, str]]:
    """Profile the first `count` cases: one row of ncu's raw page per launch; none when ncu fails, which is printed."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "ncu.csv"
        done = subprocess.run(
            [
                *(ncu, "--clock-control", "none", "--target-processes", "all", "--cache-control", "none"),
                *("--csv", "--page", "raw", "--print-units", "base", "--log-file", str(log)),
                *("--metrics", ",".join(metrics.values())),
                *(sys.executable, "-m", "tests.gpu.run_corpus", "--launch", str(count)),
            ],
            check=False,
            capture_output=True,
            text=True,
        )
        text = log.read_text(encoding="utf-8") if log.exists() else ""
    rows = list(csv.DictReader(line for line in text.splitlines() if line.startswith('"')))
    rows = [row for row in rows if any(is_of(row, case) for case in CORPUS)]
    if done.returncode != 0 or not rows:
        sys.stdout.write(
            f"ncu ended with status {done.returncode} and {len(rows)} launches:\n"
            f"{text[:1000]}\n{text[-1000:]}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}\n"
        )
        return []
    return rows


def is_of(row: Mapping[str, str | None], case: Case) -> bool:
    """Whether ncu's row is a launch of a case's kernel: `name(...)`, or `void name<...>(...)` for a template."""
    mangled = re.match(r"_Z(\d+)", case.symbol)
    name = case.symbol[mangled.end() :][: int(mangled[1])] if mangled else case.symbol
    return re.search(rf"\b{name}\b", row["Kernel Name"] or "") is not None


def readable_metrics(ncu: str) -> dict[str, str]:
    """The counters that can be read here: those that ncu lists, or by trial where its list is not understood."""
    said = subprocess.run([ncu, "--query-metrics"], check=False, capture_output=True, text=True).stdout
    listed = {line.split()[0] for line in said.splitlines() if line.strip()}
    known = {name: metric for name, metric in METRICS.items() if metric.removesuffix(".sum") in listed}
    for metrics in (known if COMPARED.keys() <= known.keys() else METRICS, COMPARED):
        rows = profile(ncu, metrics, 1)
        if rows and all(number(rows[0].get(metric)) is not None for metric in COMPARED.values()):
            left_out = sorted(METRICS.keys() - metrics.keys())
            sys.stdout.write(f"counters: {len(metrics)} readable, left out: {', '.join(left_out) or 'none'}\n")
            return dict(metrics)
    sys.exit("ncu reads no counters here: they may need administrator rights or a real (not shared) GPU.")


def as_row(case: Case, failure: str, measured: Mapping[str, str], metrics: Mapping[str, str]) -> dict[str, object]:
    """One case with its counts; refuses a row of another launch."""
    grid, block = extent(measured["Grid Size"]), extent(measured["Block Size"])
    if not is_of(measured, case) or (grid, block) != (list(case.grid), list(case.block)):
        sys.exit(f"ncu's rows are out of step: {case.label} expected, {measured['Kernel Name']} {grid} {block} found.")
    counts = {name: number(measured.get(metric)) for name, metric in metrics.items()}
    return {"case": case.label, "grid": grid, "block": block, "failure": failure, "counts": counts}


def main() -> int:
    """Check every result, then profile the same launches and write the counters."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--launch", type=int, help="only launch this many cases: what ncu profiles")
    asked = parser.parse_args()
    if asked.launch:
        run_all(asked.launch)
        return 0
    ncu = shutil.which("ncu")
    if ncu is None:
        sys.exit("ncu (Nsight Compute) is not on the path; it comes with the CUDA toolkit.")
    failures = run_all(len(CORPUS))
    wrong = [failure for failure in failures.values() if failure]
    right = len(failures) - len(wrong)
    sys.stdout.write(f"{right} of {len(CORPUS)} results are NumPy's\n" + "\n".join([*wrong, ""]))
    metrics = readable_metrics(ncu)
    rows = profile(ncu, metrics, len(CORPUS))
    if len(rows) != len(failures):
        sys.exit(f"{len(failures)} cases ran, and ncu read {len(rows)} launches; nothing is written.")
    said = subprocess.run([ncu, "--version"], check=True, capture_output=True, text=True).stdout
    record.write(
        asked.out,
        "Nsight Compute, one launch per row, clocks and caches left alone; failure: what is wrong with the result",
        [as_row(*ran, row, metrics) for ran, row in zip(failures.items(), rows, strict=True)],
        ncu=next((line.strip() for line in said.splitlines() if line.startswith("Version")), "unknown"),
        metrics=metrics,
    )
    return 0 if right == len(CORPUS) else 1


if __name__ == "__main__":
    raise SystemExit(main())
