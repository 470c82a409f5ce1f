"""Where pairs are added: while tiles are loaded, or before the product; by models of both, with a reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.choose import choose_plan, find_chip
from tilewright.choose.fused import advantage_of_fused
from tilewright.kernels.problem import Problem

H200 = find_chip("h200")


def reduced(sizes, dtype="float32", precision=None):
    """A reduced product of packed matrices: rows of A, inner size, columns of B."""
    rows, inner, columns = sizes
    problem = Problem.of("reduced_matmul", rows, columns, inner, dtype)
    return problem if precision is None else replace(problem, precision=precision)


@pytest.mark.parametrize(
    ("sizes", "dtype", "idea"),
    [
        ((128, 128, 128), "float32", "fused"),
        ((8192, 8192, 16), "float32", "fused"),
        ((128, 127, 128), "float64", "pair_sums"),
        ((512, 512, 512), "bfloat16", "pair_sums"),
        ((4096, 4096, 4096), "float32", "pair_sums"),
        ((4096, 4096, 4096), "float64", "pair_sums"),
        ((8192, 8192, 8192), "float16", "pair_sums"),
    ],
)
def test_where_pairs_are_added(sizes, dtype, idea):
    """On the way where the product is small, before it where each sum is used often."""
    plan = choose_plan(reduced(sizes, dtype), H200)

    assert plan.kernel.idea == idea
    assert ("before the product" in plan.reasons[0]) == (idea == "fused")


@pytest.mark.parametrize("precision", ["tf32", "bf16x6", "fp16x3"])
def test_parts_and_tf32_are_summed_before(precision):
    """The fused kernel multiplies float32 as it is."""
    assert advantage_of_fused(reduced((128, 128, 128), precision=precision), H200) is None
    assert advantage_of_fused(reduced((128, 128, 128), precision="ieee"), H200) is not None


def test_nothing_to_multiply_is_not_fused():
    """No sums of pairs, or no results."""
    assert advantage_of_fused(reduced((128, 0, 128)), H200) is None
    assert advantage_of_fused(reduced((0, 128, 128)), H200) is None


def test_chips_without_the_kernel_are_not_asked():
    """Their shared memory holds no stage of it."""
    assert choose_plan(reduced((128, 128, 128)), find_chip("fermi")).kernel.idea == "tiled"
