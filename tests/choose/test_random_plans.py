"""Plans of random products: none goes beyond a chip, beyond an array's memory, or waits for tiles that never come."""

from __future__ import annotations

from random import Random

import pytest

from tests.choose.plan_account import check_plan
from tests.choose.random_products import random_product
from tilewright.choose import PlanError, find_chip
from tilewright.choose.multiplication_plan import plan_multiplication


@pytest.mark.parametrize(
    ("chip", "count"), [("h200", 700), ("h100", 150), ("t4", 100), ("a100", 100), ("rtx-5090", 100)]
)
def test_random_products_have_plans_that_hold(chip, count):
    """Of those that nobody asked a kernel for, only batches that take too many launches are refused."""
    facts = find_chip(chip)
    for seed in range(count):
        random = Random(f"{chip} {seed}")
        product = random_product(random)
        kernel = random.choice(("auto", "auto", "auto", "wgmma", "whole_matrices", "mma_sync"))
        try:
            plan = plan_multiplication(product, facts, kernel)
        except PlanError as refused:
            if kernel == "auto" and "launches" not in str(refused):
                raise
            continue
        try:
            check_plan(product, plan, facts)
        except AssertionError as wrong:
            raise AssertionError(f"seed {seed}: {product}\n{plan}") from wrong
