"""Shapes that kernels get wrong first: around the tile, primes, thin and wide, empty sums."""

from __future__ import annotations

from tilewright.kernels import TaughtKernel

Shape = tuple[int, int, int]

SIZES = (1, 7, 16, 17, 31, 33, 100, 127, 1000)
RECTANGLES = ((1, 1000, 3), (1000, 1, 17), (3, 5, 1009), (61, 127, 257), (100, 31, 7), (257, 3, 1), (33, 17, 0))


def awkward_shapes(kernel: TaughtKernel, tile: int | None) -> list[Shape]:
    """(m, n, k) that the kernel takes, with results of one element and more."""
    around = () if tile is None else (tile - 1, tile, tile + 1, 3 * tile)
    if kernel.operation == "dot":
        return [(1, 1, k) for k in (0, *SIZES, *around, 10_000, 1_000_003)]
    if kernel.multiples_of_tile_only:
        assert tile is not None
        return [(tile, tile, tile), (3 * tile, 2 * tile, 5 * tile), (7 * tile, tile, 0)]
    shapes = [*((n, n, n) for n in (*SIZES, *around) if n > 0), *RECTANGLES]
    if kernel.operation == "reduced_matmul":
        return [(2 * m, 2 * n, k) for m, n, k in shapes]
    return shapes
