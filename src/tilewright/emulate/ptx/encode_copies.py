"""Encoding asynchronous copies: `cp.async` of 4, 8 or 16 bytes, its groups, and waiting for them; `st` and `red`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.emulate import opcodes as op
from tilewright.emulate.ptx.encode_bulk import encode_bulk, encode_values
from tilewright.emulate.ptx.encode_mbarriers import EVERY_GROUP, arrive_after_copies
from tilewright.emulate.ptx.encode_memory import HANDLERS as OF_MEMORY
from tilewright.emulate.ptx.encode_memory import encode_address
from tilewright.emulate.ptx.operands import NotEmulated, parse_number

if TYPE_CHECKING:
    from tilewright.emulate.ptx.encode import Encoder
    from tilewright.emulate.ptx.encode_rows import Handler


def _copy(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode a copy from global to shared memory, or a wait."""
    words = parts[2:]
    if "bulk" in words:
        encode_bulk(e, parts, operands)
        return
    if parts[1] != "async":
        raise NotEmulated(".".join(parts))
    if "mbarrier" in words:
        arrive_after_copies(e, parts, operands)
        return
    e.result.copies_async = True
    if words[0] == "commit_group":
        e.emit(op.COPY_COMMIT)
    elif words[0] in ("wait_group", "wait_all"):
        e.emit(op.COPY_WAIT, immediate=EVERY_GROUP if words[0] == "wait_all" else int(operands[0], 0))
    else:
        _transfer(e, parts, operands)


def _transfer(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode `[shared], [global], size`, then how much is read, then a hint for the cache that changes no result."""
    target, target_offset = encode_address(e, operands[0], 32)
    source, source_offset = encode_address(e, operands[1], 64)
    nbytes = int(operands[2], 0)
    if nbytes not in (4, 8, 16):
        raise NotEmulated(".".join(parts))
    more = operands[3:-1] if "cache_hint" in ".".join(parts) else operands[3:]
    mode, limit = op.COPY_ALL, 0
    if more:
        is_predicate = parse_number(more[0], "i32") is None and e.frame.width(more[0].lstrip("!")) == 1
        mode = op.COPY_UNLESS if is_predicate else op.COPY_SIZED
        limit = e.source(more[0], "p" if is_predicate else "i32")
    e.emit(
        op.ASYNC_COPY,
        elements=nbytes // 4,
        kind=4 | nbytes // 4 << op.VECTOR_SHIFT,
        operand_a=source,
        immediate=source_offset,
        operand_b=target,
        extra_2=target_offset,
        extra_1=mode,
        operand_c=limit,
    )


def _store_or_add(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode `st` or `red`, the asynchronous forms too."""
    encode = encode_values if parts[1:2] == ["async"] else OF_MEMORY[parts[0]]
    encode(e, parts, operands)


HANDLERS: dict[str, Handler] = {"cp": _copy, **dict.fromkeys(("st", "red"), _store_or_add)}
