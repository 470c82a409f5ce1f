"""Products of small tiles, as `mma.sync` and `wgmma` share them: 16 rows of A, 8 columns of B, 16 x 8 sums.

Whoever multiplies brings the lines of A, prepares them once, then the lines of B for each 8 columns. A line is 32
bytes: a row of A or column of B with its whole inner index, or (turned) the 16 rows or 8 columns at one inner index.
"""

from __future__ import annotations

from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.arithmetic.planes import (
    LINE_BYTES,
    MOST_DEPTH,
    PLANE_A_BYTES,
    PLANE_B_BYTES,
    spread_column,
    spread_columns,
    spread_row,
    spread_rows,
    widen_bf16,
    widen_e4m3,
    widen_e5m2,
    widen_f16,
    widen_s8,
    widen_tf32,
    widen_u8,
)
from tilewright.emulate.arithmetic.tensor_cores import (
    FRACTION_BITS,
    FRACTION_BITS_OF_8,
    add_to_float16,
    add_to_float32,
    add_to_int32,
)
from tilewright.emulate.compiled import inner
from tilewright.emulate.memory_vectors import load_64, store_64
from tilewright.emulate.tables import get

F16, BF16, TF32, E4M3, E5M2, S8, U8 = range(7)
SUM_F32, SUM_F16, SUM_S32, SUM_SATURATED = range(4)
ROWS, COLUMNS = 16, 8

LINES_A = 0
LINES_B = LINES_A + LINE_BYTES * ROWS
SUMS = LINES_B + LINE_BYTES * ROWS
LINE_VALUES = SUMS + 4 * 128
LINE_EXPONENTS = LINE_VALUES + 8 * LINE_BYTES
VALUES_A = LINE_EXPONENTS + 4 * LINE_BYTES
EXPONENTS_A = VALUES_A + MOST_DEPTH * PLANE_A_BYTES
VALUES_B = EXPONENTS_A + MOST_DEPTH * PLANE_A_BYTES // 2
EXPONENTS_B = VALUES_B + MOST_DEPTH * PLANE_B_BYTES
TILES_BYTES = EXPONENTS_B + MOST_DEPTH * PLANE_B_BYTES // 2
"""Where things are behind LAYOUT_TILES, in bytes. SUMS: the registers of mma.sync, which its results may overwrite."""


@inner
def tiles_at(state: int, place: int) -> int:
    """Return the address of a part of the tiles."""
    return get(state, st.LAYOUT_TILES) + place


@inner
def copy_line_part(source: int, target: int) -> None:
    """Copy 16 bytes."""
    store_64(target, load_64(source))
    store_64(target + 8, load_64(source + 8))


@inner
def take_register(slot: int, lines: int) -> None:
    """Copy a register to 8 lines: lane 4 g + t has bytes 4 t to 4 t + 3 of line g."""
    for line in range(8):
        copy_line_part(slot + 16 * line, lines + LINE_BYTES * line)


@inner
def depth_of(kind: int) -> int:
    """Return the inner size of a product."""
    of_a = kind & 15
    depth = MOST_DEPTH
    if of_a <= BF16:
        depth = 16
    elif of_a == TF32:
        depth = 8
    return depth // 2 if kind & op.MATRIX_SHORT else depth


@inner
def _widen(state: int, element: int, line: int, sign: int) -> None:
    values, exponents = tiles_at(state, LINE_VALUES), tiles_at(state, LINE_EXPONENTS)
    if element == F16:
        widen_f16(line, values, exponents, sign)
    elif element == BF16:
        widen_bf16(line, values, exponents, sign)
    elif element == TF32:
        widen_tf32(line, values, exponents, sign)
    elif element == E4M3:
        widen_e4m3(line, values, exponents, sign)
    elif element == E5M2:
        widen_e5m2(line, values, exponents, sign)
    elif element == S8:
        widen_s8(line, values, exponents, sign)
    else:
        widen_u8(line, values, exponents, sign)


@inner
def prepare_a(state: int, kind: int) -> None:
    """Widen the lines of A."""
    line_values, line_exponents = tiles_at(state, LINE_VALUES), tiles_at(state, LINE_EXPONENTS)
    values, exponents = tiles_at(state, VALUES_A), tiles_at(state, EXPONENTS_A)
    for line in range(ROWS):
        _widen(state, kind & 15, tiles_at(state, LINES_A) + LINE_BYTES * line, 1 if kind & op.MATRIX_NEGATED else 0)
        if kind & op.MATRIX_A_TURNED:
            at = PLANE_A_BYTES * line
            spread_rows(line_values, line_exponents, values + at, exponents + at // 2)
        else:
            at = 32 * line  # 4 lanes of 8 bytes
            spread_row(line_values, line_exponents, values + at, exponents + at // 2, depth_of(kind))


@inner
def prepare_b(state: int, kind: int) -> None:
    """Widen the lines of 8 columns of B."""
    line_values, line_exponents = tiles_at(state, LINE_VALUES), tiles_at(state, LINE_EXPONENTS)
    values, exponents = tiles_at(state, VALUES_B), tiles_at(state, EXPONENTS_B)
    for line in range(ROWS if kind & op.MATRIX_B_TURNED else COLUMNS):
        _widen(state, (kind >> op.KIND_OF_B_SHIFT) & 15, tiles_at(state, LINES_B) + LINE_BYTES * line, 0)
        if kind & op.MATRIX_B_TURNED:
            at = PLANE_B_BYTES * line
            spread_columns(line_values, line_exponents, values + at, exponents + at // 2)
        else:
            at = 8 * ((line & 1) * 4 + (line >> 1))
            spread_column(line_values, line_exponents, values + at, exponents + at // 2, depth_of(kind))


@inner
def registers_of_sums(kind: int) -> int:
    """Return how many registers hold 16 x 8 sums."""
    return 2 if (kind >> op.KIND_OF_SUM_SHIFT) & 15 == SUM_F16 else 4


@inner
def multiply(state: int, kind: int, number: int, sums: int, keep: int, target: int) -> None:
    """Add products to the sums of register `number` of 16 x 8. keep: lanes whose sum is not taken as 0."""
    depth, of_sum = depth_of(kind), (kind >> op.KIND_OF_SUM_SHIFT) & 15
    lower, odd = (number, 0) if of_sum == SUM_F16 else (number >> 1, number & 1)
    values_a = tiles_at(state, VALUES_A) + PLANE_A_BYTES // 2 * lower
    exponents_a = tiles_at(state, EXPONENTS_A) + PLANE_A_BYTES // 4 * lower
    values_b, exponents_b = tiles_at(state, VALUES_B) + 32 * odd, tiles_at(state, EXPONENTS_B) + 16 * odd
    bits = FRACTION_BITS if kind & 15 <= TF32 else FRACTION_BITS_OF_8
    if of_sum == SUM_F32:
        add_to_float32(values_a, exponents_a, values_b, exponents_b, depth, bits, sums, keep, target)
    elif of_sum == SUM_F16:
        add_to_float16(values_a, exponents_a, values_b, exponents_b, depth, bits, sums, keep, target)
    else:
        add_to_int32(values_a, values_b, depth, 1 if of_sum == SUM_SATURATED else 0, sums, keep, target)
