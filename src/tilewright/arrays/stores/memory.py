"""Matrices in the host's memory: NumPy's arrays and torch's tensors on the CPU."""

from __future__ import annotations

from typing import Any

import numpy

from tilewright.arrays.numpy import name_of

from .store import Array, Store


class ArrayStore(Store):
    """A NumPy array of the caller's."""

    def __init__(self, values: Array, name: str, *, is_column: bool = False) -> None:
        super().__init__(name, values.shape, name_of(values.dtype), values.dtype, is_column=is_column)
        self.values = values
        self.is_writable = values.flags.writeable

    def _read(self, region: tuple[slice, ...], into: Array) -> None:
        numpy.copyto(into, self.values[region])

    def _write(self, region: tuple[slice, ...], tile: Array) -> None:
        with numpy.errstate(over="ignore"):  # a sum beyond float16 is infinite, as on a GPU
            numpy.copyto(self.values[region], tile, casting="unsafe")


class TensorStore(Store):
    """A torch tensor on the CPU. Regions of bfloat16 are read as their bits; what is written, torch casts."""

    def __init__(self, tensor: Any, name: str, *, is_column: bool = False) -> None:
        import torch

        dtype = str(tensor.dtype).removeprefix("torch.")
        plain = tensor.detach()
        self._bits: Array = (plain.view(torch.int16) if dtype == "bfloat16" else plain).numpy()
        if dtype == "bfloat16":
            self._bits = self._bits.view(numpy.uint16)
        super().__init__(name, tuple(tensor.shape), dtype, self._bits.dtype, is_column=is_column)
        self._tensor = plain
        self.is_writable = True

    @property
    def values(self) -> Array:
        """The elements where they are; those of bfloat16 as their bits."""
        return self._bits

    def _read(self, region: tuple[slice, ...], into: Array) -> None:
        numpy.copyto(into, self._bits[region])

    def _write(self, region: tuple[slice, ...], tile: Array) -> None:
        import torch

        if self.dtype == "bfloat16" and tile.dtype == numpy.uint16:
            numpy.copyto(self._bits[region], tile)
        else:
            self._tensor[region].copy_(torch.from_numpy(tile))
