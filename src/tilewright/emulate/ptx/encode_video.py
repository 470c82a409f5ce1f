"""Encoding the video instructions (`vadd`, `vabsdiff4`, ...) as rows of plain integer arithmetic.

A scalar one extends a byte, half or word of each operand to 64 bits. One of two or four parts takes halves or bytes
from both operands together, and does each part in 32 bits. Only the row that writes the result is counted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tilewright.emulate.ptx.encode_rows import Handler, computed
from tilewright.emulate.ptx.operands import NotEmulated

if TYPE_CHECKING:
    from tilewright.emulate.ptx.encode import Encoder

SCALAR = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vset", "vshl", "vshr", "vmad")
PARTED = tuple(f"v{name}{parts}" for name in ("add", "sub", "absdiff", "min", "max", "avrg", "set") for parts in (2, 4))
_OPERAND = re.compile(r"(-(?=\s*[^\d\s]))?\s*(.*?)(?:\.([bh])([0-7]+))?$")
_UNIT_BITS = {"b": 8, "h": 16}


def selected(text: str) -> tuple[str, str, str, bool]:
    """Take `-%r1.h32` apart: the register, `h`, `32`, and whether it is negated; the middle two may be empty."""
    match = _OPERAND.match(text)
    assert match is not None
    return match[2], match[3] or "", match[4] or "", bool(match[1])


def _kinds(parts: list[str]) -> list[str]:
    """Return the types of the result and of both operands; a comparison's result is unsigned."""
    given = [part for part in parts[1:] if part in ("u32", "s32")]
    return given if len(given) == 3 else ["u32", *given]


def _extended(e: Encoder, slot: int, kind: str, bits: int, first: int, width: int) -> int:
    """Return bits of a word from bit `first` on, extended to `width` bits by their type."""
    if first:
        slot = computed(e, "shr.u32", slot, e.constant(first, 32))
    return computed(e, f"ext.{kind[0]}{bits}.32.{width}", slot)


def _operation(e: Encoder, parts: list[str], width: int, x: int, y: int) -> int:
    """Combine two extended operands, which are signed whatever they were before."""
    name = parts[0][1:].rstrip("24")
    if name in ("add", "sub"):
        return computed(e, f"{name}.i{width}", x, y)
    if name in ("min", "max"):
        return computed(e, f"{name}.s{width}", x, y)
    if name == "absdiff":
        return computed(e, f"abs.i{width}", computed(e, f"sub.i{width}", x, y))
    if name == "avrg":
        total = computed(e, "add.i32", x, y)
        negative = computed(e, "shr.s32", total, e.constant(31, 32))
        rounded = computed(e, "add.i32", computed(e, "add.i32", total, negative), e.constant(1, 32))
        return computed(e, "shr.s32", rounded, e.constant(1, 32))
    if name == "set":
        comparison = next(part for part in parts if part in ("eq", "ne", "lt", "le", "gt", "ge"))
        key = f"{comparison}.{'i' if comparison in ('eq', 'ne') else 's'}{width}"
        verdict = computed(e, f"setp.{key}", x, y)
        return computed(e, f"selp.i{width}", e.constant(1, width), e.constant(0, width), verdict)
    count = computed(e, "ext.u32.64.32", y)
    if "clamp" in parts:
        count = computed(e, "min.u32", count, e.constant(32, 32))
    else:
        count = computed(e, "and.i32", count, e.constant(31, 32))
    return computed(e, "shl.i64" if name == "shl" else "shr.s64", x, count)


def _clamped(e: Encoder, value: int, kind: str, bits: int, width: int) -> int:
    """Return a value brought into the range of its type."""
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if kind == "s32" else (0, (1 << bits) - 1)
    raised = computed(e, f"max.s{width}", value, e.constant(low, width))
    return computed(e, f"min.s{width}", raised, e.constant(high, width))


def _scalar(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode `d, a, b` with a third operand that is combined with the result, or into which the result goes."""
    if parts[0] != "vmad" and any(selected(text)[3] for text in operands):
        raise NotEmulated(".".join(parts))
    kind, *kinds = _kinds(parts)
    name, unit, place, _ = selected(operands[0])
    sources = []
    for text, source_kind in zip(operands[1:3], kinds, strict=True):
        register, source_unit, index, _ = selected(text)
        bits = _UNIT_BITS.get(source_unit, 32)
        slot = e.source(register, "i32")
        sources.append(_extended(e, slot, source_kind, bits, bits * int(index or "0"), 64))
    value = _product(e, parts, operands, sources) if parts[0] == "vmad" else _operation(e, parts, 64, *sources)
    if "sat" in parts and parts[0] != "vmad":
        value = _clamped(e, value, kind, _UNIT_BITS.get(unit, 32), 64)
    second = next((part for part in parts[4 - (parts[0] == "vset") :] if part in ("add", "min", "max")), "")
    if second:
        key = "add.i64" if second == "add" else f"{second}.s64"
        value = computed(e, key, value, _extended(e, e.source(operands[3], "i32"), kind, 32, 0, 64))
    if not unit:
        e.vector("ext.u32.64.32", [e.target(name, "i32")], [value])
        return
    word = computed(e, "ext.u32.64.32", value)
    _merge(e, name, [(_UNIT_BITS[unit] * int(place), word)], _UNIT_BITS[unit], operands[3])


def _product(e: Encoder, parts: list[str], operands: list[str], sources: list[int]) -> int:
    """vmad: a * b + c, one of the terms negated or 1 added, then shifted and clamped."""
    texts = [selected(text) for text in operands[1:]]
    is_negated, takes_away = texts[0][3] != texts[1][3], texts[2][3]
    if (is_negated and takes_away) or ("po" in parts and any(text[3] for text in texts)):
        raise NotEmulated(".".join(parts))
    is_signed = "s32" in parts[2:4] or is_negated or takes_away
    if is_signed and "sat" in parts and "s32" not in parts[2:4] and not any(text[1] for text in texts[:2]):
        raise NotEmulated(".".join(parts))  # needs more than 64 bits
    value = computed(e, "mul.lo.i64", *sources)
    if is_negated:
        value = computed(e, "neg.i64", value)
    term = e.source(texts[2][0], "i32")
    wide = _extended(e, term, "s32" if is_signed else "u32", 32, 0, 64)
    value = computed(e, "sub.i64" if takes_away else "add.i64", value, wide)
    if "po" in parts:
        value = computed(e, "add.i64", value, e.constant(1, 64))
    scale = next((int(part[3:]) for part in parts if part in ("shr7", "shr15")), 0)
    if scale:
        value = computed(e, "shr.s64" if is_signed else "shr.u64", value, e.constant(scale, 32))
    if "sat" not in parts:
        return value
    if is_signed:
        return _clamped(e, value, "s32", 32, 64)
    return computed(e, "min.u64", value, e.constant((1 << 32) - 1, 64))


def _merge(e: Encoder, name: str, places: list[tuple[int, int]], bits: int, kept: str) -> None:
    """Write a word: the low bits of each value at its place, the rest from a register."""
    mask = (1 << bits) - 1
    hidden = sum(mask << first for first, _ in places)
    word = computed(e, "and.i32", e.source(kept, "i32"), e.constant(~hidden, 32))
    for first, value in places:
        low = computed(e, "and.i32", value, e.constant(mask, 32))
        word = computed(e, "or.i32", word, computed(e, "shl.i32", low, e.constant(first, 32)))
    e.vector("mov.i32", [e.target(name, "i32")], [word])


def _parted(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode two or four parts at once: those of the mask are put into the third operand, or added to it."""
    count = int(parts[0][-1])
    bits = 32 // count
    kind, *kinds = _kinds(parts)
    name, _, mask, _ = selected(operands[0])
    chosen = [selected(operands[1]), selected(operands[2])]
    words = [e.source(register, "i32") for register, *_ in chosen]
    defaults = [range(count), range(count, 2 * count)]
    places = []
    for index in [int(digit) for digit in mask] or range(count):
        pair = []
        for (_, _, digits, _), own, source_kind in zip(chosen, defaults, kinds, strict=True):
            part = int(digits[count - 1 - index]) if digits else own[index]
            pair.append(_extended(e, words[part // count], source_kind, bits, bits * (part % count), 32))
        value = _operation(e, parts, 32, *pair)
        places.append((bits * index, _clamped(e, value, kind, bits, 32) if "sat" in parts else value))
    if "add" not in parts:
        _merge(e, name, places, bits, operands[3])
        return
    total = e.source(operands[3], "i32")
    for _, value in places:
        total = computed(e, "add.i32", total, value)
    e.vector("mov.i32", [e.target(name, "i32")], [total])


def _dot_halves(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """dp2a: both halves of one operand times two bytes of the other, and a third added."""
    halves, quads, total = (e.source(text, "i32") for text in operands[1:])
    for index in range(2):
        half = _extended(e, halves, parts[2], 16, 16 * index, 32)
        byte = _extended(e, quads, parts[3], 8, 8 * (index + 2 * (parts[1] == "hi")), 32)
        total = computed(e, "add.i32", total, computed(e, "mul.lo.i32", half, byte))
    e.vector("mov.i32", [e.target(operands[0], "i32")], [total])


HANDLERS: dict[str, Handler] = {**dict.fromkeys(SCALAR, _scalar), **dict.fromkeys(PARTED, _parted), "dp2a": _dot_halves}
