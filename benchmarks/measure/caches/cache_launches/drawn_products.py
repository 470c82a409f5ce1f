"""Families of drawn products: an element, several or a row per thread or warp, tiles in shared memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy

from benchmarks.measure.caches.cache_launches.case import CacheCase
from benchmarks.measure.caches.cache_launches.drawn_launch import (
    BLOCKS,
    ROWS_OF_THREADS,
    TYPES,
    Launch,
    Macros,
    shape,
    size,
)
from tests.counters.corpus.case import Array, output, reals

MOST_LINES = 1.2e7
"""A launch's lines of 128 bytes asked for, about: what the emulator replays in some seconds."""
FEWEST_LINES = 2e5


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
