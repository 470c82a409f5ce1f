"""The sizes at which a kernel is tried: around multiples of the tile, single rows and columns, and random sizes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy

from tilewright.kernels import find_operation

from .kinds import KINDS, is_of_vectors

FAMILIES: dict[str, tuple[int | None, int | None, int | None]] = {
    "": (0, 1, 2),
    "rows=cols": (0, 1, 0),
    "rows=inner": (0, 0, 1),
    "inner=cols": (0, 1, 1),
    "rows=inner=cols": (0, 0, 0),
    "cols=1": (0, 1, None),
    "rows=1": (None, 1, 2),
}
"""Families: which sizes of a kernel are equal. A kernel with a single width, for example, multiplies only squares.

None: the size is 1, as for a matrix times a vector."""


@dataclass(frozen=True, order=True)
class Sizes:
    """A is rows x inner and B is inner x cols; for the dot product, rows and cols are 1 and inner is the length.

    batch: how many products there are. of_a, of_b: how many matrices A and B there are for them, that many or one.
    """

    rows: int
    inner: int
    cols: int
    batch: int = 1
    of_a: int = 1
    of_b: int = 1

    def said(self, operation: str) -> str:
        """Return the sizes in words, as in "33 x 47 times 47 x 31"."""
        if operation in KINDS:
            return " x ".join(str(size) for size in self.named(operation).values())
        if operation == "dot":
            return f"{self.inner} elements"
        return f"{self.rows} x {self.inner} times {self.inner} x {self.cols}"

    def values(self) -> dict[str, int]:
        """Return the sizes by the names that formulas use."""
        return {"rows": self.rows, "inner": self.inner, "cols": self.cols, "batch": self.batch}

    def named(self, operation: str) -> dict[str, int]:
        """Return the sizes that the operation has, by name: the length alone for the dot product."""
        if operation in KINDS:
            return {side: self.values()[side] for side in KINDS[operation].sides}
        if operation == "dot":
            return {"inner": self.inner}
        return {name: size for name, size in self.values().items() if name != "batch" or size > 1}

    def ab_shapes(self, operation: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the shapes of A and of B; B has no elements if the operation has none."""
        if operation in KINDS:
            kind = KINDS[operation]
            return self._shape(kind.a), self._shape(kind.b) if kind.b else (0,)
        about = find_operation(operation)
        a, b = about.a_shape(self.rows, self.inner), about.b_shape(self.inner, self.cols)
        return _many(self.of_a, a), _many(self.of_b, b)

    def c_shape(self, operation: str) -> tuple[int, ...]:
        """Return the shape of C, `()` for a single number."""
        if operation in KINDS:
            return self._shape(KINDS[operation].c)
        return _many(self.batch, find_operation(operation).c_shape(self.rows, self.cols))

    def of_family(self, family: str) -> Sizes:
        """Return the sizes with the family's equalities; the first size of each group is kept."""
        given = (self.rows, self.inner, self.cols)
        side, _, number = family.partition("=")
        if number.isdigit() and family not in FAMILIES:
            return replace(self, **{side: int(number)})
        return Sizes(*(1 if index is None else given[index] for index in FAMILIES[family]))

    def of_operation(self, operation: str) -> Sizes:
        """Return sizes that the operation takes: even ones for reduced_matmul, only a length for dot."""
        if operation in KINDS:
            return Sizes(**{"rows": 1, "inner": 1, "cols": 1} | self.named(operation))
        if operation == "dot":
            return Sizes(1, self.inner, 1)
        if operation == "reduced_matmul":
            return Sizes(_even(self.rows), self.inner, _even(self.cols))
        return self

    def _shape(self, sides: Iterable[str]) -> tuple[int, ...]:
        return tuple(self.values()[side.removeprefix("2*")] * (1 + side.startswith("2*")) for side in sides)


def row_group(operation: str) -> int:
    """Return how many rows of A meet in an element of C: 2 for reduced_matmul."""
    return 1 if operation in KINDS else find_operation(operation).row_group


def _many(count: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape if count == 1 else (count, *shape)


def trial_sizes(operation: str, family: str, unit: int) -> Sizes:
    """Return multiples of the tile (so that no edge is partial) whose pairwise products all differ."""
    factor = row_group(operation)
    return Sizes(2 * unit * factor, 3 * unit, unit * factor).of_family(family).of_operation(operation)


def fewer_rows(operation: str, family: str, unit: int) -> Sizes:
    """Return the trial's sizes with fewer rows than columns: where one stands for the other, this shows it."""
    sizes = trial_sizes(operation, family, unit)
    return sizes if family or operation == "dot" else Sizes(sizes.cols, sizes.inner, sizes.rows)


def least_inner(operation: str, family: str, unit: int) -> Sizes:
    """Return the trial's sizes with the inner one as the least."""
    if family or operation == "dot":
        return trial_sizes(operation, family, unit)
    factor = row_group(operation)
    return Sizes(3 * unit * factor, unit, 2 * unit * factor)


def uneven_sizes(operation: str, family: str, unit: int) -> Sizes:
    """Return different sizes that are not multiples of the tile."""
    if operation == "dot":
        return Sizes(1, 2 * unit + 3, 1)
    factor = row_group(operation)
    return Sizes(factor * (unit + 3), 2 * unit + 1, factor * (2 * unit - 1)).of_family(family).of_operation(operation)


def tested_sizes(operation: str, family: str, unit: int, seed: int, multiples: int | None) -> list[Sizes]:
    """Return the sizes to test, the easiest first: whole tiles, then one more or less, then odd sizes.

    unit: the tile, or a stand-in for it. multiples: the kernel promises only multiples of it; None for any size. The
    last two sizes are random, from the seed.
    """
    generator = numpy.random.default_rng(seed)
    factor = row_group(operation)
    if multiples is not None and multiples >= unit:
        drawn = [int(count) for count in generator.integers(1, 5, 3)]
        whole = [[1, 1, 1], [2, 3, 1], [1, 2, 3], [3, 1, 2], drawn]
        sizes = [Sizes(*(count * multiples for count in counts)) for counts in whole]
        if operation != "dot":
            sizes = [Sizes(factor * s.rows, s.inner, factor * s.cols) for s in sizes]
        return _distinct(s.of_family(family).of_operation(operation) for s in sizes)
    t = max(2, unit)
    given = [
        (t, t, t),
        (2 * t, 3 * t, t),
        (t + 1, t, t - 1),
        (t - 1, t + 1, t),
        (t, t - 1, t + 1),
        (1, 1, 1),
        (1, 2 * t + 5, 3),
        (37, 1, 41),
        (53, 61, 47),
    ]
    for _ in range(2):
        rows, inner, cols = (int(size) for size in generator.integers(t + 2, 3 * t + 16, 3))
        given.append((rows, inner, cols))
    is_of_one_size = operation == "dot" or (operation in KINDS and len(KINDS[operation].sides) == 1)
    if is_of_one_size or (family and is_of_vectors(operation)):
        lengths = (Sizes(1, _up(inner, multiples), 1) for inner in _lengths(t, generator))
        return _distinct(sizes.of_family(family) for sizes in lengths)
    given = [(_up(rows, multiples), _up(inner, multiples), _up(cols, multiples)) for rows, inner, cols in given]
    scaled = [Sizes(factor * rows, inner, factor * cols) for rows, inner, cols in given]
    return _distinct(s.of_family(family).of_operation(operation) for s in scaled)


def looped_sizes(operation: str, family: str, unit: int) -> list[Sizes]:
    """Return sizes with many tiles and little work in each, for those that loop over the tiles, of products alone."""
    if operation in ("dot", *KINDS):
        return []
    factor, t = row_group(operation), max(2, unit)
    sizes = Sizes(factor * (3 * t + 5), max(3, t // 2), factor * (2 * t + 3))
    return [sizes.of_family(family).of_operation(operation)]


def long_sizes(operation: str, family: str, threads: int, multiples: int | None) -> list[Sizes]:
    """Return sizes with more elements in a row than a block has threads, for those that share a row among these."""
    if operation in ("dot", *KINDS) or "inner" in family:
        return []
    few, factor = multiples or 3, row_group(operation)
    sizes = Sizes(factor * few, _up(2 * threads + 37, multiples), factor * few)
    return [sizes.of_family(family).of_operation(operation)]


def _lengths(t: int, generator: numpy.random.Generator) -> list[int]:
    return [t, t - 1, t + 1, 1, 2 * t, 3 * t + 7, 997, *(int(size) for size in generator.integers(t + 2, 5 * t, 2))]


def _up(size: int, multiples: int | None) -> int:
    """Return the next multiple."""
    return size if multiples is None else -(-size // multiples) * multiples


def _distinct(sizes: Iterable[Sizes]) -> list[Sizes]:
    return list(dict.fromkeys(sizes))


def _even(size: int) -> int:
    return size + size % 2
