"""Instructions done lane by lane: directed rounding, approximations, conversions, bit fields.

A row of the table names the widths of result and operands (p is a predicate); its number selects a branch below.
Approximations are rounded from float64, so they err by at most 1 ulp; silicon may err by 2 (PTX ISA).
"""

from __future__ import annotations

import math

from tilewright.emulate import instruction_row as row
from tilewright.emulate.arithmetic.bit_fields import bit_operation
from tilewright.emulate.arithmetic.bits import (
    bits_of_f32,
    bits_of_f64,
    f32_from_bits,
    f64_from_bits,
    fused,
    round_to_f32,
    round_to_odd,
    sum_error,
)
from tilewright.emulate.arithmetic.conversions import convert, narrow_to, widen_from
from tilewright.emulate.arithmetic.directed_rounding import directed_f64
from tilewright.emulate.compiled import Unit, inner
from tilewright.emulate.memory_vectors import load_u32
from tilewright.emulate.registers import read_lane, slot_address, write_lane, write_predicate
from tilewright.emulate.tables import field

DIRECTED = ("add", "sub", "mul", "fma", "div", "sqrt", "rcp")
DIRECTED_32 = 0  # add.f32 ... rcp.f32, the rounding mode in IMMEDIATE
DIRECTED_64 = DIRECTED_32 + len(DIRECTED)
APPROXIMATE = (
    "rsqrt.f32", "rsqrt.f64", "ex2.f32", "lg2.f32", "sin.f32", "cos.f32", "tanh.f32", "rcp.ftz.f64", "rsqrt.ftz.f64",
)  # fmt: skip
FIRST_APPROXIMATE = DIRECTED_64 + len(DIRECTED)
CONVERT = FIRST_APPROXIMATE + len(APPROXIMATE)
CONVERT_PAIR = CONVERT + 1
FUSED_HALF = CONVERT + 2
TEST_32, TEST_64 = CONVERT + 3, CONVERT + 4
FIRST_BITS = CONVERT + 5
UPPER_HALF, EXPONENT_64 = -1 << 32, 0x7FF << 52


@Unit
def execute_scalar(state: int, pc: int, frame: int, active: int) -> int:
    """Execute the scalar instruction at `pc` for the lanes of `active`."""
    kind, immediate = field(state, pc, row.KIND), field(state, pc, row.IMMEDIATE)
    widths = field(state, pc, row.EXTRA_3)
    result = frame + field(state, pc, row.RESULT)
    x_at = slot_address(state, frame, field(state, pc, row.OPERAND_A))
    y_at = slot_address(state, frame, field(state, pc, row.OPERAND_B))
    z_at = slot_address(state, frame, field(state, pc, row.OPERAND_C))
    w_at = slot_address(state, frame, field(state, pc, row.OPERAND_D))
    truth = 0
    for lane in range(32):
        if not (active >> lane) & 1:
            continue
        x = read_lane(x_at, lane, widths & 2 != 0)
        y = read_lane(y_at, lane, widths & 4 != 0)
        z = read_lane(z_at, lane, widths & 8 != 0)
        if kind < FIRST_APPROXIMATE:
            value = _directed(kind, immediate, x, y, z)
        elif kind < CONVERT:
            value = _approximate(kind - FIRST_APPROXIMATE, x)
        elif kind == CONVERT:
            value = convert(immediate, x)
        elif kind == CONVERT_PAIR:
            value = convert(immediate, x) << 16 | convert(immediate, y)
        elif kind == FUSED_HALF:
            value = _fused_half(immediate, x, y, z)
        elif kind == TEST_32:
            truth |= _test(immediate, f32_from_bits(x), 1.1754943508222875e-38) << lane
            continue
        elif kind == TEST_64:
            truth |= _test(immediate, f64_from_bits(x), 2.2250738585072014e-308) << lane
            continue
        else:
            w = load_u32(w_at + 4 * lane)
            value = bit_operation(kind - FIRST_BITS, immediate, x, y, z, w)
        write_lane(result, lane, widths & 1 != 0, value)
    if kind == TEST_32 or kind == TEST_64:
        write_predicate(result, active, truth)
    return 1


@inner
def _directed(kind: int, mode: int, x: int, y: int, z: int) -> int:
    """Round to nearest in float64, find the sign of the error, step to a neighbor if the mode asks for it."""
    operation = kind - DIRECTED_64 if kind >= DIRECTED_64 else kind
    if kind >= DIRECTED_64:
        a, b, c = f64_from_bits(x), f64_from_bits(y), f64_from_bits(z)
        if operation == 6:
            return directed_f64(4, mode, 1.0, a, 1.0)
        if operation == 5:
            return directed_f64(5, mode, a, 1.0, 1.0)
        return directed_f64(operation, mode, a, b, c if operation == 3 else 1.0)
    a, b, c = f32_from_bits(x), f32_from_bits(y), f32_from_bits(z)
    rest = 0.0
    if operation <= 1:
        if operation == 1:
            b = -b
        value = a + b
        rest = sum_error(a, b, value)
        if value == 0.0 and mode == 2 and (a != 0.0 or math.copysign(1.0, a) != math.copysign(1.0, b)):
            value = -0.0
    elif operation == 2:
        value = a * b
        rest = fused(a, b, -value)
    elif operation == 3:
        product = a * b
        low = fused(a, b, -product)
        value = product + c
        rest = sum_error(product, c, value) + low
        if value == 0.0 and mode == 2 and rest == 0.0 and math.copysign(1.0, product) != math.copysign(1.0, c):
            value = -0.0
    elif operation == 5:
        value = math.sqrt(a)
        rest = fused(-value, value, a)
    else:
        numerator, divisor = (a, b) if operation == 4 else (1.0, a)
        value = numerator / divisor
        rest = math.copysign(1.0, divisor) * fused(-value, divisor, numerator)
    if math.isnan(rest):
        rest = 0.0
        if math.isinf(value) and not (math.isinf(a) or (operation != 5 and math.isinf(b))):
            rest = -value if operation != 4 or b != 0.0 else 0.0
    return round_to_f32(value, rest, mode)


@inner
def _approximate(kind: int, x: int) -> int:
    if kind == 1:
        return bits_of_f64(1.0 / math.sqrt(f64_from_bits(x)))
    if kind >= 7:
        return _by_upper_half(kind == 8, x)
    a = f32_from_bits(x)
    if (math.isnan(a) and kind in (0, 3, 4, 5)) or (kind == 0 and a < 0.0):
        return 0x7FFFFFFF
    if kind == 0:
        return bits_of_f32(1.0 / math.sqrt(a))
    if kind == 2:
        return bits_of_f32(2.0**a)
    if kind == 3:
        if a == 0.0:
            return 0xFF800000
        return bits_of_f32(math.log2(a)) if a > 0.0 or math.isnan(a) else 0x7FFFFFFF
    if math.isinf(a) and kind != 6:
        return 0x7FFFFFFF
    if kind == 4:
        return bits_of_f32(math.sin(a))
    if kind == 5:
        return bits_of_f32(math.cos(a))
    return bits_of_f32(math.tanh(a))


@inner
def _by_upper_half(is_root: bool, x: int) -> int:
    """Rcp and rsqrt.approx.ftz.f64: silicon reads and writes the upper 32 bits only, and flushes subnormals."""
    upper = x & UPPER_HALF
    if upper & EXPONENT_64 == 0:
        upper &= -1 << 63
    value = f64_from_bits(upper)
    if math.isnan(value) or (is_root and value < 0.0):
        return 0x7FFFFFFF00000000
    result = bits_of_f64(1.0 / (math.sqrt(value) if is_root else value)) & UPPER_HALF
    return result if result & EXPONENT_64 else result & (-1 << 63)


@inner
def _fused_half(kind: int, x: int, y: int, z: int) -> int:
    a, b, c = widen_from(kind, x), widen_from(kind, y), widen_from(kind, z)
    product = a * b
    total = product + c
    return narrow_to(kind, round_to_odd(total, sum_error(product, c, total)), 0)


@inner
def _test(kind: int, value: float, smallest_normal: float) -> int:
    """testp: finite, infinite, number, notanumber, normal, subnormal."""
    is_nan, is_infinite = math.isnan(value), math.isinf(value)
    if kind == 0:
        verdict = not (is_nan or is_infinite)
    elif kind == 1:
        verdict = is_infinite
    elif kind == 2:
        verdict = not is_nan
    elif kind == 3:
        verdict = is_nan
    elif kind == 4:
        # Silicon counts zeros among the normal numbers.
        verdict = not (is_nan or is_infinite) and (value == 0.0 or abs(value) >= smallest_normal)
    else:
        verdict = value != 0.0 and abs(value) < smallest_normal
    return 1 if verdict else 0
