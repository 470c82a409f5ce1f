"""What of a large multiplication is looked at, its answer, and how near results are to the float64 reference.

Enough to say something, and little enough to wait for: of a large one some rows.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy

from tilewright.call.reference import Verdict, check, error_bound, reference
from tilewright.choose import HOST_FACTS, Problem, choose_plan
from tilewright.kernels import TaughtKernel
from tilewright.lab.report.contents import Answer, Array, Given
from tilewright.launch.plan_run import run_plan

MOST_COUNTED_PRODUCTS = {"matmul": 2**27, "reduced_matmul": 2**27, "dot": 2**20}
"""Products that each kernel executes on the emulator: about a second; a single thread is slower."""
MOST_SWEPT_ELEMENTS = 2**22
"""Elements of a matrix that the sweep lays out for each of its tiles."""
MOST_CHECKED_PRODUCTS = 2**33
"""Products of the float64 reference, which is computed twice."""
LARGEST_TILE = 32
SHOWN_SIZES = {"matmul": (8, 8, 8), "reduced_matmul": (8, 8, 8), "dot": (1, 1, 64)}
SHOWN_TILES = {"matmul": 4, "reduced_matmul": 2, "dot": 32}
"""Of the animation: few enough threads to see each."""
HOST_SECONDS = 0.2


def counted(problem: Problem) -> Problem:
    """The problem that kernels execute: the whole one, or of a large one the first rows and columns."""
    most = MOST_COUNTED_PRODUCTS[problem.operation]
    return _shrunk(problem, lambda smaller: prod(smaller.sizes) <= most)


def swept(problem: Problem) -> Problem:
    """The problem that the sweep counts and models."""
    return _shrunk(
        problem,
        lambda smaller: max(prod(smaller.a_shape), prod(smaller.b_shape), prod(smaller.c_shape)) <= MOST_SWEPT_ELEMENTS,
    )


def shown(problem: Problem) -> Problem:
    """The problem of the animation."""
    m, n, k = (min(own, most) for own, most in zip(problem.sizes, SHOWN_SIZES[problem.operation], strict=True))
    return problem.resized(m, n, k)


def part_of(problem: Problem, a: Array, b: Array) -> tuple[Array, Array]:
    """The first rows and columns of A and B that a smaller problem multiplies."""
    if problem.about.vectors:
        return a[: problem.k], b[: problem.k]
    m, n, k = problem.sizes
    return numpy.ascontiguousarray(a[:m, :k]), numpy.ascontiguousarray(b[:k, :n])


def checked_rows(problem: Problem) -> Array:
    """The rows of C that are compared with the reference: all, or as many as fit, spread evenly from first to last."""
    rows = 1 if problem.about.vectors else problem.c_shape[0]
    per_row = max(1, prod(problem.sizes) // max(1, rows))
    most = max(1, MOST_CHECKED_PRODUCTS // per_row)
    return numpy.unique(numpy.linspace(0, max(0, rows - 1), min(rows, most)).round().astype(numpy.int64))


def are_short(array: Array) -> bool:
    """Whether all elements are whole numbers of at most two digits, which a cell of the animation shows."""
    with numpy.errstate(all="ignore"):
        return bool(((array == numpy.rint(array)) & (numpy.abs(array) < 100)).all())


def _shrunk(problem: Problem, fits: Callable[[Problem], bool]) -> Problem:
    """Halve the largest size until the problem fits; what tiles leave over of it stays the same while there is room."""
    while not fits(problem):
        name = max(("m", "n", "k"), key=lambda size: int(getattr(problem, size)))
        size = getattr(problem, name)
        half = size // 2 + (size - size // 2) % LARGEST_TILE
        sizes = {"m": problem.m, "n": problem.n, "k": problem.k}
        problem = problem.resized(**sizes | {name: half if half < size else max(1, size // 4 * 2)})
    return problem


def answer_of(given: Given) -> Answer:
    """Multiply on the host, and compare with the float64 reference: in rows spread evenly where there are too many."""
    problem, a, b = given.problem, given.a, given.b
    with numpy.errstate(all="ignore"):
        run = run_plan(choose_plan(problem, HOST_FACTS, "auto"), a, b, timing_seconds=HOST_SECONDS)
    rows = checked_rows(problem)
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
    some_a, some_c = rows_of(problem, a, c, checked_rows(problem))
    return check(problem.operation, some_a, b, some_c, multiplied_out=kernel.idea == "naive_4p")
