"""Boxes of arrays in global memory as the copy engine addresses them, and what they are called: A[0:128, 64:128]."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

Region = tuple[int, int, int, int]
"""First row, row after the last, first column, column after the last."""


@dataclass(frozen=True)
class Matrix:
    """An array in global memory, row by row. An array of more dimensions lies as the matrices of a batch do: below
    each other. address: of its first element.
    """

    name: str
    dtype: str
    address: int
    element_bytes: int
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Its size in bytes."""
        return prod(self.shape) * self.element_bytes

    @property
    def columns(self) -> int:
        """Elements of a row; of an array of one dimension, all of them."""
        return self.shape[-1]

    @property
    def rows(self) -> int:
        """Rows, of all matrices of a batch."""
        return prod(self.shape[:-1])

    def place(self, address: int) -> tuple[int, int]:
        """Return row and column of an address."""
        return divmod((address - self.address) // self.element_bytes, self.columns)

    def said(self, region: Region) -> str:
        """Return `A[0:128, 64:128]`, or `x[0:128]` for an array of one dimension."""
        top, bottom, left, right = region
        rows = f"{top}:{bottom}, " if len(self.shape) > 1 else ""
        return f"{self.name}[{rows}{left}:{right}]"


@dataclass(frozen=True)
class Box:
    """A box of a tensor, the innermost dimension first.

    address: of the tensor's first element. first, extents: of the box, in elements; it may lie outside in part.
    sizes: of the tensor, in elements. strides_bytes: from element to element of each dimension.
    """

    address: int
    first: tuple[int, ...]
    extents: tuple[int, ...]
    sizes: tuple[int, ...]
    strides_bytes: tuple[int, ...]

    @property
    def element_bytes(self) -> int:
        """The size of an element, in bytes."""
        return self.strides_bytes[0]

    @property
    def nbytes(self) -> int:
        """What the box takes in shared memory, in bytes."""
        return prod(self.extents) * self.element_bytes

    def part(self, offset: int, inner: int, outer: int) -> Box:
        """Return a box of other extents in the innermost two dimensions; it begins `offset` bytes into this one.

        Swizzling moves 16-byte units within a line: it is no matter for a part that begins with a line's first row.
        """
        line = self.extents[0] * self.element_bytes
        begin = (self.first[0] + offset % line // self.element_bytes, *self.first[1:])
        if len(begin) > 1:
            begin = (begin[0], begin[1] + offset // line, *begin[2:])
        return Box(self.address, begin, (inner, outer, *self.extents[2:])[: len(begin)], self.sizes, self.strides_bytes)

    def region(self, matrix: Matrix) -> Region | None:
        """Return the rows and columns that it covers; None if all of it lies outside."""
        low = [max(0, first) for first in self.first]
        high = [min(first + extent, size) for first, extent, size in zip(*self._sides, strict=True)]
        if any(begin >= end for begin, end in zip(low, high, strict=True)):
            return None
        top, left = matrix.place(self._address(low))
        bottom, right = matrix.place(self._address([end - 1 for end in high]))
        if len(self.first) == 1 and bottom > top:
            left, right = 0, matrix.columns - 1
        return top, bottom + 1, left, right + 1

    @property
    def is_partly_outside(self) -> bool:
        """Whether some of it lies outside of the tensor."""
        return any(first < 0 or first + extent > size for first, extent, size in zip(*self._sides, strict=True))

    @property
    def _sides(self) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
        return self.first, self.extents, self.sizes

    def _address(self, place: Sequence[int]) -> int:
        return self.address + sum(at * stride for at, stride in zip(place, self.strides_bytes, strict=True))


def together(regions: Iterable[Region | None]) -> Region | None:
    """Return the smallest region that holds all of them."""
    known = [region for region in regions if region is not None]
    if not known:
        return None
    tops, bottoms, lefts, rights = zip(*known, strict=True)
    return min(tops), max(bottoms), min(lefts), max(rights)


def matrix_at(matrices: Sequence[Matrix], address: int) -> int | None:
    """Return the number of the matrix that an address lies in."""
    for number, matrix in enumerate(matrices):
        if 0 <= address - matrix.address < matrix.nbytes:
            return number
    return None
