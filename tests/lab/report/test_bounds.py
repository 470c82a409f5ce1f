"""What of a large multiplication is looked at."""

from math import prod

import numpy
import pytest

from tilewright.choose import Problem
from tilewright.lab.report import checking


@pytest.mark.parametrize(
    "problem",
    [
        Problem.of("matmul", 4097, 4095, 4099, "float32"),
        Problem.of("matmul", 1, 1, 2**28, "float32"),
        Problem.of("reduced_matmul", 8190, 8194, 77, "float64"),
        Problem.of("dot", 1, 1, 2**31 - 1, "float32"),
    ],
)
def test_large_problems_are_counted_at_their_beginning(problem):
    """Few enough products, and the same remainders by every tile that is a power of two up to 32."""
    counted = checking.counted(problem)

    assert prod(counted.sizes) <= checking.MOST_COUNTED_PRODUCTS[problem.operation] < prod(problem.sizes)
    for own, whole in zip(counted.sizes, problem.sizes, strict=True):
        assert own <= whole
        assert own % 32 == whole % 32
    assert problem.about.refusal(*counted.sizes) is None


@pytest.mark.parametrize("most", [8, 2**10, 2**15, 2**18])
def test_any_bound_is_reached(monkeypatch, most):
    """Also one that leaves no room for a tile's remainder."""
    monkeypatch.setattr(checking, "MOST_COUNTED_PRODUCTS", {"reduced_matmul": most})
    counted = checking.counted(Problem.of("reduced_matmul", 102, 98, 101, "float32"))
    assert 0 < prod(counted.sizes) <= most
    assert (counted.m % 2, counted.n % 2) == (0, 0)


def test_small_problems_stay_whole():
    """Nothing is left out where nothing must be."""
    problem = Problem.of("matmul", 256, 256, 256, "float32")
    assert checking.counted(problem) == checking.swept(problem) == problem


def test_rows_are_checked_from_first_to_last():
    """All of a moderate problem, and of a large one as many as fit."""
    assert list(checking.checked_rows(Problem.of("matmul", 5, 3, 2, "float32"))) == [0, 1, 2, 3, 4]
    large = Problem.of("matmul", 2**15, 2**14, 2**14, "float32")
    rows = checking.checked_rows(large)
    assert (rows[0], rows[-1], len(rows)) == (0, large.m - 1, checking.MOST_CHECKED_PRODUCTS // (large.n * large.k))


def test_the_beginning_of_matrices():
    """Rows of A, columns of B, or the first elements of vectors."""
    a, b = numpy.arange(20).reshape(4, 5), numpy.arange(30).reshape(5, 6)
    part_a, part_b = checking.part_of(Problem.of("matmul", 2, 3, 4, "float32"), a, b)
    assert (part_a.tolist(), part_b.shape) == ([[0, 1, 2, 3], [5, 6, 7, 8]], (4, 3))
    assert part_b[3].tolist() == [18, 19, 20]
    x, y = checking.part_of(Problem.of("dot", 1, 1, 3, "float32"), a[0], b[0])
    assert (x.tolist(), y.tolist()) == ([0, 1, 2], [0, 1, 2])


@pytest.mark.parametrize(("values", "short"), [([1, -99, 0], True), ([0.5, 1], False), ([100, 1], False)])
def test_only_short_numbers_are_animated(values, short):
    """Others do not fit into a cell; NaN and infinity do not, either."""
    assert checking.are_short(numpy.array(values, "float32")) == short
    assert not checking.are_short(numpy.array([*values, numpy.nan], "float32"))
    assert not checking.are_short(numpy.array([*values, numpy.inf], "float32"))
