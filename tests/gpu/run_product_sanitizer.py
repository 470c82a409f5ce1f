"""Run products in 16-bit types under each tool of compute-sanitizer on this GPU, and for each tool a planted mistake.

    python -m tests.gpu.run_product_sanitizer [--out FILE] [--seconds 300] [--tools memcheck ...] [--kernels auto ...]

A tool counts as clean only if it complains about its planted mistake, and about no product. Buffers are allocations of
their own, as long as the operands, with nothing of torch's in the process; every result is compared with the exact one.

initcheck does not see what the copy engine stores. It called every read of partial sums that went to the workspace so
(1,024 groups x 13 splits = 13,312 of them in one product of 64 x 4,100 x 64) a read of what nobody wrote. For these
plans the workspace is filled with NaN first: a sum that were not written would make the result NaN, which is compared.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import record
from tests.gpu.run_sanitizer import ALWAYS, TOOLS
from tests.kernels.integer_product import IntegerProduct
from tilewright.choose.choice import choose_plan
from tilewright.choose.plan import Plan
from tilewright.compile.kept_code import Code
from tilewright.compile.nvrtc import compile_source
from tilewright.compile.planned import compile_launches
from tilewright.kernels.launch import BUFFERS, TensorMap
from tilewright.kernels.problem import Epilogue
from tilewright.kernels.refusals import PlanError
from tilewright.launch.cuda.device import CudaDevice, cuda_device
from tilewright.launch.cuda.planned import PlannedRun

RESULT = record.RESULTS / "sanitizer_products_h200.json"
KERNELS = ("auto", "wgmma", "wgmma_classes", "mma_sync", "mma_direct", "short_k", "cuda_cores_16bit")
COMPLAINT = re.compile(r"^=========  ?(?! )(?P<words>.*(Invalid|Error:|Warning:|Uninitialized|Barrier error|Race).*)$")
PLANTED = """
extern "C" __global__ void planted_memcheck(int* x, int n) { x[n + threadIdx.x] = 1; }
extern "C" __global__ void planted_racecheck(int* x, int n)
{
    __shared__ int shared[64];
    shared[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = shared[(threadIdx.x + 33) % 64] + n;
}
extern "C" __global__ void planted_initcheck(int* x, int n) { x[threadIdx.x] += n; }
extern "C" __global__ void planted_synccheck(int* x, int n)
{
    if (threadIdx.x % 32 < 16)
        __syncthreads();
    x[threadIdx.x] = n;
}
"""
"""A write past the end, a read of another warp's element without a barrier, a read of what nobody wrote, a barrier that
half of each warp reaches."""


def products() -> dict[str, IntegerProduct]:
    """Products that take each load and store path: TMA, repacking, splits, transposed, batches, epilogue, odd bases."""
    full = Epilogue(0.5, -2, bias=True, activation="relu")
    made: dict[str, tuple[list[tuple[int, ...]], dict[str, Any]]] = {
        "aligned": ([(192, 128), (128, 256), (192, 256)], {}),
        "odd": ([(130, 71), (71, 201), (130, 201)], {}),
        "deep": ([(64, 4100), (4100, 64), (64, 64)], {}),
        "thin": ([(3, 520), (520, 304), (3, 304)], {}),
        "wide": ([(8, 256), (256, 4096), (8, 4096)], {}),
        "every eighth row": ([(2200, 1001), (1001, 72), (2200, 72)], {}),
        "many tiles": ([(1100, 72), (72, 1100), (1100, 1100)], {}),
        "one wave, deep": ([(768, 1096), (1096, 768), (768, 768)], {}),
        "one wave, shared": ([(1000, 128), (128, 1000), (1000, 1000)], {}),
        "epilogue": ([(65, 40), (40, 72), (65, 72), (65, 72)], {"epilogue": full}),
        "epilogue, many tiles": ([(1100, 72), (72, 2200), (1100, 2200), (1100, 2200)], {"epilogue": full}),
        "odd base": ([(64, 64), (64, 64), (64, 64)], {"offset": 3}),
        "few rows, odd": ([(3, 1031), (1031, 505), (3, 505)], {}),
        "few columns, odd": ([(517, 1031), (1031, 11), (517, 11), (517, 11)], {"epilogue": full}),
        "short k": ([(700, 9), (9, 523), (700, 523)], {"offset": 1}),
        "short k, even": ([(700, 40), (40, 516), (700, 516), (700, 516)], {"epilogue": full}),
    }
    found = {
        name: IntegerProduct("bfloat16", "bfloat16", shapes, [(s[1], 1) for s in shapes], guard=0, **more)
        for name, (shapes, more) in made.items()
    }
    columns = [(1, 136), (1, 72), (1, 136)]
    found["columns"] = IntegerProduct("float16", "float32", [(136, 72), (72, 88), (136, 88)], columns, guard=0)
    backwards = [(-40, 1), (80, 2), (-96, 1)]
    found["backwards"] = IntegerProduct("float16", "float16", [(70, 33), (33, 40), (70, 40)], backwards, guard=0)
    small = [(400, 33, 31), (400, 31, 29), (400, 33, 29)]
    one_after_another = [(s[1] * s[2], s[2], 1) for s in small]
    found["whole matrices"] = IntegerProduct("bfloat16", "bfloat16", small, one_after_another, guard=0)
    shapes = [(2, 3, 33, 40), (2, 3, 40, 48), (2, 3, 33, 48)]
    broadcast = [(1320, 0, 40, 1), (0, 1920, 48, 1), (4752, 1584, 48, 1)]
    found["broadcast batch"] = IntegerProduct("bfloat16", "float32", shapes, broadcast, guard=0)
    return found


def planned(kernel: str, device: CudaDevice) -> Iterator[tuple[str, IntegerProduct, Plan]]:
    """Yield the products that a kernel takes, and their plans."""
    for name, product in products().items():
        try:
            yield name, product, choose_plan(product.multiplication(), device.facts, kernel)
        except PlanError as refused:
            say(f"product {name}: {refused}")


class Memory:
    """Allocations of the driver, each as long as its array."""

    def __init__(self, device: CudaDevice) -> None:
        self.device, self.driver = device, device.driver

    def allocated(self, nbytes: int, array: np.ndarray[Any, Any] | None = None) -> int:
        """Memory with an array in it, or as it comes."""
        address = int(self.device.checked(self.driver.cuMemAlloc(max(nbytes, 1))))
        if array is not None and array.nbytes:
            self.device.checked(self.driver.cuMemcpyHtoD(address, array.ctypes.data, array.nbytes))
        return address

    def read(self, address: int, like: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """What is there now."""
        result = np.empty_like(like)
        self.device.checked(self.driver.cuMemcpyDtoH(result.ctypes.data, address, result.nbytes))
        return result


def run_products(kernels: list[str]) -> None:
    """In a process of its own: run every product with every kernel, and compare."""
    device = cuda_device(0)
    with device.entered():
        memory = Memory(device)
        for kernel in kernels:
            for name, product, plan in planned(kernel, device):
                say(f"product {name} with {' + '.join(launch.kernel for launch in plan.launches)}")
                held = {key: memory.allocated(array.nbytes, array) for key, array in product.buffers.items()}
                starts = {key: address + product.firsts[key] for key, address in held.items()}
                workspace = memory.allocated(plan.workspace_bytes)
                if holds_copied_sums(plan):
                    device.checked(device.driver.cuMemsetD8(workspace, 0xFF, plan.workspace_bytes))
                addresses = [starts.get(buffer, workspace) for buffer in BUFFERS]
                PlannedRun(plan, device).run(addresses, 0)
                device.checked(device.driver.cuCtxSynchronize())
                product.check(memory.read(held["C"], product.buffers["C"]))
                for address in (*held.values(), workspace):
                    device.checked(device.driver.cuMemFree(address))
    say("all products are right")


def holds_copied_sums(plan: Plan) -> bool:
    """Whether the copy engine stores partial sums in the workspace."""
    stores = [launch.arguments.get("maps.c[0]") for launch in plan.launches]
    return any(isinstance(each, TensorMap) and each.buffer == "workspace" for each in stores)


def run_planted(tool: str) -> None:
    """In a process of its own: launch the tool's mistake."""
    device = cuda_device(0)
    major, minor = device.capability
    code = compile_source(PLANTED, "planted.cu", architecture=f"sm_{major}{minor}")
    assert isinstance(code, bytes)
    with device.entered():
        x = Memory(device).allocated(64 * 4)
        function = device.function(Code(code), f"planted_{tool}")
        passed = (ctypes.c_uint64(x), ctypes.c_int(64))
        listed = (ctypes.c_void_p * 2)(*(ctypes.addressof(value) for value in passed))
        driver = device.driver
        device.checked(driver.cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, 0, ctypes.addressof(listed), 0))
        driver.cuCtxSynchronize()
    say("launched")


def say(words: str) -> None:
    """Tell the process that watches."""
    sys.stdout.write(f"@@ {words}\n")
    sys.stdout.flush()


def watched(tool: str, what: list[str], folder: Path, seconds: float) -> dict[str, Any]:
    """Run this file under a tool; how it ended, what it said, and the tool's complaints."""
    log = folder / f"{tool}-{what[0].strip('-')}.log"
    command = ["compute-sanitizer", *TOOLS[tool], *ALWAYS, "--log-file", str(log), sys.executable, "-m", MODULE, *what]
    started = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
        status, said = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired as late:
        status, said = -1, (late.stdout or b"").decode(errors="replace") + " (ended by the watchdog)"
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    complaints = [match["words"].strip() for match in map(COMPLAINT.match, text.splitlines()) if match]
    return {
        "status": status,
        "seconds": round(time.monotonic() - started, 1),
        "ran": [line[3:] for line in said.splitlines() if line.startswith("@@ ")],
        "complaints": len(complaints),
        "first": complaints[:5],
        "end": "" if status == 0 and not complaints else (said[-600:] + text[-600:]),
    }


MODULE = "tests.gpu.run_product_sanitizer"


def judged(tool: str, kernels: list[str], folder: Path, seconds: float) -> dict[str, Any]:
    """A tool's row: clean if it finds its planted mistake, and nothing in the products, which all ran."""
    planted = watched(tool, ["--planted", tool], folder, 90)
    found = watched(tool, ["--products", *kernels], folder, seconds)
    ran = found["ran"][-1:] == ["all products are right"]
    clean = ran and found["complaints"] == 0 and planted["complaints"] > 0
    return {"tool": tool, "clean": clean, "planted": planted, "products": found}


def main() -> int:
    """Run every tool and write what it said; exit status 1 unless all are clean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--seconds", type=float, default=300, help="end a tool after so many")
    tools = [tool for tool in TOOLS if tool != "none"]
    parser.add_argument("--tools", nargs="+", choices=tools, default=tools)
    parser.add_argument("--kernels", nargs="+", default=list(KERNELS))
    parser.add_argument("--products", nargs="+", metavar="KERNEL", help="run the products, without a tool")
    parser.add_argument("--planted", choices=tools, help="launch a tool's mistake")
    asked = parser.parse_args()
    if asked.products or asked.planted:
        run_products(asked.products) if asked.products else run_planted(asked.planted)
        return 0
    if shutil.which("compute-sanitizer") is None:
        sys.exit("compute-sanitizer is not on the path; it comes with the CUDA toolkit.")
    compile_everything(asked.kernels)
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(len(asked.tools)) as pool:
        rows = list(pool.map(lambda tool: judged(tool, asked.kernels, Path(temporary), asked.seconds), asked.tools))
    for row in rows:
        said = (
            f"{row['planted']['complaints']} about its planted mistake, {row['products']['complaints']} about products"
        )
        sys.stdout.write(
            f"{row['tool']}: {'clean' if row['clean'] else 'NOT CLEAN'}: {said}; {row['products']['end']}\n"
        )
    version = subprocess.run(["compute-sanitizer", "--version"], check=True, capture_output=True, text=True).stdout
    record.write(
        asked.out,
        "products in 16-bit types under each tool, each shown to work by a planted mistake; results compared exactly",
        rows,
        sanitizer=next((line.strip() for line in version.splitlines() if line.startswith("Version")), version.strip()),
        options={tool: [*TOOLS[tool], *ALWAYS] for tool in asked.tools},
        initcheck="does not see the copy engine's stores: where they hold partial sums, the workspace is NaN first",
    )
    return 0 if all(row["clean"] for row in rows) else 1


def compile_everything(kernels: list[str]) -> None:
    """Fill the cache, so that no compiler runs under a tool."""
    device = cuda_device(0)
    plans = [plan for kernel in kernels for _, _, plan in planned(kernel, device)]
    launches = {(launch.source, launch.macros): launch for plan in plans for launch in plan.launches}
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(lambda launch: compile_launches([launch], device.capability), launches.values()))


if __name__ == "__main__":
    raise SystemExit(main())
