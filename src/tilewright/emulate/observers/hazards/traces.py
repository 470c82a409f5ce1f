"""What is left in shared memory: who read and wrote each piece of 16 bytes last, and through which proxy."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tilewright.emulate.state import Int32s

PIECE_BYTES = 16
Pieces = slice | NDArray[np.int64]


@dataclass(slots=True)
class Note:
    """An access by threads: which warp of which block, when and where."""

    warp: int
    block: int
    time: int
    pc: int
    lanes: int


@dataclass(slots=True)
class Copy:
    """A copy in bulk. slot: the resident block whose shared memory it writes or reads; first: byte there.

    barrier, phase: the mbarrier to which it reports, and the phases that had ended when it was asked for.
    completed: the time when the phase ended in which it came. waited: when its thread had waited for its group. lane:
    of the thread that asked for it.
    """

    warp: int
    lane: int
    block: int
    slot: int
    time: int
    pc: int
    first: int
    nbytes: int
    barrier: int = -1
    phase: int = 0
    completed: int = 0
    waited: int = 0
    is_closed: bool = False


@dataclass(slots=True)
class Product:
    """A product of a warpgroup, of one of its warps. waited: when the warp had waited for its group, or 0."""

    warp: int
    block: int
    time: int
    pc: int
    group: int
    waited: int = 0


@dataclass
class Traces:
    """Of a block's shared memory, by piece: numbers of notes, copies and products, 0 where there is none."""

    pieces: int
    writes: Int32s = field(init=False)
    copied_in: Int32s = field(init=False)
    copied_out: Int32s = field(init=False)
    reads: dict[int, Int32s] = field(default_factory=dict)
    multiplied: dict[int, Int32s] = field(default_factory=dict)
    visitors: dict[int, Note] = field(default_factory=dict)
    """The last access by each warp of another block."""

    def __post_init__(self) -> None:
        self.writes, self.copied_in, self.copied_out = (np.zeros(self.pieces, np.int32) for _ in range(3))

    def of_warp(self, table: dict[int, Int32s], warp: int) -> Int32s:
        """Return a warp's row of `reads` or `multiplied`."""
        if warp not in table:
            table[warp] = np.zeros(self.pieces, np.int32)
        return table[warp]

    def overwrite(self, pieces: Pieces) -> None:
        """Forget what was there before a write."""
        self.writes[pieces] = self.copied_in[pieces] = self.copied_out[pieces] = 0
        for table in (self.reads, self.multiplied):
            for row in table.values():
                row[pieces] = 0


def numbers_in(table: Int32s, pieces: Pieces) -> list[int]:
    """Return the numbers that pieces have in a table, each once."""
    found = table[pieces]
    if not found.any():
        return []
    return [number for number in np.unique(found).tolist() if number]
