"""Encoding `mbarrier`: barriers in shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.emulate import opcodes as op
from tilewright.emulate.ptx.encode_memory import encode_address
from tilewright.emulate.ptx.operands import NotEmulated

if TYPE_CHECKING:
    from tilewright.emulate.ptx.encode import Encoder
    from tilewright.emulate.ptx.encode_rows import Handler

EVERY_GROUP = -1
"""IMMEDIATE of a wait for all copies, those that no commit_group has closed included."""
_WORDS = frozenset(word for name in op.MBARRIER_OPERATIONS for word in name.split("."))
_OF_STATE = ("test_wait", "try_wait", "pending_count")


def _mbarrier(e: Encoder, parts: list[str], operands: list[str]) -> None:
    name = ".".join(word for word in parts[1:] if word in _WORDS)
    if name not in op.MBARRIER_NUMBER or parts[-1] != "b64":
        raise NotEmulated(".".join(parts))
    if name == "pending_count":
        state = e.source(operands[1], "i64")
        _emit(e, name, 0, 0, state, e.target(operands[0], "i32"), is_shared=True)
        return
    has_result = name.startswith(("arrive", "test_wait", "try_wait"))
    result, rest = (operands[0], operands[1:]) if has_result else ("_", operands)
    slot, offset = encode_address(e, rest[0], 64)
    number = e.source(rest[1], "i64" if name in _OF_STATE else "i32") if len(rest) > 1 else e.constant(1, 32)
    has_target = "wait" in name or result != "_"
    target = e.target(result, "p" if "wait" in name else "i64") if has_target else -1
    is_shared = any(word.partition("::")[0] == "shared" for word in parts)
    _emit(e, name, slot, offset, number, target, is_shared=is_shared)


def arrive_after_copies(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode `cp.async.mbarrier.arrive`: an arrival when the thread's copies have come, counted before or by itself."""
    slot, offset = encode_address(e, operands[0], 64)
    is_shared = any(word.partition("::")[0] == "shared" for word in parts)
    # A thread's copies come when it waits for them; this arrival does.
    e.result.copies_async = True
    e.emit(op.COPY_WAIT, counted=False, immediate=EVERY_GROUP)
    counts_itself = int("noinc" not in parts)
    _emit(e, "cp.async", slot, offset, e.constant(1, 32), -1, is_shared=is_shared, extra_1=counts_itself)


def _emit(
    e: Encoder, name: str, slot: int, offset: int, number: int, result: int, *, is_shared: bool, extra_1: int = 0
) -> None:
    e.result.has_events = True
    e.emit(
        op.MBARRIER,
        kind=op.MBARRIER_NUMBER[name],
        operand_a=slot,
        immediate=offset,
        operand_b=number,
        result=result,
        extra_3=int(is_shared),
        extra_1=extra_1,
    )


HANDLERS: dict[str, Handler] = {"mbarrier": _mbarrier}
