"""Classes of k: A and B that lie along m and n are loaded without repacking, by splits that take every eighth k.

See sm90/k_classes.cuh.
"""

from __future__ import annotations

from dataclasses import replace

from tilewright.kernels.batches import BatchSlice
from tilewright.kernels.launch import ceil_divide
from tilewright.kernels.matmul.row_classes import CLASSES
from tilewright.kernels.matmul.splitk_reduce import SUMS_AT_ONCE, Shifts
from tilewright.kernels.operand import COPY_ENGINE_BYTES, COPY_ENGINE_STRIDE_LIMIT_BYTES, Operand, packed
from tilewright.kernels.problem import Epilogue, Problem

MORE = CLASSES - 1 + SUMS_AT_ONCE - 1
"""The rows and columns of partial sums that C's lie among: it begins up to seven late, and four are read at once."""
LEAST_K = 64 * CLASSES
"""With less, the stages of a class are not filled once."""


def refusal(product: Problem) -> str | None:
    """Return why a product cannot be computed by classes of k, as a sentence, or None."""
    if product.element_bytes != 2 or product.invariant or product.batch_count != 1:
        return "Classes of k are for one product of 16-bit matrices, whose bits may depend on its rows."
    if product.k < LEAST_K:
        return f"Classes of k are for an inner size of {LEAST_K} or more, not {product.k}."
    for name, operand in (("A", product.a.transposed), ("B", product.b)):
        step = operand.row_stride
        limit = COPY_ENGINE_STRIDE_LIMIT_BYTES // (CLASSES * product.element_bytes)
        if operand.columns < 2 or operand.column_stride != 1 or not operand.columns <= step < limit:
            return f"Classes of k are rows of an operand that lies along the other dimension, and {name} does not."
        if operand.alignment_bytes < COPY_ENGINE_BYTES:
            return f"Classes of k begin on {COPY_ENGINE_BYTES} bytes, and {name} does not."
    return None


def shifts_of(product: Problem) -> Shifts:
    """Return where C begins in the partial sums of a class."""
    return Shifts(product.a.column_stride % CLASSES, product.b.row_stride % CLASSES, MORE)


def class_of(part: BatchSlice) -> BatchSlice:
    """Return the product of a class, with the rows and columns before C and behind it, and no epilogue."""
    product = part.part
    m, n, k = product.m + MORE, product.n + MORE, ceil_divide(product.k, CLASSES)
    a = Operand(m, k, 1, CLASSES * product.a.column_stride)
    b = Operand(k, n, CLASSES * product.b.row_stride, 1)
    return replace(
        part, part=replace(product, a=a, b=b, c=packed((m, n)), epilogue=Epilogue(), c_operand=None), c_offset=0
    )
