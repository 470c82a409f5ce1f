"""Which register may stand where an instruction wants a type: the rules of the PTX ISA, as ptxas applies them.

A type of bits agrees with every type of its size, an integer type with integers and bits, a float type with itself and
bits. Loads, stores and conversions are relaxed: an integer or bits may be in a wider register than they need.
"""

from __future__ import annotations

from tilewright.emulate.ptx.parser import TYPE_BYTES

ALSO_BITS = {"bf16": 2, "bf16x2": 4, "tf32": 4, "e4m3x2": 2, "e5m2x2": 2}
"""Types of instructions that no register can have: their values are in registers of bits."""


def size_of(kind: str) -> int | None:
    """Return the bytes of an instruction's type, 0 for a predicate, or None when it is no type."""
    return ALSO_BITS.get(kind, TYPE_BYTES.get(kind))


def agrees(declared: str, wanted: str, *, relaxed: bool) -> bool:
    """Say whether a register declared with one type may be an operand of an instruction that wants another."""
    if "pred" in (declared, wanted):
        return declared == wanted
    has, wants = TYPE_BYTES[declared], size_of(wanted)
    if wants is None or has < wants or (has != wants and not relaxed):
        return False
    if declared[0] == "b" and wanted in ("tf32", *TYPE_BYTES):
        return True
    if wanted[0] == "b" and wanted not in ALSO_BITS:
        return True
    if wanted[0] in "us":
        # ptxas lets a pair of halves stand for an integer of 32 bits.
        return declared[0] in "us" or declared == "f16x2"
    if wanted in ALSO_BITS:
        return has == wants and declared not in ("f32", "f64")
    return declared == wanted


def is_integer(declared: str) -> bool:
    """Say whether a register of that type may hold an address."""
    return declared[0] in "us" or (declared[0] == "b" and TYPE_BYTES[declared] <= 8)
