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
_SHAPES = {
    ("m16n8k16", "f16"): (4, 4, 2),
    ("m16n8k8", "f16"): (4, 2, 1),
    ("m16n8k16", "bf16"): (4, 4, 2),
    ("m16n8k8", "bf16"): (4, 2, 1),
    ("m16n8k8", "f64"): (4, 4, 2),
    ("m8n8k4", "f64"): (2, 1, 1),
}
"""Registers of the sums, of A and of B, by shape and type of A and B."""


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
    """Encode `mma.sync` of halves or bfloat16 into float32, or of float64; its many slots lie in a table."""
    types = parts[6:]
    if parts[1:3] != ["sync", "aligned"] or parts[4:6] != ["row", "col"] or len(types) != 4 or types[1] != types[2]:
        raise NotEmulated(".".join(parts))
    summed, given = ("f64", "f64") if types[1] == "f64" else ("f32", "i32")
    if (parts[3], types[1]) not in _SHAPES or types[0] != summed or types[3] != summed:
        raise NotEmulated(".".join(parts))
    count, count_a, count_b = _SHAPES[parts[3], types[1]]
    kind = op.MATRIX_KINDS.index(f"{types[1]}.k{parts[3].rpartition('k')[2]}")
    d, a, b, c = (split_operands(text.strip("{} ")) for text in operands)
    if (len(d), len(a), len(b), len(c)) != (count, count_a, count_b, count):
        raise NotEmulated(".".join(parts))
    sources = [e.source(name, summed) for name in c] + [e.source(name, given) for name in (*a, *b)]
    targets = [e.target(name, summed) for name in d]
    first = len(e.code.tables)
    slots = [*targets, *sources]
    e.code.tables += slots + [0] * (op.MATRIX_SLOTS - len(slots))
    e.emit(op.MULTIPLY_MATRICES, kind=kind, immediate=first)


HANDLERS: dict[str, Handler] = {"ldmatrix": _load_matrix, "mma": _multiply}
