"""The subject of a trace: a compiled kernel with a small problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import isqrt
from typing import Any

import numpy

from tilewright.choose.printable import PrintableError
from tilewright.emulate.machine.module import LoadedModule
from tilewright.emulate.observers.finding import Place
from tilewright.kernels import find_operation
from tilewright.lab.check.element_types import EXACT, as_type, unset
from tilewright.lab.check.find.products import c_elements
from tilewright.lab.check.run.execution import Argument, Array, Geometry, Pointer, Stand
from tilewright.lab.check.sizes import Sizes

LARGEST_VALUE = 9
"""A and B hold whole numbers from 1 to this one, which are short to read and have exact sums."""
LARGEST_HALF = 3
"""The same limit for 16-bit types, which hold fewer numbers exactly."""
MOST_CELLS = 24_000
"""The most elements of A, B and C together; more cannot be drawn at once."""


@dataclass(frozen=True)
class Listing:
    """Several files as one text. file: the first one's name. headers: the line before the first one of each other."""

    file: str
    text: str
    headers: Mapping[str, int] = field(default_factory=dict)

    def line(self, place: Place | None) -> int | None:
        """Return the listing's line for a place in a file; None if it is not shown."""
        name, line = place or (None, None)
        if line is None or name in (None, self.file):
            return line
        return None if name not in self.headers else self.headers[name] + line


def line_said(document: Mapping[str, Any], line: int | None) -> str:
    """Return a listing's line in words, with its number in its own file, as in "line 7 of tiles.cuh"."""
    if line is None:
        return "a line that is not shown"
    headers: Mapping[str, int] = document["kernel"].get("headers") or {}
    before, name = max(((at, name) for name, at in headers.items() if at < line), default=(0, ""))
    return f"line {line - before} of {name}" if name else f"line {line}"


def listing_of(file: str, text: str, module: LoadedModule, text_of: Callable[[str], str | None]) -> Listing:
    """Return the listing of a compiled file. text_of: returns an included file's text, or None to leave it out."""
    used = {module.source_files.get(number) for number, _ in module.code.lines}
    lines, headers = text.rstrip("\n").split("\n"), {}
    for name in sorted(name for name in used if name and name != file):
        header = text_of(name)
        if header is not None:
            lines += ["", f"// {name}"]
            headers[name] = len(lines)
            lines += header.rstrip("\n").split("\n")
    return Listing(file, "\n".join(lines) + "\n" if headers else text, headers)


class TraceError(PrintableError):
    """Nothing can be recorded; the message says what was given and what is accepted."""


@dataclass(frozen=True)
class Product:
    """The product of a subject. a, b: the contents of A and B."""

    sizes: Sizes
    a: Array
    b: Array


@dataclass(frozen=True)
class Subject:
    """A compiled kernel and its launch.

    name: in the catalogue or the user's file. listing: the text whose lines the steps name. operation: empty for a
    kernel that is not a product. budget: warp instructions after which the launch counts as endless. tile: None if the
    kernel has none. product: for a product. scalars, expected: for other kernels, by parameter name. compared: of a
    user's kernel whose operation was found, which elements of what C's array holds are right.
    """

    name: str
    listing: Listing
    operation: str
    stand: Stand
    arguments: tuple[Argument, ...]
    geometry: Geometry
    budget: int
    tile: int | None = None
    product: Product | None = None
    scalars: Mapping[str, int | float] = field(default_factory=dict)
    expected: Mapping[str, Array] = field(default_factory=dict)
    compared: Callable[[Array], Array] | None = None
    notes: tuple[str, ...] = ()

    @property
    def problem_said(self) -> str:
        """The problem in words."""
        if self.product is not None:
            return self.product.sizes.said(self.operation)
        return ", ".join(f"{name} = {value}" for name, value in self.scalars.items())


def with_operands(subject: Subject, a: Array, b: Array) -> Subject:
    """Return a product of the catalogue with other A and B, of the same shapes and types."""
    assert subject.product is not None
    arguments = (Pointer("A", a), Pointer("B", b), *subject.arguments[2:])
    return replace(subject, arguments=arguments, product=replace(subject.product, a=a, b=b))


def check_extent(operation: str, sizes: Sizes) -> None:
    """Raise TraceError for matrices too large to be drawn."""
    cells = sum(int(numpy.prod(shape)) for shape in (*sizes.ab_shapes(operation), sizes.c_shape(operation)))
    if cells > MOST_CELLS:
        raise TraceError(
            f"A, B and C have {cells:,} elements together at {sizes.said(operation)}; a trace takes at most "
            f"{MOST_CELLS:,}, so that each can be seen: give a smaller --size."
        )


def small_numbers(shape: tuple[int, ...], dtype: numpy.dtype[Any], largest: int, generator: Any) -> Array:
    """Return whole numbers from 1 to the largest."""
    return as_type(generator.integers(1, largest + 1, shape), dtype)


def largest_number(dtype: numpy.dtype[Any], inner: int) -> int:
    """Return the largest number for A and B with which sums of `inner` products are exact in a type."""
    if dtype not in EXACT:
        return LARGEST_VALUE
    return min(LARGEST_HALF, max(1, isqrt(EXACT[dtype] // max(1, inner))))


def operands(
    operation: str, sizes: Sizes, dtypes: dict[str, numpy.dtype[numpy.generic]], geometry: Geometry, seed: int
) -> tuple[Array, Array, Array]:
    """Return A and B with small whole numbers, and an unset C."""
    about, generator = find_operation(operation), numpy.random.default_rng(seed)
    m, n, k = sizes.rows, sizes.cols, sizes.inner
    largest = min(largest_number(dtype, k) for dtype in dtypes.values())
    a = small_numbers(about.a_shape(m, k), dtypes["A"], largest, generator)
    b = small_numbers(about.b_shape(k, n), dtypes["B"], largest, generator)
    count = c_elements(operation, sizes, int(numpy.prod(geometry.grid)))
    c = unset(count, dtypes["C"]).reshape(about.c_shape(m, n) or (count,))
    return a, b, c
