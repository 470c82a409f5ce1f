"""Where pairs are added: with the product, or before it; by models of both, with a reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.choose import PlanError, choose_plan, find_chip
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
        ((8192, 1024, 64), "float32", "fused"),
        ((128, 127, 128), "float64", "fused"),
        ((64, 4096, 4096), "float64", "fused"),
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


@pytest.mark.parametrize("precision", ["bf16x6", "fp16x3"])
@pytest.mark.parametrize(("sizes", "idea"), [((128, 128, 128), "fused"), ((8192, 8192, 8192), "pair_sums")])
def test_small_products_are_added_on_the_way_in_more_bits_than_were_asked_for(precision, sizes, idea):
    """The fused kernel multiplies float32 as it is; a chip without the precision still refuses it."""
    plan = choose_plan(reduced(sizes, precision=precision), H200)
    assert plan.kernel.idea == idea
    assert (plan.problem.precision == "ieee") == (idea == "fused")
    with pytest.raises(PlanError, match=f"does not multiply float32 with precision '{precision}'"):
        choose_plan(reduced(sizes, precision=precision), find_chip("a100"))


@pytest.mark.parametrize("precision", ["bf16x6", "fp16x3"])
def test_sums_of_a_thin_product_are_multiplied_as_they_are(precision):
    """To split them would take longer than the product."""
    plan = choose_plan(reduced((8192, 8192, 16), precision=precision), H200)
    assert not {"matmul/split_float32", "matmul/wgmma_split"} & {launch.kernel for launch in plan.launches}


@pytest.mark.parametrize("sizes", [(8192, 64, 8192), (2048, 333, 2048)], ids=str)
def test_with_a_short_inner_size_scaled_results_cost_more_than_they_save(sizes):
    """fp16x3 scales each result, and three products of parts save little of so few; six of bfloat16 need no scales."""
    scaled, unscaled = (choose_plan(reduced(sizes, precision=each), H200) for each in ("fp16x3", "bf16x6"))
    kernels = [{launch.kernel for launch in plan.launches} for plan in (scaled, unscaled)]

    assert ["matmul/wgmma_split" in each for each in kernels] == [False, True]
    assert "matmul/cuda_cores_float32" in kernels[0]


def test_nothing_to_multiply_is_not_fused():
    """No sums of pairs, or no results."""
    assert advantage_of_fused(reduced((128, 0, 128)), H200) is None
    assert advantage_of_fused(reduced((0, 128, 128)), H200) is None


def test_chips_without_the_kernel_are_not_asked():
    """Their shared memory holds no stage of it."""
    assert choose_plan(reduced((128, 128, 128)), find_chip("fermi")).kernel.idea == "tiled"
