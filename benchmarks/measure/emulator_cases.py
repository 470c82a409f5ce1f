"""The six kernels that the emulator's speed is measured on, with their inputs and NumPy's answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from benchmarks.kernel_run import Launch, normal, reference
from tilewright.compile import compile_kernel, compile_source
from tilewright.kernels.catalogue import find_taught

Array = NDArray[Any]
Extent = tuple[int, int, int]

ARCHITECTURE = "compute_90"
PRODUCT = (("matmul/naive", 16, 512), ("matmul/tiled", 16, 512), ("reduced_matmul/tiled", 16, 768))
VECTOR = 2**22
STARTS = 2**19
VALUES = 2**23


@dataclass(frozen=True)
class Case:
    """One kernel ready to emulate: arguments are arrays (the last of them is the output) and integers."""

    name: str
    size: str
    ptx: str
    entry: str
    grid: Extent
    block: Extent
    arrays: tuple[Array, ...]
    integers: tuple[int, ...]
    is_right: Callable[[Array], bool]


def cases() -> list[Case]:
    """The six cases."""
    rng = numpy.random.default_rng()
    products = [catalogue_case(Launch(name, "float32", tile, n, n, n), rng) for name, tile, n in PRODUCT]
    dot = catalogue_case(Launch("dot/tiled", "float32", 1024, 1, 1, VECTOR), rng)
    return [*products, dot, divergent(rng), histogram(rng)]


def product_case(n: int) -> Case:
    """The tiled product of n x n matrices with tile 16."""
    return catalogue_case(Launch("matmul/tiled", "float32", 16, n, n, n), numpy.random.default_rng())


def catalogue_case(launch: Launch, rng: numpy.random.Generator) -> Case:
    """A kernel of the catalogue; right is within the derived bound of float64."""
    kernel = find_taught(*launch.kernel.split("/"))
    vectors = launch.operation == "dot"
    a = normal(rng, (launch.k,) if vectors else (launch.m, launch.k), launch.dtype)
    b = normal(rng, (launch.k,) if vectors else (launch.k, launch.n), launch.dtype)
    sizes = (launch.m, launch.n, launch.k)
    c = numpy.full(kernel.c_elements(*sizes, launch.tile), numpy.nan, launch.dtype)
    ptx = compile_kernel(kernel, launch.dtype, launch.tile, architecture=ARCHITECTURE).ptx
    assert ptx is not None
    expected, bound = reference(launch, a, b, numpy.arange(launch.c_rows))

    def is_right(got: Array) -> bool:
        c = got.sum(keepdims=True) if vectors else got
        return bool((numpy.abs(c.reshape(expected.shape) - expected) <= bound).all())

    return Case(
        name=f"{launch.kernel}, tile {launch.tile}",
        size=f"{launch.k:,}" if vectors else f"{launch.n}^3",
        ptx=ptx,
        entry=kernel.entry,
        grid=kernel.grid(*sizes, launch.tile),
        block=kernel.block(launch.tile),
        arrays=(a, b, c),
        integers=(launch.k,) if vectors else sizes,
        is_right=is_right,
    )


def divergent(rng: numpy.random.Generator) -> Case:
    """Collatz steps of random numbers, compared with the same steps in NumPy."""
    starts = rng.integers(1, 2**16, STARTS, dtype=numpy.uint32)
    steps = numpy.zeros(STARTS, numpy.uint32)
    values = starts.copy()
    while (walking := values != 1).any():
        values = numpy.where(walking, numpy.where(values & 1, 3 * values + 1, values // 2), 1).astype(numpy.uint32)
        steps += walking
    return own_case("divergent", f"{STARTS:,}", starts, steps, -(-STARTS // 256))


def histogram(rng: numpy.random.Generator) -> Case:
    """Counts of random bytes, compared with NumPy's."""
    values = rng.integers(0, 256, VALUES, dtype=numpy.uint32)
    return own_case("histogram", f"{VALUES:,}", values, numpy.bincount(values, minlength=256).astype(numpy.uint32), 64)


def own_case(entry: str, size: str, values: Array, expected: Array, blocks: int) -> Case:
    """A kernel of benchmarks/kernels on one input array; its output starts at zero."""
    path = Path(__file__).parents[1] / "kernels" / f"{entry}.cu"
    ptx = compile_source(path.read_text(encoding="utf-8"), path.name, architecture=ARCHITECTURE)
    assert isinstance(ptx, str)
    return Case(
        name=entry,
        size=size,
        ptx=ptx,
        entry=entry,
        grid=(blocks, 1, 1),
        block=(256, 1, 1),
        arrays=(values, numpy.zeros_like(expected)),
        integers=(len(values),),
        is_right=lambda got: bool((got == expected).all()),
    )
