"""The answer of a report: right, wrong, and checked in some of its rows."""

import numpy
import pytest

from tilewright.choose import Problem
from tilewright.kernels import find_taught
from tilewright.lab.report import checking
from tilewright.lab.report.checking import answer_of, verdict_of
from tilewright.lab.report.contents import Given


def given(operation, m, n, k):
    """Random matrices."""
    problem, generator = Problem.of(operation, m, n, k, "float32"), numpy.random.default_rng(5)
    a, b = (generator.standard_normal(shape, dtype=numpy.float32) for shape in (problem.a_shape, problem.b_shape))
    return Given(problem, a, b, "random")


@pytest.mark.parametrize("operation", ["matmul", "reduced_matmul", "dot"])
def test_an_answer_and_how_near_it_is(operation):
    """Within its bound, with an element's closeness for each, the worst of them the verdict's."""
    problem = given(operation, *((1, 1) if operation == "dot" else (6, 4)), 50)
    answer = answer_of(problem)

    assert answer.verdict.passed
    assert answer.closeness.size == answer.c.size
    assert answer.closeness[-1] == pytest.approx(answer.verdict.error / answer.verdict.bound)
    assert 0 < answer.closeness[-1] < 1


@pytest.mark.parametrize("operation", ["matmul", "reduced_matmul"])
def test_some_rows_say_what_all_would(monkeypatch, operation):
    """Where the reference is bounded: the rows that are compared are those of C that belong to them."""
    problem = given(operation, 40, 6, 8)
    monkeypatch.setattr(checking, "MOST_CHECKED_PRODUCTS", 500)
    answer = answer_of(problem)

    assert 1 < answer.rows_checked < answer.rows
    assert answer.verdict.passed
    wrong = answer.c.copy()
    wrong[-1, 2] += 1
    kernel = find_taught(operation, "tiled")
    assert not verdict_of(problem.problem, kernel, problem.a, problem.b, wrong).passed


def test_what_is_not_finite_has_no_closeness():
    """NaN spreads as it should, and that is right."""
    problem = given("matmul", 3, 3, 3)
    problem.a[0, 0] = numpy.nan
    answer = answer_of(problem)

    assert answer.verdict.passed
    assert answer.closeness.size == 0
