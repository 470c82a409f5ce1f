"""A second test set: kernels of neither other set, chosen and modelled before anybody had measured them."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

from benchmarks.measure.caches.cache_launches.case import KERNELS, LATER, CacheCase, other
from tests.counters.corpus.case import FOLDER, Array, output, reals


def later_cases() -> Iterator[CacheCase]:
    """Products that share rows, columns or both, with and without shared memory, and distances."""
    for m, n, k in ((400, 640, 320), (1000, 300, 700)):
        yield other(
            LATER,
            "product_transposed",
            f"{m}x{n}x{k}",
            (-(-n // 32), -(-m // 8)),
            (32, 8),
            {"A": reals((m, k)), "B": reals((n, k)), "C": output((m, n)), "m": m, "n": n, "k": k},
            lambda given: {"C": given.A.astype(float) @ given.B.T},
            1e-5,
            folder=KERNELS,
        )
    for n, k, block in ((512, 768, (16, 16)), (900, 400, (32, 32))):
        yield other(
            LATER,
            "product_of_columns",
            f"{n}x{n}x{k} by {block[0]}x{block[1]}",
            (-(-n // block[0]), -(-n // block[1])),
            block,
            {"A": reals((k, n)), "C": output((n, n)), "n": n, "k": k},
            lambda given: {"C": given.A.T.astype(float) @ given.A},
            1e-5,
            folder=KERNELS,
        )
    m, n, k = 512, 1024, 512
    yield other(
        LATER,
        "product_two_rows",
        f"{m}x{n}x{k} float64",
        (m // 2 * n // 512,),
        (512,),
        {"A": reals((m, k), float), "B": reals((k, n), float), "C": output((m, n), float), "m": m, "n": n, "k": k},
        lambda given: {"C": given.A @ given.B},
        1e-13,
        folder=KERNELS,
    )
    count, centers, dimensions = 60_000, 100, 24
    yield other(
        LATER,
        "nearest_center",
        f"{count} of {dimensions}, {centers} centers",
        (-(-count // 256),),
        (256,),
        {
            "points": reals((dimensions, count)),
            "centers": reals((centers, dimensions)),
            "nearest": output(count),
            "count": count,
            "centers_count": centers,
            "dimensions": dimensions,
        },
        nearest,
        1e-5,
        folder=KERNELS,
    )
    for size in (512, 1152):
        yield other(
            LATER,
            "sgemm_float4",
            f"{size}",
            (size // 64, size // 64),
            (256,),
            {"A": reals((size, size)), "B": reals((size, size)), "C": output((size, size)), "n": size, "k": size},
            lambda given: {"C": given.A.astype(float) @ given.B},
            1e-5,
        )
    for m, n, k in ((500, 700, 600), (1024, 1024, 512)):
        yield CacheCase(
            "matmul_double_buffer",
            grid=(-(-n // 16), -(-m // 16), 1),
            block=(16, 16, 1),
            arguments={"A": reals((m, k)), "B": reals((k, n)), "C": output((m, n)), "m": m, "n": n, "k": k},
            expected=lambda given: {"C": given.A.astype(float) @ given.B},
            tolerance=1e-5,
            dynamic_shared_bytes=4 * 16 * 16 * 4,
            path=FOLDER / "matmul_double_buffer.cu",
            of_set=LATER,
            title=f"{m}x{n}x{k}",
        )


def nearest(given: SimpleNamespace) -> dict[str, Array]:
    """In float64, by the sums of squares."""
    points, centers = given.points.astype(float), given.centers.astype(float)
    apart = (centers**2).sum(1)[:, None] - 2 * centers @ points + (points**2).sum(0)
    return {"nearest": apart.min(0)}
