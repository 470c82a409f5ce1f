"""Which operands are multiplied as they lie, and which are repacked first for Hopper's kernels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.choose import choose_plan, find_chip
from tilewright.choose.sm90.direct import advantage_of_direct
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Problem

H200 = find_chip("h200")


def product(m: int, k: int, n: int) -> Problem:
    """Packed matrices in bfloat16."""
    return Problem(packed((m, k)), packed((k, n)), packed((m, n)), "bfloat16", "bfloat16")


@pytest.mark.parametrize(
    "sizes", [(1, 4096, 50257), (8, 4097, 8191), (16383, 2047, 3), (33, 262_143, 65), (63, 61, 59), (254, 250, 258)]
)
def test_where_memory_is_the_limit_nothing_is_repacked(sizes):
    """Few rows, few columns, a huge k, small matrices: one launch reads them, or two where k is split."""
    plan = choose_plan(product(*sizes), H200)

    assert plan.kernel.name == "matmul/mma_sync"
    assert "as they lie" in plan.reasons[0]
    assert "matmul/repack" not in [launch.kernel for launch in plan.launches]


@pytest.mark.parametrize("sizes", [(4097, 4095, 4099), (2047, 2047, 2047)])
def test_large_matrices_are_repacked(sizes):
    """To read them once more takes less than wgmma gains."""
    assert [launch.kernel for launch in choose_plan(product(*sizes), H200).launches][:2] == [
        "matmul/repack",
        "matmul/wgmma",
    ]


def test_what_can_be_copied_by_tma_is_not_compared():
    """Aligned operands with many rows and columns, and those within the measured range of few rows."""
    assert advantage_of_direct(product(1024, 1024, 1024), H200) is None
    assert advantage_of_direct(product(8, 8192, 8192), H200) is None


def test_the_bandwidth_of_the_chip_counts():
    """With more of it, repacking takes less: what was read as it lies is repacked."""
    between = product(511, 1023, 1025)
    slow, fast = (replace(H200, bandwidth_gb_per_s=rate) for rate in (500.0, 20_000.0))

    assert advantage_of_direct(between, slow) is not None
    assert advantage_of_direct(between, fast) is None
