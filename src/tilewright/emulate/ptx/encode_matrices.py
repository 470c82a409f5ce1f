"""Encoding what a whole warp does with small matrices: `ldmatrix`, `stmatrix` and `mma.sync`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.emulate import opcodes as op
from tilewright.emulate.ptx.encode_memory import encode_address
from tilewright.emulate.ptx.matrix_forms import FLOAT64_REGISTERS, is_float64, matrix_kind
from tilewright.emulate.ptx.operands import NotEmulated
from tilewright.emulate.ptx.parser import split_operands

if TYPE_CHECKING:
    from tilewright.emulate.ptx.encode import Encoder
    from tilewright.emulate.ptx.encode_rows import Handler

_MOVED = ["sync", "aligned", "m8n8"]


def _load_matrix(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode the load of one, two or four matrices of 8 x 8 halves from shared memory."""
    names = split_operands(operands[0].strip("{} "))
    _emit_move(e, op.LOAD_MATRIX, parts, operands[1], [e.target(name, "i32") for name in names])


def _store_matrix(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode the store of one, two or four matrices of 8 x 8 halves to shared memory."""
    names = split_operands(operands[1].strip("{} "))
    _emit_move(e, op.STORE_MATRIX, parts, operands[0], [e.source(name, "i32") for name in names])


def _emit_move(e: Encoder, opcode: int, parts: list[str], address: str, registers: list[int]) -> None:
    count = {"x1": 1, "x2": 2, "x4": 4}[parts[4]]
    space = next((p for p in parts if p.startswith("shared")), "")
    if parts[1:4] != _MOVED or space not in ("shared", "shared::cta") or parts[-1] != "b16":
        raise NotEmulated(".".join(parts))
    slot, offset = encode_address(e, address, 32)
    first, second, third, fourth = (*registers, 0, 0, 0)[:4]
    e.emit(
        opcode,
        elements=count,
        kind=4 | 4 << op.VECTOR_SHIFT,  # a lane names 16 bytes
        operand_a=slot,
        immediate=offset,
        operand_b=count,
        operand_c=int("trans" in parts),
        result=first,
        extra_1=second,
        extra_2=third,
        extra_3=fourth,
    )


def _multiply(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode `mma.sync`; its many slots lie in a table: targets, sums, registers of A and of B."""
    if is_float64(parts):
        opcode, summed, given, kind = op.MULTIPLY_FLOAT64, "f64", "f64", int(parts[3].rpartition("k")[2])
        count, count_a, count_b = FLOAT64_REGISTERS[parts[3]]
    else:
        found = matrix_kind(parts)
        if found is None:
            raise NotEmulated(".".join(parts))
        opcode, summed, given, kind = op.MULTIPLY_MATRICES, "i32", "i32", found
        count, count_a, count_b = op.matrix_slots(kind)
    d, a, b, c = (split_operands(text.strip("{} ")) for text in operands)
    if (len(d), len(a), len(b), len(c)) != (count, count_a, count_b, count):
        raise NotEmulated(".".join(parts))
    sources = [e.source(name, "f32" if parts[-1] == "f32" else summed) for name in c]
    sources += [e.source(name, given) for name in (*a, *b)]
    slots = [*(e.target(name, summed) for name in d), *sources]
    first = len(e.code.tables)
    e.code.tables += slots + [0] * (op.FLOAT64_SLOTS - len(slots))
    e.emit(opcode, kind=kind, immediate=first)


HANDLERS: dict[str, Handler] = {"ldmatrix": _load_matrix, "stmatrix": _store_matrix, "mma": _multiply}
