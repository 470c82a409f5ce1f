"""Vector operations: every instruction that LLVM can do on 32 lanes at once, as one table.

A row is a key (PTX's spelling, types reduced to what matters: `add.i32`, `setp.lt.s32`, `fma.f32`), the kinds of its
result and operands, and a function that emits LLVM code. Adding an instruction is adding a row.
Kinds: i16 i32 i64 f32 f64 are slots, p is a predicate, `imm` the row's immediate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from llvmlite import ir

from tilewright.emulate import vectors as v
from tilewright.emulate.vectors import Builder, Value

Emit = Callable[..., Any]


class VectorOperation(NamedTuple):
    """A vector instruction: its key, the kinds of its results and operands, and its code."""

    key: str
    results: tuple[str, ...]
    operands: tuple[str, ...]
    emit: Emit


TABLE: list[VectorOperation] = []


def _add(key: str, results: str, operands: str, emit: Emit) -> None:
    TABLE.append(VectorOperation(key, tuple(results.split()), tuple(operands.split()), emit))


def _intrinsic(name: str) -> Emit:
    """Emit a call of LLVM's `name` on vectors of its first operand's type."""

    def emit(b: Builder, *values: Value) -> Value:
        element = values[0].type.element
        return v.intrinsic(b, f"llvm.{name}.{v.suffix(element)}", values[0].type, list(values))

    return emit


def _method(name: str, *extra: Any) -> Emit:
    """Emit the builder's method `name`."""
    return lambda b, *values: getattr(b, name)(*values, *extra)


def _zero(value: Value) -> Value:
    return v.constant(value.type.element, 0)


def _minus_one(value: Value) -> Value:
    return v.constant(value.type.element, -1)


# Integers ---------------------------------------------------------------------------------------------------------


def _shift(name: str) -> Emit:
    """Shift as PTX does: a count past the width gives 0, or the sign; LLVM would leave it undefined."""

    def emit(b: Builder, value: Value, count: Value) -> Value:
        element = value.type.element
        width = element.width
        last = v.constant(v.i32, width - 1)
        beyond = b.icmp_unsigned(">", count, last)
        amount = b.select(beyond, last, count)
        if width == 64:
            amount = b.zext(amount, value.type)
        elif width == 16:
            amount = b.trunc(amount, value.type)
        shifted = getattr(b, name)(value, amount)
        return shifted if name == "ashr" else b.select(beyond, _zero(value), shifted)

    return emit


def _compare(name: str, signed: bool) -> Emit:
    method = "icmp_signed" if signed else "icmp_unsigned"
    return lambda b, x, y: getattr(b, method)(name, x, y)


def _extreme(name: str, signed: bool) -> Emit:
    compare = _compare(name, signed)
    return lambda b, x, y: b.select(compare(b, x, y), x, y)


def _absolute(b: Builder, x: Value) -> Value:
    return b.select(b.icmp_signed("<", x, _zero(x)), b.neg(x), x)


def _multiply_high(signed: bool) -> Emit:
    def emit(b: Builder, x: Value, y: Value) -> Value:
        width = x.type.element.width
        wide = v.vector(ir.IntType(2 * width))
        extend = b.sext if signed else b.zext
        product = b.mul(extend(x, wide), extend(y, wide))
        return b.trunc(b.lshr(product, v.constant(wide.element, width)), x.type)

    return emit


def _multiply_wide(signed: bool) -> Emit:
    def emit(b: Builder, x: Value, y: Value) -> Value:
        wide = v.vector(ir.IntType(2 * x.type.element.width))
        extend = b.sext if signed else b.zext
        return b.mul(extend(x, wide), extend(y, wide))

    return emit


def _multiply_add_wide(signed: bool) -> Emit:
    multiply = _multiply_wide(signed)
    return lambda b, x, y, z: b.add(multiply(b, x, y), z)


def _quotient(b: Builder, x: Value, y: Value, signed: bool) -> Value:
    """Divide as silicon does: x / 0 is all ones (x % 0 too), and INT_MIN / -1 is INT_MIN, with no trap on the host."""
    if x.type.element.width == 64:
        zero, minus_one = b.icmp_unsigned("==", y, _zero(y)), b.icmp_unsigned("==", y, _minus_one(y))
        one = v.constant(v.i64, 1)
        if not signed:
            return b.select(zero, _minus_one(x), b.udiv(x, b.select(zero, one, y)))
        safe = b.select(b.or_(zero, minus_one), one, y)
        return b.select(zero, _minus_one(x), b.select(minus_one, b.neg(x), b.sdiv(x, safe)))
    # A quotient of 32-bit integers in float64, truncated, is exact, and vectors have no integer division.
    wide, real = v.vector(v.i64), v.vector(v.f64)
    extend, to_real = (b.sext, b.sitofp) if signed else (b.zext, b.uitofp)
    zero = b.icmp_unsigned("==", y, _zero(y))
    divisor = b.select(zero, v.constant(x.type.element, 1), y)
    ratio = b.fdiv(to_real(extend(x, wide), real), to_real(extend(divisor, wide), real))
    quotient = b.trunc(b.fptosi(ratio, wide), x.type)
    return b.select(zero, _minus_one(x), quotient)


def _divide(signed: bool) -> Emit:
    return lambda b, x, y: _quotient(b, x, y, signed)


def _remainder(signed: bool) -> Emit:
    def emit(b: Builder, x: Value, y: Value) -> Value:
        remainder = b.sub(x, b.mul(_quotient(b, x, y, signed), y))
        return b.select(b.icmp_unsigned("==", y, _zero(y)), _minus_one(x), remainder)

    return emit


def _count_bits(name: str) -> Emit:
    """Emit popc, clz or brev; the first two give 32 bits whatever they count."""

    def emit(b: Builder, x: Value) -> Value:
        element = x.type.element
        arguments = [x, ir.Constant(v.i1, 0)] if name == "ctlz" else [x]
        result = v.intrinsic(b, f"llvm.{name}.{v.suffix(element)}", x.type, arguments)
        narrow = element.width == 64 and name != "bitreverse"
        return b.trunc(result, v.vector(v.i32)) if narrow else result

    return emit


def _funnel(name: str, clamp: bool) -> Emit:
    """Shift the 64 bits high:low and keep one half; `.clamp` stops at 32 where `.wrap` counts modulo 32."""

    def emit(b: Builder, low: Value, high: Value, count: Value) -> Value:
        limit = v.constant(v.i32, 32)
        shifted = _intrinsic(name)(b, high, low, b.and_(count, v.constant(v.i32, 31)))
        if not clamp:
            return shifted
        whole = low if name == "fshl" else high
        return b.select(b.icmp_unsigned(">=", count, limit), whole, shifted)

    return emit


def _lookup(b: Builder, x: Value, y: Value, z: Value, table: Value) -> Value:
    """Emit lop3: bit (4x + 2y + z) of the table, for each bit."""
    result = _zero(x)
    for index in range(8):
        terms = [x if index & 4 else b.not_(x), y if index & 2 else b.not_(y), z if index & 1 else b.not_(z)]
        minterm = b.and_(b.and_(terms[0], terms[1]), terms[2])
        bit = b.and_(b.lshr(table, ir.Constant(v.i32, index)), ir.Constant(v.i32, 1))
        result = b.or_(result, b.and_(minterm, v.splat(b, b.neg(bit))))
    return result


def _carry_add(b: Builder, x: Value, y: Value, carry: Value | None = None) -> tuple[Value, Value]:
    total = b.add(x, y)
    out = b.icmp_unsigned("<", total, x)
    if carry is None:
        return total, out
    with_carry = b.add(total, b.zext(carry, x.type))
    return with_carry, b.or_(out, b.icmp_unsigned("<", with_carry, total))


def _borrow_subtract(b: Builder, x: Value, y: Value, borrow: Value | None = None) -> tuple[Value, Value]:
    difference = b.sub(x, y)
    out = b.icmp_unsigned("<", x, y)
    if borrow is None:
        return difference, out
    with_borrow = b.sub(difference, b.zext(borrow, x.type))
    return with_borrow, b.or_(out, b.icmp_unsigned("<", difference, b.zext(borrow, x.type)))


def _integer_rows() -> None:
    for width in (16, 32, 64):
        t, kind = f"i{width}", f"i{width}"
        for name, method in (("add", "add"), ("sub", "sub"), ("mul.lo", "mul"), ("and", "and_"), ("or", "or_")):
            _add(f"{name}.{t}", kind, f"{kind} {kind}", _method(method))
        _add(f"xor.{t}", kind, f"{kind} {kind}", _method("xor"))
        _add(f"not.{t}", kind, kind, _method("not_"))
        _add(f"neg.{t}", kind, kind, _method("neg"))
        _add(f"abs.{t}", kind, kind, _absolute)
        _add(f"mad.lo.{t}", kind, f"{kind} {kind} {kind}", lambda b, x, y, z: b.add(b.mul(x, y), z))
        _add(f"shl.{t}", kind, f"{kind} i32", _shift("shl"))
        _add(f"mov.{t}", kind, kind, lambda b, x: x)
        _add(f"selp.{t}", kind, f"{kind} {kind} p", lambda b, x, y, p: b.select(p, x, y))
        for sign in ("s", "u"):
            s, signed = f"{sign}{width}", sign == "s"
            _add(f"shr.{s}", kind, f"{kind} i32", _shift("ashr" if signed else "lshr"))
            _add(f"min.{s}", kind, f"{kind} {kind}", _extreme("<", signed))
            _add(f"max.{s}", kind, f"{kind} {kind}", _extreme(">", signed))
            _add(f"div.{s}", kind, f"{kind} {kind}", _divide(signed))
            _add(f"rem.{s}", kind, f"{kind} {kind}", _remainder(signed))
            _add(f"mul.hi.{s}", kind, f"{kind} {kind}", _multiply_high(signed))
            for name, sign_of in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
                _add(f"setp.{name}.{s}", "p", f"{kind} {kind}", _compare(sign_of, signed))
            if width < 64:
                wide = f"i{2 * width}"
                _add(f"mul.wide.{s}", wide, f"{kind} {kind}", _multiply_wide(signed))
                _add(f"mad.wide.{s}", wide, f"{kind} {kind} {wide}", _multiply_add_wide(signed))
        for name, sign_of in (("eq", "=="), ("ne", "!=")):
            _add(f"setp.{name}.{t}", "p", f"{kind} {kind}", _compare(sign_of, True))
    for width in (32, 64):
        t = f"i{width}"
        _add(f"popc.{t}", "i32", t, _count_bits("ctpop"))
        _add(f"clz.{t}", "i32", t, _count_bits("ctlz"))
        _add(f"brev.{t}", t, t, _count_bits("bitreverse"))
        _add(f"add.cc.{t}", f"{t} p", f"{t} {t}", _carry_add)
        _add(f"addc.cc.{t}", f"{t} p", f"{t} {t} p", _carry_add)
        _add(f"sub.cc.{t}", f"{t} p", f"{t} {t}", _borrow_subtract)
        _add(f"subc.cc.{t}", f"{t} p", f"{t} {t} p", _borrow_subtract)
    for direction in ("l", "r"):
        for mode in ("wrap", "clamp"):
            emit = _funnel(f"fsh{direction}", mode == "clamp")
            _add(f"shf.{direction}.{mode}.i32", "i32", "i32 i32 i32", emit)
    _add("lop3.i32", "i32", "i32 i32 i32 imm", _lookup)
    _add("pack.i64", "i64", "i32 i32", _pack(v.i64, 32))
    _add("unpack.i64", "i32 i32", "i64", _unpack(v.i32, 32))
    _add("pack.i32", "i32", "i16 i16", _pack(v.i32, 16))
    _add("unpack.i32", "i16 i16", "i32", _unpack(v.i16, 16))


def _pack(element: Any, shift: int) -> Emit:
    def emit(b: Builder, low: Value, high: Value) -> Value:
        wide = v.vector(element)
        return b.or_(b.zext(low, wide), b.shl(b.zext(high, wide), v.constant(element, shift)))

    return emit


def _unpack(element: Any, shift: int) -> Emit:
    def emit(b: Builder, x: Value) -> tuple[Value, Value]:
        half = v.vector(element)
        return b.trunc(x, half), b.trunc(b.lshr(x, v.constant(x.type.element, shift)), half)

    return emit


# Predicates -------------------------------------------------------------------------------------------------------


def _predicate_rows() -> None:
    for name, method in (("and", "and_"), ("or", "or_"), ("xor", "xor")):
        _add(f"{name}.p", "p", "p p", _method(method))
    _add("andnot.p", "p", "p p", lambda b, x, y: b.and_(b.not_(x), y))
    _add("ornot.p", "p", "p p", lambda b, x, y: b.or_(b.not_(x), y))
    _add("not.p", "p", "p", _method("not_"))
    _add("mov.p", "p", "p", lambda b, x: x)
    _add("selp.p", "p", "p p p", lambda b, x, y, p: b.select(p, x, y))


# Floating point ---------------------------------------------------------------------------------------------------


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
    """Emit neg or abs on the sign bit alone, so that NaN and -0 come out as silicon gives them."""

    def emit(b: Builder, x: Value) -> Value:
        element = v.i32 if x.type.element == v.f32 else v.i64
        sign = v.constant(element, 1 << (element.width - 1))
        bits = b.bitcast(x, v.vector(element))
        result = b.xor(bits, sign) if flip else b.and_(bits, b.not_(sign))
        return b.bitcast(result, x.type)

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


def _float_rows() -> None:
    for t, element in (("f32", v.f32), ("f64", v.f64)):
        for name, method in (("add", "fadd"), ("sub", "fsub"), ("mul", "fmul"), ("div", "fdiv")):
            _add(f"{name}.{t}", t, f"{t} {t}", _method(method))
        _add(f"fma.{t}", t, f"{t} {t} {t}", _intrinsic("fma"))
        _add(f"sqrt.{t}", t, t, _intrinsic("sqrt"))
        _add(f"rcp.{t}", t, t, lambda b, x: b.fdiv(v.constant(x.type.element, 1.0), x))
        _add(f"neg.{t}", t, t, _sign_operation(keep_sign=False, flip=True))
        _add(f"abs.{t}", t, t, _sign_operation(keep_sign=False, flip=False))
        _add(f"min.{t}", t, f"{t} {t}", _float_extreme("<"))
        _add(f"max.{t}", t, f"{t} {t}", _float_extreme(">"))
        # PTX's copysign takes the sign of its first operand.
        _add(f"copysign.{t}", t, f"{t} {t}", lambda b, sign, x: _intrinsic("copysign")(b, x, sign))
        for name, sign in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
            _add(f"setp.{name}.{t}", "p", f"{t} {t}", _float_compare(sign, ordered=True))
            _add(f"setp.{name}u.{t}", "p", f"{t} {t}", _float_compare(sign, ordered=False))
        _add(f"setp.num.{t}", "p", f"{t} {t}", _float_compare("ord", ordered=True))
        _add(f"setp.nan.{t}", "p", f"{t} {t}", _float_compare("uno", ordered=False))
        for mode, name in (("rni", "rint"), ("rzi", "trunc"), ("rmi", "floor"), ("rpi", "ceil")):
            _add(f"round.{mode}.{t}", t, t, _intrinsic(name))
        _add(f"saturate.{t}", t, t, _saturate)
        for width in (32, 64):
            integer = ir.IntType(width)
            _add(f"cvt.{t}.s{width}", t, f"i{width}", _convert("sitofp", element))
            _add(f"cvt.{t}.u{width}", t, f"i{width}", _convert("uitofp", element))
            _add(f"cvt.s{width}.{t}", f"i{width}", t, _to_integer(True, integer))
            _add(f"cvt.u{width}.{t}", f"i{width}", t, _to_integer(False, integer))
    _add("flush.f32", "f32", "f32", _flush)
    _add("cvt.f64.f32", "f64", "f32", _convert("fpext", v.f64))
    _add("cvt.f32.f64", "f32", "f64", _convert("fptrunc", v.f32))


# Widths: ext.<low bits of this type>.<slot read>.<slot written> ------------------------------------------------------


def _extend(bits: int, signed: bool, element: Any) -> Emit:
    def emit(b: Builder, x: Value) -> Value:
        low = x if x.type.element.width == bits else b.trunc(x, v.vector(ir.IntType(bits)))
        if bits == element.width:
            return low
        return (b.sext if signed else b.zext)(low, v.vector(element))

    return emit


def _width_rows() -> None:
    for read in (32, 64):
        for written in (32, 64):
            for bits in (8, 16, 32):
                for sign in ("s", "u"):
                    emit = _extend(bits, sign == "s", ir.IntType(written))
                    _add(f"ext.{sign}{bits}.{read}.{written}", f"i{written}", f"i{read}", emit)


_integer_rows()
_predicate_rows()
_float_rows()
_width_rows()
OPCODES: dict[str, int] = {operation.key: number for number, operation in enumerate(TABLE)}
