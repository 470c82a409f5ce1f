"""Which kernel a 16-bit product has on Hopper: the models of cost compared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.choose import choose_plan, find_chip
from tilewright.choose.sm90.fastest import fastest_by_model
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Problem

H200 = find_chip("h200")


def product(m: int, k: int, n: int) -> Problem:
    """Packed matrices in bfloat16."""
    return Problem(packed((m, k)), packed((k, n)), packed((m, n)), "bfloat16", "bfloat16")


@pytest.mark.parametrize("sizes", [(1, 4096, 50257), (8, 4097, 8191), (16383, 2047, 3)])
def test_where_memory_is_the_limit_nothing_is_repacked(sizes):
    """Few rows, few columns: the large operand is read once, as it lies; the small one may be turned before."""
    plan = choose_plan(product(*sizes), H200)

    assert plan.kernel.name in {"matmul/mma_sync", "matmul/wgmma", "matmul/wgmma_classes"}
    assert "us by" in " ".join(plan.reasons)
    assert "matmul/repack" not in [launch.kernel for launch in plan.launches]
    large = "B" if sizes[0] < sizes[2] else "A"
    assert not any(reason.startswith(f"{large} ") and "repacked" in reason for reason in plan.reasons)


@pytest.mark.parametrize("sizes", [(63, 61, 59), (31, 500, 33), (17, 80, 15), (100, 70, 31)])
def test_small_products_make_one_trip_to_memory(sizes):
    """Whatever their sizes: a launch, whose warps ask for all of their numbers at once."""
    plan = choose_plan(product(*sizes), H200)

    assert [launch.kernel for launch in plan.launches] == ["matmul/mma_direct"]
    assert "by its model" in plan.reasons[0]


@pytest.mark.parametrize("sizes", [(8192, 8, 8192), (5000, 12, 7000), (4001, 15, 3999), (1190, 34, 1190)])
def test_with_a_short_k_writing_c_is_the_limit(sizes):
    """No tile of C is worth a load of its own."""
    assert choose_plan(product(*sizes), H200).kernel.name == "matmul/short_k"


@pytest.mark.parametrize("sizes", [(4097, 4095, 4099), (2047, 2047, 2047)])
def test_large_matrices_are_repacked(sizes):
    """To read them once more takes less than wgmma gains."""
    assert [launch.kernel for launch in choose_plan(product(*sizes), H200).launches][:2] == [
        "matmul/repack",
        "matmul/wgmma",
    ]


def test_large_and_few_rows_are_wgmmas():
    """Aligned operands with many rows and columns, and those within the measured range of few rows."""
    assert fastest_by_model(product(1024, 1024, 1024), H200) is None
    assert fastest_by_model(product(8, 8192, 8192), H200) is None


def test_the_bandwidth_of_the_chip_counts():
    """With more of it, repacking takes less: what was read as it lies is repacked."""
    between = product(511, 1023, 1025)
    slow, fast = (replace(H200, bandwidth_gb_per_s=rate) for rate in (500.0, 20_000.0))

    assert fastest_by_model(between, slow) is not None
    assert fastest_by_model(between, fast) is None


def test_other_chips_have_no_such_models():
    """They were fitted on Hopper: elsewhere the first kernel that takes the type multiplies."""
    assert fastest_by_model(product(63, 61, 59), find_chip("a100")) is None
    assert choose_plan(product(63, 61, 59), find_chip("a100")).kernel.name == "matmul/mma_sync"
