"""A matrix times a vector on the emulator, watched by every observer: each division, alignment and end of a row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.kernels.integer_product import IntegerProduct
from tests.kernels.plan_on_emulator import check_on_emulator
from tests.lab.planted.watching import all_observers
from tilewright.choose import PlanError, find_chip
from tilewright.choose.choice import choose_plan
from tilewright.emulate import Emulator
from tilewright.kernels.batches import slices
from tilewright.kernels.matmul import matrix_vector
from tilewright.kernels.operand import Operand, packed
from tilewright.kernels.problem import Epilogue, Problem

HOPPER = replace(find_chip("h200"), sm_count=3)
FULL = Epilogue(0.5, -2, bias=True, activation="relu")


@pytest.fixture(scope="module")
def emulator():
    """One emulator for all products."""
    return Emulator()


def product(rows: int, k: int, *, transposed=False, gap=0, offset=0, step=1, **more) -> IntegerProduct:
    """A (rows, k) times a vector, or with ``transposed`` a vector times its transpose; ``step`` of the vector."""
    shapes, strides = [(rows, k), (k, 1), (rows, 1)], [(k + gap, 1), (step, 1), (1, 1)]
    if more.get("epilogue", Epilogue()).beta:
        shapes.append((rows, 1))
        strides.append((3, 1))
    if transposed:
        shapes = [shape[::-1] for shape in (shapes[1], shapes[0], *shapes[2:])]
        strides = [stride[::-1] for stride in (strides[1], strides[0], *strides[2:])]
    dtype = more.pop("dtype", "bfloat16")
    return IntegerProduct(dtype, more.pop("out_dtype", dtype), tuple(shapes), tuple(strides), offset=offset, **more)


def checked(made: IntegerProduct, emulator: Emulator, division: tuple[int, int] | None = None) -> None:
    """Compare every element, inside C and outside it; expect no error of any observer."""
    problem = made.multiplication()
    plan = choose_plan(problem, HOPPER, "matrix_vector")
    if division is not None:
        found = matrix_vector.divided(slices(problem), *division)
        plan = replace(plan, launches=found.launches, workspace_bytes=found.workspace_bytes)
    watching = all_observers()
    check_on_emulator(made, plan, emulator, "compute_80", watching)
    assert [found for observer in watching for found in observer.findings if found.severity == "error"] == []


@pytest.mark.parametrize(
    "division", [(4, 2), *(pytest.param(each, marks=pytest.mark.slow) for each in ((1, 8), (2, 4), (4, 1), (8, 8)))]
)
@pytest.mark.parametrize(
    ("sizes", "more"),
    [
        ((13, 37), {}),
        ((8, 64), {"dtype": "float16"}),
        ((9, 1), {}),
        ((5, 9), {"offset": 3, "gap": 2}),
        ((7, 2053), {"out_dtype": "float32"}),
        ((11, 75), {"step": 2, "transposed": True}),
        ((10, 70), {"epilogue": FULL, "transposed": True}),
        ((10, 70), {"epilogue": FULL}),
    ],
)
def test_rows_of_a_block(emulator, division, sizes, more):
    """Blocks of few rows and many, rows that begin anywhere, vectors with gaps; nothing behind a row's end is used."""
    checked(product(*sizes, **more), emulator, division)


def test_batches(emulator):
    """A matrix and a vector of each; the planner's own choice."""
    rows, k = 21, 35
    shapes, strides = ((3, rows, k), (3, k, 1), (3, rows, 1)), ((rows * k, k, 1), (k, 1, 1), (rows, 1, 1))
    checked(IntegerProduct("float16", "float16", shapes, strides), emulator)


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (Problem.of("matmul", 2, 2, 8, "float16"), "a matrix by a vector, and C is 2 x 2"),
        (
            Problem(Operand(4, 8, 16, 2), packed((8, 1)), packed((4, 1)), "float16", "float16"),
            "whose neighbours are those that are multiplied",
        ),
        (Problem.of("matmul", 1, 16, 8, "float16"), "whose neighbours are those that are multiplied"),
    ],
)
def test_what_it_does_not_take_is_a_sentence(problem, words):
    """Another kernel does."""
    with pytest.raises(PlanError, match=words):
        choose_plan(problem, find_chip("h200"), "matrix_vector")
    assert choose_plan(problem, find_chip("h200")).launches


def test_rows_and_warps_follow_the_sizes():
    """A warp for short rows, more for longer ones, and all of them for few."""
    sizes = ((6449, 9063), (553, 933), (44, 84_940), (26_720, 120), (888, 456))
    problems = [Problem.of("matmul", rows, 1, k, "float16") for rows, k in sizes]

    assert [matrix_vector.rows_and_warps(each) for each in problems] == [(4, 4), (2, 4), (1, 8), (4, 1), (2, 2)]
    assert all(np.isfinite(matrix_vector.us(each, find_chip("h200"))) for each in problems)


def test_rows_of_all_products_of_a_batch_count():
    """4,096 products of 100 rows fill a chip as 409,600 rows do."""
    a, b, c = (packed((4096, *shape)) for shape in ((100, 4096), (4096, 1), (100, 1)))
    assert matrix_vector.rows_and_warps(Problem(a, b, c, "float16", "float16")) == (4, 4)


@pytest.mark.parametrize("rows", [1, 100, 160, 500, 1500, 9000])
@pytest.mark.parametrize("k", [1, 256, 257, 512, 513, 9000])
def test_what_is_chosen_is_among_what_is_tried(rows, k):
    """So that a measurement may keep it."""
    assert matrix_vector.rows_and_warps(Problem.of("matmul", rows, 1, k, "float16")) in matrix_vector.DIVISIONS
