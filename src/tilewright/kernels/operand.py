"""An operand's layout in memory, and whether kernels and the copy engine (TMA) can read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import gcd, prod

from tilewright.kernels.refusals import PlanError

DTYPE_BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}
"""The types that kernels multiply, by NumPy's names."""
INTEGER_BYTES = {f"{sign}int{bits}": bits // 8 for sign in ("", "u") for bits in (8, 16, 32, 64)}
"""The types that only products of vectors take."""
ELEMENT_BYTES = DTYPE_BYTES | INTEGER_BYTES
"""All types that a kernel reads."""
C_TYPES = {
    "float16": "__half",
    "bfloat16": "__nv_bfloat16",
    "float32": "float",
    "float64": "double",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned",
    "int64": "long long",
    "uint64": "unsigned long long",
}

COPY_ENGINE_BYTES = 16
COPY_ENGINE_STRIDE_LIMIT_BYTES = 2**40


@dataclass(frozen=True)
class Operand:
    """The layout of a matrix, or a batch of matrices, in memory.

    Strides count elements and may be 0 (broadcast) or negative; the buffer's address is that of element [0, 0] of the
    first matrix, and ``alignment_bytes`` is the largest power of two up to 16 that divides it. ``batch_strides`` has
    an entry for each extent of ``batch``, 0 where that dimension is broadcast.
    """

    rows: int
    columns: int
    row_stride: int
    column_stride: int
    batch: tuple[int, ...] = ()
    batch_strides: tuple[int, ...] = ()
    alignment_bytes: int = 16

    def __post_init__(self) -> None:
        """Raise PlanError unless every extent has its stride."""
        if len(self.batch) != len(self.batch_strides):
            raise PlanError(f"Each of the {len(self.batch)} batch extents has a stride, not {self.batch_strides}.")
        if self.alignment_bytes not in {1, 2, 4, 8, 16}:
            raise PlanError(f"alignment_bytes is 1, 2, 4, 8 or 16, not {self.alignment_bytes}.")

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The batch's extents, then rows and columns."""
        return (*self.batch, self.rows, self.columns)

    @cached_property
    def transposed(self) -> Operand:
        """The same memory read with rows and columns swapped."""
        return replace(
            self,
            rows=self.columns,
            columns=self.rows,
            row_stride=self.column_stride,
            column_stride=self.row_stride,
        )

    @cached_property
    def major(self) -> str | None:
        """Whether it is contiguous along rows ("row") or columns ("column"); None if neither.

        Strides along extents of 1 do not matter; a matrix that could be either counts as "row".
        """
        if self.columns <= 1 and self.row_stride == 1 and self.rows > 1:
            return "column"
        if self.column_stride == 1 or self.columns <= 1:
            return "row"
        return "column" if self.row_stride == 1 or self.rows <= 1 else None

    @cached_property
    def leading_stride(self) -> int | None:
        """The leading dimension: the stride between rows ("row" major) or columns, in elements; None if neither.

        Along an extent of 1 it is that of a packed matrix, rounded up to a multiple that the copy engine takes.
        """
        if self.major is None:
            return None
        along, across, stride = (
            (self.columns, self.rows, self.row_stride)
            if self.major == "row"
            else (self.rows, self.columns, self.column_stride)
        )
        return stride if across > 1 else max(8, -(-along // 8) * 8)

    @cached_property
    def batch_steps(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Extent and stride of batch dimensions 1 (the inner one) and 2; (1, 0) for a missing one.

        For an operand with at most two batch extents, as kernels take them.
        """
        extents, strides = (1, 1, *self.batch), (0, 0, *self.batch_strides)
        return (extents[-1], strides[-1]), (extents[-2], strides[-2])

    def copy_engine_refusal(self, element_bytes: int) -> str | None:
        """Return why the copy engine (TMA) cannot address it, as half a sentence, or None if it can.

        It takes a 16-byte aligned base, one unit stride, and other strides that are positive multiples of 16 bytes;
        a broadcast batch dimension is left out of its map.
        """
        leading = self.leading_stride
        if self.alignment_bytes < COPY_ENGINE_BYTES:
            return f"its address is aligned to {self.alignment_bytes} bytes and not to {COPY_ENGINE_BYTES}"
        if leading is None:
            return f"neither its rows nor its columns are contiguous (strides {self.row_stride}, {self.column_stride})"
        strides = [leading, *(s for s, e in zip(self.batch_strides, self.batch, strict=True) if e > 1 and s != 0)]
        for stride in strides:
            if stride <= 0 or stride * element_bytes % COPY_ENGINE_BYTES:
                return f"its stride of {stride:,} elements is no positive multiple of {COPY_ENGINE_BYTES} bytes"
            if stride * element_bytes >= COPY_ENGINE_STRIDE_LIMIT_BYTES:
                return f"its stride of {stride:,} elements is 2^40 bytes or more"
        return None

    @property
    def distinct_elements(self) -> int:
        """The number of elements that a copy has to hold; broadcast elements count once."""
        extents = zip(self.shape, (*self.batch_strides, self.row_stride, self.column_stride), strict=True)
        return prod(extent if stride else min(extent, 1) for extent, stride in extents)

    def moved(self, elements: int, element_bytes: int) -> Operand:
        """Return the operand ``elements`` further on, with the same strides and the alignment of the new address."""
        return replace(self, alignment_bytes=gcd(self.alignment_bytes, elements * element_bytes))

    def vector_bytes(self, element_bytes: int) -> int:
        """Return the widest vector, at most 16 bytes, in which every row ("row" major) or column can be read."""
        leading = self.leading_stride
        if leading is None:
            return element_bytes
        strides = (leading, *self.batch_strides)
        return max(gcd(self.alignment_bytes, *(stride * element_bytes for stride in strides)), element_bytes)


def unaligned(name: str, alignment_bytes: int, element_bytes: int) -> str:
    """Return why a GPU cannot read elements of this size from an address of this smaller alignment."""
    return (
        f"{name}'s address is a multiple of {alignment_bytes} bytes, and a GPU reads elements of {element_bytes} bytes "
        f"at multiples of {element_bytes}: copy it to an aligned address."
    )


def packed(shape: Sequence[int], alignment_bytes: int = 16) -> Operand:
    """Return the operand of a row-major array without gaps."""
    *batch, rows, columns = shape
    strides = [rows * columns * prod(batch[index + 1 :]) for index in range(len(batch))]
    return Operand(rows, columns, columns, 1, tuple(batch), tuple(strides), alignment_bytes)
