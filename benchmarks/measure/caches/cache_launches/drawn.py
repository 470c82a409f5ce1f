"""Launches drawn at random: the seed of each set was written down before one of its launches was measured.

Products of matrices in many styles, stencils, gathers and strides, with random blocks, tiles, types, sizes, leading
dimensions and distances of reuse. The model and its intervals are fitted to all sets but the last, which says how
good they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from math import ceil, exp, log
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy

from benchmarks.measure.caches.cache_launches.case import DRAWN, DRAWN_SECOND, HELD_BACK, KERNELS, CacheCase
from tests.counters.corpus.case import Array, integers, output, reals, zeros
from tests.counters.corpus.neighbors import windows

DRAWS = ((DRAWN, 20261122, 240), (DRAWN_SECOND, 20261123, 120), (HELD_BACK, 20261201, 160))
"""Sets, their seeds, and how many launches each has. A set is held back until the next one is drawn."""
REPEATS = 2
TYPES = {"float": "f4", "double": "f8", "half": "f2"}
TOLERANCES = {"float": 1e-5, "double": 1e-13, "half": 2e-3}
BLOCKS = ((8, 8), (16, 8), (8, 16), (16, 16), (32, 4), (32, 8), (32, 16), (32, 32), (64, 4), (12, 12), (4, 32), (64, 1))
ROWS_OF_THREADS = ((32, 1), (64, 1), (128, 1), (256, 1), (512, 1))
MOST_LINES = 1.2e7
"""A launch's lines of 128 bytes asked for, about: what the emulator replays in some seconds."""
FEWEST_LINES = 2e5
FLAGS = ("A_TRANSPOSED", "B_TRANSPOSED", "X_IS_ROW", "SPREAD", "BOX")
Macros = dict[str, str]


@dataclass(frozen=True, eq=False)
class DrawnCase(CacheCase):
    """A kernel behind the prelude that all drawn kernels share."""

    @property
    def source_text(self) -> str:
        """The prelude and the kernel's file."""
        return (KERNELS / "drawn_numbers.cuh").read_text(encoding="utf-8") + super().source_text


@cache
def drawn_cases() -> tuple[CacheCase, ...]:
    """All drawn launches, in the order of the draw, those held back last."""
    cases: list[CacheCase] = []
    for of_set, seed, count in DRAWS:
        chosen = Random(seed)  # noqa: S311
        cases += [drawn(chosen, number, of_set) for number in range(len(cases), len(cases) + count)]
    return tuple(cases)


def drawn(chosen: Random, number: int, of_set: str) -> CacheCase:
    """One launch of a family drawn by its weight."""
    family = chosen.choices(list(FAMILIES), list(FAMILIES.values()))[0]
    return family(chosen, Launch(number, of_set, chosen.choices(tuple(TYPES), (6, 2, 2))[0]))


@dataclass(frozen=True)
class Launch:
    """What every family is told: the number of the draw, the set and the type of the elements."""

    number: int
    of_set: str
    kind: str

    def case(
        self,
        name: str,
        file: str,
        title: str,
        grid: tuple[int, int, int],
        block: tuple[int, int],
        macros: Mapping[str, str],
        arguments: Mapping[str, Any],
        expected: Callable[[SimpleNamespace], Mapping[str, Array]],
    ) -> CacheCase:
        """The launch itself."""
        of_type = {} if self.kind == "float" else {self.kind.upper(): "1"}
        told = {key: value for key, value in macros.items() if not key.startswith(("FAMILY", "BX", "BY"))}
        said = " ".join(key.lower() if key in FLAGS else f"{key}={value}" for key, value in told.items())
        return DrawnCase(
            name,
            grid=grid,
            block=(*block, 1),
            arguments=arguments,
            expected=expected,
            tolerance=TOLERANCES[self.kind],
            path=KERNELS / file,
            macros={**macros, **of_type},
            of_set=self.of_set,
            title=f"{self.number}: {title} {self.kind} by {block[0]}x{block[1]} {said}".strip(),
            repeats=REPEATS,
        )


@dataclass(frozen=True)
class Operands:
    """Sizes of a product, and how its operands lie in memory."""

    m: int
    n: int
    k: int
    a_transposed: bool
    b_transposed: bool
    padding: int

    @property
    def macros(self) -> Macros:
        """Which operands are transposed."""
        named = {"A_TRANSPOSED": self.a_transposed, "B_TRANSPOSED": self.b_transposed}
        return {name: "1" for name, holds in named.items() if holds}

    @property
    def title(self) -> str:
        """Sizes and padding of the rows."""
        return f"{self.m}x{self.n}x{self.k}" + (f" pad {self.padding}" if self.padding else "")

    def arguments(self, dtype: str, rows: int, columns: int) -> dict[str, Any]:
        """A, B, a C of rows x columns, the sizes and the leading dimensions."""
        a = (self.k, self.m + self.padding) if self.a_transposed else (self.m, self.k + self.padding)
        b = (self.n, self.k + self.padding) if self.b_transposed else (self.k, self.n + self.padding)
        return {
            "A": reals(a, dtype),
            "B": reals(b, dtype),
            "C": output((rows, columns), dtype),
            "m": self.m,
            "n": self.n,
            "k": self.k,
            "lda": a[1],
            "ldb": b[1],
            "ldc": columns,
        }

    def read(self, given: SimpleNamespace) -> tuple[Array, Array]:
        """A and B in float64, as m x k and k x n."""
        a, b = given.A.astype(float), given.B.astype(float)
        a = a.T[: self.m] if self.a_transposed else a
        b = b.T if self.b_transposed else b
        return a[:, : self.k], b[: self.k, : self.n]


def size(chosen: Random, low: int = 64, high: int = 1200) -> int:
    """A size, small ones as likely as large ones: half of them whole warps."""
    number = round(exp(chosen.uniform(log(low), log(high))))
    return max(32 * round(number / 32), 32) if chosen.random() < 0.5 else number


def operands(chosen: Random, lines: Callable[[Operands], float], transposed: float = 0.25, whole: int = 1) -> Operands:
    """Sizes and layout, drawn until the launch asks for no more lines than is replayed soon."""
    while True:
        m, n, k = (-(-size(chosen) // whole) * whole for _ in range(3))
        padding = chosen.choice((0, 0, 0, 1, 8, 13, 32)) // whole * whole
        asked = Operands(m, n, k, chosen.random() < transposed, chosen.random() < transposed, padding)
        if FEWEST_LINES < lines(asked) < MOST_LINES:
            return asked


def product(asked: Operands, parts: int = 1) -> Callable[[SimpleNamespace], dict[str, Array]]:
    """The product, in slices where the sum is split."""

    def expected(given: SimpleNamespace) -> dict[str, Array]:
        a, b = asked.read(given)
        step = ceil(asked.k / parts)
        slices = [a[:, first : first + step] @ b[first : first + step] for first in range(0, parts * step, step)]
        return {"C": numpy.concatenate(slices)}

    return expected


def plain_lines(asked: Operands, block: tuple[int, int], outputs: float = 1.0, *, x_is_row: bool = False) -> float:
    """Lines that a product without shared memory asks for, about, by how a warp lies over rows and columns."""
    across = min(block[0], 32)
    down = 32 // across
    rows, columns = (across, down) if x_is_row else (down, across)
    of_a = ceil(rows / 16) if asked.a_transposed else rows
    of_b = columns if asked.b_transposed else ceil(columns / 16)
    return asked.m * asked.n * asked.k / 32 * (of_a + of_b) * outputs


def naive(chosen: Random, launch: Launch) -> CacheCase:
    """An element per thread."""
    block = chosen.choice(BLOCKS)
    x_is_row = chosen.random() < 0.2
    parts = chosen.choice((1, 1, 1, 1, 2, 5))
    asked = operands(chosen, lambda sizes: plain_lines(sizes, block, x_is_row=x_is_row))
    across, down = (asked.m, asked.n) if x_is_row else (asked.n, asked.m)
    return launch.case(
        "drawn_naive",
        "drawn_products.cu",
        f"{asked.title} in {parts}",
        (ceil(across / block[0]), ceil(down / block[1]), parts),
        block,
        {"FAMILY_NAIVE": "1", **shape(block), **({"X_IS_ROW": "1"} if x_is_row else {}), **asked.macros},
        asked.arguments(TYPES[launch.kind], parts * asked.m, asked.n),
        product(asked, parts),
    )


def outputs(chosen: Random, launch: Launch) -> CacheCase:
    """Several elements per thread."""
    block, r, s = chosen.choice(BLOCKS), chosen.choice((1, 2, 4)), chosen.choice((1, 2, 4))
    asked = operands(chosen, lambda sizes: plain_lines(sizes, block, (1 / r + 1 / s) / 2))
    spread = {"SPREAD": "1"} if chosen.random() < 0.5 else {}
    return launch.case(
        "drawn_outputs",
        "drawn_products.cu",
        asked.title,
        (ceil(asked.n / (block[0] * s)), ceil(asked.m / (block[1] * r)), 1),
        block,
        {"FAMILY_OUTPUTS": "1", **shape(block), "R": str(r), "S": str(s), **spread, **asked.macros},
        asked.arguments(TYPES[launch.kind], asked.m, asked.n),
        product(asked),
    )


def warp_rows(chosen: Random, launch: Launch) -> CacheCase:
    """A warp per row of C."""
    block = chosen.choice(ROWS_OF_THREADS)
    asked = operands(chosen, lambda sizes: plain_lines(sizes, (32, 1)))
    return launch.case(
        "drawn_warp_rows",
        "drawn_products.cu",
        asked.title,
        (ceil(asked.m * 32 / block[0]), 1, 1),
        block,
        {"FAMILY_WARP_ROWS": "1", **shape(block), **asked.macros},
        asked.arguments(TYPES[launch.kind], asked.m, asked.n),
        product(asked),
    )


def warp_elements(chosen: Random, launch: Launch) -> CacheCase:
    """A warp per element of C."""
    block = chosen.choice(ROWS_OF_THREADS)

    def lines(sizes: Operands) -> float:
        of_a, of_b = 32 if sizes.a_transposed else 1, 1 if sizes.b_transposed else 32
        return sizes.m * sizes.n * sizes.k / 32 * (of_a + of_b)

    asked = operands(chosen, lines, transposed=0.6)
    return launch.case(
        "drawn_warp_elements",
        "drawn_products.cu",
        asked.title,
        (ceil(asked.m * 32 / block[0]), asked.n, 1),
        block,
        {"FAMILY_WARP_ELEMENTS": "1", **shape(block), **asked.macros},
        asked.arguments(TYPES[launch.kind], asked.m, asked.n),
        product(asked),
    )


def reduced(chosen: Random, launch: Launch) -> CacheCase:
    """The reduced product, an element per thread."""
    block = chosen.choice(BLOCKS)
    asked = operands(chosen, lambda sizes: plain_lines(sizes, block, 0.6), whole=2)

    def expected(given: SimpleNamespace) -> dict[str, Array]:
        a, b = asked.read(given)
        return {"C": (a[0::2] + a[1::2]) @ (b[:, 0::2] + b[:, 1::2])}

    return launch.case(
        "drawn_reduced",
        "drawn_products.cu",
        asked.title,
        (ceil(asked.n / 2 / block[0]), ceil(asked.m / 2 / block[1]), 1),
        block,
        {"FAMILY_REDUCED": "1", **shape(block), **asked.macros},
        asked.arguments(TYPES[launch.kind], asked.m // 2, asked.n // 2),
        expected,
    )


def columns(chosen: Random, launch: Launch) -> CacheCase:
    """Products of a matrix' columns with each other."""
    block = chosen.choice(BLOCKS)
    asked = operands(chosen, lambda sizes: plain_lines(sizes, block) * sizes.n / sizes.m, transposed=0)

    def expected(given: SimpleNamespace) -> dict[str, Array]:
        _, b = asked.read(given)
        return {"C": b.T @ b}

    return launch.case(
        "drawn_columns",
        "drawn_products.cu",
        asked.title,
        (ceil(asked.n / block[0]), ceil(asked.n / block[1]), 1),
        block,
        {"FAMILY_COLUMNS": "1", **shape(block)},
        asked.arguments(TYPES[launch.kind], asked.n, asked.n),
        expected,
    )


def tiles(chosen: Random, launch: Launch) -> CacheCase:
    """Tiles in shared memory: an element per thread or several, one buffer or two, loads of one number or a vector."""
    per_thread = chosen.choice(((1, 1), (1, 1), (1, 1), (2, 2), (4, 4), (4, 2), (8, 4), (8, 8), (1, 4)))
    across, down = chosen.choice(((8, 8), (16, 8), (16, 16), (16, 16), (32, 8), (32, 16), (32, 32), (64, 4), (12, 12)))
    r, s = per_thread
    vector = chosen.choice((1, 1, 2, 4))
    step = chosen.choice((4, 8, 8, 16, 16, 24, 32))
    high, wide, buffers = down * r, across * s, chosen.choice((1, 1, 1, 2))
    padding = chosen.choice((0, 1))
    bytes_each = numpy.dtype(TYPES[launch.kind]).itemsize
    shared = buffers * (high * (step + padding) + step * wide) * bytes_each
    if shared > 40 << 10 or across * down * r * s > 128 * 128 or high % vector or wide % vector:
        return tiles(chosen, launch)

    def lines(sizes: Operands) -> float:
        products = sizes.m * sizes.n * sizes.k
        return max(products / min(step, 16) * (1 / high + 1 / wide), products / 50)

    asked = operands(chosen, lines, transposed=0.2, whole=vector)
    return launch.case(
        "drawn_tiles",
        "drawn_tiles.cu",
        asked.title,
        (ceil(asked.n / wide), ceil(asked.m / high), 1),
        (across, down),
        {
            "TM": str(high),
            "TN": str(wide),
            "TK": str(step),
            "R": str(r),
            "S": str(s),
            "PAD": str(padding),
            "BUFFERS": str(buffers),
            "VECTOR": str(vector),
            **asked.macros,
        },
        asked.arguments(TYPES[launch.kind], asked.m, asked.n),
        product(asked),
    )


def stencil(chosen: Random, launch: Launch) -> CacheCase:
    """The sum of an element's neighbors."""
    block, radius = chosen.choice(BLOCKS), chosen.choice((1, 2, 3))
    height, width, padding = size(chosen, 200), size(chosen, 200), chosen.choice((0, 0, 1, 13, 32))
    box = chosen.random() < 0.4

    def expected(given: SimpleNamespace) -> dict[str, Array]:
        source, sums = given.source.astype(float), numpy.zeros(given.source.shape)
        inner = (slice(radius, -radius), slice(radius, width - radius))
        around = windows(source[:, :width], radius, "edge")[inner]
        weights = numpy.ones((2 * radius + 1,) * 2)
        if not box:
            weights[:], weights[radius], weights[:, radius] = 0, 1, 1
        sums[inner] = numpy.einsum("yxij,ij->yx", around, weights)
        return {"target": sums}

    shape_of_all = (height, width + padding)
    return launch.case(
        "drawn_stencil",
        "drawn_others.cu",
        f"{height}x{width} of {width + padding}",
        (ceil(width / block[0]), ceil(height / block[1]), 1),
        block,
        {"FAMILY_STENCIL": "1", **shape(block), "RADIUS": str(radius), **({"BOX": "1"} if box else {})},
        {
            "source": reals(shape_of_all, TYPES[launch.kind]),
            "target": zeros(shape_of_all, TYPES[launch.kind]),
            "height": height,
            "width": width,
            "pitch": width + padding,
        },
        expected,
    )


def gather(chosen: Random, launch: Launch) -> CacheCase:
    """Sums of elements named by a list of places, anywhere or near the thread's own."""
    block, reads = chosen.choice(ROWS_OF_THREADS), chosen.choice((1, 4, 16))
    count, held = round(exp(chosen.uniform(log(1e4), log(2e5)))), round(exp(chosen.uniform(log(1e3), log(1e6))))
    window = chosen.choice((0, 64, 1024))

    def places(bits: numpy.random.PCG64) -> Array:
        if window:
            own = numpy.arange(count) * held // count
            return ((own + integers(0, window, (reads, count))(bits)) % held).astype("i4")
        return integers(0, held, (reads, count))(bits)

    return launch.case(
        "drawn_gather",
        "drawn_others.cu",
        f"{count} of {held}, window {window}",
        (ceil(count / block[0]), 1, 1),
        block,
        {"FAMILY_GATHER": "1", "BX": str(block[0]), "READS": str(reads)},
        {
            "source": reals(held, TYPES[launch.kind]),
            "places": places,
            "target": output(count, TYPES[launch.kind]),
            "count": count,
        },
        lambda given: {"target": given.source.astype(float)[given.places].sum(0)},
    )


def strides(chosen: Random, launch: Launch) -> CacheCase:
    """Sums of elements a distance apart, from places a stride apart."""
    block, reads = chosen.choice(ROWS_OF_THREADS), chosen.choice((2, 8, 32))
    count, held = round(exp(chosen.uniform(log(1e4), log(1e5)))), round(exp(chosen.uniform(log(1e4), log(2e6))))
    stride, distance = chosen.choice((1, 1, 2, 3, 5, 16, 33)), chosen.choice((1, 7, 32, 300, 4096, 20_000))

    def expected(given: SimpleNamespace) -> dict[str, Array]:
        first = numpy.arange(count) * stride
        source = given.source.astype(float)
        return {"target": sum((source[(first + read * distance) % held] for read in range(reads)), numpy.zeros(count))}

    return launch.case(
        "drawn_strides",
        "drawn_others.cu",
        f"{count} of {held}, stride {stride}, distance {distance}",
        (ceil(count / block[0]), 1, 1),
        block,
        {"FAMILY_STRIDES": "1", "BX": str(block[0]), "READS": str(reads)},
        {
            "source": reals(held, TYPES[launch.kind]),
            "target": output(count, TYPES[launch.kind]),
            "count": count,
            "size": held,
            "stride": stride,
            "distance": distance,
        },
        expected,
    )


def shape(block: tuple[int, int]) -> Macros:
    """The block as macros."""
    return {"BX": str(block[0]), "BY": str(block[1])}


FAMILIES: dict[Callable[[Random, Launch], CacheCase], int] = {
    naive: 18,
    outputs: 12,
    tiles: 32,
    warp_rows: 8,
    warp_elements: 5,
    reduced: 6,
    columns: 6,
    stencil: 5,
    gather: 4,
    strides: 4,
}
