"""The launches that the constants of the cache model are fitted to."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import numpy

from benchmarks.measure.caches.cache_launches.case import FIT, KERNELS, CacheCase, catalogued, other
from tests.counters.corpus.case import Array, integers, output, reals, zeros


def fitting_products() -> Iterator[CacheCase]:
    """Two kernels of the catalogue, one without and one with shared memory."""
    for tile, size, dtype in (
        *((16, size, "float32") for size in (128, 256, 500, 1000, 1024)),
        *((8, 512, "float32"), (32, 512, "float32"), (16, 512, "float64"), (16, 301, "float64")),
    ):
        yield catalogued(FIT, "matmul/naive", dtype, tile, size, size, size, 2 if size == 500 else 1)
    for tile, size in (
        (8, 256),
        (8, 1024),
        (8, 2048),
        (16, 512),
        (16, 1024),
        (16, 2048),
        (32, 512),
        (32, 1024),
        (32, 2048),
    ):
        yield catalogued(FIT, "reduced_matmul/tiled", "float32", tile, size, size, size, 2 if size == 1024 else 1)
    yield catalogued(FIT, "reduced_matmul/tiled", "float64", 16, 514, 514, 511)


def fitting_others() -> Iterator[CacheCase]:
    """Copies, strides, gathers, sums, a product with a vector, stencils, a product in registers."""
    for height, width, pitch in ((2000, 2000, 2048), (1000, 1001, 1023)):
        yield other(
            FIT,
            "copy_rows",
            f"{height}x{width} of {pitch}",
            (-(-width // 32), -(-height // 8)),
            (32, 8),
            {
                "source": reals((height, pitch)),
                "target": output((height, width)),
                "height": height,
                "width": width,
                "pitch": pitch,
            },
            lambda given: {"target": given.source[:, : given.width]},
            folder=KERNELS,
        )
    for stride in (1, 3, 8, 17):
        count = 1 << 19
        yield other(
            FIT,
            "strided_copy",
            f"{count} stride {stride}",
            (count // 256,),
            (256,),
            {"source": reals(count * stride, float), "target": output(count, float), "count": count, "stride": stride},
            lambda given: {"target": given.source[:: given.stride]},
            repeats=2 if stride == 3 else 1,
        )
    for bits in (16, 20, 24):
        count = 1 << 20
        yield other(
            FIT,
            "gather",
            f"{count} of {1 << bits}",
            (count // 256,),
            (256,),
            {
                "source": reals(1 << bits),
                "places": integers(0, 1 << bits, count),
                "target": output(count),
                "count": count,
            },
            lambda given: {"target": given.source[given.places]},
            folder=KERNELS,
            repeats=2 if bits == 20 else 1,
        )
    for rows, columns, block in ((1024, 1024, (32, 8)), (2048, 2000, (16, 16)), (1000, 777, (32, 32))):
        yield other(
            FIT,
            "transpose_naive",
            f"{rows}x{columns} by {block[0]}x{block[1]}",
            (-(-columns // block[0]), -(-rows // block[1])),
            block,
            {"source": reals((rows, columns)), "target": output((columns, rows)), "rows": rows, "columns": columns},
            lambda given: {"target": given.source.T},
        )
    for count in (1 << 18, 5_000_000):
        yield other(
            FIT,
            "reduce_shuffle",
            f"{count}",
            (264,),
            (256,),
            {"values": reals(count, float), "totals": output(264, float), "count": count},
            lambda given: {"totals": in_turns(given.values, 264, 256)},
            1e-12,
        )
    for m, n in ((2048, 1024), (20_000, 200)):
        yield other(
            FIT,
            "matvec_row_per_thread",
            f"{m}x{n}",
            (-(-m // 128),),
            (128,),
            {"A": reals((m, n)), "x": reals(n), "y": output(m), "m": m, "n": n},
            lambda given: {"y": given.A.astype(float) @ given.x},
            1e-5,
        )
    for depth, height, width in ((34, 258, 258), (20, 500, 700)):
        yield other(
            FIT,
            "stencil_3d",
            f"{depth}x{height}x{width}",
            (-(-width // 32), -(-height // 8)),
            (32, 8),
            {
                "old": reals((depth, height, width)),
                "next": zeros((depth, height, width), "f4"),
                "depth": depth,
                "height": height,
                "width": width,
            },
            stencil,
            1e-5,
            folder=KERNELS,
        )
    for size in (512, 1024, 1100):
        yield other(
            FIT,
            "sgemm_register_tile",
            f"{size}",
            (-(-size // 64), -(-size // 64)),
            (256,),
            {
                "A": reals((size, size)),
                "B": reals((size, size)),
                "C": output((size, size)),
                "m": size,
                "n": size,
                "k": size,
            },
            lambda given: {"C": given.A.astype(float) @ given.B},
            1e-5,
        )


def in_turns(values: Array, blocks: int, threads: int) -> Array:
    """The sum of what each block of a grid-stride loop reads."""
    padded = numpy.pad(values, (0, -values.size % (blocks * threads)))
    sums: Array = padded.reshape(-1, blocks, threads).sum((0, 2))
    return sums


def stencil(given: SimpleNamespace) -> dict[str, Array]:
    """Slices in float64; the border stays 0."""
    old = given.old.astype(float)
    inner = (slice(1, -1),) * 3
    given.next = given.next.astype(float)
    given.next[inner] = 0.5 * old[inner]
    for axis, weight in ((0, 0.0625), (1, 0.0625), (2, 0.125)):
        for side in (slice(None, -2), slice(2, None)):
            given.next[inner] += weight * old[(*inner[:axis], side, *inner[axis + 1 :])]
    return {"next": given.next}
