"""Encoding arithmetic on integers, floats and halves: rows of the vector table, or scalar operations.

Modifiers become extra rows that are not counted: `.ftz` flushes copies of the operands and then the result, `.sat`
clamps the result. So the tables need no variant for each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.emulate.arithmetic.conversions import TYPE_NUMBER, conversion
from tilewright.emulate.execute import scalar_operations as scalar
from tilewright.emulate.ptx.encode_rows import (
    FLOATS,
    HALVES,
    Handler,
    bit_operation,
    computed,
    emit_scalar,
    flushed,
    integer_kind,
    plain_conversion,
    unpacked,
)
from tilewright.emulate.ptx.operands import NotEmulated

if TYPE_CHECKING:
    from tilewright.emulate.ptx.encode import Encoder

ROUNDING_MODES = {"rn": 0, "rna": 0, "rz": 1, "rm": 2, "rp": 3}


def _float_operation(e: Encoder, name: str, parts: list[str], operands: list[str]) -> None:
    """Encode an operation on f32 or f64 with its rounding, .ftz and .sat."""
    kind = parts[-1]
    flush = "ftz" in parts and kind == "f32"
    sources = [e.source(text, kind) for text in operands[1:]]
    if flush:
        sources = [flushed(e, slot) for slot in sources]
    has_nan = _nan_among(e, kind, sources) if "NaN" in parts else None
    result = e.target(operands[0], kind)
    mode = next((ROUNDING_MODES[p] for p in parts[1:-1] if p in ROUNDING_MODES), 0)
    if mode:
        base = scalar.DIRECTED_32 if kind == "f32" else scalar.DIRECTED_64
        width = "64" if kind == "f64" else "32"
        number = base + scalar.DIRECTED.index(name)
        emit_scalar(e, number, " ".join([width] * (1 + len(sources))), result, sources, mode)
    elif flush and name == "mul":
        e.vector(f"{name}.ftz.{kind}", [result], sources)
    else:
        e.vector(f"{name}.{kind}", [result], sources)
    if flush:
        e.vector("flush.f32", [result], [result], counted=False)
    if "sat" in parts:
        e.vector(f"saturate.{kind}", [result], [result], counted=False)
    if has_nan is not None:
        _put_nan(e, kind, result, has_nan)


def _nan_among(e: Encoder, kind: str, sources: list[int]) -> int:
    """Return a predicate that says where one of two operands is NaN, for min.NaN and max.NaN."""
    verdict = e.temporary("p")
    e.vector(f"setp.nan.{kind}", [verdict], sources, counted=False)
    return verdict


def _put_nan(e: Encoder, kind: str, result: int, verdict: int) -> None:
    nan = e.constant(0x7FFFFFFF, 32) if kind == "f32" else e.constant(0x7FF8 << 48, 64)
    e.vector(f"selp.{integer_kind(kind)}", [result], [nan, result, verdict], counted=False)


def _half_operation(e: Encoder, name: str, parts: list[str], operands: list[str]) -> None:
    """Encode float16 and bfloat16 arithmetic: through float32, whose 24 bits make the second rounding harmless."""
    kind = parts[-1]
    if kind.endswith("x2"):
        _half_pair(e, name, parts, operands)
        return
    sources = [e.source(text, "i16") for text in operands[1:]]
    result = e.target(operands[0], "i16")
    half(e, name, kind, result, sources, parts)


def half(e: Encoder, name: str, kind: str, result: int, sources: list[int], parts: list[str]) -> None:
    """Encode one operation on halves that are already in slots."""
    if name == "fma":
        emit_scalar(e, scalar.FUSED_HALF, "32 32 32 32", result, sources, TYPE_NUMBER[kind])
        if "sat" in parts:
            clamped = conversion(kind, kind, "rn", saturate=True, flush=False)
            emit_scalar(e, scalar.CONVERT, "32 32", result, [result], clamped, counted=False)
        if "relu" in parts:
            half(e, "max", kind, result, [result, e.constant(0, 16)], [name, "NaN", kind])
            uncount_last_counted(e)
        return
    wide = [e.temporary("f32") for _ in sources]
    for slot, source in zip(wide, sources, strict=True):
        emit_scalar(e, scalar.CONVERT, "32 32", slot, [source], plain_conversion("f32", kind), counted=False)
    total = e.temporary("f32")
    e.vector(f"{name}.f32", [total], wide)
    if "sat" in parts:
        e.vector("saturate.f32", [total], [total], counted=False)
    if "NaN" in parts:
        _put_nan(e, "f32", total, _nan_among(e, "f32", wide))
    emit_scalar(e, scalar.CONVERT, "32 32", result, [total], plain_conversion(kind, "f32"), counted=False)


def _half_pair(e: Encoder, name: str, parts: list[str], operands: list[str]) -> None:
    kind = parts[-1].removesuffix("x2")
    sources = [e.source(text, "i32") for text in operands[1:]]
    result = e.target(operands[0], "i32")
    pairs = [unpacked(e, source) for source in sources]
    halves = []
    for position in range(2):
        slot = e.temporary("i16")
        half(e, name, kind, slot, [pair[position] for pair in pairs], parts)
        halves.append(slot)
        if position:
            uncount_last_counted(e)
    e.vector("pack.i32", [result], halves, counted=False)


def _integer_pair(e: Encoder, name: str, parts: list[str], operands: list[str]) -> None:
    """Encode add, min and max of two integers of 16 bits."""
    key = "add.i16" if name == "add" else f"{name}.{parts[-1].removesuffix('x2')}"
    pairs = [unpacked(e, e.source(text, "i32")) for text in operands[1:]]
    halves = [computed(e, key, *both) for both in zip(*pairs, strict=True)]
    if "relu" in parts:
        halves = [computed(e, "max.s16", half, e.constant(0, 16)) for half in halves]
    e.vector("pack.i32", [e.target(operands[0], "i32")], halves)


def uncount_last_counted(e: Encoder) -> None:
    """Keep an operation on a pair one instruction, though its second half has rows of its own."""
    for number in range(len(e.code.uncounted) - 1, -1, -1):
        if not e.code.uncounted[number]:
            e.code.uncounted[number] = True
            return


def _arithmetic(name: str) -> Handler:
    """Make the handler of add, sub, min, ...: integers by width or sign, floats, halves."""

    def handle(e: Encoder, parts: list[str], operands: list[str]) -> None:
        if parts[-1] == "relu":
            parts = [parts[0], "relu", *parts[1:-1]]
        kind = parts[-1]
        if kind in FLOATS:
            if any(p in ("xorsign", "abs") for p in parts[1:]):
                raise NotEmulated(".".join(parts))
            _float_operation(e, name, parts, operands)
        elif kind in HALVES or kind in ("f16x2", "bf16x2"):
            if any(p in ("xorsign", "ftz") for p in parts[1:]) or ("relu" in parts and name != "fma"):
                raise NotEmulated(".".join(parts))
            _half_operation(e, name, parts, operands)
        elif "cc" in parts:
            _carry(e, name, parts, operands)
        elif "sat" in parts:
            bit_operation(e, f"{name}sat.{kind}", operands)
        elif kind.endswith("x2"):
            _integer_pair(e, name, parts, operands)
        elif name in ("min", "max", "div", "rem"):
            e.plain(f"{name}.{kind}", operands)
            if "relu" in parts:
                result = e.target(operands[0], "i32")
                e.vector("max.s32", [result], [result, e.constant(0, 32)], counted=False)
        else:
            e.plain(f"{name}.{integer_kind(kind)}", operands)

    return handle


def _carry(e: Encoder, name: str, parts: list[str], operands: list[str]) -> None:
    """Encode the extended-precision forms."""
    width = integer_kind(parts[-1])
    slots = [e.source(text, width) for text in operands[1:]]
    if name in ("addc", "subc"):
        slots.append(_carry_flag(e))
    result = e.target(operands[0], width)
    e.vector(f"{name}.cc.{width}", [result, _carry_target(e, parts)], slots)


def _carry_flag(e: Encoder) -> int:
    """Return the slot of the carry flag, a predicate of the frame."""
    e.frame.widths.setdefault("%carry flag", 1)
    return e.target("%carry flag", "p")


def _carry_target(e: Encoder, parts: list[str]) -> int:
    """Return where the carry goes: only `.cc` changes the flag that later instructions read."""
    return _carry_flag(e) if "cc" in parts else e.temporary("p")


def _with_carry(name: str) -> Handler:
    def handle(e: Encoder, parts: list[str], operands: list[str]) -> None:
        _carry(e, name, parts, operands)

    return handle


def _multiply(e: Encoder, parts: list[str], operands: list[str]) -> None:
    kind = parts[-1]
    if kind in FLOATS or kind in HALVES or kind.endswith("x2"):
        _arithmetic("mul")(e, parts, operands)
    elif "lo" in parts:
        e.plain(f"mul.lo.{integer_kind(kind)}", operands)
    else:
        e.plain(f"mul.{parts[1]}.{kind}", operands)


def _multiply_add(e: Encoder, parts: list[str], operands: list[str]) -> None:
    kind = parts[-1]
    if kind in FLOATS:
        _float_operation(e, "fma", parts, operands)
        return
    result, x, y, z = operands
    width = integer_kind(kind)
    if parts[0] == "madc" or "cc" in parts:
        product = e.temporary(width)
        key = f"mul.lo.{width}" if "lo" in parts else f"mul.hi.{kind}"
        e.vector(key, [product], [e.source(x, width), e.source(y, width)], counted=False)
        addends = [product, e.source(z, width)]
        if parts[0] == "madc":
            addends.append(_carry_flag(e))
        name = "addc" if parts[0] == "madc" else "add"
        e.vector(f"{name}.cc.{width}", [e.target(result, width), _carry_target(e, parts)], addends)
    elif "sat" in parts:
        bit_operation(e, f"madsat.hi.{kind}", operands)
    elif "hi" in parts:
        product = e.temporary(width)
        e.vector(f"mul.hi.{kind}", [product], [e.source(x, width), e.source(y, width)], counted=False)
        addend = e.source(z, width)
        e.vector(f"add.{width}", [e.target(result, width)], [product, addend])
    elif "wide" in parts:
        e.plain(f"mad.wide.{kind}", operands)
    else:
        e.plain(f"mad.lo.{width}", operands)


def _unary(name: str) -> Handler:
    def handle(e: Encoder, parts: list[str], operands: list[str]) -> None:
        kind = parts[-1]
        if kind in FLOATS:
            _float_operation(e, name, parts, operands)
        elif kind in HALVES or kind in ("f16x2", "bf16x2"):
            width = "i16" if kind in HALVES else "i32"
            mask = 0x8000 if kind in HALVES else 0x80008000
            constant = e.constant(mask if name == "neg" else ~mask, 16 if kind in HALVES else 32)
            source = e.source(operands[1], width)
            key = "xor" if name == "neg" else "and"
            changed = e.temporary(width)
            e.vector(f"{key}.{width}", [changed], [source, constant], counted=False)
            e.vector(f"one_nan.{kind}", [e.target(operands[0], width)], [changed])
        else:
            e.plain(f"{name}.{integer_kind(kind)}", operands)

    return handle


def _reciprocal(name: str) -> Handler:
    """Make the handler of sqrt and rcp: exact rounding; the approximations are rounded correctly too."""

    def handle(e: Encoder, parts: list[str], operands: list[str]) -> None:
        if parts[-1] == "f64" and "approx" in parts:
            _approximation(name)(e, parts, operands)
        else:
            _float_operation(e, name, parts, operands)

    return handle


def _approximation(name: str) -> Handler:
    def handle(e: Encoder, parts: list[str], operands: list[str]) -> None:
        kind = parts[-1]
        key = f"{name}.ftz.f64" if "ftz" in parts and kind == "f64" else f"{name}.{kind}"
        if key not in scalar.APPROXIMATE:
            raise NotEmulated(".".join(parts))
        source = e.source(operands[1], kind)
        if "ftz" in parts and kind == "f32":
            source = flushed(e, source)
        result = e.target(operands[0], kind)
        number = scalar.FIRST_APPROXIMATE + scalar.APPROXIMATE.index(key)
        emit_scalar(e, number, "64 64" if kind == "f64" else "32 32", result, [source])
        if "ftz" in parts and kind == "f32":
            e.vector("flush.f32", [result], [result], counted=False)

    return handle


HANDLERS: dict[str, Handler] = {
    **{name: _arithmetic(name) for name in ("add", "sub", "min", "max", "div", "rem", "fma", "copysign")},
    "addc": _with_carry("addc"),
    "subc": _with_carry("subc"),
    "mul": _multiply,
    **dict.fromkeys(("mad", "madc"), _multiply_add),
    **{name: _unary(name) for name in ("neg", "abs")},
    **{name: _reciprocal(name) for name in ("sqrt", "rcp")},
    **{name: _approximation(name) for name in ("rsqrt", "ex2", "lg2", "sin", "cos", "tanh")},
}
