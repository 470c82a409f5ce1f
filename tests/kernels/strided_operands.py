"""Operands of any strides in buffers of their own, with numbers that the product must not touch round them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from tilewright.kernels.operand import Operand

GUARD_ELEMENTS = 64


@dataclass
class Strided:
    """A view, the flat buffer that it looks into, and where in the buffer its first element is."""

    buffer: NDArray[np.generic]
    first: int
    view: NDArray[np.generic]

    @property
    def operand(self) -> Operand:
        """The view as plans see it."""
        size = self.buffer.itemsize
        strides = [stride // size for stride in self.view.strides]
        address = self.first * size
        alignment = 16 if address % 16 == 0 else address & -address
        *batch, rows, columns = self.view.shape
        *batch_strides, row_stride, column_stride = strides
        return Operand(rows, columns, row_stride, column_stride, tuple(batch), tuple(batch_strides), alignment)

    @property
    def outside(self) -> NDArray[np.generic]:
        """The buffer's elements that are not the view's, in order."""
        inside = np.zeros(self.buffer.size, bool)
        places = np.full(self.view.shape, self.first)
        for axis, (extent, stride) in enumerate(zip(self.view.shape, self.view.strides, strict=True)):
            steps = np.arange(extent) * (stride // self.buffer.itemsize)
            places += steps.reshape([-1 if each == axis else 1 for each in range(len(self.view.shape))])
        inside[places] = True
        return self.buffer[~inside]


def strided(
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    dtype: str,
    poison: float,
    *,
    offset: int = 0,
    guard: int = GUARD_ELEMENTS,
) -> Strided:
    """Return a view of the given strides (in elements; 0 and negative ones too) in a buffer full of ``poison``.

    ``guard`` is how many elements of it lie before and behind the view.
    """
    reaches = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    before = -sum(min(reach, 0) for reach in reaches)
    size = before + sum(max(reach, 0) for reach in reaches) + 1 if prod(shape) else 1
    first = guard + -(-before // 8) * 8 + offset
    buffer = np.full(first + size + guard, poison, dtype)
    view = np.lib.stride_tricks.as_strided(
        buffer[first:], shape, [stride * buffer.itemsize for stride in strides], writeable=True
    )
    return Strided(buffer, first, view)
