"""A kernel forced upon random products of all kinds, also where the rules prefer another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random, SystemRandom
from typing import Any

import torch

from tests.gpu.fuzz_products import compile_all, executor
from tests.gpu.guarded_product import GuardedProduct
from tests.gpu.product_cases import ProductCase, random_case, random_variant
from tilewright.choose.choice import choose_plan
from tilewright.choose.plan import Plan
from tilewright.kernels.batches import slices
from tilewright.kernels.catalogue import find
from tilewright.kernels.facts import DeviceFacts

CASES, PER_VARIANT = 600, 12

Sizes = Callable[[Random], tuple[int, int, int]]
"""Draws m, k and n."""


def cases_of(idea: str, seed: int, facts: DeviceFacts, sizes: Sizes) -> Iterator[tuple[ProductCase, Plan]]:
    """Random products that the kernel takes, in batches or alone."""
    planning = find("matmul", idea).planning
    assert planning is not None
    random, found = Random(seed), 0
    while found < CASES:
        variant = random_variant(random, (idea,))
        for _ in range(PER_VARIANT):
            case = random_case(random, variant, sizes(random))
            product = case.multiplication()
            if any(planning.refusal(part.part, facts, None) for part in slices(product)):
                continue
            found += 1
            yield case, choose_plan(product, facts, idea)


def check_within_the_bound(device: Any, idea: str, sizes: Sizes, also: str = "") -> None:
    """Sizes, strides, layouts, batches and epilogues by chance: nothing wrong, and nothing written outside C.

    ``also``: another kernel to which this one may leave a product.
    """
    seed = SystemRandom().randrange(2**32)
    torch.manual_seed(seed)
    cases = list(cases_of(idea, seed, device.facts, sizes))
    compile_all((plan for _, plan in cases), device.capability)
    execute = executor(device)

    for case, plan in cases:
        assert {launch.kernel for launch in plan.launches} <= {f"matmul/{idea}", also}
        assert GuardedProduct(case, "cuda").run(plan, execute).wrong == "", (seed, case)
