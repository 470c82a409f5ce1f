"""When a `wgmma` is done: at once, when it is waited for, or by chance in between. A right kernel cannot tell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.emulate.instructions.test_warpgroups import B_AT, integers, sums_of
from tests.emulate.instructions.tiles_in_shared import store, tight
from tests.emulate.instructions.warpgroup_kernel import Product, bits_of_integers

KINDS = ("bf16", "bf16", "f32")
WAIT = 'asm volatile("wgmma.commit_group.sync.aligned;\\nwgmma.wait_group.sync.aligned 0;" ::: "memory");'
COMMIT = 'asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");'
COMPLETIONS = ("early", "late", "random")


def multiplied(product: Product, **options: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what a kernel makes of A, B and sums, A B, and the sums before."""
    a, b, c = integers(KINDS, product.columns)
    memory = np.zeros(B_AT + 4096, np.uint8)
    layout = tight("64", False, 64)
    store(memory, bits_of_integers(a, "bf16"), layout, 0)
    store(memory, bits_of_integers(b.T, "bf16"), layout, B_AT)
    got = product.run(memory, layout.descriptor(0), layout.descriptor(B_AT), sums_of(c, KINDS), **options)
    return got.view(np.float32), a @ b, c


def changed(old: str, new: str, **more: str) -> Product:
    """Return the kernel with one text in place of another."""
    product = Product(KINDS, 8, **more)
    assert old in product.source
    product.source = product.source.replace(old, new)
    return product


def statement_of(product: Product) -> str:
    """Return the statement with the product."""
    start = product.source.index('asm volatile("{')
    return product.source[start : product.source.index(";", product.source.index('"memory")', start)) + 1]


@pytest.mark.parametrize("completion", COMPLETIONS)
def test_a_right_kernel(completion):
    """It gives the same results, whenever products are done."""
    got, product, before = multiplied(Product(KINDS, 8), completion=completion)
    np.testing.assert_array_equal(got, before + product)


def test_sums_that_are_read_too_soon():
    """Without a wait the sums are those before, if products are done late."""
    unwaited = changed(WAIT, COMMIT)
    got, product, before = multiplied(unwaited, completion="late")
    np.testing.assert_array_equal(got, before)
    got, product, before = multiplied(unwaited, completion="early")
    np.testing.assert_array_equal(got, before + product)


def test_chance_is_drawn_from_the_seed():
    """Each product of a warp is done now or later; the same seed draws the same, others draw differently."""
    unwaited = changed(WAIT, COMMIT)
    results = [multiplied(unwaited, completion="random", seed=seed)[0] for seed in (*range(8), *range(8))]
    for first, second in zip(results[:8], results[8:], strict=True):
        np.testing.assert_array_equal(first, second)
    assert len({result.tobytes() for result in results}) > 1


def test_operands_that_are_overwritten_too_soon():
    """A late product reads what lies in shared memory then."""
    zeros = "__syncthreads(); for (int i = t; i < 1024; i += 128) tiles[i] = make_uint4(0, 0, 0, 0); __syncthreads();"
    overwritten = changed(WAIT, f"{COMMIT}\n{zeros}\n{WAIT}")
    got, _, before = multiplied(overwritten, completion="late")
    np.testing.assert_array_equal(got, before)
    got, product, before = multiplied(overwritten, completion="early")
    np.testing.assert_array_equal(got, before + product)


@pytest.mark.parametrize(("left_open", "times"), [(0, 4), (1, 3), (2, 2), (4, 0), (7, 0)])
def test_groups_that_stay_open(left_open, times):
    """wait_group N waits for all groups but the newest N; a product after the last group belongs to none."""
    product = changed(WAIT, "")
    once = statement_of(product)
    wait = WAIT.replace("wgmma.commit_group.sync.aligned;\\n", "").replace(
        "group.sync.aligned 0", f"group.sync.aligned {left_open}"
    )
    product.source = product.source.replace(once, f"{once}\n{COMMIT}\n" * 4 + once + "\n" + wait)
    got, each, before = multiplied(product, completion="late")
    np.testing.assert_array_equal(got, before + times * each)


def test_more_products_than_are_kept():
    """Of more than 64 that are under way the oldest are done, in their order."""
    product = changed(WAIT, "")
    once = statement_of(product)
    product.source = product.source.replace(once, f"for (int i = 0; i < 70; ++i) {{ {once} }}")
    got, each, before = multiplied(product, completion="late")
    np.testing.assert_array_equal(got, before + 6 * each)
