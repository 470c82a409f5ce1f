"""What of a large multiplication is looked at: enough to say something, and little enough to wait for."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.choose import Problem

Array = NDArray[Any]

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
