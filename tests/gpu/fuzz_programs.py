"""Random PTX programs on the emulator and on this machine's GPU: every bit of every register is compared.

    python -m tests.gpu.fuzz_programs --count 2000 [--first 0] [--processes 8] [--out FILE]

Programs are those of tests/emulate/differential, the same text for both machines. Of each that differs, the first
statement is looked for whose result does. FILE keeps a digest of what the GPU answered for each program: tests without
a GPU compare the emulator with it. A program that differs, but not when the driver compiles it without optimizing, is
the compiler's: it may take a result for unspecified that the hardware gives (abs.s32 of the least integer). Its digest
is that of the code without optimization. The driver compiles the PTX; torch is not needed.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from tests.emulate.differential.answers import digest, write_answers
from tests.emulate.differential.emulated import EMPTY, emulated
from tests.emulate.differential.inputs import inputs
from tests.emulate.differential.program_text import BLOCKS, SCRATCH_BYTES, THREADS, named
from tests.emulate.differential.programs import MOST_STATEMENTS, program
from tests.gpu.fill_instruction_table import MOST_OPTIMIZATION, Driver


@cache
def driver() -> Driver:
    """Return this process's driver."""
    return Driver()


def on_gpu(number: int, statements: int | None = None, optimization: int = MOST_OPTIMIZATION) -> Any:
    """Return 64 bits of each register of each thread when a program has ended on the GPU."""
    gpu, given = driver(), inputs(number)
    module, function = gpu.load(program(number, statements), optimization), ctypes.c_void_p()
    gpu.call("cuModuleGetFunction", ctypes.byref(function), module, b"kernel")
    buffers = [ctypes.c_uint64() for _ in range(3)]
    fillings = (given.tobytes(), bytes([EMPTY]) * given.nbytes, bytes(SCRATCH_BYTES))
    for buffer, filling in zip(buffers, fillings, strict=True):
        gpu.call("cuMemAlloc_v2", ctypes.byref(buffer), ctypes.c_size_t(len(filling)))
        gpu.call("cuMemcpyHtoD_v2", buffer, ctypes.c_char_p(filling), ctypes.c_size_t(len(filling)))
    pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(buffer) for buffer in buffers))
    gpu.call("cuLaunchKernel", function, BLOCKS, 1, 1, THREADS, 1, 1, 0, None, pointers, None)
    gpu.call("cuCtxSynchronize")
    result = ctypes.create_string_buffer(given.nbytes)
    gpu.call("cuMemcpyDtoH_v2", result, buffers[1], ctypes.c_size_t(given.nbytes))
    for buffer in buffers:
        gpu.call("cuMemFree_v2", buffer)
    gpu.call("cuModuleUnload", module)
    return np.frombuffer(result.raw, np.uint64).reshape(given.shape)


def compared(number: int) -> dict[str, Any]:
    """Return the digest of a program's results on the GPU, and where the emulator's differ."""
    try:
        there = on_gpu(number)
        here = emulated(number)
    except Exception as error:  # noqa: BLE001  (a fuzzer reports whatever went wrong, and goes on)
        return {"program": number, "error": f"{type(error).__name__}: {error}"[:400]}
    found: dict[str, Any] = {"program": number, "digest": digest(there)}
    if not np.array_equal(here, there):
        plain = on_gpu(number, optimization=0)
        found |= first_difference(number) | {"is_compilers": np.array_equal(here, plain), "plain": digest(plain)}
    return found


def first_difference(number: int) -> dict[str, Any]:
    """Return the first statement after which the two differ, and how."""
    for statements in range(MOST_STATEMENTS + 1):
        there, here = on_gpu(number, statements), emulated(number, statements)
        if not np.array_equal(there, here):
            thread, register = (int(places[0]) for places in np.nonzero(there != here))
            before = program(number, statements - 1).splitlines() if statements else []
            new = [line for line in program(number, statements).splitlines() if line not in before]
            return {
                "statements": statements,
                "text": new[:40],
                "thread": thread,
                "register": named(register),
                "gpu": f"{int(there[thread, register]):016x}",
                "emulator": f"{int(here[thread, register]):016x}",
                "threads": int((there != here).any(axis=1).sum()),
            }
    return {"statements": -1}


def main() -> int:
    """Compare; return 1 where a program differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    compared(asked.first)
    numbers = range(asked.first, asked.first + asked.count)
    with ProcessPoolExecutor(asked.processes, get_context("spawn")) as pool:
        found = list(pool.map(compared, numbers, chunksize=4))
    different = [each for each in found if "statements" in each]
    failed = [each for each in found if "error" in each]
    for each in [*failed, *different][:60]:
        sys.stdout.write(json.dumps(each) + "\n")
    compilers = sum(each["is_compilers"] for each in different)
    sys.stdout.write(
        f"{len(found)} programs: {len(different)} differ ({compilers} by optimization), {len(failed)} failed\n"
    )
    if asked.out:
        write_answers(asked.out, driver().origin(), [each.get("plain", each.get("digest", "")) for each in found])
        asked.out.with_suffix(".differences.json").write_text(json.dumps([*failed, *different], indent=1) + "\n")
    return int(len(different) > compilers or bool(failed))


if __name__ == "__main__":
    sys.exit(main())
