"""Products on tensor cores whose hardware counters are compared with the emulator's counts, each with its tile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.choose import Problem
from tilewright.kernels.batches import slices
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul.wgmma import part_launches
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile
from tilewright.kernels.operand import Operand

Bits = NDArray[numpy.uint16]

SMS = 132
SIZES = ((256, 256, 256), (512, 384, 320), (520, 264, 136), (128, 1024, 64))
TILES = {
    "64x64": WgmmaTile(64, 64, 4, consumers=1),
    "128x128": WgmmaTile(128, 128, 4),
    "128x256": WgmmaTile(128, 256, 3),
    "64x64 in clusters of 2 x 1": WgmmaTile(64, 64, 4, 1, cluster_m=2),
    "128x128 in clusters of 1 x 2": WgmmaTile(128, 128, 4, cluster_n=2),
    "64x64 small": WgmmaTile(64, 64, 4, 1, small=True),
}


@dataclass(frozen=True)
class TensorLaunch:
    """A product of small integers, m x k by k x n, with a tile of TILES. layout: N or T for A and for B."""

    tile: str
    dtype: str
    m: int
    n: int
    k: int
    layout: str = "NN"

    def __str__(self) -> str:
        """As a test is named."""
        return f"{self.tile}-{self.dtype}-{self.m}x{self.k}x{self.n}-{self.layout}"

    def launches(self) -> Launches:
        """As they are planned for an H100 or H200."""
        m, n, k = self.m, self.n, self.k
        a = Operand(m, k, k, 1) if self.layout[0] == "N" else Operand(m, k, 1, m)
        b = Operand(k, n, n, 1) if self.layout[1] == "N" else Operand(k, n, 1, k)
        (part,) = slices(Problem(a, b, Operand(m, n, n, 1), self.dtype, self.dtype))
        return part_launches(part, TILES[self.tile], SMS)

    def arrays(self) -> tuple[Bits, Bits, NDArray[Any]]:
        """A and B as they lie in memory, of small integers, and C, exact."""
        random = numpy.random.default_rng(self.m * self.n + self.k)
        a, b = (random.integers(-4, 5, shape).astype(numpy.float32) for shape in ((self.m, self.k), (self.k, self.n)))
        lies = [each if layout == "N" else each.T for each, layout in zip((a, b), self.layout, strict=True)]
        first, second = (self.bits_of(numpy.ascontiguousarray(each)) for each in lies)
        return first, second, a @ b

    def bits_of(self, values: NDArray[Any]) -> Bits:
        """Small integers in the product's type, as 16 bits each."""
        if self.dtype == "float16":
            return values.astype(numpy.float16).view(numpy.uint16)
        return (values.view(numpy.uint32) >> 16).astype(numpy.uint16)

    def is_right(self, c: Bits, expected: NDArray[Any]) -> bool:
        """Whether C is the product, rounded once."""
        if self.dtype == "float16":
            return bool((c.view(numpy.float16) == expected.astype(numpy.float16)).all())
        bits = expected.astype(numpy.float32).view(numpy.uint32)
        return bool((c == ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(numpy.uint16)).all())


def tensor_launches() -> Iterator[TensorLaunch]:
    """All of them."""
    for tile in TILES:
        for sizes in SIZES:
            yield TensorLaunch(tile, "bfloat16", *sizes)
        yield TensorLaunch(tile, "float16", *SIZES[1], layout="TN")
        yield TensorLaunch(tile, "float16", *SIZES[1], layout="NT")
