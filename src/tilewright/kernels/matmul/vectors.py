"""A matrix times a vector, or a vector times a matrix, as a dot product for each element of C."""

from __future__ import annotations

from dataclasses import replace

from tilewright.kernels.dot import two_stage
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import MAX_GRID_X, Launches
from tilewright.kernels.operand import Operand
from tilewright.kernels.problem import Problem

LEAST_ALONG_K, MOST_BYTES_ACROSS = 64, 8e6
"""Measured on an H100: dot/two_stage is as fast as tiles or faster where neighbours in the matrix are along k, from so
many on, and of others where the matrix is small."""
ABOUT = "A product with a vector is a dot product for each element of C."


def dot_products(problem: Problem, facts: DeviceFacts) -> Launches | None:
    """Return the launch of dot/two_stage for a product with a vector; None where tiles are faster, or C has more."""
    if min(problem.m, problem.n) != 1 or problem.is_empty or problem.k == 0 or not problem.epilogue.is_plain:
        return None
    if problem.m * problem.n * problem.batch_count > MAX_GRID_X:
        return None
    matrix, stride = (problem.a, problem.a.column_stride) if problem.n == 1 else (problem.b, problem.b.row_stride)
    matrix_bytes = problem.element_bytes * matrix.distinct_elements
    if problem.k < LEAST_ALONG_K if abs(stride) == 1 else matrix_bytes > MOST_BYTES_ACROSS:
        return None
    if problem.element_bytes >= 4 and abs(stride) == 1 and matrix.vector_bytes(problem.element_bytes) < 16:
        return None  # few_lines.cu reads numbers, not vectors
    found = two_stage.launches(_dots(problem), facts, None)
    return replace(found, reasons=(ABOUT, *found.reasons))


def _dots(problem: Problem) -> Problem:
    """Return a batch of products of vectors, one for each element of C."""
    a, b, c, k = problem.a, problem.b, problem.c, problem.k
    by_rows = problem.n == 1
    count = problem.m if by_rows else problem.n

    def batched(operand: Operand, rows: int, columns: int, step: int) -> Operand:
        batch, strides = (*problem.batch, count), (*operand.batch_strides, step)
        return replace(operand, rows=rows, columns=columns, batch=batch, batch_strides=strides)

    return replace(
        problem,
        a=batched(a, 1, k, a.row_stride if by_rows else 0),
        b=batched(b, k, 1, 0 if by_rows else b.column_stride),
        c=batched(c, 1, 1, c.row_stride if by_rows else c.column_stride),
    )
