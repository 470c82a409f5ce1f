"""Encoding what a whole warp does with small matrices: `ldmatrix`, `stmatrix`, `movmatrix` and `mma.sync`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.emulate import opcodes as op
from tilewright.emulate.ptx.encode_arithmetic import half, uncount_last_counted
from tilewright.emulate.ptx.encode_memory import encode_address
from tilewright.emulate.ptx.encode_rows import computed, unpacked
from tilewright.emulate.ptx.matrix_forms import FLOAT64_KINDS, FLOAT64_REGISTERS, is_float64, matrix_kind, registers_of
from tilewright.emulate.ptx.operands import NotEmulated
from tilewright.emulate.ptx.parser import split_operands

if TYPE_CHECKING:
    from tilewright.emulate.ptx.encode import Encoder
    from tilewright.emulate.ptx.encode_rows import Handler

_MOVED = ["sync", "aligned", "m8n8"]
_NOWHERE = 0xFFFFFFF0
"""An address that no shared memory has: what a generic address of other memory becomes."""
_BOTH_F16 = op.ELEMENT_KINDS.index("f16") * (1 | 1 << op.KIND_OF_B_SHIFT)


def _load_matrix(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode the load of one, two or four matrices of 8 x 8 halves from shared memory."""
    names = split_operands(operands[0].strip("{} "))
    _emit_move(e, op.LOAD_MATRIX, parts, operands[1], [e.target(name, "i32") for name in names])


def _store_matrix(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode the store of one, two or four matrices of 8 x 8 halves to shared memory."""
    names = split_operands(operands[1].strip("{} "))
    _emit_move(e, op.STORE_MATRIX, parts, operands[0], [e.source(name, "i32") for name in names])


def _turn_matrix(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode the transposition of a matrix of 8 x 8 halves that the warp holds."""
    if parts[1:] != [*_MOVED, "trans", "b16"]:
        raise NotEmulated(".".join(parts))
    source = e.source(operands[1], "i32")
    e.emit(op.TURN_MATRIX, operand_a=source, result=e.target(operands[0], "i32"))


def _emit_move(e: Encoder, opcode: int, parts: list[str], address: str, registers: list[int]) -> None:
    count = {"x1": 1, "x2": 2, "x4": 4}[parts[4]]
    space = next((p for p in parts if p.startswith("shared")), "")
    if parts[1:4] != _MOVED or space not in ("", "shared", "shared::cta") or parts[-1] != "b16":
        raise NotEmulated(".".join(parts))
    slot, offset = encode_address(e, address, 32 if space else 64)
    if not space:
        in_shared = computed(e, "add.i64", slot, e.constant(offset - op.SHARED_WINDOW, 64))
        slot, offset = computed(e, "ext.u32.64.32", computed(e, "min.u64", in_shared, e.constant(_NOWHERE, 64))), 0
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
    """Encode `mma.sync`."""
    is_wide = is_float64(parts)
    kind = FLOAT64_KINDS[parts[3]] if is_wide else matrix_kind(parts)
    if kind is None:
        raise NotEmulated(".".join(parts))
    d, a, b, c = (split_operands(text.strip("{} ")) for text in operands)
    counts = FLOAT64_REGISTERS[parts[3]] if is_wide else registers_of(kind)
    if (len(d), len(a), len(b), len(c)) != (*counts, counts[0]):
        raise NotEmulated(".".join(parts))
    width = "f64" if is_wide else "i32"
    sums = [e.source(name, "f32" if parts[-1] == "f32" else width) for name in c]
    of_a, of_b = ([e.source(name, width) for name in names] for names in (a, b))
    targets = [e.target(name, width) for name in d]
    if is_wide:
        emit_product(e, op.MULTIPLY_FLOAT64, kind, [*targets, *sums, *of_a, *of_b])
    elif op.ELEMENT_KINDS[kind & 15] in ("e4m3", "e5m2"):
        _emit_halves(e, kind, (targets, sums), (of_a, of_b), parts[-1] == "f32")
    else:
        if kind & op.MATRIX_EIGHT_ROWS:
            targets, sums, of_a = with_zero_rows(e, targets, sums, of_a)
        emit_product(e, op.MULTIPLY_MATRICES, kind, [*targets, *sums, *of_a, *of_b])


def _emit_halves(
    e: Encoder, kind: int, sums: tuple[list[int], ...], factors: tuple[list[int], ...], is_float32: bool
) -> None:
    """Multiply elements of 8 bits as ptxas does for Hopper: as float16, first the lower halves of all registers.

    Only wgmma multiplies such elements themselves there; sums are rounded between the two products. They begin at 0,
    and what was there before is added at the end, rounded to the nearest (read from an H100).
    """
    lower, upper = [], []
    for slots, number in zip(factors, (kind & 15, kind >> op.KIND_OF_B_SHIFT & 15), strict=True):
        key = f"halves.{op.ELEMENT_KINDS[number]}"
        lower += [computed(e, key, slot) for slot in slots]
        upper += [computed(e, key, computed(e, "shr.u32", slot, e.constant(16, 32))) for slot in slots]
    targets, before = sums
    between = [e.temporary("i32") for _ in targets]
    of_halves = kind >> op.KIND_OF_SUM_SHIFT << op.KIND_OF_SUM_SHIFT | _BOTH_F16
    total = [e.temporary("f32" if is_float32 else "i32") for _ in targets]
    emit_product(e, op.MULTIPLY_MATRICES, of_halves, [*between, *[e.constant(0, 32)] * len(total), *lower])
    emit_product(e, op.MULTIPLY_MATRICES, of_halves, [*total, *between, *upper], counted=False)
    for target, product, addend in zip(targets, total, before, strict=True):
        if is_float32:
            e.vector("add.f32", [target], [product, addend], counted=False)
        else:
            _add_pair(e, target, product, addend)


def _add_pair(e: Encoder, target: int, x: int, y: int) -> None:
    """Add two pairs of float16; no instruction of its own."""
    pairs = unpacked(e, x), unpacked(e, y)
    sums = [e.temporary("i16"), e.temporary("i16")]
    for total, *terms in zip(sums, *pairs, strict=True):
        half(e, "add", "f16", total, terms, ["add", "f16"])
        uncount_last_counted(e)
    e.vector("pack.i32", [target], sums, counted=False)


def with_zero_rows(
    e: Encoder, targets: list[int], sums: list[int], of_a: list[int]
) -> tuple[list[int], list[int], list[int]]:
    """Return the registers of 16 rows of which 8 are zeros, their sums being thrown away."""
    zero = e.constant(0, 32)
    targets = [*targets, *(e.temporary("i32") for _ in targets)]
    return targets, [*sums, *[zero] * len(sums)], [slot for register in of_a for slot in (register, zero)]


def emit_product(e: Encoder, opcode: int, kind: int, slots: list[int], *, counted: bool = True) -> None:
    """Append a product, whose many slots lie in a table: targets, sums, registers of A and of B."""
    first = len(e.code.tables)
    e.code.tables += slots + [0] * (op.FLOAT64_SLOTS - len(slots))
    e.emit(opcode, counted=counted, kind=kind, immediate=first)


HANDLERS: dict[str, Handler] = {
    "ldmatrix": _load_matrix,
    "stmatrix": _store_matrix,
    "movmatrix": _turn_matrix,
    "mma": _multiply,
}
