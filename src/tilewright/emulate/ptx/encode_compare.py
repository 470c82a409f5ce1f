"""Encoding comparisons and selections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.emulate.execute import scalar_operations as scalar
from tilewright.emulate.ptx.encode_rows import (
    FLOATS,
    HALVES,
    Handler,
    bits,
    emit_scalar,
    flushed,
    integer_kind,
    plain_conversion,
    slot_kind,
    unpacked,
)
from tilewright.emulate.ptx.operands import NotEmulated

if TYPE_CHECKING:
    from tilewright.emulate.ptx.encode import Encoder

TESTS = ("finite", "infinite", "number", "notanumber", "normal", "subnormal")


def _compare(e: Encoder, comparison: str, kind: str, flush: bool, x: str, y: str, result: int, counted: bool) -> None:
    """Encode one comparison into a predicate."""
    if kind in HALVES:
        slots = []
        for text in (x, y):
            slot = e.temporary("f32")
            emit_scalar(
                e, scalar.CONVERT, "32 32", slot, [e.source(text, "i16")], plain_conversion("f32", kind), counted=False
            )
            slots.append(slot)
        e.vector(f"setp.{comparison}.f32", [result], slots, counted=counted)
        return
    slots = [e.source(text, slot_kind(kind)) for text in (x, y)]
    if flush and kind == "f32":
        slots = [flushed(e, slot) for slot in slots]
    if kind in FLOATS:
        key = f"setp.{comparison}.{kind}"
    elif comparison in ("eq", "ne"):
        key = f"setp.{comparison}.{integer_kind(kind)}"
    else:
        comparison = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}.get(comparison, comparison)
        key = f"setp.{comparison}.{'s' if kind[0] == 's' else 'u'}{bits(kind)}"
    e.vector(key, [result], slots, counted=counted)


def _compare_pairs(e: Encoder, comparison: str, kind: str, x: str, y: str) -> list[int]:
    """Encode a comparison of two pairs of halves, one instruction; return the predicates of the low and the high."""
    pairs = [unpacked(e, e.source(text, "i32")) for text in (x, y)]
    verdicts = []
    for number, halves in enumerate(zip(*pairs, strict=True)):
        wide = [e.temporary("f32"), e.temporary("f32")]
        for slot, source in zip(wide, halves, strict=True):
            emit_scalar(e, scalar.CONVERT, "32 32", slot, [source], plain_conversion("f32", kind), counted=False)
        verdicts.append(e.temporary("p"))
        e.vector(f"setp.{comparison}.f32", [verdicts[-1]], wide, counted=number == 0)
    return verdicts


def _set_predicates_of_pairs(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """setp.cmp[.boolean].f16x2 p[|q], a, b[, {!}c]: p of the low halves, q of the high ones."""
    boolean = next((p for p in parts[2:-1] if p in ("and", "or", "xor")), None)
    verdicts = _compare_pairs(e, parts[1], parts[-1].removesuffix("x2"), operands[1], operands[2])
    other = e.source(operands[3], "p") if boolean else None
    for name, verdict in zip(operands[0].split("|"), verdicts, strict=False):
        if name.strip() == "_":
            continue
        target = e.target(name.strip(), "p")
        if other is None:
            e.vector("mov.p", [target], [verdict], counted=False)
        else:
            e.vector(f"{boolean}.p", [target], [verdict, other], counted=False)


def _set_predicate(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """setp.cmp[.boolean].type p[|q], a, b[, {!}c]."""
    comparison, kind = parts[1], parts[-1]
    if kind in ("f16x2", "bf16x2"):
        _set_predicates_of_pairs(e, parts, operands)
        return
    boolean = next((p for p in parts[2:-1] if p in ("and", "or", "xor")), None)
    first, _, second = (part.strip() for part in operands[0].partition("|"))
    flush = "ftz" in parts
    if boolean is None and not second:
        if first == "_":
            raise NotEmulated(".".join(parts))
        verdict = e.temporary("p")
        _compare(e, comparison, kind, flush, operands[1], operands[2], verdict, False)
        # The comparison may read what it is about to write.
        e.code.rows.pop(), e.code.texts.pop(), e.code.uncounted.pop(), e.code.elements.pop()
        _compare(e, comparison, kind, flush, operands[1], operands[2], e.target(first, "p"), True)
        return
    verdict = e.temporary("p")
    _compare(e, comparison, kind, flush, operands[1], operands[2], verdict, True)
    other = e.source(operands[3], "p") if boolean else None
    for name, is_inverted in ((first, False), (second, True)):
        if name in ("", "_"):
            continue
        source = verdict
        if is_inverted:
            source = e.temporary("p")
            e.vector("not.p", [source], [verdict], counted=False)
        if other is None:
            e.vector("mov.p", [e.target(name, "p")], [source], counted=False)
        else:
            e.vector(f"{boolean}.p", [e.target(name, "p")], [source, other], counted=False)


def _set(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """set.cmp[.boolean].dtype.stype: all ones or 1.0 where setp gives true."""
    target, kind = parts[-2], parts[-1]
    boolean = next((p for p in parts[2:-2] if p in ("and", "or", "xor")), None)
    if kind in ("f16x2", "bf16x2"):
        verdicts = _compare_pairs(e, parts[1], kind.removesuffix("x2"), operands[1], operands[2])
    else:
        verdicts = [e.temporary("p")]
        _compare(e, parts[1], kind, "ftz" in parts, operands[1], operands[2], verdicts[0], False)
    if boolean:
        for verdict in verdicts:
            e.vector(f"{boolean}.p", [verdict], [verdict, e.source(operands[3], "p")], counted=False)
    if kind in HALVES or len(verdicts) > 1:
        _set_halves(e, target, verdicts, operands[0])
        return
    verdict = verdicts[0]
    true = 0x3F800000 if target == "f32" else -1
    e.vector("selp.i32", [e.target(operands[0], "i32")], [e.constant(true, 32), e.constant(0, 32), verdict])


def _set_halves(e: Encoder, target: str, verdicts: list[int], result: str) -> None:
    """Encode what `set` of halves gives, one or a pair: 1.0 of their type, or all ones."""
    true = {"f16": 0x3C00, "bf16": 0x3F80}.get(target.removesuffix("x2"), 0xFFFF)
    if len(verdicts) == 1:
        wide = target in ("u32", "s32")
        sources = [e.constant(-1 if wide else true, 32 if wide else 16), e.constant(0, 32 if wide else 16), verdicts[0]]
        e.vector(f"selp.{'i32' if wide else 'i16'}", [e.target(result, "i32" if wide else "i16")], sources)
        return
    halves = [e.temporary("i16"), e.temporary("i16")]
    for half, verdict in zip(halves, verdicts, strict=True):
        e.vector("selp.i16", [half], [e.constant(true, 16), e.constant(0, 16), verdict], counted=False)
    e.vector("pack.i32", [e.target(result, "i32")], halves, counted=False)


def _select(e: Encoder, parts: list[str], operands: list[str]) -> None:
    kind = parts[-1]
    width = "p" if kind == "pred" else integer_kind(kind)
    e.plain(f"selp.{width}", operands) if kind not in FLOATS else _select_float(e, kind, operands)


def _select_float(e: Encoder, kind: str, operands: list[str]) -> None:
    """Selp of floats: immediates are read as floats, the bits move as integers."""
    sources = [e.source(operands[1], kind), e.source(operands[2], kind), e.source(operands[3], "p")]
    e.vector(f"selp.{integer_kind(kind)}", [e.target(operands[0], kind)], sources)


def _select_by_sign(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """slct: a where c >= 0, else b."""
    kind, sign_kind = parts[-2], parts[-1]
    verdict = e.temporary("p")
    _compare(e, "ge", sign_kind, "ftz" in parts, operands[3], "0", verdict, False)
    slot = kind if kind in FLOATS else integer_kind(kind)
    sources = [e.source(operands[1], slot), e.source(operands[2], slot), verdict]
    e.vector(f"selp.{integer_kind(kind)}", [e.target(operands[0], slot)], sources)


def _test(e: Encoder, parts: list[str], operands: list[str]) -> None:
    kind = parts[-1]
    number = scalar.TEST_32 if kind == "f32" else scalar.TEST_64
    source = e.source(operands[1], kind)
    result = e.target(operands[0], "p")
    emit_scalar(e, number, "32 64" if kind == "f64" else "32 32", result, [source], TESTS.index(parts[1]))


HANDLERS: dict[str, Handler] = {
    "setp": _set_predicate,
    "set": _set,
    "selp": _select,
    "slct": _select_by_sign,
    "testp": _test,
}
