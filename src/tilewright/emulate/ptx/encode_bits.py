"""Encoding logic, shifts, bit fields and the odd integer instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.emulate.arithmetic.bit_fields import PERMUTATIONS
from tilewright.emulate.execute import scalar_operations as scalar
from tilewright.emulate.ptx.encode_rows import (
    BIT_NUMBER,
    Handler,
    bit_operation,
    bits,
    computed,
    emit_scalar,
    integer_kind,
)
from tilewright.emulate.ptx.operands import NotEmulated

if TYPE_CHECKING:
    from tilewright.emulate.ptx.encode import Encoder


def _bits(e: Encoder, parts: list[str], operands: list[str]) -> None:
    bit_operation(e, ".".join(parts), operands)


def _permute(e: Encoder, parts: list[str], operands: list[str]) -> None:
    mode = parts[2] if len(parts) > 2 else ""
    bit_operation(e, "prmt.b32", operands, PERMUTATIONS.index(mode))


def _multiply_24(e: Encoder, parts: list[str], operands: list[str]) -> None:
    if parts[0] == "mul24":
        _bits(e, parts, operands)
        return
    if "sat" in parts:
        raise NotEmulated(".".join(parts))
    product = e.temporary("i32")
    sources = [e.source(text, "i32") for text in operands[1:3]]
    number = scalar.FIRST_BITS + BIT_NUMBER[f"mul24.{parts[1]}.{parts[-1]}"]
    emit_scalar(e, number, "32 32 32", product, sources, counted=False)
    addend = e.source(operands[3], "i32")
    e.vector("add.i32", [e.target(operands[0], "i32")], [product, addend])


def _sum_of_differences(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """sad: c + |a - b|, as max - min + c."""
    kind = parts[-1]
    width = integer_kind(kind)
    low, high, x, y = e.temporary(width), e.temporary(width), e.source(operands[1], width), e.source(operands[2], width)
    e.vector(f"min.{kind}", [low], [x, y], counted=False)
    e.vector(f"max.{kind}", [high], [x, y], counted=False)
    e.vector(f"sub.{width}", [high], [high, low], counted=False)
    addend = e.source(operands[3], width)
    e.vector(f"add.{width}", [e.target(operands[0], width)], [high, addend])


def _logic(name: str) -> Handler:
    def handle(e: Encoder, parts: list[str], operands: list[str]) -> None:
        kind = parts[-1]
        e.plain(f"{name}.p" if kind == "pred" else f"{name}.{integer_kind(kind)}", operands)

    return handle


def _not_zero(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """cnot: 1 for 0, else 0."""
    width = integer_kind(parts[-1])
    is_zero = e.temporary("p")
    e.vector(
        f"setp.eq.{width}", [is_zero], [e.source(operands[1], width), e.constant(0, bits(parts[-1]))], counted=False
    )
    one, zero = e.constant(1, bits(parts[-1])), e.constant(0, bits(parts[-1]))
    e.vector(f"selp.{width}", [e.target(operands[0], width)], [one, zero, is_zero])


def _shift_left(e: Encoder, parts: list[str], operands: list[str]) -> None:
    e.plain(f"shl.{integer_kind(parts[-1])}", operands)


def _shift_right(e: Encoder, parts: list[str], operands: list[str]) -> None:
    kind = parts[-1]
    e.plain(f"shr.{'s' if kind[0] == 's' else 'u'}{bits(kind)}", operands)


def _funnel_shift(e: Encoder, parts: list[str], operands: list[str]) -> None:
    e.plain(f"shf.{parts[1]}.{parts[2]}.i32", operands)


def _lookup(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """lop3[.boolean].b32 d[|p], a, b, c, table[, {!}q]: p says whether d is not 0, and / or q."""
    name, _, predicate = (part.strip() for part in operands[0].partition("|"))
    sources = [e.source(text, "i32") for text in operands[1:4]]
    other = e.source(operands[5], "p") if len(parts) > 2 else 0
    result = e.target(name, "i32")
    e.vector("lop3.i32", [result], sources, immediate=int(operands[4], 0))
    if len(parts) > 2:
        verdict = computed(e, "setp.ne.i32", result, e.constant(0, 32))
        e.vector(f"{parts[1]}.p", [e.target(predicate, "p")], [verdict, other], counted=False)


def _count_bits(e: Encoder, parts: list[str], operands: list[str]) -> None:
    e.plain(f"{parts[0]}.{integer_kind(parts[-1])}", operands)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("bfe", "bfi", "bfind", "fns", "dp4a", "szext", "bmsk"), _bits),
    "prmt": _permute,
    **dict.fromkeys(("mul24", "mad24"), _multiply_24),
    "sad": _sum_of_differences,
    **{name: _logic(name) for name in ("and", "or", "xor", "not")},
    "cnot": _not_zero,
    "shl": _shift_left,
    "shr": _shift_right,
    "shf": _funnel_shift,
    "lop3": _lookup,
    **dict.fromkeys(("popc", "clz", "brev"), _count_bits),
}
