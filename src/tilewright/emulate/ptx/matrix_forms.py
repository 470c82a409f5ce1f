"""The forms of `mma.sync` and `wgmma.mma_async` that are emulated: their shapes, types and registers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from tilewright.emulate import opcodes as op

Parts = Sequence[str]
FLOAT64_KINDS = {f"m{rows}n8k{depth}": kind for kind, (rows, depth) in enumerate(op.FLOAT64_PRODUCTS)}
FLOAT64_REGISTERS = {
    f"m{rows}n8k{depth}": (rows // 4, rows // 8 * depth // 4, depth // 4) for rows, depth in op.FLOAT64_PRODUCTS
}
"""Registers of the sums, of A and of B."""
_SUMS_OF = {
    **dict.fromkeys(("f16", "e4m3", "e5m2"), ("f32", "f16")),
    **dict.fromkeys(("bf16", "tf32"), ("f32",)),
    **dict.fromkeys(("s8", "u8"), ("s32",)),
}
_SHAPE = re.compile(r"m64n(\d+)k(\d+)$")


def is_float64(parts: Parts) -> bool:
    """Say whether a `mma` multiplies float64 in a shape that is emulated."""
    _, *words = parts
    is_plain = words[:2] == ["sync", "aligned"] and words[3:] == ["row", "col", *["f64"] * 4]
    return is_plain and words[2] in FLOAT64_REGISTERS


def matrix_kind(parts: Parts) -> int | None:
    """Return the KIND of a `mma` of other types, or None where it is not emulated."""
    if len(parts) < 10 or list(parts[1:3]) != ["sync", "aligned"] or list(parts[4:6]) != ["row", "col"]:
        return None
    saturates = parts[6] == "satfinite"
    types = list(parts[7:] if saturates else parts[6:])
    if len(types) != 4 or types[0] != types[3]:
        return None
    kind = _kind_of(types[0], types[1], types[2], saturates)
    if kind is None:
        return None
    whole = 32 // op.ELEMENT_BYTES[kind & 15]
    if parts[3] == f"m16n8k{whole}":
        return kind
    if parts[3] == "m8n8k16" and types[1] in ("s8", "u8"):
        return kind | op.MATRIX_SHORT | op.MATRIX_EIGHT_ROWS
    return kind | op.MATRIX_SHORT if parts[3] == f"m16n8k{whole // 2}" else None


def registers_of(kind: int) -> tuple[int, int, int]:
    """Return how many registers of the sums, of A and of B `mma.sync` has in PTX."""
    of_sums, of_a, of_b = op.matrix_slots(kind)
    return (of_sums // 2, of_a // 2, of_b) if kind & op.MATRIX_EIGHT_ROWS else (of_sums, of_a, of_b)


def _kind_of(summed: str, of_a: str, of_b: str, saturates: bool) -> int | None:
    """Return what a KIND says of types, or None where no instruction has them."""
    families = (("e4m3", "e5m2"), ("s8", "u8"))
    are_related = of_a == of_b or any(of_a in family and of_b in family for family in families)
    if not are_related or summed not in _SUMS_OF.get(of_a, ()) or (saturates and summed != "s32"):
        return None
    sums = op.SUM_KINDS.index(f"{summed}.satfinite" if saturates else summed)
    b = op.ELEMENT_KINDS.index(of_b)
    return op.ELEMENT_KINDS.index(of_a) | b << op.KIND_OF_B_SHIFT | sums << op.KIND_OF_SUM_SHIFT


class WarpgroupForm(NamedTuple):
    """A `wgmma.mma_async`. kind: without its immediates; columns: of B; sums: their type; registers: how many."""

    kind: int
    columns: int
    sums: str
    registers: int
    has_scales: bool
    can_turn: bool


def warpgroup_form(parts: Parts) -> WarpgroupForm | None:
    """Return what `wgmma.mma_async` multiplies, or None where it is not emulated."""
    if list(parts[1:4]) != ["mma_async", "sync", "aligned"] or len(parts) < 8:
        return None
    shape = _SHAPE.match(parts[4])
    saturates = parts[5] == "satfinite"
    types = list(parts[6:] if saturates else parts[5:])
    if shape is None or len(types) != 3:
        return None
    kind = _kind_of(types[0], types[1], types[2], saturates)
    columns, depth = int(shape[1]), int(shape[2])
    if kind is None or depth * op.ELEMENT_BYTES[kind & 15] != 32 or not 8 <= columns <= 256:
        return None
    step = 16 if types[0] == "s32" and columns > 32 else 8
    if columns % step:
        return None
    registers = columns // 4 if types[0] == "f16" else columns // 2
    summed = "b32" if types[0] == "f16" else types[0]
    return WarpgroupForm(kind, columns, summed, registers, types[0] != "s32", types[1] in ("f16", "bf16"))
