"""Plans of random products: none goes beyond a chip, beyond an array's memory, or waits for tiles that never come."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from random import Random

import pytest

from tests.choose.plan_account import check_plan
from tests.choose.random_products import random_product
from tilewright.choose import PlanError, find_chip
from tilewright.choose.choice import choose_plan
from tilewright.compile.planned import KERNELS, own_headers


@pytest.mark.parametrize(
    ("chip", "count"), [("h200", 700), ("h100", 150), ("t4", 100), ("a100", 100), ("rtx-5090", 100)]
)
def test_random_products_have_plans_that_hold(chip, count):
    """Of those that nobody asked a kernel for, only batches that take too many launches are refused."""
    facts = find_chip(chip)
    for seed in range(count):
        random = Random(f"{chip} {seed}")
        product = random_product(random)
        kernel = random.choice(("auto", "auto", "auto", "wgmma", "small_batched", "mma_sync", "mma_direct", "short_k"))
        try:
            plan = choose_plan(product, facts, kernel)
        except PlanError as refused:
            if kernel == "auto" and "launches" not in str(refused):
                raise
            continue
        try:
            check_plan(product, plan, facts)
        except AssertionError as wrong:
            raise AssertionError(f"seed {seed}: {product}\n{plan}") from wrong


@pytest.mark.parametrize("precision", ["tf32", "bf16x6", "fp16x3"])
def test_random_products_of_float32_have_plans_that_hold(precision):
    """Repacking; splitting, its planes and flags, the sums that wait, and what is computed again fit the workspace."""
    facts = find_chip("h200")
    for seed in range(300):
        product = replace(random_product(Random(f"{precision} {seed}")), dtype="float32", out_dtype="float32")
        with suppress(PlanError):
            check_plan(product, choose_plan(replace(product, precision=precision), facts), facts)


def test_macros_of_launches_are_those_of_the_sources():
    """Each is used by the code, and the head of its source or of a header says what it is."""
    macros: dict[str, set[str]] = {}
    for seed in range(400):
        for chip in ("h200", "t4"):
            product = random_product(Random(seed))
            with suppress(PlanError):
                for launch in choose_plan(product, find_chip(chip)).launches:
                    macros.setdefault(launch.source, set()).update(name for name, _ in launch.macros)
    assert len(macros) == 12
    for source, names in macros.items():
        texts = [(KERNELS / source).read_text(encoding="utf-8"), *own_headers(source).values()]
        lines = [line for text in texts for line in text.splitlines()]
        code = "\n".join(line.partition("//")[0] for line in lines)
        comments = "\n".join(line for line in lines if line.startswith("//"))
        for name in sorted(names):
            assert re.search(rf"\b{name}\b", code), (source, name)
            assert re.search(rf"\b{name}\b", comments), (source, name)
