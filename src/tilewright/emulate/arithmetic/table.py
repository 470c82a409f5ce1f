"""Vector operations: every instruction that LLVM can do on 32 lanes at once, as one table.

A row is a key (PTX's spelling, types reduced to what matters: `add.i32`, `setp.lt.s32`, `fma.f32`), the kinds of its
result and operands, and a function that emits LLVM code. Adding an instruction is adding a row.
Kinds: i16 i32 i64 f32 f64 are slots, p is a predicate, `imm` the row's immediate.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from tilewright.emulate.arithmetic import floats, integers
from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Emit, Rows, Value

ROWS = Rows()


def _extend(bits: int, signed: bool, element: Any) -> Emit:
    """Emit ext.<low bits of this type>.<slot read>.<slot written>."""

    def emit(b: Builder, x: Value) -> Value:
        low = x if x.type.element.width == bits else b.trunc(x, v.vector(ir.IntType(bits)))
        if bits == element.width:
            return low
        return (b.sext if signed else b.zext)(low, v.vector(element))

    return emit


def _width_rows() -> None:
    for read in (32, 64):
        for written in (32, 64):
            for bits in (8, 16, 32):
                for sign in ("s", "u"):
                    emit = _extend(bits, sign == "s", ir.IntType(written))
                    ROWS.add(f"ext.{sign}{bits}.{read}.{written}", f"i{written}", f"i{read}", emit)


_width_rows()
ROWS.add("count", "", "", lambda _builder: ())
TABLE = [*integers.ROWS, *floats.ROWS, *ROWS]
OPCODES: dict[str, int] = {operation.key: number for number, operation in enumerate(TABLE)}
COUNT = OPCODES["count"]
"""Executes nothing: it and the IMMEDIATE - 1 instructions behind it are counted here (ptx/slice.py)."""
