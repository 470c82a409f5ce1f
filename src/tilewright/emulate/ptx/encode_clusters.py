"""Encoding what blocks of a cluster do together: `mapa`, `getctarank` and `barrier.cluster`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.emulate import opcodes as op
from tilewright.emulate.ptx.operands import NotEmulated

if TYPE_CHECKING:
    from tilewright.emulate.ptx.encode import Encoder
    from tilewright.emulate.ptx.encode_rows import Handler


def _map(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Encode `mapa`: the address at which another block of the cluster has what this block has at its own."""
    kind = f"i{parts[-1][1:]}"
    address, rank = e.source(operands[1], kind), e.source(operands[2], "i32")
    result = e.target(operands[0], kind)
    e.emit(
        op.CLUSTER,
        kind=op.CLUSTER_MAP,
        immediate=int(kind[1:]),
        operand_a=address,
        operand_b=rank,
        result=result,
    )


def _rank(e: Encoder, parts: list[str], operands: list[str]) -> None:
    kind = f"i{parts[-1][1:]}"
    address = e.source(operands[1], kind)
    result = e.target(operands[0], "i32")
    e.emit(op.CLUSTER, kind=op.CLUSTER_RANK, immediate=int(kind[1:]), operand_a=address, result=result)


def encode_cluster_barrier(e: Encoder, parts: list[str]) -> None:
    """Encode `barrier.cluster.arrive` or `.wait`; the emulator's memory is in order, whatever they promise of it."""
    kind = next((op.CLUSTER_OPERATIONS.index(word) for word in ("arrive", "wait") if word in parts), None)
    if kind is None:
        raise NotEmulated(".".join(parts))
    e.result.has_events = True
    e.emit(op.CLUSTER, kind=kind)


HANDLERS: dict[str, Handler] = {"mapa": _map, "getctarank": _rank}
