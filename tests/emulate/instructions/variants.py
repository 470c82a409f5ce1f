"""What one row of the table is: an instruction, the types of its operands, and how its result is judged."""

from __future__ import annotations

from dataclasses import dataclass

WIDTH_BITS = {
    "u8": 8, "s8": 8, "u16": 16, "s16": 16, "b16": 16, "f16": 16, "bf16": 16,
    "u32": 32, "s32": 32, "b32": 32, "f32": 32, "f16x2": 32, "bf16x2": 32, "pred": 32,
    "u64": 64, "s64": 64, "b64": 64, "f64": 64,
}  # fmt: skip
"""Bits that an operand fills in its 64-bit slot of a buffer; a predicate travels as 0 or 1."""


@dataclass(frozen=True)
class Judge:
    """How a result may differ from the table's: `exact`, or the sum of an `ulp` and an `absolute` distance.

    Any NaN equals any NaN where the output is a float. The tolerance of an approximate instruction is the
    error that the PTX manual states for the hardware, plus one ulp for the emulator's own rounding.
    """

    ulp: float = 0.0
    absolute: float = 0.0

    @property
    def exact(self) -> bool:
        """Whether no difference is accepted."""
        return self.ulp == 0.0 and self.absolute == 0.0


EXACT = Judge()


@dataclass(frozen=True)
class Variant:
    """An instruction form run once per operand tuple, one tuple per thread.

    `body` names its operands `%a %b %c %d` and its results `%o %q %r`; a blank one is the plain
    `name %o, %a, ...;`. `pools` names, per operand, the set of values it is drawn from.
    """

    name: str
    ins: tuple[str, ...]
    outs: tuple[str, ...]
    pools: tuple[str, ...]
    body: str
    judge: Judge = EXACT
    optional: bool = False
    """Whether the emulator may refuse it (with `UnsupportedInstruction`) instead of matching the table."""
    must: tuple[tuple[int, ...], ...] = ()
    """Operand tuples (bit patterns) that are always among the cases."""


def variant(
    name: str,
    ins: str,
    outs: str,
    *,
    pools: str | None = None,
    body: str | None = None,
    judge: Judge = EXACT,
    optional: bool = False,
    must: tuple[tuple[int, ...], ...] = (),
) -> Variant:
    """Build a `Variant` from type names separated by blanks; pools default to the operand types."""
    types = tuple(ins.split())
    results = tuple(outs.split())
    operands = ", ".join(f"%{letter}" for letter, _ in zip("abcd", types, strict=False))
    return Variant(
        name=name,
        ins=types,
        outs=results,
        pools=tuple(pools.split()) if pools else types,
        body=body if body is not None else f"{name} %o, {operands};",
        judge=judge,
        optional=optional,
        must=must,
    )
