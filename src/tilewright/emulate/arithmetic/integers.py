"""Vector operations on integers and predicates."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Emit, Rows, Value, call_intrinsic, call_method

ROWS = Rows()


def _zero(value: Value) -> Value:
    """Return zeros of a value's type."""
    return v.constant(value.type.element, 0)


def _minus_one(value: Value) -> Value:
    """Return all ones of a value's type."""
    return v.constant(value.type.element, -1)


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
        shifted = call_intrinsic(name)(b, high, low, b.and_(count, v.constant(v.i32, 31)))
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
            ROWS.add(f"{name}.{t}", kind, f"{kind} {kind}", call_method(method))
        ROWS.add(f"xor.{t}", kind, f"{kind} {kind}", call_method("xor"))
        ROWS.add(f"not.{t}", kind, kind, call_method("not_"))
        ROWS.add(f"neg.{t}", kind, kind, call_method("neg"))
        ROWS.add(f"abs.{t}", kind, kind, _absolute)
        ROWS.add(f"mad.lo.{t}", kind, f"{kind} {kind} {kind}", lambda b, x, y, z: b.add(b.mul(x, y), z))
        ROWS.add(f"shl.{t}", kind, f"{kind} i32", _shift("shl"))
        ROWS.add(f"mov.{t}", kind, kind, lambda b, x: x)
        ROWS.add(f"selp.{t}", kind, f"{kind} {kind} p", lambda b, x, y, p: b.select(p, x, y))
        for sign in ("s", "u"):
            s, signed = f"{sign}{width}", sign == "s"
            ROWS.add(f"shr.{s}", kind, f"{kind} i32", _shift("ashr" if signed else "lshr"))
            ROWS.add(f"min.{s}", kind, f"{kind} {kind}", _extreme("<", signed))
            ROWS.add(f"max.{s}", kind, f"{kind} {kind}", _extreme(">", signed))
            ROWS.add(f"div.{s}", kind, f"{kind} {kind}", _divide(signed))
            ROWS.add(f"rem.{s}", kind, f"{kind} {kind}", _remainder(signed))
            ROWS.add(f"mul.hi.{s}", kind, f"{kind} {kind}", _multiply_high(signed))
            for name, sign_of in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
                ROWS.add(f"setp.{name}.{s}", "p", f"{kind} {kind}", _compare(sign_of, signed))
            if width < 64:
                wide = f"i{2 * width}"
                ROWS.add(f"mul.wide.{s}", wide, f"{kind} {kind}", _multiply_wide(signed))
                ROWS.add(f"mad.wide.{s}", wide, f"{kind} {kind} {wide}", _multiply_add_wide(signed))
        for name, sign_of in (("eq", "=="), ("ne", "!=")):
            ROWS.add(f"setp.{name}.{t}", "p", f"{kind} {kind}", _compare(sign_of, True))
    for width in (32, 64):
        t = f"i{width}"
        ROWS.add(f"popc.{t}", "i32", t, _count_bits("ctpop"))
        ROWS.add(f"clz.{t}", "i32", t, _count_bits("ctlz"))
        ROWS.add(f"brev.{t}", t, t, _count_bits("bitreverse"))
        ROWS.add(f"add.cc.{t}", f"{t} p", f"{t} {t}", _carry_add)
        ROWS.add(f"addc.cc.{t}", f"{t} p", f"{t} {t} p", _carry_add)
        ROWS.add(f"sub.cc.{t}", f"{t} p", f"{t} {t}", _borrow_subtract)
        ROWS.add(f"subc.cc.{t}", f"{t} p", f"{t} {t} p", _borrow_subtract)
    for direction in ("l", "r"):
        for mode in ("wrap", "clamp"):
            emit = _funnel(f"fsh{direction}", mode == "clamp")
            ROWS.add(f"shf.{direction}.{mode}.i32", "i32", "i32 i32 i32", emit)
    ROWS.add("lop3.i32", "i32", "i32 i32 i32 imm", _lookup)
    ROWS.add("pack.i64", "i64", "i32 i32", _pack(v.i64, 32))
    ROWS.add("unpack.i64", "i32 i32", "i64", _unpack(v.i32, 32))
    ROWS.add("pack.i32", "i32", "i16 i16", _pack(v.i32, 16))
    ROWS.add("unpack.i32", "i16 i16", "i32", _unpack(v.i16, 16))


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


def _predicate_rows() -> None:
    for name, method in (("and", "and_"), ("or", "or_"), ("xor", "xor")):
        ROWS.add(f"{name}.p", "p", "p p", call_method(method))
    ROWS.add("andnot.p", "p", "p p", lambda b, x, y: b.and_(b.not_(x), y))
    ROWS.add("ornot.p", "p", "p p", lambda b, x, y: b.or_(b.not_(x), y))
    ROWS.add("not.p", "p", "p", call_method("not_"))
    ROWS.add("mov.p", "p", "p", lambda b, x: x)
    ROWS.add("selp.p", "p", "p p p", lambda b, x, y, p: b.select(p, x, y))


_integer_rows()
_predicate_rows()
