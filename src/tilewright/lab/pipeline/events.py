"""What the emulator tells of a pipeline, event by event, in the order in which it happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .boxes import Box

BarrierKind = Literal["init", "expect", "arrive", "bytes", "wait", "pass", "turn"]
"""bytes: some that were announced have come; wait: a warp begins to wait; pass: it has seen the end of the phase
that it waited for; turn: a phase ends."""


@dataclass(frozen=True)
class Event:
    """Something that a warp did. block: linear number of its block. line: of the listing; None where it has none."""

    block: int
    warp: int
    line: int | None


@dataclass(frozen=True)
class BarrierEvent(Event):
    """Something that happened to an mbarrier.

    owner: the block in whose shared memory it lies, at `offset`. parity: of wait and pass, the phase's that is waited
    for; else of the phase that is under way afterwards. pending: arrivals that are still to come, of `expected`.
    nbytes: bytes that are still to come.
    """

    kind: BarrierKind
    owner: int
    offset: int
    parity: int
    pending: int
    expected: int
    nbytes: int


@dataclass(frozen=True)
class CopyEvent(Event):
    """A bulk copy that is asked for, or one that has been made (has_ended).

    is_load: into shared memory, of the block `owner` from `offset` on. barrier: where in that block its bytes are
    reported; None for a copy that forms a group. nbytes: of all of it, what lies outside of the tensor included.
    targets: the blocks that it goes to, by multicast several.
    """

    has_ended: bool
    is_load: bool
    owner: int
    offset: int
    barrier: int | None
    nbytes: int
    box: Box
    targets: tuple[int, ...] = ()


@dataclass(frozen=True)
class MultiplyEvent(Event):
    """A wgmma: m x n x k elements. a, b: where the operands begin in shared memory; a is None if registers hold it.

    a_along_k, b_along_k: whether k is the innermost dimension.
    """

    m: int
    n: int
    k: int
    a: int | None
    b: int
    a_along_k: bool
    b_along_k: bool


@dataclass(frozen=True)
class GroupEvent(Event):
    """A warp's wgmma so far become a group (left is None), or all but the newest `left` groups have ended."""

    left: int | None


@dataclass(frozen=True)
class AccessEvent(Event):
    """A warp's load from shared memory (at offsets) or store to global memory (at addresses)."""

    is_load: bool
    addresses: tuple[int, ...]
    nbytes: int
