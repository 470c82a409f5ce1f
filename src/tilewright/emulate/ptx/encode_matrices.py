"""Encoding what a whole warp does with small matrices: `ldmatrix` and `mma.sync`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.emulate import opcodes as op
from tilewright.emulate.ptx.encode_memory import encode_address
from tilewright.emulate.ptx.operands import NotEmulated
from tilewright.emulate.ptx.parser import split_operands

if TYPE_CHECKING:
    from tilewright.emulate.ptx.encode import Encoder
    from tilewright.emulate.ptx.encode_rows import Handler

_LOADED = ["ldmatrix", "sync", "aligned", "m8n8"]
_SHAPES = {"m16n8k16": ("k16", 4, 2), "m16n8k8": ("k8", 2, 1)}
"""Inner size, registers of A and of B."""


def _load_matrix(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode the load of one, two or four matrices of 8 x 8 halves from shared memory."""
    count = {"x1": 1, "x2": 2, "x4": 4}[parts[4]]
    is_turned = "trans" in parts
    space = next((p for p in parts if p.startswith("shared")), "")
    if parts[:4] != _LOADED or space not in ("shared", "shared::cta") or parts[-1] != "b16":
        raise NotEmulated(".".join(parts))
    names = split_operands(operands[0].strip("{} "))
    slot, offset = encode_address(e, operands[1], 32)
    first, second, third, fourth = (*(e.target(name, "i32") for name in names), 0, 0, 0)[:4]
    e.emit(
        op.LOAD_MATRIX,
        elements=count,
        kind=4 | 4 << op.VECTOR_SHIFT,  # a lane names 16 bytes
        operand_a=slot,
        immediate=offset,
        operand_b=count,
        operand_c=int(is_turned),
        result=first,
        extra_1=second,
        extra_2=third,
        extra_3=fourth,
    )


def _multiply(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode `mma.sync` of halves or bfloat16 into float32; the slots are too many for a row, and lie in a table."""
    if parts[1:3] != ["sync", "aligned"] or parts[3] not in _SHAPES or parts[4:6] != ["row", "col"]:
        raise NotEmulated(".".join(parts))
    depth, count_a, count_b = _SHAPES[parts[3]]
    types = parts[6:]
    if len(types) != 4 or types[0] != "f32" or types[3] != "f32" or types[1] != types[2]:
        raise NotEmulated(".".join(parts))
    kind = op.MATRIX_KINDS.index(f"{types[1]}.{depth}")
    d, a, b, c = (split_operands(text.strip("{} ")) for text in operands)
    if (len(d), len(a), len(b), len(c)) != (4, count_a, count_b, 4):
        raise NotEmulated(".".join(parts))
    sources = [e.source(name, "f32") for name in c] + [e.source(name, "i32") for name in (*a, *b)]
    targets = [e.target(name, "f32") for name in d]
    first = len(e.code.tables)
    slots = [*targets, *sources]
    e.code.tables += slots + [0] * (op.MATRIX_SLOTS - len(slots))
    e.emit(op.MULTIPLY_MATRICES, kind=kind, immediate=first)


HANDLERS: dict[str, Handler] = {"ldmatrix": _load_matrix, "mma": _multiply}
