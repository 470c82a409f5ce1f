"""Tiles in shared memory as `wgmma` reads them: the canonical layouts of the PTX manual, and their descriptors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MODE_OF = {"none": 0, "32": 3, "64": 2, "128": 1}
XORED_BITS = {"none": 0, "32": 1, "64": 2, "128": 3}


class Layout(NamedTuple):
    """A tile's layout. leading, stride: bytes (LBO and SBO); is_turned: rows or columns (MN) are contiguous."""

    swizzle: str
    is_turned: bool
    leading: int
    stride: int

    def offset(self, mn: int, k: int, element_bytes: int) -> int:
        """Return the byte of element (mn, k) from the tile's start, before it is swizzled."""
        t = 16 // element_bytes
        width = 1 << XORED_BITS[self.swizzle]  # pieces of 16 bytes from one line to the next
        leading, stride = self.leading // element_bytes, self.stride // element_bytes
        if self.is_turned and self.swizzle == "none":  # ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))
            at = mn % t + mn // t * stride + k % 8 * t + k // 8 * leading
        elif self.is_turned:  # ((T,w,m),(8,k)):((1,T,LBO),(wT,SBO))
            at = mn % t + mn // t % width * t + mn // t // width * leading + k % 8 * width * t + k // 8 * stride
        elif self.swizzle == "none":  # ((8,m),(T,2k)):((1T,SBO),(1,LBO))
            at = mn % 8 * t + mn // 8 * stride + k % t + k // t * leading
        else:  # ((8,m),(T,2k)):((wT,SBO),(1,T))
            at = mn % 8 * width * t + mn // 8 * stride + k
        return at * element_bytes

    def place(self, start: int, mn: int, k: int, element_bytes: int) -> int:
        """Return the address of an element of the tile at `start`."""
        address = start + self.offset(mn, k, element_bytes)
        mask = (1 << XORED_BITS[self.swizzle]) - 1
        return address ^ ((address >> 7 & mask) << 4)

    def descriptor(self, start: int, base_offset: int = 0) -> int:
        """Return the descriptor of the tile at `start`."""
        mode = MODE_OF[self.swizzle]
        return start >> 4 | self.leading >> 4 << 16 | self.stride >> 4 << 32 | base_offset << 49 | mode << 62


def store(memory: np.ndarray, tile: np.ndarray, layout: Layout, start: int) -> None:
    """Write a tile (mn, k) of elements to shared memory, given as bytes."""
    for (mn, k), element in np.ndenumerate(tile):
        at = layout.place(start, mn, k, tile.itemsize)
        memory[at : at + tile.itemsize] = np.frombuffer(element.tobytes(), np.uint8)


def tight(swizzle: str, is_turned: bool, extent: int) -> Layout:
    """Return the layout of a tile of so many rows or columns without gaps. The other distance is never read."""
    if swizzle == "none":
        # Core matrices of 128 bytes, along K first.
        return Layout(swizzle, is_turned, 128, 256)
    span = 16 << XORED_BITS[swizzle]
    if is_turned:
        blocks = -(-extent * 2 // span)
        return Layout(swizzle, True, 8 * span, 8 * span * blocks)
    return Layout(swizzle, False, 16, 8 * span)
