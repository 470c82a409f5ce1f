"""Encoding what a warpgroup does together: `wgmma` and its groups, and its share of registers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.emulate import opcodes as op
from tilewright.emulate.faults import PtxSyntaxError
from tilewright.emulate.ptx.matrix_forms import warpgroup_form
from tilewright.emulate.ptx.operands import NotEmulated
from tilewright.emulate.ptx.parser import split_operands

if TYPE_CHECKING:
    from tilewright.emulate.ptx.encode import Encoder
    from tilewright.emulate.ptx.encode_rows import Handler

REGISTERS_OF_A = 4
FEWEST_REGISTERS, MOST_REGISTERS, REGISTER_STEP = 24, 256, 8


def _wgmma(e: Encoder, parts: list[str], operands: list[str]) -> None:
    if parts[2:] == ["sync", "aligned"] and parts[1] in ("fence", "commit_group", "wait_group"):
        e.result.uses_warpgroups = True
        if parts[1] == "wait_group":
            e.emit(op.WARPGROUP_WAIT, immediate=int(operands[0], 0))
        else:
            e.emit(op.WARPGROUP_FENCE if parts[1] == "fence" else op.WARPGROUP_COMMIT)
    else:
        _multiply(e, parts, operands)


def _multiply(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode a product: the slots of the sums, then of A where it is in registers, lie in a table."""
    form = warpgroup_form(parts)
    if form is None:
        raise NotEmulated(".".join(parts))
    d, a, b, keep, *more = operands
    kind = form.kind
    if form.has_scales:
        kind |= op.MATRIX_NEGATED if _scale(more.pop(0)) != _scale(more.pop(0)) else 0
    has_registers = a.startswith("{")
    if form.can_turn:
        kind |= 0 if has_registers or not _turned(more.pop(0)) else op.MATRIX_A_TURNED
        kind |= op.MATRIX_B_TURNED if _turned(more.pop(0)) else 0
    names = split_operands(d.strip("{} "))
    slots = [e.source(name, "i32") for name in names]
    for name in names:
        e.target(name, "i32")
    if has_registers:
        kind |= op.MATRIX_A_IN_REGISTERS
        slots += [e.source(name, "i32") for name in split_operands(a.strip("{} "))]
    first = len(e.code.tables)
    e.code.tables += slots
    e.result.uses_warpgroups = True
    e.emit(
        op.WARPGROUP_MULTIPLY,
        kind=kind,
        immediate=first,
        operand_a=0 if has_registers else e.source(a, "i64"),
        operand_b=e.source(b, "i64"),
        operand_c=e.source(keep, "p"),
        extra_1=form.columns,
    )


def _scale(text: str) -> int:
    if text not in ("1", "-1"):
        raise PtxSyntaxError(f"elements are scaled with 1 or -1, and not with {text}")
    return int(text)


def _turned(text: str) -> bool:
    if text not in ("0", "1"):
        raise PtxSyntaxError(f"an operand is transposed (1) or not (0), and not {text}")
    return text == "1"


def _set_registers(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode `setmaxnreg`: an emulated thread has the registers that it needs."""
    count = int(operands[0], 0)
    if parts[1] not in ("inc", "dec") or parts[2:] != ["sync", "aligned", "u32"]:
        raise NotEmulated(".".join(parts))
    if count % REGISTER_STEP or not FEWEST_REGISTERS <= count <= MOST_REGISTERS:
        raise PtxSyntaxError(
            f"a warp has registers in multiples of {REGISTER_STEP} from {FEWEST_REGISTERS} to {MOST_REGISTERS}, "
            f"and not {count}"
        )
    e.emit(op.NOTHING)


HANDLERS: dict[str, Handler] = {"wgmma": _wgmma, "setmaxnreg": _set_registers}
