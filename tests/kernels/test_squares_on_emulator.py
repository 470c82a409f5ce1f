"""Reduced products whose squares are added as they are stored, on the emulator, watched by every observer."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from tests.kernels.reduced_product import ReducedProduct, checked, packed
from tests.repeats import sampled
from tilewright.choose import choose_plan, find_chip
from tilewright.emulate import Emulator
from tilewright.kernels.problem import Epilogue

HOPPER = {"chip": "h200", "architecture": "compute_90a"}
FULL = Epilogue(0.5, -2, bias=True, activation="relu")


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


def is_one_launch(plan) -> bool:
    """Whether nothing is added before the product, nor after it."""
    return [launch.kernel for launch in plan.launches] == ["matmul/wgmma_small"]


def reduced(sizes: tuple[int, int, int], layouts: str = "NN", **more: Any) -> ReducedProduct:
    """A reduced product with C (m, n), whose operands lie along rows (N) or columns (T) that begin on 16 bytes."""
    m, k, n = sizes
    shapes = [(2 * m, k), (k, 2 * n), (m, n)]
    strides: list[tuple[int, int]] = []
    for (rows, columns), layout in zip(shapes, layouts + more.pop("c_layout", "N"), strict=True):
        along = columns if layout == "N" else rows
        step = -(-along // 8) * 8
        strides.append((step, 1) if layout == "N" else (1, step))
    if more.get("epilogue", Epilogue()).beta:
        shapes.append((m, n))
        strides.append((n + 1, 1))
    dtype = more.pop("dtype", "bfloat16")
    return ReducedProduct(dtype, more.pop("out_dtype", dtype), tuple(shapes), tuple(strides), **more)


@pytest.mark.parametrize(
    ("sizes", "layouts"),
    sampled(
        product(((3, 72, 37), (70, 264, 5), (65, 40, 4), (7, 130, 67), (1, 8, 1), (1, 1, 9)), ("NN", "TT", "NT", "TN"))
    ),
)
def test_sizes_and_layouts(emulator, sizes, layouts):
    """Few rows and few columns, more than a tile, parts of squares outside; what is narrow is copied by threads."""
    assert is_one_launch(checked(reduced(sizes, layouts), emulator, **HOPPER))


@pytest.mark.parametrize("c_layout", ["N", "T"])
@pytest.mark.parametrize("out_dtype", ["float16", "float32"])
@pytest.mark.parametrize("sizes", [(3, 72, 37), (37, 72, 3)])
def test_the_epilogue(emulator, sizes, out_dtype, c_layout):
    """Applied to the sum of a square, once; C may lie along columns, and a c operand anywhere."""
    made = reduced(sizes, dtype="float16", out_dtype=out_dtype, epilogue=FULL, c_layout=c_layout)
    assert is_one_launch(checked(made, emulator, **HOPPER))


def test_a_cluster_shares_k(emulator):
    """Sums of its blocks are added before those of squares."""
    plan = checked(reduced((4, 4096, 30)), emulator, **HOPPER)
    assert is_one_launch(plan)
    assert plan.launches[0].cluster[2] > 1


@pytest.mark.parametrize(
    "made",
    [packed("bfloat16", 3, 64, 37), packed("float32", 4, 64, 8), packed("bfloat16", 80, 64, 80)],
    ids=["rows off 16 bytes", "another type", "not thin"],
)
def test_elsewhere_pairs_are_added_before(made):
    """The copy engine, the tensor cores or too many products stand against it."""
    assert not is_one_launch(choose_plan(made.multiplication(), find_chip("h200"), "pair_sums"))
