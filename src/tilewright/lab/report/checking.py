"""The answer of a report, and how near results are to the float64 reference: in some rows of a large one."""

from __future__ import annotations

import numpy

from tilewright.call.reference import Verdict, check, error_bound, reference
from tilewright.choose import HOST_FACTS, Problem, choose_plan
from tilewright.kernels import TaughtKernel
from tilewright.lab.report import bounds
from tilewright.lab.report.contents import Answer, Array, Given
from tilewright.launch.plan_run import run_plan

HOST_SECONDS = 0.2


def answer_of(given: Given) -> Answer:
    """Multiply on the host, and compare with the float64 reference: in rows spread evenly where there are too many."""
    problem, a, b = given.problem, given.a, given.b
    with numpy.errstate(all="ignore"):
        run = run_plan(choose_plan(problem, HOST_FACTS, "auto"), a, b, timing_seconds=HOST_SECONDS)
    rows = bounds.checked_rows(problem)
    some_a, some_c = rows_of(problem, a, run.c, rows)
    expected = reference(problem.operation, some_a, b)
    bound, _ = error_bound(problem.operation, some_a, b, run.c.dtype)
    with numpy.errstate(all="ignore"):
        error = numpy.abs(some_c.astype(numpy.float64) - expected)
        closeness = numpy.where(bound > 0, error / bound, 0.0).ravel()
    finite = bool(numpy.isfinite(error).all())
    return Answer(
        run=run,
        verdict=check(problem.operation, some_a, b, some_c),
        rows_checked=len(rows),
        closeness=numpy.sort(closeness) if finite else numpy.empty(0),
        largest_error=float(error.max()) if finite else float("nan"),
    )


def rows_of(problem: Problem, a: Array, c: Array, rows: Array) -> tuple[Array, Array]:
    """The rows of A that some rows of C need, and these rows of C."""
    if problem.about.vectors or len(rows) == c.shape[0]:
        return a, c
    group = problem.about.row_group
    needed = (rows[:, None] * group + numpy.arange(group)).ravel()
    return a[needed], c[rows]


def verdict_of(problem: Problem, kernel: TaughtKernel, a: Array, b: Array, c: Array) -> Verdict:
    """Compare a kernel's C with the reference, in as many rows as the answer is."""
    some_a, some_c = rows_of(problem, a, c, bounds.checked_rows(problem))
    return check(problem.operation, some_a, b, some_c, multiplied_out=kernel.idea == "naive_4p")
