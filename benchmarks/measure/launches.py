"""The launches whose counts the emulator and the hardware must agree on: every kernel, both types, awkward shapes."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.kernel_run import Launch

DTYPES = ("float32", "float64")
SHAPES = (
    (1, 1, 1),
    (7, 5, 3),
    (16, 16, 16),
    (17, 31, 33),
    (33, 100, 65),
    (64, 64, 64),
    (100, 1, 100),
    (1, 100, 7),
    (128, 96, 160),
)
TWO_SHAPES = ((33, 100, 65), (64, 64, 64))
REDUCED_SHAPES = ((2, 2, 1), (6, 4, 3), (34, 62, 33), (64, 64, 64), (100, 2, 100), (66, 130, 47))
LENGTHS = (1, 31, 1000, 1024, 1025, 10_000)


def launches() -> tuple[Launch, ...]:
    """All launches, small ones first."""
    both = [launch for dtype in DTYPES for launch in (*matmul(dtype), *reduced_matmul(dtype), *dot(dtype))]
    return (*both, *seeds_sizes())


def matmul(dtype: str) -> Iterator[Launch]:
    """Each tile on two shapes, tile 16 on all; tiled_exact where its tile divides the sizes."""
    for idea in ("naive", "tiled", "tiled_inner_barrier"):
        yield from (Launch(f"matmul/{idea}", dtype, 16, *shape) for shape in SHAPES)
        yield from (Launch(f"matmul/{idea}", dtype, tile, *shape) for tile in (8, 12, 32) for shape in TWO_SHAPES)
    for tile in (8, 16, 32):
        yield from (Launch("matmul/tiled_exact", dtype, tile, *shape) for shape in ((64, 64, 64), (128, 96, 160)))


def reduced_matmul(dtype: str) -> Iterator[Launch]:
    """The naive kernels and tile 16 on all shapes, tiles 8 and 32 on the last one."""
    for idea, tile in (("naive_4p", None), ("naive_p", None), ("tiled", 16)):
        yield from (Launch(f"reduced_matmul/{idea}", dtype, tile, *shape) for shape in REDUCED_SHAPES)
    yield from (Launch("reduced_matmul/tiled", dtype, tile, *REDUCED_SHAPES[-1]) for tile in (8, 32))


def dot(dtype: str) -> Iterator[Launch]:
    """Lengths around the block, and shorter blocks."""
    yield from (Launch("dot/tiled", dtype, 1024, 1, 1, k) for k in LENGTHS)
    yield from (Launch("dot/tiled", dtype, tile, 1, 1, k) for tile in (32, 256) for k in (1000, 10_000))
    yield from (Launch("dot/single_thread", dtype, None, 1, 1, k) for k in (1, 1000))


def seeds_sizes() -> Iterator[Launch]:
    """The thesis's comparison of loads (its figures 4.4 and 4.5) at sizes that an emulator runs in seconds."""
    for n in (256, 1024):
        yield Launch("reduced_matmul/naive_p", "float32", None, n, n, n)
        yield from (Launch("reduced_matmul/tiled", "float32", tile, n, n, n) for tile in (8, 16, 32))
    yield from (Launch("matmul/tiled", "float32", tile, 256, 256, 256) for tile in (16, 32))
    yield Launch("matmul/naive", "float32", 16, 256, 256, 256)
