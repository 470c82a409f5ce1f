"""What the encoders of arithmetic share: kinds of slots, scalar rows, flushed copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tilewright.emulate import opcodes as op
from tilewright.emulate.arithmetic.bit_fields import OPERATIONS
from tilewright.emulate.arithmetic.conversions import conversion
from tilewright.emulate.arithmetic.table import OPCODES, TABLE
from tilewright.emulate.execute import scalar_operations as scalar
from tilewright.emulate.ptx.operands import NotEmulated
from tilewright.emulate.ptx.parser import TYPE_BYTES

if TYPE_CHECKING:
    from tilewright.emulate.ptx.encode import Encoder

Handler = Callable[["Encoder", list[str], list[str]], None]
FLOATS = ("f32", "f64")
HALVES = ("f16", "bf16")
BIT_NUMBER = {name: number for number, (name, _) in enumerate(OPERATIONS)}


def bits(kind: str) -> int:
    """Return the width of a PTX type in bits."""
    return TYPE_BYTES[kind] * 8


def slot_kind(kind: str) -> str:
    """Return the kind of slot that holds a PTX type."""
    if kind == "pred":
        return "p"
    return kind if kind in FLOATS else f"i{max(bits(kind), 16)}"


def integer_kind(kind: str) -> str:
    """Return `i16`, `i32` or `i64` for a type of that width."""
    return f"i{max(bits(kind), 16)}"


def emit_scalar(
    e: Encoder, number: int, widths: str, results: int, operands: list[int], immediate: int = 0, *, counted: bool = True
) -> None:
    """Append a scalar operation; `widths` are those of result and operands, 64 or less."""
    flags = sum(1 << position for position, width in enumerate(widths.split()) if width == "64")
    a, b, c, d = (*operands, 0, 0, 0, 0)[:4]
    e.emit(
        op.SCALAR,
        counted=counted,
        kind=number,
        immediate=immediate,
        extra_3=flags,
        result=results,
        operand_a=a,
        operand_b=b,
        operand_c=c,
        operand_d=d,
    )


def computed(e: Encoder, key: str, *operands: int) -> int:
    """Append a vector operation that is not counted and return the slot of its result."""
    result = e.temporary(TABLE[OPCODES[key]].results[0])
    e.vector(key, [result], list(operands), counted=False)
    return result


def flushed(e: Encoder, slot: int) -> int:
    """Append a flushed copy of a float32 and return its slot."""
    return computed(e, "flush.f32", slot)


def plain_conversion(target: str, source: str) -> int:
    """Return the immediate of a conversion to the nearest value."""
    return conversion(target, source, "rn", saturate=False, flush=False)


def bit_operation(e: Encoder, key: str, operands: list[str], immediate: int = 0) -> None:
    """Append a row of bit_fields.OPERATIONS with the instruction's operands."""
    if key not in BIT_NUMBER:
        raise NotEmulated(key)
    widths = OPERATIONS[BIT_NUMBER[key]][1]
    result_width, *source_widths = widths.split()
    sources = [e.source(text, f"i{width}") for text, width in zip(operands[1:], source_widths, strict=True)]
    emit_scalar(
        e, scalar.FIRST_BITS + BIT_NUMBER[key], widths, e.target(operands[0], f"i{result_width}"), sources, immediate
    )


def unpacked(e: Encoder, pair: int) -> list[int]:
    """Take the low and the high half of a register apart; no instruction of its own."""
    halves = [e.temporary("i16"), e.temporary("i16")]
    e.vector("unpack.i32", halves, [pair], counted=False)
    return halves
