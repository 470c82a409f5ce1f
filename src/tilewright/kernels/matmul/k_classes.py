"""Classes of k: A and B that lie along m and n are loaded without repacking, by splits that take every eighth k.

See sm90/k_classes.cuh.
"""

from __future__ import annotations

from tilewright.kernels.launch import ceil_divide
from tilewright.kernels.matmul.row_classes import CLASSES
from tilewright.kernels.matmul.splitk_reduce import SUMS_AT_ONCE, Shifts
from tilewright.kernels.matmul.wgmma_operands import Side
from tilewright.kernels.operand import COPY_ENGINE_BYTES, COPY_ENGINE_STRIDE_LIMIT_BYTES, Operand, packed
from tilewright.kernels.problem import Problem

MORE = CLASSES - 1 + SUMS_AT_ONCE - 1
"""The rows and columns of partial sums that C's lie among: it begins up to seven late, and four are read at once."""
MOST_TURNED = 64 * 65_535
"""Rows of an operand that is repacked: a grid's y counts 64 of them."""
LEAST_K = 64 * CLASSES
"""With less, the stages of a class are not filled once."""


def refusal(product: Problem) -> str | None:
    """Return why a product cannot be computed by classes of k, as a sentence, or None."""
    if product.element_bytes != 2 or product.invariant or product.batch_count != 1:
        return "Classes of k are for one product of 16-bit matrices, whose bits may depend on its rows."
    if product.k < LEAST_K:
        return f"Classes of k are for an inner size of {LEAST_K} or more, not {product.k}."
    size = product.element_bytes
    across = [each for each in (product.a.transposed, product.b) if _has_rows_of_k(each, size)]
    along = [each for each in (product.a, product.b.transposed) if _is_turned(each)]
    # Where one is turned and the other is loaded as it lies, repacking leaves nothing to be gained.
    if len(across) == 2 or (len(across) == len(along) == 1 and across[0].copy_engine_refusal(size) is not None):
        return None
    return "Classes of k are of unaligned operands that lie across k and begin on 16 bytes, or of one and a turned one."


def turned(product: Problem) -> str | None:
    """Return the operand that lies along k and is repacked first, "A" or "B", of a product that is not refused."""
    for name, operand in zip("AB", (product.a.transposed, product.b), strict=True):
        if not _has_rows_of_k(operand, product.element_bytes):
            return name
    return None


def _has_rows_of_k(operand: Operand, element_bytes: int) -> bool:
    """Whether an operand, whose rows are those of k, can be loaded by every eighth of them."""
    step, limit = operand.row_stride, COPY_ENGINE_STRIDE_LIMIT_BYTES // (CLASSES * element_bytes)
    lies_across = operand.columns >= 2 and operand.column_stride == 1 and operand.columns <= step < limit
    return lies_across and operand.alignment_bytes >= COPY_ENGINE_BYTES


def _is_turned(operand: Operand) -> bool:
    """Whether an operand lies along k, in lines one behind the other."""
    return operand.column_stride == 1 and operand.row_stride > 0 and operand.rows <= MOST_TURNED


def class_of(a: Side, b: Side, dtype: str, out_dtype: str) -> tuple[Problem, Shifts]:
    """Return the product of a class, with the rows and columns before C and behind it, and where C begins in its sums.

    ``a`` and ``b``: rows of A and columns of B, neighbours of which lie side by side at each k.
    """
    step_a, step_b = a.operand.column_stride, b.operand.column_stride
    m, n, k = a.mn + MORE, b.mn + MORE, ceil_divide(a.k, CLASSES)
    of_class = Problem(
        Operand(m, k, 1, CLASSES * step_a), Operand(k, n, CLASSES * step_b, 1), packed((m, n)), dtype, out_dtype
    )
    return of_class, Shifts(step_a % CLASSES, step_b % CLASSES, MORE)
