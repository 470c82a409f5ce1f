"""Random products in 16-bit types as plans see them: sizes up to millions, strides of all kinds, no memory behind."""

from __future__ import annotations

from random import Random

from tilewright.kernels.operand import DTYPE_BYTES, Operand
from tilewright.kernels.problem import ACTIVATIONS, Epilogue, Problem

EDGES = (
    0,
    1,
    1,
    2,
    3,
    7,
    8,
    9,
    16,
    31,
    32,
    33,
    64,
    65,
    104,
    112,
    127,
    128,
    129,
    144,
    192,
    255,
    256,
    257,
    511,
    512,
    513,
)
LARGEST_LOG2 = 21
MOST_BYTES = 2**39
"""No GPU holds more; kernels that count tiles in 32 bits refuse some of what does not fit."""


def random_product(random: Random) -> Problem:
    """Return a product whose operands are packed, padded, turned, broadcast, reversed or taken in steps."""
    while True:
        product = _any_product(random)
        copied = max(product.m * product.k, product.k * product.n) * product.batch_count * product.element_bytes
        if max(product.least_bytes, copied) <= MOST_BYTES:
            return product


def _any_product(random: Random) -> Problem:
    dtype = random.choice(("float16", "bfloat16"))
    out_dtype = random.choice((dtype, dtype, "float32"))
    m, k, n = (_size(random) for _ in range(3))
    batch = random.choice(((), (), (_extent(random),), (_extent(random), _extent(random)), (2, 1, 3, _extent(random))))
    plain = random.random() < 0.6
    epilogue = Epilogue(
        alpha=1.0 if plain else 0.5,
        beta=0.0 if plain or random.random() < 0.5 else -1.0,
        bias=not plain and random.random() < 0.5,
        activation=None if plain else random.choice((None, *ACTIVATIONS)),
    )
    return Problem(
        _operand(random, (m, k), batch, dtype, is_read=True),
        _operand(random, (k, n), batch, dtype, is_read=True),
        _operand(random, (m, n), batch, out_dtype, is_read=False),
        dtype,
        out_dtype,
        epilogue,
        _operand(random, (m, n), batch, out_dtype, is_read=True) if epilogue.beta else None,
    )


def _size(random: Random) -> int:
    return random.choice(
        (
            random.choice(EDGES),
            random.randint(1, 130),
            8 * random.randint(1, 260),
            random.randint(1, 4100),
            int(2 ** random.uniform(0, LARGEST_LOG2)),
            8 * int(2 ** random.uniform(0, LARGEST_LOG2 - 3)),
        )
    )


def _extent(random: Random) -> int:
    return random.choice((0, 1, 2, 3, 5, 64, 132, 200, int(2 ** random.uniform(0, 17)))) if random.random() < 0.9 else 1


def _operand(random: Random, sizes: tuple[int, int], batch: tuple[int, ...], dtype: str, *, is_read: bool) -> Operand:
    rows, columns = sizes
    by_columns = random.random() < 0.3
    along, across = (rows, columns) if by_columns else (columns, rows)
    spread = random.choice((1, 1, 2, 8, 8, 8))
    step = 2 if random.random() < 0.04 else 1
    leading = _up(max(along * step, 1), spread)
    if random.random() < 0.3:
        leading += spread * random.choice((1, 3, 8, 65))
    if random.random() < 0.03:
        leading = -leading
    if is_read and random.random() < 0.03:
        leading = 0
    strides: list[int] = []
    size = _up(max(abs(leading) * max(across, 1), along * step, 1), spread)
    for extent in reversed(batch):
        is_broadcast = is_read and random.random() < 0.25
        strides.insert(0, 0 if is_broadcast else size)
        size *= 1 if is_broadcast else max(extent, 1)
    least = DTYPE_BYTES[dtype]
    alignment = random.choice((16, 16, 16, least, 2 * least))
    row_stride, column_stride = (step, leading) if by_columns else (leading, step)
    return Operand(rows, columns, row_stride, column_stride, batch, tuple(strides), alignment)


def _up(count: int, multiple: int) -> int:
    return -(-count // multiple) * multiple
