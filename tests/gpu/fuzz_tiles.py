"""The bits of the tensor cores: random tiles on this machine's GPU and on the emulator, every bit compared.

    python -m tests.gpu.fuzz_tiles --tiles 100000 [--out FILE]

Each instruction gets tiles of three kinds: normal numbers, numbers whose exponents are drawn too, and any bits at all
(NaN, infinite, subnormal). Sums begin with numbers of the same kind. Writes how many tiles of each type differ.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from tests.emulate.differential.block_statements import WARPGROUPS
from tests.emulate.differential.program_text import TILE_BYTES
from tests.gpu.fill_instruction_table import Driver
from tilewright.emulate import Emulator

KINDS = ("normal", "wide", "any bits")
MATRICES = [
    ("m16n8k8", "f32.f16.f16.f32", 4, 2, 1),
    ("m16n8k16", "f32.f16.f16.f32", 4, 4, 2),
    ("m16n8k16", "f16.f16.f16.f16", 2, 4, 2),
    ("m16n8k8", "f32.bf16.bf16.f32", 4, 2, 1),
    ("m16n8k16", "f32.bf16.bf16.f32", 4, 4, 2),
    ("m16n8k4", "f32.tf32.tf32.f32", 4, 2, 1),
    ("m16n8k8", "f32.tf32.tf32.f32", 4, 4, 2),
    ("m16n8k32", "f32.e4m3.e4m3.f32", 4, 4, 2),
    ("m16n8k32", "f32.e5m2.e4m3.f32", 4, 4, 2),
    ("m16n8k32", "f16.e4m3.e5m2.f16", 2, 4, 2),
    ("m16n8k32", "s32.s8.s8.s32", 4, 4, 2),
    ("m16n8k32", "s32.u8.s8.s32", 4, 4, 2),
]
"""mma.sync: shape, types, and registers of D, A and B."""
HEAD = """.version 8.7
.target sm_90a
.address_size 64
.visible .entry kernel(.param .u64 a, .param .u64 c, .param .u64 d) {
.shared .align 1024 .b8 tile[4096];
.reg .b64 %in, %sums, %out, %da, %db;
.reg .b32 %t, %n, %x, %y, %v<16>;
ld.param.u64 %in, [a];
ld.param.u64 %sums, [c];
ld.param.u64 %out, [d];
mov.u32 %t, %tid.x;
mov.u32 %n, %ctaid.x;
"""


def of_warps(shape: str, types: str, sums: int, of_a: int, of_b: int) -> tuple[str, int, int]:
    """Return the program of a mma.sync, and a thread's bytes of A and B and of sums; a block has four tiles."""
    kind = ".f32" if types.startswith("f32") else ".b32"
    loads = [f"ld.global.b32 %v{i}, [%in+{4 * i}];" for i in range(of_a + of_b)]
    loads += [f"ld.global{kind} %c{i}, [%sums+{4 * i}];" for i in range(sums)]
    operands = [_group("d", sums), _group("v", of_a), _group("v", of_b, of_a), _group("c", sums)]
    return (
        (
            HEAD
            + f".reg {kind} %c<4>, %d<4>;\nmad.lo.u32 %n, %n, 128, %t;\n"
            + f"mad.wide.u32 %in, %n, {4 * (of_a + of_b)}, %in;\n"
            + f"mad.wide.u32 %sums, %n, {4 * sums}, %sums;\nmad.wide.u32 %out, %n, {4 * sums}, %out;\n"
            + "\n".join(loads)
            + f"\nmma.sync.aligned.{shape}.row.col.{types} {', '.join(operands)};\n"
            + "\n".join(f"st.global{kind} [%out+{4 * i}], %d{i};" for i in range(sums))
            + "\nret;\n}\n"
        ),
        4 * (of_a + of_b),
        4 * sums,
    )


def of_warpgroups(depth: str, types: str, letter: str, sums: int, after: str) -> tuple[str, int, int]:
    """Return the program of a wgmma without swizzle, and a thread's bytes of A and B and of sums."""
    kind, each = (".f32" if letter == "f" else ".b32"), TILE_BYTES // 128
    fields = (128 >> 4) << 16 | (256 >> 4) << 32
    lines = [
        f".reg {kind} %d<4>;",
        ".reg .pred %keep;",
        "mad.lo.u32 %n, %n, 128, %t;",
        f"mad.wide.u32 %in, %n, {each}, %in;",
        f"mad.wide.u32 %sums, %n, {4 * sums}, %sums;",
        f"mad.wide.u32 %out, %n, {4 * sums}, %out;",
        "mov.u32 %x, tile;",
        f"mad.lo.u32 %y, %t, {each}, %x;",
        *[f"ld.global.b32 %v0, [%in+{at}];\nst.shared.b32 [%y+{at}], %v0;" for at in range(0, each, 4)],
        *[f"ld.global{kind} %d{i}, [%sums+{4 * i}];" for i in range(sums)],
        "fence.proxy.async;",
        "bar.sync 0;",
        "shr.u32 %x, %x, 4;",
        "cvt.u64.u32 %da, %x;",
        f"or.b64 %da, %da, {fields:#x};",
        f"add.u64 %db, %da, {2048 // 16};",
        "setp.eq.b32 %keep, %t, %t;",
        "wgmma.fence.sync.aligned;",
        f"wgmma.mma_async.sync.aligned.m64n8{depth}.{types} {_group('d', sums)}, %da, %db, %keep{after};",
        "wgmma.commit_group.sync.aligned;",
        "wgmma.wait_group.sync.aligned 0;",
        *[f"st.global{kind} [%out+{4 * i}], %d{i};" for i in range(sums)],
        "ret;\n}\n",
    ]
    return HEAD + "\n".join(lines), each, 4 * sums


def _group(letter: str, count: int, first: int = 0) -> str:
    return "{" + ", ".join(f"%{letter}{first + number}" for number in range(count)) + "}"


def elements(dtype: str, nbytes: int, kind: str, random: np.random.Generator) -> Any:
    """Return bytes that hold elements of a type."""
    if kind == "any bits" or dtype[0] in "su":
        return random.integers(0, 256, nbytes, np.uint8)
    if dtype in ("e4m3", "e5m2"):
        numbers = random.integers(0, 256, nbytes, np.uint8)
        if kind == "normal":
            return (numbers & 0x8F) | 0x30
        return np.where(numbers & 0x7C == 0x7C, numbers ^ 0x40, numbers)
    size = 4 if dtype in ("f32", "tf32") else 2
    exponents = {"f16": 6, "bf16": 30, "tf32": 30, "f32": 30}[dtype]
    values = random.standard_normal(nbytes // size).astype(np.float32)
    if kind == "wide":
        values *= np.exp2(random.integers(-exponents, exponents + 1, values.size)).astype(np.float32)
    if dtype == "f16":
        return values.astype(np.float16).view(np.uint8)
    if dtype == "bf16":
        return (values.view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
    return values.view(np.uint8)


def on_gpu(gpu: Driver, text: str, blocks: int, operands: Any, sums: Any) -> Any:
    """Return the sums that the GPU gives."""
    module, function = gpu.load(text), ctypes.c_void_p()
    gpu.call("cuModuleGetFunction", ctypes.byref(function), module, b"kernel")
    buffers = [ctypes.c_uint64() for _ in range(3)]
    for buffer, array in zip(buffers, (operands, sums, np.zeros_like(sums)), strict=True):
        raw = array.tobytes()
        gpu.call("cuMemAlloc_v2", ctypes.byref(buffer), ctypes.c_size_t(len(raw)))
        gpu.call("cuMemcpyHtoD_v2", buffer, ctypes.c_char_p(raw), ctypes.c_size_t(len(raw)))
    pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(buffer) for buffer in buffers))
    gpu.call("cuLaunchKernel", function, blocks, 1, 1, 128, 1, 1, 0, None, pointers, None)
    gpu.call("cuCtxSynchronize")
    result = ctypes.create_string_buffer(sums.nbytes)
    gpu.call("cuMemcpyDtoH_v2", result, buffers[2], ctypes.c_size_t(sums.nbytes))
    for buffer in buffers:
        gpu.call("cuMemFree_v2", buffer)
    return np.frombuffer(result.raw, np.uint32)


def on_emulator(text: str, blocks: int, operands: Any, sums: Any) -> Any:
    """Return the sums that the emulator gives."""
    emulator = Emulator(workers=os.cpu_count() or 1)
    module = emulator.load(text)
    buffers = [emulator.allocate(array.nbytes) for array in (operands, sums, sums)]
    for buffer, array in zip(buffers, (operands, sums), strict=False):
        buffer.write(array)
    emulator.launch(module, "kernel", grid=(blocks, 1, 1), block=(128, 1, 1), arguments=buffers)
    return buffers[2].read(np.uint32, (sums.nbytes // 4,))


def main() -> int:
    """Compare; return 1 where a tile differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tiles", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    gpu, results, random = Driver(), [], np.random.default_rng(asked.seed)
    known = [("mma.sync", 4, of_warps(*each), each[0], each[1]) for each in MATRICES]
    known += [("wgmma", 1, of_warpgroups(*each), f"m64n8{each[0]}", each[1]) for each in WARPGROUPS]
    for name, tiles_in_block, (text, operand_bytes, sum_bytes), shape, types in known:
        words = types.split(".")
        for kind in KINDS:
            blocks = -(-asked.tiles // tiles_in_block // len(KINDS))
            operands = elements(words[1], 128 * operand_bytes * blocks, kind, random)
            sums = elements(words[0], 128 * sum_bytes * blocks, kind, random)
            started = time.perf_counter()
            here, there = on_emulator(text, blocks, operands, sums), on_gpu(gpu, text, blocks, operands, sums)
            different = (here != there).reshape(blocks * tiles_in_block, -1)
            found = {
                "instruction": f"{name} {shape} {types}",
                "numbers": kind,
                "tiles": len(different),
                "different_tiles": int(different.any(axis=1).sum()),
                "different_words": int(different.sum()),
                "seconds": round(time.perf_counter() - started, 2),
            }
            if found["different_words"]:
                at = np.flatnonzero(here != there)[:6]
                found["examples"] = [f"gpu {there[i]:08x}, emulator {here[i]:08x}" for i in at]
            results.append(found)
            sys.stdout.write(json.dumps(found) + "\n")
            sys.stdout.flush()
    if asked.out:
        asked.out.write_text(
            json.dumps({"origin": gpu.origin(), "seed": asked.seed, "tiles": results}, indent=1) + "\n"
        )
    return int(any(each["different_tiles"] for each in results))


if __name__ == "__main__":
    sys.exit(main())
