"""Plans with a constant operand: what is kept, what is launched, and that every place lies where it should."""

from __future__ import annotations

from random import Random

import pytest

from tests.choose.random_products import random_product
from tilewright.choose import PlanError, find_chip
from tilewright.choose.choice import choose_plan
from tilewright.choose.constant import with_constant
from tilewright.choose.plan import Plan
from tilewright.kernels.launch import KEPT, Launches, Pointer, TensorMap
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Problem

H200 = find_chip("h200")
PREPARING = {"matmul/repack", "matmul/repack_float32", "matmul/largest_exponents", "matmul/split_float32"}


def plan_of(sizes: tuple[int, int, int], dtype: str = "float32", precision: str | None = None) -> Plan:
    """The plan of packed matrices, for their rows, inner size and columns."""
    m, k, n = sizes
    return choose_plan(Problem(packed((m, k)), packed((k, n)), packed((m, n)), dtype, dtype, precision=precision), H200)


def places(launches, buffer: str) -> list[int]:
    """The offsets into a buffer that launches name."""
    arguments = [argument for launch in launches for argument in launch.arguments.values()]
    return [each.offset_bytes for each in arguments if isinstance(each, Pointer | TensorMap) and each.buffer == buffer]


def kernels(plan: Plan | Launches) -> list[str]:
    """The kernels' names, in order."""
    return [launch.kernel for launch in plan.launches]


@pytest.mark.parametrize(
    ("precision", "part_bytes", "once"),
    [
        ("bf16x6", 6, ["matmul/split_float32"]),
        ("auto", 6, ["matmul/split_float32"]),
        ("fp16x3", 4, ["matmul/largest_exponents", "matmul/split_float32"]),
    ],
)
def test_parts_are_kept(precision, part_bytes, once):
    """The parts of B and little else; the workspace is smaller by what is kept."""
    whole = plan_of((4096, 4096, 4096), precision=precision)
    plan, made = with_constant(whole, "B")
    assert made is not None

    assert kernels(made) == once
    assert kernels(plan) == kernels(whole)
    assert part_bytes * 4096**2 < plan.kept_bytes == made.workspace_bytes < 1.01 * part_bytes * 4096**2
    unread = 256  # a word that the launch for A sets anew
    assert plan.workspace_bytes + plan.kept_bytes - unread == whole.workspace_bytes
    assert [launch.grid[0] for launch in plan.launches[: len(once)]] == [
        launch.grid[0] // 2 for launch in whole.launches[: len(once)]
    ]
    assert f"B is constant: what {' and '.join(once)} made of it" in plan.reasons[-1]


@pytest.mark.parametrize(
    ("sizes", "dtype", "precision", "kept_of", "left"),
    [
        ((4096, 4096, 4096), "float32", "tf32", None, ["matmul/wgmma"]),
        ((4097, 4095, 4099), "float32", "tf32", "B", ["matmul/repack_float32", "matmul/wgmma"]),
        ((4097, 4095, 4099), "float32", "tf32", "A", ["matmul/repack_float32", "matmul/wgmma"]),
        ((1023, 1023, 1023), "bfloat16", None, "A", ["matmul/repack", "matmul/wgmma"]),
        ((8192, 4096, 50257), "bfloat16", None, "B", ["matmul/wgmma"]),
        ((8192, 4096, 4096), "bfloat16", None, None, ["matmul/wgmma"]),
        ((512, 512, 512), "float64", None, None, ["matmul/mma_sync_float64"]),
    ],
)
def test_repacked_operands_are_kept(sizes, dtype, precision, kept_of, left):
    """What is repacked for TMA; of what kernels read as it lies, nothing, which a reason says."""
    whole = plan_of(sizes, dtype, precision)
    plan, made = with_constant(whole, kept_of or "B")
    assert [name for name in kernels(plan) if name != "matmul/splitk_reduce"] == left
    assert (made is None) == (kept_of is None) == (plan.kept_bytes == 0)
    assert ("Nothing of B is kept" in plan.reasons[-1]) == (kept_of is None)


def test_every_place_of_random_plans():
    """Each byte is in the workspace or in what is kept, each operand is prepared once, and main launches are alike."""
    found = 0
    for seed in range(300):
        random = Random(f"constant {seed}")
        product, operand = random_product(random), random.choice("AB")
        try:
            whole = choose_plan(product, H200)
        except PlanError:
            continue
        plan, made = with_constant(whole, operand)
        if made is None:
            assert plan.launches == whole.launches
            continue
        found += 1
        assert places(made.launches, "workspace") == []
        assert set(kernels(made)) <= PREPARING
        assert max(places((*made.launches, *plan.launches), KEPT)) < plan.kept_bytes
        assert all(place < plan.workspace_bytes for place in places(plan.launches, "workspace"))
        assert not places(made.launches, "AB".replace(operand, ""))
        assert not [name for name in kernels(plan) if name in PREPARING and places(plan.launches[:1], operand)]
        main = [launch for launch in whole.launches if launch.kernel not in PREPARING]
        assert [launch.macros for launch in plan.launches if launch.kernel not in PREPARING] == [
            launch.macros for launch in main
        ]
    assert found > 20
