"""Why planning chose what it chose, word for word: of products of usual sizes, with the times that models give them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from tests.nets.plans import launches_text
from tilewright.choose import PlanError, find_chip
from tilewright.choose.choice import choose_plan
from tilewright.choose.constant import with_constant
from tilewright.kernels.operand import Operand, packed
from tilewright.kernels.precision import PRECISIONS
from tilewright.kernels.problem import Epilogue, Problem

CASES = (("h200", 1000), ("h100", 400), ("a100", 250), ("t4", 200), ("rtx-5090", 200), ("v100", 60))
DTYPES = ("float16", "bfloat16", "float32", "float32", "float64")
KERNELS = {"matmul": ("auto",) * 9 + ("wgmma", "mma_sync", "strided"), "reduced_matmul": ("auto",) * 9 + ("fused",)}
TILES = (None,) * 12 + (16, (64, 64), (128, 128))
BATCHES = ((),) * 8 + ((3,), (40,), (2, 5))


def said() -> Iterator[tuple[str, str]]:
    """Yield each case's name, its launches and reasons, or the sentence of a refusal."""
    for chip, count in CASES:
        facts = find_chip(chip)
        for seed in range(count):
            random = Random(f"said {chip} {seed}")
            try:
                product = _product(random)
                plan = choose_plan(product, facts, random.choice(KERNELS[product.operation]), random.choice(TILES))
                if random.random() < 0.15:
                    plan, _ = with_constant(plan, random.choice("AB"))
                text = f"{plan}\n{launches_text(plan)}"
            except PlanError as refused:
                text = f"refused: {refused}"
            yield f"{chip} {seed}", text


def _product(random: Random) -> Problem:
    dtype, batch = random.choice(DTYPES), random.choice(BATCHES)
    operation, group = random.choice((("matmul", 1), ("matmul", 1), ("reduced_matmul", 2)))
    m, n, k = (_size(random, 11 if batch else 14) for _ in range(3))
    a, b = (_operand(random, batch, *sizes) for sizes in ((group * m, k), (k, group * n)))
    precision = random.choice((None, *PRECISIONS)) if dtype == "float32" else None
    product = Problem(a, b, packed((*batch, m, n)), dtype, dtype, operation=operation, precision=precision)
    if random.random() < 0.2:
        product = replace(product, epilogue=Epilogue(alpha=0.5, bias=True, activation="relu"))
    return replace(product, invariant=operation == "matmul" and random.random() < 0.1)


def _size(random: Random, largest_log2: int) -> int:
    multiple = random.choice((1, 8, 64, 256))
    return -(-int(2 ** random.uniform(0 if random.random() < 0.2 else 6, largest_log2)) // multiple) * multiple


def _operand(random: Random, batch: tuple[int, ...], rows: int, columns: int) -> Operand:
    found = packed((*batch, columns, rows)).transposed if random.random() < 0.3 else packed((*batch, rows, columns))
    return replace(found, alignment_bytes=random.choice((16, 16, 16, 8)))
