"""Random products in 16-bit types as data: shapes, strides, offsets, layouts, batches and epilogues."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from random import Random

from tilewright.kernels.operand import DTYPE_BYTES, Operand
from tilewright.kernels.problem import ACTIVATIONS, INPUT_DTYPES, Epilogue, Problem

EDGES = (1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 384, 511, 513)
MOST_ELEMENTS = 400_000
MOST_PRODUCTS = 60_000_000
TALL = 0.06
"""The share of cases with a tall A of odd rows, of 4 MiB or more, in variants whose A and B are row-major."""
LEAST_TALL_ELEMENTS = 2**21
IN_PLACE = 0.25
"""The share of cases with a C operand where that is C itself."""


@dataclass(frozen=True)
class Placed:
    """A matrix or batch in a buffer: its strides count elements, ``offset`` those after a 16-byte aligned place."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    @property
    def before(self) -> int:
        """How many elements lie before that of index 0: what negative strides reach."""
        return -sum(min((extent - 1) * stride, 0) for extent, stride in zip(self.shape, self.strides, strict=True))

    @property
    def after(self) -> int:
        """How many elements lie behind that of index 0."""
        return sum(max((extent - 1) * stride, 0) for extent, stride in zip(self.shape, self.strides, strict=True))

    def operand(self, dtype: str) -> Operand:
        """The matrix as plans see it."""
        misaligned = self.offset * DTYPE_BYTES[dtype] % 16
        *batch, rows, columns = self.shape
        *batch_strides, row_stride, column_stride = self.strides
        alignment = misaligned & -misaligned if misaligned else 16
        return Operand(rows, columns, row_stride, column_stride, tuple(batch), tuple(batch_strides), alignment)


@dataclass(frozen=True)
class Variant:
    """What decides which programs are compiled; sizes and strides vary within it.

    ``spread`` is the multiple that leading strides and offsets are of: 8 elements are what the copy engine takes.
    """

    dtype: str
    out_dtype: str
    kernel: str
    column_major: tuple[bool, bool, bool]
    spread: tuple[int, int, int]
    alpha: float
    beta: float
    bias: bool
    activation: str | None
    has_batch: bool


@dataclass(frozen=True)
class ProductCase:
    """One product to run. ``in_place``: the C operand is what C holds before, element for element."""

    variant: Variant
    a: Placed
    b: Placed
    c: Placed
    c_operand: Placed | None
    in_place: bool = False

    def multiplication(self) -> Problem:
        """The product as plans see it."""
        variant = self.variant
        return Problem(
            self.a.operand(variant.dtype),
            self.b.operand(variant.dtype),
            self.c.operand(variant.out_dtype),
            variant.dtype,
            variant.out_dtype,
            Epilogue(variant.alpha, variant.beta, variant.bias, variant.activation),
            None if self.c_operand is None else self.c_operand.operand(variant.out_dtype),
            precision="ieee" if variant.dtype == "float32" else None,
        )


def random_variant(
    random: Random, kernels: tuple[str, ...], dtypes: tuple[str, ...] = ("float16", "bfloat16")
) -> Variant:
    """Return a variant; half of them are plain sums."""
    dtype = random.choice(dtypes)
    plain = random.random() < 0.5
    return Variant(
        dtype=dtype,
        out_dtype=random.choice((dtype, dtype, "float32" if dtype in INPUT_DTYPES else dtype)),
        kernel=random.choice(kernels),
        column_major=(random.random() < 0.4, random.random() < 0.4, random.random() < 0.2),
        spread=(random.choice((1, 1, 2, 4, 8, 8)), random.choice((1, 1, 2, 4, 8, 8)), random.choice((1, 1, 2, 8, 8))),
        alpha=1.0 if plain else random.choice((1.0, 0.5, -1.7)),
        beta=0.0 if plain else random.choice((0.0, 1.0, -0.3)),
        bias=not plain and random.random() < 0.5,
        activation=None if plain else random.choice((None, *ACTIVATIONS)),
        has_batch=random.random() < 0.4,
    )


def random_case(random: Random, variant: Variant, sizes: tuple[int, int, int] | None = None) -> ProductCase:
    """Return a product of a variant: sizes at the edges of tiles and between them, strides of all kinds.

    ``sizes``: rows, inner size and columns, where they are not left to chance.
    """
    by_rows = variant.column_major[:2] == (False, False)
    if sizes is None and variant.kernel == "auto" and by_rows and random.random() < TALL:
        return _tall_case(random, variant)
    m, k, n = sizes or _sizes(random, thin=random.random() < 0.3)
    batch: tuple[int, ...] = ()
    if variant.has_batch:
        room = max(1, min(MOST_ELEMENTS // max(m * k, k * n, m * n, 1), MOST_PRODUCTS // max(m * k * n, 1), 40))
        first = random.randint(1, room)
        batch = random.choice(((first,), (random.randint(1, 3), max(1, first // 3)), (2, 1, max(1, first // 3))))
    (a_column, b_column, c_column), (a_spread, b_spread, c_spread) = variant.column_major, variant.spread
    c = _placed(random, (*batch, m, n), c_spread, column_major=c_column, is_read=False)
    c_operand, in_place = None, variant.beta != 0 and random.random() < IN_PLACE
    if variant.beta:
        other = _placed(random, (*batch, m, n), c_spread, column_major=random.random() < 0.3, is_read=True)
        c_operand = c if in_place else other
    return ProductCase(
        variant,
        _placed(random, (*batch, m, k), a_spread, column_major=a_column, is_read=True),
        _placed(random, (*batch, k, n), b_spread, column_major=b_column, is_read=True),
        c,
        c_operand,
        in_place,
    )


def _tall_case(random: Random, variant: Variant) -> ProductCase:
    """A product that is large enough to be loaded by every eighth row of A, from an aligned address."""
    m = random.randint(1500, 6000)
    k = random.randint(LEAST_TALL_ELEMENTS // m + 1, LEAST_TALL_ELEMENTS // m + 400)
    n = random.choice((random.randint(1, 64), random.randint(65, 700)))
    batch = random.choice(((), (), (2,))) if variant.has_batch else ()
    row = k + random.choice((0, 1, 2, 5, 8))
    strides = (*((m * row,) if batch else ()), row, 1)
    c_spread = variant.spread[2]
    return ProductCase(
        variant,
        Placed((*batch, m, k), strides, 0),
        _placed(random, (*batch, k, n), variant.spread[1], column_major=False, is_read=True),
        _placed(random, (*batch, m, n), c_spread, column_major=variant.column_major[2], is_read=False),
        _placed(random, (*batch, m, n), c_spread, column_major=False, is_read=True) if variant.beta else None,
    )


def _sizes(random: Random, *, thin: bool) -> tuple[int, int, int]:
    while True:
        sizes = [random.choice((random.choice(EDGES), random.randint(1, 300))) for _ in range(3)]
        if random.random() < 0.02:
            sizes[random.randrange(3)] = 0
        if thin:
            sizes[random.randrange(3)] = random.randint(500, 5000)
        m, k, n = sizes
        if max(m * k, k * n, m * n) <= MOST_ELEMENTS and m * k * n <= MOST_PRODUCTS:
            return m, k, n


def _placed(random: Random, shape: tuple[int, ...], spread: int, *, column_major: bool, is_read: bool) -> Placed:
    *batch, rows, columns = shape
    along, across = (rows, columns) if column_major else (columns, rows)
    step = 2 if spread == 1 and random.random() < 0.08 else 1
    leading = _up(max(along * step, 1) + random.choice((0, 0, 1, 3, 7, 8, 65)), spread)
    if spread == 1 and random.random() < 0.06:
        leading = -leading
    if is_read and random.random() < 0.04:
        leading = 0
    strides = [step, leading] if column_major else [leading, step]
    size = abs(leading) * max(across, 1) + _up(random.choice((0, 0, 5, 64)), spread)
    size = max(size, _up(along * step, spread))
    for extent in reversed(batch):
        broadcast = is_read and random.random() < 0.2
        strides.insert(0, 0 if broadcast else size)
        size *= 1 if broadcast else max(extent, 1)
    return Placed(shape, tuple(strides), _up(random.choice((0, 0, 1, 2, 3, 5, 7)), spread) % 8)


def _up(count: int, multiple: int) -> int:
    return -(-count // multiple) * multiple


def elements(case: ProductCase) -> int:
    """Return the elements of all operands, broadcasts counted as if copied."""
    return sum(prod(placed.shape) for placed in (case.a, case.b, case.c))
