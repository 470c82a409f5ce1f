"""A kind of kernel besides products, as data: its arrays, its inputs and what it computes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from .element_types import EXACT, fresh
from .normalised import EXACTLY

Array = NDArray[Any]
Result = Callable[[Array, Array], Array]
Sides = tuple[str, ...]

ALPHA, BETA = 3, 5
"""The values of factors."""
LEAST, LARGEST, MIDDLE = -48, 45, 40
"""The least and the largest number, of different size, and the largest of the others."""
SMALLER = 8
"""What they are divided by where powers of e are taken of them."""


@dataclass(frozen=True)
class Kind:
    """A kind of kernel. said: in words. a, b, c: its arrays' sides, `2*rows` for pairs of rows; none for a number.

    result: C in float64. combine: of the results of the blocks, if each has its own. starts: the operand that C
    holds before the launch, which then is no argument. holds: the operand that C is a copy of before. factors: its
    floating-point arguments, ALPHA and BETA. words: a pattern of what files of that kind say. also: of what they may
    say, and others as well. only: one that the kernel must hold. axis: along which A has its extremes.
    is_natural: whether no number is negative. side_of_bias: of a vector that is added behind, `bias` in `--args`.
    roundings: how often results may have been rounded. scale: what a bound is relative to, beside the result.
    divisor: what the numbers of A are divided by. is_by_rows: whether each row is worked on as a whole. is_by_blocks:
    whether each block has its own part of a vector, as long as `cols` says. is_one_of_many: whether a kernel that is
    nearly one may well be right as another that is not known, as a filter with another border. sign: of a maximum, -1
    of a minimum.
    """

    name: str
    said: str
    a: Sides
    c: Sides
    result: Result
    words: str
    b: Sides = ()
    also: str = ""
    combine: numpy.ufunc | None = None
    starts: str = ""
    holds: str = ""
    factors: int = 0
    only: str = ""
    axis: int = -1
    is_natural: bool = False
    is_one_of_many: bool = False
    sign: int = 0
    side_of_bias: str = ""
    roundings: int = EXACTLY
    scale: float = 0.0
    divisor: int = 1
    is_by_rows: bool = False
    is_by_blocks: bool = False

    @property
    def arrays(self) -> tuple[str, ...]:
        """The arrays that are arguments."""
        return tuple(
            name
            for name in ("A", "B", "C")
            if name != self.starts and (name != "B" or (self.b and not self.is_by_blocks))
        )

    def shape_of(self, name: str) -> Sides:
        """Return the sides of an array."""
        return {"A": self.a, "B": self.b, "C": self.c}[name]

    @property
    def sides(self) -> Sides:
        """The sizes that its arrays have."""
        return tuple(side for side in ("rows", "inner", "cols") if side in self.c or side in " ".join(self.a + self.b))

    @property
    def is_of_lines(self) -> bool:
        """Whether it has a result for each row or each column of A."""
        return len(self.a) == 2 and len(self.c) == 1

    @property
    def loads_again(self) -> bool:
        """Whether a kernel may load each element several times, as for a maximum, a sum and a quotient."""
        return self.is_by_rows or self.is_filter or self.roundings > EXACTLY

    @property
    def is_filter(self) -> bool:
        """Whether B holds what an element's neighbours are multiplied by."""
        return self.name.startswith(("correlate", "convolve"))

    @property
    def family(self) -> tuple[object, ...]:
        """What kinds have in common that one launch can tell apart: inputs, arguments and the shape of C."""
        is_partial, is_of_bytes = self.combine is not None, self.name == "byte_histogram"
        before = self.starts, self.holds
        inputs = self.a, self.b, self.side_of_bias, self.divisor, self.is_by_rows, self.is_by_blocks
        return inputs, self.c, is_partial, before, self.factors, self.only, self.is_natural, is_of_bytes

    def totals(self, a: Array, b: Array) -> Array:
        """Return the sums of the blocks' parts."""
        return numpy.asarray(in_parts(a, b).sum(1))

    def operands(
        self, shapes: Mapping[str, tuple[int, ...]], dtypes: Mapping[str, Any], generator: numpy.random.Generator
    ) -> tuple[Array, Array]:
        """Return A and B of these shapes; B is empty if there is none, and of a histogram as long as C."""
        a_dtype, b_dtype = (dtypes.get(name, dtypes["C"]) for name in "AB")
        if "histogram" in self.name:
            bins = min(
                shapes["C"][0] if self.name != "byte_histogram" else 256, 128 if a_dtype == numpy.int8 else 1 << 15
            )
            if self.factors:
                return generator.integers(ALPHA, ALPHA + BETA * bins, shapes["A"]).astype(a_dtype), numpy.zeros(bins)
            return generator.integers(0, bins, shapes["A"]).astype(a_dtype), numpy.zeros(shapes["C"], b_dtype)
        a = self._numbers(generator, shapes["A"], a_dtype)
        a = numpy.asarray(a / a_dtype.type(self.divisor)) if a_dtype.kind == "f" and self.divisor > 1 else a
        return a, self._numbers(generator, shapes["B"], b_dtype) if self.b else numpy.zeros(0, b_dtype)

    def shifted(self, a: Array, generator: numpy.random.Generator) -> Array:
        """Return A, or as often its values all below 0 for a maximum, and all above for a minimum."""
        if not self.sign or a.dtype.kind == "u" or a.dtype in EXACT or generator.random() < 0.5:
            return a
        return numpy.asarray(a - a.dtype.type(self.sign * (1 - LEAST)))

    @staticmethod
    def quarters(a: Array, b: Array, dtypes: Iterable[Any]) -> tuple[Array, Array]:
        """Return A and B in quarters, whose sums are exact, too: a whole number in between would lose their fractions.

        dtypes: of all arrays. Those of 16 bits hold too few digits for more than whole numbers, integers none.
        """
        if any(dtype in EXACT for dtype in dtypes):
            return a, b
        first, second = (each / each.dtype.type(4) if each.dtype.kind == "f" else each for each in (a, b))
        return numpy.asarray(first), numpy.asarray(second)

    def _numbers(self, generator: numpy.random.Generator, shape: tuple[int, ...], dtype: numpy.dtype[Any]) -> Array:
        if dtype in EXACT or dtype.kind == "b":
            return fresh(generator, shape, dtype, positive=False)
        values = numpy.moveaxis(generator.integers(-MIDDLE, MIDDLE + 1, shape), self.axis, -1)
        if values.size:
            last = values.shape[-1] - 1
            for value in (LEAST, LARGEST):
                at = numpy.where(generator.random(values.shape[:-1]) < 0.5, last, generator.integers(0, last + 1))
                numpy.put_along_axis(values, numpy.asarray(at)[..., None], value, -1)
                last = max(last - 1, 0)
        values = numpy.moveaxis(values, -1, self.axis)
        return (values - LEAST if dtype.kind == "u" or self.is_natural else values).astype(dtype)


def in_parts(a: Array, b: Array) -> Array:
    """Return a vector in rows that are as long as B; behind it are zeros."""
    return numpy.pad(a, (0, -a.size % b.size)).reshape(-1, b.size)
