"""Shared loads that ptxas may merge: PTX does not show which conflicts remain.

ptxas makes one load of 8 or 16 bytes out of neighboring ones of the same base register in a basic block, where it can
prove the alignment. PTX does not show it, so a conflict is reported only if the merged load has it, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.observers.banks.rule import Lanes, wavefronts
from tilewright.emulate.state import Int64s

WIDTHS = (16, 8)
"""Bytes per lane that merged loads may have."""


def merging_loads(rows: Any, nbytes: Mapping[int, int]) -> dict[int, int]:
    """Return, for each load of shared memory that has neighbors to be merged with, how many bytes they are together.

    nbytes: per lane, by instruction.
    """
    blocks = basic_block_of_rows(rows)
    found: dict[int, int] = {}
    groups: dict[tuple[int, int, int], dict[int, int]] = defaultdict(dict)
    for pc, size in nbytes.items():
        if rows[pc, row.OPCODE] == op.LOAD_SHARED:
            key = int(blocks[pc]), int(rows[pc, row.OPERAND_A]), size
            groups[key][int(rows[pc, row.IMMEDIATE])] = pc
    for (_, _, size), at in groups.items():
        for width in (width for width in WIDTHS if width > size):
            for offset, pc in at.items():
                start = offset - offset % width
                if pc not in found and all(start + step in at for step in range(0, width, size)):
                    found[pc] = width
    return found


def conflicts_when_merged(lanes: Lanes, width: int) -> bool:
    """Return whether the merged load of so many bytes has conflicts.

    Loads whose addresses forbid merging count as they are in PTX.
    """
    parts = {address % width for address in lanes.values()}
    if len(parts) > 1:
        return True
    needed, ideal = wavefronts(
        {lane: address - address % width for lane, address in lanes.items()}, width, is_load=True
    )
    return needed > ideal


def basic_block_of_rows(rows: Any) -> Int64s:
    """The basic block of each instruction, numbered in their order."""
    branches = np.flatnonzero(rows[:, row.OPCODE] == op.BRANCH)
    first = np.zeros(len(rows) + 1, np.int64)
    first[branches + 1] = first[rows[branches, row.TARGET]] = 1
    return np.cumsum(first)[:-1]
