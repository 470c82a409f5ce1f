"""A kernel with one `wgmma`, whose shared memory, registers and descriptors a test brings."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.emulate.instructions.fragments import registers_of
from tests.emulate.instructions.tensor_core_model import FORMATS, UNSIGNED, term
from tests.emulate.running import launch

SHARED_BYTES = 48 << 10
DEPTH = {"f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32}


def bits_of_integers(values: np.ndarray, dtype: str) -> np.ndarray:
    """Return small whole numbers as the bits of a type."""
    if dtype not in FORMATS:
        return values.astype(UNSIGNED[dtype])
    if dtype == "tf32":
        return values.astype(np.float32).view(np.uint32)
    if dtype == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if dtype == "f16":
        return values.astype(np.float16).view(np.uint16)
    known = {}
    for bits in range(255, -1, -1):
        number = term(bits, dtype)
        if number.special is None:
            known[number.significand * 2.0**number.unit] = bits
    return np.array([known[float(value)] for value in values.ravel()], np.uint8).reshape(values.shape)


def source_of(shape: str, types: str, registers: int, immediates: str, *, has_registers: bool, before: str = "") -> str:
    """Return the kernel. shape: `m64n8k16`; immediates: what follows scale-d; before: code in front of the product."""
    letter = "f" if types.startswith("f32") else "r"
    kind = "float" if letter == "f" else "unsigned"
    d = ", ".join(f"%{i}" for i in range(registers))
    a = (
        f"{{%{registers + 3}, %{registers + 4}, %{registers + 5}, %{registers + 6}}}"
        if has_registers
        else f"%{registers}"
    )
    inputs = '"l"(a_descriptor + base), "l"(b_descriptor + base), "r"(keep)'
    inputs += "".join(f', "r"(a[4 * t + {i}])' for i in range(4)) if has_registers else ""
    loads = "\n".join(f"{kind} d{i} = (({kind}*)c)[{registers} * t + {i}];" for i in range(registers))
    stores = "\n".join(f"(({kind}*)out)[{registers} * t + {i}] = d{i};" for i in range(registers))
    return f"""
    extern __shared__ __align__(1024) uint4 tiles[];
    extern "C" __global__ void kernel(const uint4* memory, const unsigned* a, unsigned long long a_descriptor,
            unsigned long long b_descriptor, int keep, const unsigned* c, unsigned* out) {{
        int t = threadIdx.x;
        for (int i = t; i < {SHARED_BYTES} / 16; i += blockDim.x) tiles[i] = memory[i];
        __syncthreads();
        unsigned long long base = (unsigned)__cvta_generic_to_shared(tiles) >> 4;
        {loads}
        {before}
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("{{\\n.reg .pred keep;\\nsetp.ne.b32 keep, %{registers + 2}, 0;\\n"
            "wgmma.mma_async.sync.aligned.{shape}.{types} {{{d}}}, {a}, %{registers + 1}, keep{immediates};\\n}}"
            : {", ".join(f'"+{letter}"(d{i})' for i in range(registers))} : {inputs} : "memory");
        asm volatile("wgmma.commit_group.sync.aligned;\\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
        {stores}
    }}"""


class Product:
    """One `wgmma` of 64 rows: compiled once, launched with any tiles.

    kinds: of A, of B and of the sums. a, b: `turned`, `plain`, or of A `registers`.
    """

    def __init__(
        self, kinds: tuple[str, str, str], columns: int, a: str = "plain", b: str = "plain", **more: Any
    ) -> None:
        self.kinds, self.columns, self.a = kinds, columns, a
        words, signs = more.get("words", ""), more.get("signs", ", 1, 1")
        immediates = "" if kinds[2] == "s32" else signs
        if kinds[0] in ("f16", "bf16"):
            immediates += "" if a == "registers" else f", {int(a == 'turned')}"
            immediates += f", {int(b == 'turned')}"
        self.registers = columns // 4 if kinds[2] == "f16" else columns // 2
        shape = f"m64n{columns}k{DEPTH[kinds[0]]}{words}"
        types = f"{kinds[2]}.{kinds[0]}.{kinds[1]}"
        has_registers = a == "registers"
        before = more.get("before", "")
        self.source = source_of(shape, types, self.registers, immediates, has_registers=has_registers, before=before)

    def run(
        self, memory: np.ndarray, a: np.ndarray | int, b: int, sums: np.ndarray, *, keep: bool = True, **options: Any
    ) -> np.ndarray:
        """Return the sums' bits. memory: bytes of shared memory. a: a descriptor, or a tile's bits. b: a descriptor."""
        of_a = np.zeros((128, 4), np.uint32)
        if isinstance(a, np.ndarray):
            of_a = np.concatenate([registers_of(a[16 * warp : 16 * warp + 16]) for warp in range(4)])
        out = np.zeros((128, self.registers), np.uint32)
        descriptor = a if isinstance(a, int) else 0
        whole = np.zeros(SHARED_BYTES, np.uint8)
        whole[: len(memory)] = memory
        options.setdefault("block", 128)
        launch(
            *(self.source, whole, of_a, descriptor, b, int(keep), self._spread(sums), out),
            dynamic_shared_bytes=SHARED_BYTES,
            **options,
        )
        return self._gathered(out, sums.dtype)

    def _places(self) -> tuple[np.ndarray, np.ndarray]:
        """Return rows and columns of the elements that each of 128 threads holds, in its registers' order."""
        thread, element = np.arange(128)[:, None], np.arange(self.columns // 2)[None]
        rows = thread // 32 * 16 + thread % 32 // 4 + element // 2 % 2 * 8
        return rows, element // 4 * 8 + thread % 4 * 2 + element % 2

    def _spread(self, sums: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(sums[self._places()]).view(np.uint32)

    def _gathered(self, out: np.ndarray, dtype: Any) -> np.ndarray:
        result = np.zeros((64, self.columns), dtype)
        result[self._places()] = out.view(dtype)
        return result
