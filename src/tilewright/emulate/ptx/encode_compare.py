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


def _set_predicate(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """setp.cmp[.boolean].type p[|q], a, b[, {!}c]."""
    comparison, kind = parts[1], parts[-1]
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
    verdict = e.temporary("p")
    _compare(e, parts[1], kind, "ftz" in parts, operands[1], operands[2], verdict, False)
    if boolean:
        e.vector(f"{boolean}.p", [verdict], [verdict, e.source(operands[3], "p")], counted=False)
    true = 0x3F800000 if target == "f32" else -1
    e.vector("selp.i32", [e.target(operands[0], "i32")], [e.constant(true, 32), e.constant(0, 32), verdict])


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
