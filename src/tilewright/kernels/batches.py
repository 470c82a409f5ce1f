"""Batches of any rank as at most two extents, which is what kernels and tensor maps take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from tilewright.kernels.operand import Operand
from tilewright.kernels.problem import Problem
from tilewright.kernels.refusals import PlanError

KERNEL_BATCH_EXTENTS = 2
MOST_LAUNCHES = 4096
"""The most launches of one call: each has its own arguments and tensor maps in memory."""


@dataclass(frozen=True)
class BatchSlice:
    """A part of a problem with at most two batch extents, and its offsets in the buffers, in elements."""

    part: Problem
    a_offset: int = 0
    b_offset: int = 0
    c_offset: int = 0
    c_operand_offset: int = 0

    @property
    def transposed(self) -> BatchSlice:
        """The transposed problem, C^T = B^T A^T: the same sums with rows and columns exchanged."""
        return replace(self, part=self.part.transposed, a_offset=self.b_offset, b_offset=self.a_offset)


def in_rows(part: BatchSlice) -> tuple[BatchSlice, bool]:
    """Return the product with contiguous rows of C, transposed where its columns are, and whether it is transposed."""
    return (part, False) if _lies_in_rows(part.part) else (part.transposed, True)


def in_rows_refusal(kernel: str, problem: Problem) -> str | None:
    """Return why a kernel that writes contiguous rows of C does not write a problem's, as a sentence, or None."""
    if _lies_in_rows(problem) or _lies_in_rows(problem.transposed):
        return None
    strides = problem.c.row_stride, problem.c.column_stride
    return f"{kernel} writes contiguous rows or columns, and C has the strides {strides}."


def _lies_in_rows(product: Problem) -> bool:
    return product.c.column_stride == 1 or product.n == 1


def flattened(whole: Problem) -> Problem:
    """Return the same problem with batch extents of 1 removed and neighbouring ones merged.

    Two neighbouring extents become one where in every operand the outer stride is the inner one times its extent.
    """
    operands = _operands(whole)
    extents: list[int] = []
    strides: list[list[int]] = [[] for _ in operands]
    for index, extent in enumerate(whole.batch):
        if extent == 1:
            continue
        here = [operand.batch_strides[index] for operand in operands]
        if extents and all(kept[-1] == stride * extent for kept, stride in zip(strides, here, strict=True)):
            extents[-1] *= extent
            for kept, stride in zip(strides, here, strict=True):
                kept[-1] = stride
            continue
        extents.append(extent)
        for kept, stride in zip(strides, here, strict=True):
            kept.append(stride)
    return _with_batch(whole, tuple(extents), [tuple(kept) for kept in strides])


def slices(whole: Problem) -> tuple[BatchSlice, ...]:
    """Return the parts to launch one after another: one, unless more than two batch extents cannot be merged.

    Raises:
        PlanError: there would be more than MOST_LAUNCHES of them.
    """
    flat = flattened(whole) if whole.batch else whole
    if len(flat.batch) <= KERNEL_BATCH_EXTENTS:
        return (BatchSlice(flat),)
    operands = _operands(flat)
    outer = len(flat.batch) - KERNEL_BATCH_EXTENTS
    count = prod(flat.batch[:outer])
    if count > MOST_LAUNCHES:
        raise PlanError(
            f"The batch {whole.batch} has strides that no two extents describe, and would take {count:,} launches; "
            f"at most {MOST_LAUNCHES:,} are made. Copy an operand so that its batch is packed."
        )
    inner = _with_batch(flat, flat.batch[outer:], [operand.batch_strides[outer:] for operand in operands])
    return tuple(
        _moved(inner, [_offset(operand, index) for operand in operands])
        for index in product(*(range(extent) for extent in flat.batch[:outer]))
    )


def cut_out(part: BatchSlice, dimension: str, first: int, size: int | None) -> BatchSlice:
    """Return some rows, columns or products of a batch, from the ``first`` on: ``size`` of them or all the others."""
    product = part.part

    def of(operand: Operand | None, extent: str, bytes_: int, offset: int) -> tuple[Operand | None, int]:
        if operand is None:
            return None, 0
        if extent == "products":
            moved = first * operand.batch_strides[0]
            cut = replace(operand, batch=((size or operand.batch[0] - first),))
        elif extent == "rows":
            moved = first * operand.row_stride
            cut = replace(operand, rows=size or operand.rows - first)
        elif extent == "columns":
            moved = first * operand.column_stride
            cut = replace(operand, columns=size or operand.columns - first)
        else:
            return operand, offset
        return cut.moved(moved, bytes_), offset + moved

    a, a_offset = of(product.a, dimension if dimension != "columns" else "", product.element_bytes, part.a_offset)
    b, b_offset = of(product.b, dimension if dimension != "rows" else "", product.element_bytes, part.b_offset)
    c, c_offset = of(product.c, dimension, product.out_bytes, part.c_offset)
    c_operand, c_operand_offset = of(product.c_operand, dimension, product.out_bytes, part.c_operand_offset)
    assert a is not None
    assert b is not None
    assert c is not None
    cut = replace(product, a=a, b=b, c=c, c_operand=c_operand)
    return BatchSlice(cut, a_offset, b_offset, c_offset, c_operand_offset)


def _operands(whole: Problem) -> list[Operand]:
    return [whole.a, whole.b, whole.c, *([] if whole.c_operand is None else [whole.c_operand])]


def _with_batch(whole: Problem, batch: tuple[int, ...], strides: Sequence[tuple[int, ...]]) -> Problem:
    parts = [
        replace(operand, batch=batch, batch_strides=kept)
        for operand, kept in zip(_operands(whole), strides, strict=True)
    ]
    c_operand = parts[3] if whole.c_operand is not None else None
    return replace(whole, a=parts[0], b=parts[1], c=parts[2], c_operand=c_operand)


def _offset(operand: Operand, index: Sequence[int]) -> int:
    return sum(i * stride for i, stride in zip(index, operand.batch_strides, strict=False))


def _moved(part: Problem, offsets: Sequence[int]) -> BatchSlice:
    sizes = (part.element_bytes, part.element_bytes, part.out_bytes, part.out_bytes)
    moved = [
        operand.moved(offset, size) for operand, offset, size in zip(_operands(part), offsets, sizes, strict=False)
    ]
    c_operand = moved[3] if part.c_operand is not None else None
    return BatchSlice(replace(part, a=moved[0], b=moved[1], c=moved[2], c_operand=c_operand), *offsets)
