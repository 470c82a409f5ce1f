"""The launches that the cache model is tested with; no kernel here is in the fitting set, nor looked at in fitting."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import numpy

from benchmarks.measure.caches.cache_launches.case import KERNELS, TEST, CacheCase, catalogued, other
from tests.counters.corpus.case import Array, integers, output, reals, zeros
from tests.counters.corpus.neighbors import windows


def testing_products() -> Iterator[CacheCase]:
    """The other kernels of the catalogue."""
    tiled = (
        *((16, "float32", size, size, size) for size in (128, 256, 500, 777, 1024)),
        *((32, "float32", size, size, size) for size in (512, 1000, 2048)),
        *((8, "float32", size, size, size) for size in (384, 1024)),
        (12, "float32", 600, 600, 600),
        (16, "float32", 300, 2000, 700),
        *((16, "float64", size, size, size) for size in (512, 1024)),
        (32, "float64", 1000, 1000, 1000),
    )
    for tile, dtype, m, n, k in tiled:
        yield catalogued(TEST, "matmul/tiled", dtype, tile, m, n, k, 2 if m in (500, 1000) else 1)
    yield catalogued(TEST, "matmul/tiled_exact", "float32", 16, 512, 512, 512)
    yield catalogued(TEST, "matmul/tiled_inner_barrier", "float32", 16, 500, 500, 500)
    for size in (256, 512, 1024, 2048):
        yield catalogued(TEST, "reduced_matmul/naive_p", "float32", None, size, size, size, 2 if size == 512 else 1)
    yield catalogued(TEST, "reduced_matmul/naive_4p", "float32", None, 1000, 1000, 1000)
    yield catalogued(TEST, "reduced_matmul/naive_4p", "float64", None, 514, 514, 513)
    yield catalogued(TEST, "dot/tiled", "float32", 1024, 1, 1, 1 << 20, 2)
    yield catalogued(TEST, "dot/tiled", "float64", 1024, 1, 1, 3_000_001)


def testing_others() -> Iterator[CacheCase]:
    """Tiled transpositions, a stencil, a histogram, products with vectors, sparse rows, vectors of four, softmax."""
    for rows, columns in ((1024, 1024), (2047, 1999)):
        yield other(
            TEST,
            "transpose_shared",
            f"{rows}x{columns}",
            (-(-columns // 32), -(-rows // 32)),
            (32, 8),
            {"source": reals((rows, columns)), "target": output((columns, rows)), "rows": rows, "columns": columns},
            lambda given: {"target": given.source.T},
        )
    for height, width in ((2048, 2048), (1000, 1500)):
        yield other(
            TEST,
            "stencil_2d",
            f"{height}x{width}",
            (-(-width // 16), -(-height // 16)),
            (16, 16),
            {
                "old": reals((height, width)),
                "next": output((height, width)),
                "height": height,
                "width": width,
                "rate": 0.2,
            },
            heat,
            1e-5,
            repeats=2 if width == 1500 else 1,
        )
    yield other(
        TEST,
        "convolution_2d",
        "1000x1000",
        (63, 125),
        (16, 8),
        {"image": reals((1000, 1000)), "out": output((1000, 1000)), "height": 1000, "width": 1000},
        convolved,
        1e-5,
        variables={"weights": reals((5, 5))},
    )
    yield other(
        TEST,
        "histogram_shared",
        "1048576 quads",
        (264,),
        (256,),
        {"bytes": integers(0, 256, (1 << 20, 4), "u1"), "bins": zeros(256, "u4"), "quads": 1 << 20},
        lambda given: {"bins": numpy.bincount(given.bytes.ravel(), minlength=256)},
    )
    for m, n in ((1024, 4096), (500, 10_001)):
        yield other(
            TEST,
            "matvec_columns",
            f"{m}x{n}",
            (-(-n // 128),),
            (128,),
            {"A": reals((m, n)), "x": reals(m), "y": output(n), "m": m, "n": n},
            lambda given: {"y": given.x.astype(float) @ given.A},
            1e-5,
            folder=KERNELS,
        )
    for m, n in ((4096, 1024), (3001, 999)):
        yield other(
            TEST,
            "matvec_row_per_warp",
            f"{m}x{n}",
            (-(-m // 4),),
            (128,),
            {"A": reals((m, n)), "x": reals(n), "y": output(m), "m": m, "n": n},
            lambda given: {"y": given.A.astype(float) @ given.x},
            1e-5,
        )
    rows, longest = 60_000, 13
    starts = numpy.concatenate([[0], integers(0, longest, rows)(numpy.random.PCG64(7)).cumsum()]).astype("i4")
    yield other(
        TEST,
        "spmv_csr",
        f"{rows} rows",
        (-(-rows // 128),),
        (128,),
        {
            "starts": lambda _: starts,
            "columns": integers(0, rows, int(starts[-1])),
            "values": reals(int(starts[-1]), float),
            "x": reals(rows, float),
            "y": output(rows, float),
            "rows": rows,
        },
        sparse_product,
        1e-12,
    )
    count = (1 << 22) + 3
    yield other(
        TEST,
        "saxpy_float4",
        f"{count}",
        (-(-count // 1024),),
        (256,),
        {"x": reals(count), "y": reals(count), "alpha": 2.0, "count": count},
        lambda given: {"y": given.y + 2 * given.x.astype(float)},
        1e-5,
    )
    yield other(
        TEST,
        "softmax",
        "512x3000",
        (512,),
        (128,),
        {"scores": reals((512, 3000)), "out": output((512, 3000)), "columns": 3000},
        lambda given: {"out": (powers := numpy.exp(given.scores.astype(float))) / powers.sum(1, keepdims=True)},
        1e-5,
    )


def heat(given: SimpleNamespace) -> dict[str, Array]:
    """A step of heat flow in float64."""
    after = given.old.astype(float)
    around = after[1:-1, :-2] + after[1:-1, 2:] + after[:-2, 1:-1] + after[2:, 1:-1]
    after[1:-1, 1:-1] += given.rate * (around - 4 * after[1:-1, 1:-1])
    return {"next": after}


def convolved(given: SimpleNamespace) -> dict[str, Array]:
    """In float64."""
    return {"out": numpy.einsum("yxij,ij->yx", windows(given.image.astype(float), 2, "edge"), given.weights)}


def sparse_product(given: SimpleNamespace) -> dict[str, Array]:
    """Differences of running sums."""
    parts = numpy.concatenate([[0.0], (given.values * given.x[given.columns]).cumsum()])
    return {"y": numpy.diff(parts[given.starts])}
