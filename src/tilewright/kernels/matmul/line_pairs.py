"""Kernels of matrix products that add pairs as they load them: two rows of A make one of C, and two columns of B.

Their planning sees a product of the sums' size, of the first line of each pair; the kernel reads the second one, too.
"""

from __future__ import annotations

from dataclasses import replace

from tilewright.kernels.epilogue import stride_arguments
from tilewright.kernels.launch import Arguments
from tilewright.kernels.operand import Operand
from tilewright.kernels.problem import Problem

PAIR_SUMS = ("PAIR_SUMS", "1")
"""The macro that asks a kernel for it."""


def of_first_lines(problem: Problem) -> Problem:
    """Return the product of the first row of each of A's pairs with the first column of each of B's."""
    a, b = _first_rows(problem.a), _first_rows(problem.b.transposed).transposed
    return replace(problem, operation="matmul", a=a, b=b)


def both_lines(operand: Operand) -> Operand:
    """Return the operand whose rows are those of ``operand`` and the second one of each pair."""
    return replace(operand, rows=2 * operand.rows, row_stride=operand.row_stride // 2)


def strides_of_both(product: Problem) -> Arguments:
    """Return the strides of A and B, from a line to the next, of a product of first lines."""
    a, b = both_lines(product.a), both_lines(product.b.transposed).transposed
    return stride_arguments("product.a", a) | stride_arguments("product.b", b)


def _first_rows(operand: Operand) -> Operand:
    return replace(operand, rows=operand.rows // 2, row_stride=2 * operand.row_stride)
