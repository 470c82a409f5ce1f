"""Hashes of the PTX of every kernel, taught and fast: whether a move left the compiled code as it was.

They hold for one NVRTC, which is recorded with them; so they are compared by hand and not in CI.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from random import Random

from tests.choose.random_products import random_product
from tests.nets.plans import measured_products
from tilewright.choose import PlanError, find_chip
from tilewright.choose.choice import choose_plan
from tilewright.compile import compile_kernel
from tilewright.compile.nvrtc import compile_with_headers
from tilewright.compile.planned import KERNELS, own_headers
from tilewright.compile.shipped import shipped_variants
from tilewright.kernels.launch import Launch
from tilewright.kernels.problem import Problem

VARIANTS_OF_A_KERNEL = 12
"""Of each fast kernel: different macros, as random products ask for them."""
CHIPS = {"h200": "compute_90a", "t4": "compute_75", "a100": "compute_80"}
NOT_CODE = re.compile(r"^\s*\.(file|loc)\b.*|^\$L__tmp\d+:|^\s*\.section[^{]*\{[^}]*\}|//.*|[ \t]+$", re.MULTILINE)
CONSTANT = re.compile(r"^\.global [^\n]*?(\w+)(?: = [^\n]*)?;$", re.MULTILINE)


def ptx() -> Iterator[tuple[str, str]]:
    """Yield each program's name and the SHA-256 of its PTX, without line table, debug sections and comments."""
    for kernel, dtype, tile in shipped_variants():
        text = compile_kernel(kernel, dtype, tile).ptx
        assert text is not None
        yield f"{kernel.name} {dtype} {tile}", digest_of_code(text)
    for launch, chip in fast_variants():
        code = compile_with_headers(
            (KERNELS / launch.source).read_text(encoding="utf-8"),
            launch.source,
            architecture=CHIPS[chip],
            macros=dict(launch.macros),
            headers=own_headers(launch.source),
        ).code
        assert isinstance(code, str)
        macros = " ".join(f"{name}={value}" for name, value in sorted(launch.macros))
        yield f"{launch.kernel} {chip} [{macros}]", digest_of_code(code)


def fast_variants() -> list[tuple[Launch, str]]:
    """Return launches of each fast kernel whose macros differ, with the chip that they are for."""
    found: dict[tuple[str, str], dict[tuple[tuple[str, str], ...], Launch]] = {}
    for product, chip, kernel in _products():
        with suppress(PlanError):
            for launch in choose_plan(product, find_chip(chip), kernel).launches:
                variants = found.setdefault((launch.kernel, chip), {})
                if len(variants) < VARIANTS_OF_A_KERNEL:
                    variants.setdefault(tuple(sorted(launch.macros)), launch)
    return [(launch, chip) for (_, chip), variants in found.items() for launch in variants.values()]


IDEAS = ("auto", "auto", "wgmma", "small_batched", "mma_sync", "cuda_cores_16bit", "mma_direct", "short_k")


def _products() -> Iterator[tuple[Problem, str, str]]:
    for chip in CHIPS:
        for seed in range(400):
            random = Random(f"ptx {chip} {seed}")
            kernel = random.choice(IDEAS)
            yield random_product(random), chip, kernel
    for _, product in measured_products():
        yield product, "h200", "auto"


def digest_of_code(text: str) -> str:
    """Return the hash of what the assembler sees of PTX."""
    return hashlib.sha256(code_of(text).encode()).hexdigest()[:16]


def code_of(text: str) -> str:
    """Return PTX without line table, debug sections and comments, and without constants that no instruction names."""
    code = NOT_CODE.sub("", text)
    words = Counter(re.findall(r"\w+", code))
    code = CONSTANT.sub(lambda declared: declared[0] if words[declared[1]] > 1 else "", code)
    return "\n".join(line for line in code.splitlines() if line)
