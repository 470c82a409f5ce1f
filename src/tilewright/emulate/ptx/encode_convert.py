"""Encoding conversions and moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.emulate import opcodes as op
from tilewright.emulate.arithmetic.conversions import ROUNDINGS, conversion
from tilewright.emulate.arithmetic.table import OPCODES
from tilewright.emulate.execute import scalar_operations as scalar
from tilewright.emulate.ptx.encode_rows import FLOATS, Handler, bits, emit_scalar, integer_kind, slot_kind
from tilewright.emulate.ptx.operands import NotEmulated
from tilewright.emulate.ptx.parser import TYPE_BYTES, split_operands

if TYPE_CHECKING:
    from tilewright.emulate.ptx.encode import Encoder


def _convert(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """cvt: widths and the common float forms as vectors, the rest lane by lane."""
    kinds = [p for p in parts[1:] if p in TYPE_BYTES or p == "tf32"]
    target, source = kinds[0], kinds[1]
    modifiers = [p for p in parts[1:] if p not in kinds]
    rounding = next((m for m in modifiers if m in ROUNDINGS), None)
    saturate, flush = "sat" in modifiers, "ftz" in modifiers
    if any(m not in (*ROUNDINGS, "sat", "ftz") for m in modifiers):
        raise NotEmulated(".".join(parts))
    if target in ("f16x2", "bf16x2"):
        number = conversion(target.removesuffix("x2"), source, rounding or "rn", saturate=saturate, flush=flush)
        sources = [e.source(text, source) for text in operands[1:]]
        emit_scalar(e, scalar.CONVERT_PAIR, "32 32 32", e.target(operands[0], "i32"), sources, number)
        return
    if target == "tf32":
        if source != "f32" or rounding not in ("rn", "rz", "rna") or len(modifiers) > 1:
            raise NotEmulated(".".join(parts))
        number = conversion(target, source, rounding, saturate=False, flush=False)
        emit_scalar(e, scalar.CONVERT, "32 32", e.target(operands[0], "i32"), [e.source(operands[1], "f32")], number)
        return
    is_float = target[0] == "f" or target == "bf16", source[0] == "f" or source == "bf16"
    key = _vector_conversion(e, target, source, is_float, rounding, operands)
    if key is not None and not saturate and not flush:
        slot = e.source(operands[1], source if is_float[1] else f"i{_slot_width(e, operands[1], source)}")
        e.vector(key, [e.target(operands[0], target if is_float[0] else "i64")], [slot])
        return
    number = conversion(
        target, source, rounding or ("rzi" if is_float[1] and not is_float[0] else "rn"), saturate=saturate, flush=flush
    )
    source_width, target_width = _slot_width(e, operands[1], source), _slot_width(e, operands[0], target)
    slot = e.source(operands[1], source if is_float[1] else f"i{source_width}")
    emit_scalar(e, scalar.CONVERT, f"{target_width} {source_width}", e.target(operands[0], "i64"), [slot], number)


def _slot_width(e: Encoder, text: str, kind: str) -> int:
    """Return the width of the slot behind an operand: registers may be wider than the type that reads them."""
    width = e.frame.width(text) if e.frame.is_register(text) else bits(kind)
    return 64 if width == 64 else 32


def _vector_conversion(
    e: Encoder, target: str, source: str, is_float: tuple[bool, bool], rounding: str | None, operands: list[str]
) -> str | None:
    """Return the row of the vector table that converts, if there is one."""
    to_float, from_float = is_float
    if not to_float and not from_float:
        kind = source if bits(source) < bits(target) else target
        read, written = _slot_width(e, operands[1], source), _slot_width(e, operands[0], target)
        if bits(kind) == 64:
            return "mov.i64"
        return f"ext.{kind}.{read}.{written}"
    if to_float and from_float:
        if target == source and rounding in ("rni", "rzi", "rmi", "rpi"):
            return f"round.{rounding}.{target}" if target in FLOATS else None
        if rounding in (None, "rn") and f"cvt.{target}.{source}" in OPCODES:
            return f"cvt.{target}.{source}"
        return f"mov.{integer_kind(target)}" if target == source and rounding is None else None
    integer = source if to_float else target
    if bits(integer) < 32 or (to_float and rounding not in (None, "rn")) or (not to_float and rounding != "rzi"):
        return None
    if (source if from_float else target) not in FLOATS:
        return None
    return f"cvt.{target}.{source}"


def _move(e: Encoder, parts: list[str], operands: list[str]) -> None:
    kind = parts[-1]
    result, source = operands
    if source.startswith("{"):
        _pack(e, kind, result, split_operands(source.strip("{} ")))
    elif result.startswith("{"):
        _unpack(e, kind, split_operands(result.strip("{} ")), source)
    elif kind == "pred":
        e.plain("mov.p", operands)
    else:
        name = source.lstrip("%")
        if source.startswith("%") and name in op.SPECIAL_NUMBER and not e.frame.is_register(source):
            e.special(name, e.target(result, integer_kind(kind)), bits(kind))
            return
        slot = e.source(source, slot_kind(kind))
        e.vector(f"mov.{integer_kind(kind)}", [e.target(result, slot_kind(kind))], [slot])


def _pack(e: Encoder, kind: str, result: str, names: list[str]) -> None:
    half_kind = f"i{bits(kind) // len(names)}"
    slots = [e.source(name, half_kind) for name in names]
    if len(slots) == 4:
        pairs = [e.temporary("i32"), e.temporary("i32")]
        e.vector("pack.i32", [pairs[0]], slots[:2], counted=False)
        e.vector("pack.i32", [pairs[1]], slots[2:], counted=False)
        slots = pairs
    e.vector(f"pack.{integer_kind(kind)}", [e.target(result, integer_kind(kind))], slots)


def _unpack(e: Encoder, kind: str, names: list[str], source: str) -> None:
    slot = e.source(source, integer_kind(kind))
    half_kind = f"i{bits(kind) // len(names)}"
    targets = [e.target(name, half_kind) for name in names]
    if len(targets) == 4:
        pairs = [e.temporary("i32"), e.temporary("i32")]
        e.vector("unpack.i64", pairs, [slot], counted=False)
        e.vector("unpack.i32", targets[:2], [pairs[0]], counted=False)
        e.vector("unpack.i32", targets[2:], [pairs[1]])
        return
    e.vector(f"unpack.{integer_kind(kind)}", targets, [slot])


HANDLERS: dict[str, Handler] = {
    "cvt": _convert,
    "mov": _move,
}
