"""What compute-sanitizer says of the hazards of asynchronous kernels, and of their mended twins, on this GPU.

    python -m tests.gpu.run_hazard_sanitizer [--out FILE] [--jobs 10] [--seconds 25]

Each kernel of tests/lab/hazards runs alone, under each tool, in a process of its own that is ended after a while: some
never end. Without a tool the result is compared with the twin's.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy

from benchmarks import record
from tests.gpu.run_sanitizer import TOOLS
from tests.lab.hazards.hazard_kernels import ELEMENTS, ROW_BYTES, SIDE, HazardCase, code_of, hazard_cases, inputs

RESULT = record.RESULTS / "sanitizer_hazards_h100.json"
ENDED, NEVER_ENDED = "ended", "never ended"
ERRORS = re.compile(r"(?:ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard)")


def launch(case: HazardCase) -> numpy.ndarray[Any, Any]:
    """Launch a kernel on the first GPU, through the driver; return what it wrote."""
    from cuda.bindings import driver

    def call(name: str, *arguments: Any) -> Any:
        status, *results = getattr(driver, name)(*arguments)
        if status:
            sys.exit(f"{name}: {status.name}")
        return results[0] if results else None

    code = code_of(case.path, "sm_90a", "-lineinfo")
    assert isinstance(code, bytes)
    call("cuInit", 0)
    context = call("cuDevicePrimaryCtxRetain", 0)
    call("cuCtxSetCurrent", context)
    function = call("cuModuleGetFunction", call("cuModuleLoadData", code), b"kernel")
    out = numpy.zeros(ELEMENTS, numpy.uint32)
    arrays: list[numpy.ndarray[Any, Any]] = [inputs(), out]
    held = [call("cuMemAlloc", array.nbytes) for array in arrays]
    for address, array in zip(held, arrays, strict=True):
        call("cuMemcpyHtoD", address, array.ctypes.data, array.nbytes)
    sizes, strides = ([driver.cuuint64_t(value) for value in values] for values in ((SIDE, SIDE), (ROW_BYTES,)))
    box, steps = ([driver.cuuint32_t(value) for value in values] for values in (case.box, (1, 1)))
    tensor_map = call(
        "cuTensorMapEncodeTiled",
        *(driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, int(held[0]), sizes, strides, box, steps),
        driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
        driver.CUtensorMapSwizzle(case.swizzle),
        driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_NONE,
        driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    )
    configuration = driver.CUlaunchConfig()
    configuration.gridDimX, configuration.gridDimY, configuration.gridDimZ = case.grid, 1, 1
    configuration.blockDimX, configuration.blockDimY, configuration.blockDimZ = case.block, 1, 1
    if case.cluster:
        attribute = driver.CUlaunchAttribute()
        attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        attribute.value.clusterDim.x, attribute.value.clusterDim.y, attribute.value.clusterDim.z = case.cluster, 1, 1
        configuration.attrs, configuration.numAttrs = [attribute], 1
    kinds = (None, ctypes.c_void_p, ctypes.c_void_p)
    for _ in range(case.launches):
        call("cuLaunchKernelEx", configuration, function, ((tensor_map, *map(int, held)), kinds), 0)
        call("cuCtxSynchronize")
    call("cuMemcpyDtoH", out.ctypes.data, held[1], out.nbytes)
    return out


def said(tool: str, case: HazardCase, seconds: float) -> dict[str, Any]:
    """Run a case under a tool: how it ended, how many errors there were, and whether a planted line was named."""
    sanitizer = shutil.which("compute-sanitizer") or "compute-sanitizer"
    command = [sys.executable, "-m", "tests.gpu.run_hazard_sanitizer", "--case", case.name]
    if tool != "none":
        command = [sanitizer, *TOOLS[tool], "--report-api-errors", "no", *command]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return {"how": NEVER_ENDED, "errors": 0, "named": False, "out": None, "words": ""}
    errors = sum(int(first or second) for first, second in ERRORS.findall(done.stdout))
    lines = {int(line) for line in re.findall(rf"{case.name}\.cu:(\d+)", done.stdout)}
    words = re.findall(r"^========= (?! )(?!COMPUTE-|ERROR SUMMARY|RACECHECK SUMMARY)(.*\S)", done.stdout, re.MULTILINE)
    written = re.search(r"^OUT ([0-9a-f]+)$", done.stdout, re.MULTILINE)
    how = ENDED if written else f"failed: {(done.stderr or done.stdout).strip()[-120:]}"
    return {
        "how": how,
        "errors": errors,
        "named": bool(lines & case.marked("planted")) if case.finding else bool(lines),
        "out": written and written[1],
        "words": re.sub(r" (at|and|by) \S*0x.*$", "", words[0]) if words else "",
    }


def main() -> None:
    """Run all, so many at a time, and write what was said."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--case")
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--jobs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=25)
    given = parser.parse_args()
    cases = {case.name: case for bad in hazard_cases() for case in (bad, bad.twin)}
    if given.case:
        sys.stdout.write(f"OUT {launch(cases[given.case]).tobytes().hex()}\n")
        return
    asked = [(tool, case) for tool in TOOLS for case in cases.values()]
    with ThreadPoolExecutor(given.jobs) as pool:
        answers = list(pool.map(lambda each: said(each[0], each[1], given.seconds), asked))
    rows: dict[str, dict[str, Any]] = {name: {"case": name} for name in cases}
    for (tool, case), answer in zip(asked, answers, strict=True):
        rows[case.name][tool] = answer
    for bad in hazard_cases():
        rows[bad.name] |= {"wrong": bad.wrong, "finding": bad.finding}
        alone = [rows[name]["none"] for name in (bad.name, bad.twin.name)]
        rows[bad.name]["is_as_the_twin"] = alone[0]["out"] is not None and alone[0]["out"] == alone[1]["out"]
    for row in rows.values():
        for tool in TOOLS:
            row[tool].pop("out")
    version = subprocess.run(["compute-sanitizer", "--version"], capture_output=True, text=True, check=False).stdout
    how = (
        "each kernel alone under each tool of compute-sanitizer; named: a message has a line that is marked as planted"
    )
    record.write(given.out, how, list(rows.values()), sanitizer=version.strip().splitlines()[-1:])
    found = {tool: sum(bool(rows[c.name][tool]["errors"]) for c in hazard_cases()) for tool in TOOLS}
    sys.stdout.write(f"{json.dumps(found)} of {len(hazard_cases())}\n")


if __name__ == "__main__":
    main()
