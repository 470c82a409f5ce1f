"""Vector operations on floating point numbers, as silicon rounds, clamps and treats NaN."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.planes import float32_of
from tilewright.emulate.arithmetic.vectors import Builder, Emit, Rows, Value, call_intrinsic, call_method

ROWS = Rows()


ONE_NAN, QUIET_64 = 0x7FFFFFFF, 1 << 51
"""What every float32 operation makes of NaN, whatever went in (read from an H200); the bit of a quiet float64 NaN."""


def _with_one_nan(emit: Emit) -> Emit:
    """Emit an operation that gives float32's one NaN; float64 hands the operand's on."""

    def emit_canonical(b: Builder, *operands: Value) -> Value:
        result = emit(b, *operands)
        if result.type.element != v.f32:
            return result
        nan = b.bitcast(v.constant(v.i32, ONE_NAN), result.type)
        return b.select(b.fcmp_unordered("uno", result, result), nan, result)

    return emit_canonical


def _square_root(b: Builder, x: Value) -> Value:
    """Emit a square root. LLVM takes one NaN for another, and drops a choice among floats: bits are chosen."""
    result = call_intrinsic("sqrt")(b, x)
    if x.type.element != v.f32:
        return result
    bits = b.bitcast(result, v.vector(v.i32))
    size = b.and_(bits, v.constant(v.i32, 0x7FFFFFFF))
    is_nan = b.icmp_unsigned(">", size, v.constant(v.i32, 0x7F800000))
    return b.bitcast(b.select(is_nan, v.constant(v.i32, ONE_NAN), bits), result.type)


def _add(b: Builder, x: Value, y: Value) -> Value:
    """Emit a sum; of two float64 NaN it is the second."""
    total = b.fadd(x, y)
    return total if x.type.element == v.f32 else b.select(b.fcmp_unordered("uno", y, y), _quiet(b, y), total)


def _without_tiny(emit: Emit) -> Emit:
    """Emit a product of float32 with .ftz: what is below the normal numbers before it is rounded is a zero."""

    def emit_flushed(b: Builder, *operands: Value) -> Value:
        result = emit(b, *operands)
        exact = emit(b, *(b.fpext(operand, v.vector(v.f64)) for operand in operands))
        size = v.intrinsic(b, f"llvm.fabs.{v.suffix(v.f64)}", exact.type, [exact])
        bits = b.bitcast(result, v.vector(v.i32))
        zero = b.bitcast(b.and_(bits, v.constant(v.i32, 1 << 31)), result.type)
        return b.select(b.fcmp_ordered("<", size, v.constant(v.f64, 2.0**-126)), zero, result)

    return emit_flushed


def _quiet(b: Builder, x: Value) -> Value:
    """Emit a float64 NaN that signals no more."""
    return b.bitcast(b.or_(b.bitcast(x, v.vector(v.i64)), v.constant(v.i64, QUIET_64)), x.type)


def _one_nan_of_halves(infinity: int, parts: int) -> Emit:
    """Emit 0x7FFF for each NaN among the halves in an integer. infinity: of their type."""

    def emit(b: Builder, x: Value) -> Value:
        element, result = x.type.element, x
        for shift in range(0, 16 * parts, 16):
            size = b.and_(b.lshr(x, v.constant(element, shift)), v.constant(element, 0x7FFF))
            is_nan = b.icmp_unsigned(">", size, v.constant(element, infinity))
            others = v.constant(element, ~(0xFFFF << shift) & ((1 << element.width) - 1))
            one = b.or_(b.and_(result, others), v.constant(element, 0x7FFF << shift))
            result = b.select(is_nan, one, result)
        return result

    return emit


def _float_extreme(name: str) -> Emit:
    """Emit min or max: a NaN loses against a number, and -0 counts as below +0."""

    def emit(b: Builder, x: Value, y: Value) -> Value:
        integer = v.vector(v.i32 if x.type.element == v.f32 else v.i64)
        bits_x, bits_y = b.bitcast(x, integer), b.bitcast(y, integer)
        zeros = b.or_(bits_x, bits_y) if name == "<" else b.and_(bits_x, bits_y)
        equal = b.fcmp_ordered("==", x, y)
        chosen = b.select(b.fcmp_ordered(name, x, y), x, y)
        chosen = b.select(equal, b.bitcast(zeros, x.type), chosen)
        chosen = b.select(b.fcmp_unordered("uno", y, y), x, chosen)
        return b.select(b.fcmp_unordered("uno", x, x), y, chosen)

    return emit


def _float_compare(name: str, ordered: bool) -> Emit:
    method = "fcmp_ordered" if ordered else "fcmp_unordered"
    return lambda b, x, y: getattr(b, method)(name, x, y)


def _sign_operation(keep_sign: bool, flip: bool) -> Emit:
    """Emit neg or abs on the sign bit alone, so that -0 comes out as silicon gives it; a float64 NaN keeps its sign."""

    def emit(b: Builder, x: Value) -> Value:
        element = v.i32 if x.type.element == v.f32 else v.i64
        sign = v.constant(element, 1 << (element.width - 1))
        bits = b.bitcast(x, v.vector(element))
        result = b.xor(bits, sign) if flip else b.and_(bits, b.not_(sign))
        changed = b.bitcast(result, x.type)
        return changed if element == v.i32 else b.select(b.fcmp_unordered("uno", x, x), _quiet(b, x), changed)

    return emit


def _flush(b: Builder, x: Value) -> Value:
    """Emit .ftz: a denormal becomes a zero of its sign."""
    element = v.i32
    bits = b.bitcast(x, v.vector(element))
    exponent = b.and_(bits, v.constant(element, 0x7F800000))
    sign = b.and_(bits, v.constant(element, 0x80000000))
    return b.bitcast(b.select(b.icmp_unsigned("==", exponent, v.constant(element, 0)), sign, bits), x.type)


def _saturate(b: Builder, x: Value) -> Value:
    """Emit .sat: clamp to [0, 1], NaN to +0."""
    zero, one = v.constant(x.type.element, 0.0), v.constant(x.type.element, 1.0)
    above_zero = b.select(b.fcmp_ordered(">", x, zero), x, zero)
    return b.select(b.fcmp_ordered("<", above_zero, one), above_zero, one)


def _to_integer(signed: bool, element: Any) -> Emit:
    """Emit float to integer as silicon does: truncated, clamped to the range."""

    def emit(b: Builder, x: Value) -> Value:
        name = "fptosi" if signed else "fptoui"
        result = v.vector(element)
        full = f"llvm.{name}.sat.{v.suffix(element)}.{v.suffix(x.type.element)}"
        converted = v.intrinsic(b, full, result, [x])
        if element == v.i64 or x.type.element == v.f64:
            # NaN becomes the top bit alone when either side has 64 bits, else 0 (read from an H200).
            nan = b.fcmp_unordered("uno", x, x)
            return b.select(nan, v.constant(element, 1 << (element.width - 1)), converted)
        return converted

    return emit


def _convert(method: str, element: Any) -> Emit:
    return lambda b, x: getattr(b, method)(x, v.vector(element))


def _halves_of_e4m3(b: Builder, x: Value) -> Value:
    """Emit two float16 from two e4m3 in the lower bytes; each is a normal number there, zero or NaN."""

    def half(shift: int) -> Value:
        bits = b.and_(b.lshr(x, v.constant(v.i32, shift)), v.constant(v.i32, 0xFF))
        size = b.bitcast(float32_of(b, b.and_(bits, v.constant(v.i32, 0x7F)), 4, 3, 0x7F), bits.type)
        number = b.sub(b.lshr(size, v.constant(v.i32, 13)), v.constant(v.i32, (127 - 15) << 10))
        number = b.select(b.icmp_unsigned("==", size, v.constant(v.i32, 0)), size, number)
        is_nan = b.icmp_unsigned(">", size, v.constant(v.i32, 0x7F800000))
        number = b.select(is_nan, v.constant(v.i32, 0x7FFF), number)
        return b.or_(number, b.shl(b.and_(bits, v.constant(v.i32, 0x80)), v.constant(v.i32, 8)))

    return b.or_(half(0), b.shl(half(8), v.constant(v.i32, 16)))


def _halves_of_e5m2(b: Builder, x: Value) -> Value:
    """Emit two float16 from two e5m2 in the lower bytes, which are the upper ones of the former."""
    low, high = (b.and_(x, v.constant(v.i32, mask)) for mask in (0xFF, 0xFF00))
    return b.or_(b.shl(low, v.constant(v.i32, 8)), b.shl(high, v.constant(v.i32, 16)))


def _float_rows() -> None:
    for t, element in (("f32", v.f32), ("f64", v.f64)):
        one = _with_one_nan
        ROWS.add(f"add.{t}", t, f"{t} {t}", one(_add))
        for name, method in (("sub", "fsub"), ("mul", "fmul"), ("div", "fdiv")):
            ROWS.add(f"{name}.{t}", t, f"{t} {t}", one(call_method(method)))
        ROWS.add(f"fma.{t}", t, f"{t} {t} {t}", one(call_intrinsic("fma")))
        ROWS.add(f"sqrt.{t}", t, t, _square_root)
        ROWS.add(f"rcp.{t}", t, t, one(lambda b, x: b.fdiv(v.constant(x.type.element, 1.0), x)))
        ROWS.add(f"neg.{t}", t, t, one(_sign_operation(keep_sign=False, flip=True)))
        ROWS.add(f"abs.{t}", t, t, one(_sign_operation(keep_sign=False, flip=False)))
        ROWS.add(f"min.{t}", t, f"{t} {t}", one(_float_extreme("<")))
        ROWS.add(f"max.{t}", t, f"{t} {t}", one(_float_extreme(">")))
        # PTX's copysign takes the sign of its first operand.
        ROWS.add(f"copysign.{t}", t, f"{t} {t}", lambda b, sign, x: call_intrinsic("copysign")(b, x, sign))
        for name, sign in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
            ROWS.add(f"setp.{name}.{t}", "p", f"{t} {t}", _float_compare(sign, ordered=True))
            ROWS.add(f"setp.{name}u.{t}", "p", f"{t} {t}", _float_compare(sign, ordered=False))
        ROWS.add(f"setp.num.{t}", "p", f"{t} {t}", _float_compare("ord", ordered=True))
        ROWS.add(f"setp.nan.{t}", "p", f"{t} {t}", _float_compare("uno", ordered=False))
        for mode, name in (("rni", "rint"), ("rzi", "trunc"), ("rmi", "floor"), ("rpi", "ceil")):
            ROWS.add(f"round.{mode}.{t}", t, t, one(call_intrinsic(name)))
        ROWS.add(f"saturate.{t}", t, t, _saturate)
        for width in (32, 64):
            integer = ir.IntType(width)
            ROWS.add(f"cvt.{t}.s{width}", t, f"i{width}", _convert("sitofp", element))
            ROWS.add(f"cvt.{t}.u{width}", t, f"i{width}", _convert("uitofp", element))
            ROWS.add(f"cvt.s{width}.{t}", f"i{width}", t, _to_integer(True, integer))
            ROWS.add(f"cvt.u{width}.{t}", f"i{width}", t, _to_integer(False, integer))
    ROWS.add("mul.ftz.f32", "f32", "f32 f32", _with_one_nan(_without_tiny(call_method("fmul"))))
    for name, infinity in (("f16", 0x7C00), ("bf16", 0x7F80)):
        ROWS.add(f"one_nan.{name}", "i16", "i16", _one_nan_of_halves(infinity, 1))
        ROWS.add(f"one_nan.{name}x2", "i32", "i32", _one_nan_of_halves(infinity, 2))
    ROWS.add("halves.e4m3", "i32", "i32", _halves_of_e4m3)
    ROWS.add("halves.e5m2", "i32", "i32", _halves_of_e5m2)
    ROWS.add("flush.f32", "f32", "f32", _flush)
    ROWS.add("cvt.f64.f32", "f64", "f32", _convert("fpext", v.f64))
    ROWS.add("cvt.f32.f64", "f32", "f64", _convert("fptrunc", v.f32))


_float_rows()
