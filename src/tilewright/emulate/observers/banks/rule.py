"""Banks of shared memory: what one access of a warp costs, and what padding does to it. Plain Python, for reports.

Shared memory has 32 banks of 4 bytes. A wavefront serves one word of each bank, to any number of lanes. Lanes of
8 bytes are served half a warp at a time, lanes of 16 bytes a quarter at a time; two such parts of a load go together
when every lane has the address of the lane beside it, or of the lane two further. (Programming guide, and measured on
an H200: docs/memory-accesses.md.)

ptxas makes one load of 8 or 16 bytes out of neighboring ones of the same base register in a basic block, where it can
prove the alignment. PTX does not show it, so a conflict is reported only if the merged load has it, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.state import Int64s

BANKS, WORD_BYTES = 32, 4
ROW_BYTES = BANKS * WORD_BYTES
LARGEST_PADDING = 32
"""Elements of padding that are tried: one more than any number of banks can call for with 4-byte elements."""

CURED_SHARE = 0.5
"""Of the wavefronts that conflicts cost: padding that saves less than this is no cure."""
GOOD_ENOUGH = 1.05
"""A padding within this factor of the best is preferred when it is smaller."""
PART_LANES = {8: 16, 16: 8}

Booleans = NDArray[np.bool_]
Lanes = Mapping[int, int]
"""The byte that each active lane addresses."""
WIDTHS = (16, 8)
"""Bytes per lane that merged loads may have."""


def parts_of(lanes: Lanes, nbytes: int, *, is_load: bool) -> list[list[int]]:
    """Return the lanes that are served together, part by part; parts without lanes are none."""
    size = PART_LANES.get(nbytes, 32)
    if size < 32 and is_load and any(_pairs_agree(lanes, step) for step in (1, 2)):
        size *= 2
    return _split(lanes, size)


def _split(lanes: Lanes, size: int) -> list[list[int]]:
    parts = [[lane for lane in lanes if lane // size == number] for number in range(32 // size)]
    return [part for part in parts if part]


def _pairs_agree(lanes: Lanes, step: int) -> bool:
    return all(lanes.get(lane ^ step, address) == address for lane, address in lanes.items())


def words_by_bank(lanes: Lanes, nbytes: int, part: list[int]) -> dict[int, dict[int, list[int]]]:
    """Return, for each bank, the words that a part needs of it and the lanes that need them."""
    banks: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for lane in part:
        for word in range(lanes[lane] // WORD_BYTES, (lanes[lane] + nbytes - 1) // WORD_BYTES + 1):
            banks[word % BANKS][word].append(lane)
    return banks


def wavefronts(lanes: Lanes, nbytes: int, *, is_load: bool) -> tuple[int, int]:
    """Return the wavefronts of one access, and how many it would take without conflicts: one per part of a warp."""
    parts = parts_of(lanes, nbytes, is_load=is_load)
    needed = sum(max(len(words) for words in words_by_bank(lanes, nbytes, part).values()) for part in parts)
    return needed, min(needed, len(_split(lanes, PART_LANES.get(nbytes, 32))))


def counted_conflicts(lanes: Lanes, nbytes: int, *, is_load: bool) -> int:
    """Return the bank conflicts as the hardware's metric has them: wavefronts beyond one per part served together.

    Where two parts of a load would go together but for a conflict, it counts one that no padding could save.
    """
    return wavefronts(lanes, nbytes, is_load=is_load)[0] - len(parts_of(lanes, nbytes, is_load=is_load))


def collisions(lanes: Lanes, nbytes: int, *, is_load: bool) -> tuple[int, dict[int, list[int]]]:
    """Return the bank that costs the most, and for each word that is wanted of it the lanes that want it."""
    worst: tuple[int, dict[int, list[int]]] = (0, {})
    for part in parts_of(lanes, nbytes, is_load=is_load):
        for bank, words in sorted(words_by_bank(lanes, nbytes, part).items()):
            if len(words) > len(worst[1]):
                worst = bank, {WORD_BYTES * word: found for word, found in words.items()}
    return worst


def padded(addresses: Int64s, row_bytes: int, padding_bytes: int) -> Int64s:
    """Return where elements lie when each row of the array is longer; addresses count from its start."""
    return addresses + addresses // row_bytes * padding_bytes


def row_bytes_by_stride(lanes: Lanes) -> int | None:
    """Return the length of a row where lanes step over whole rows of a power of two, else None."""
    addresses = sorted(set(lanes.values()))
    step = gcd(*(address - addresses[0] for address in addresses))
    is_power = step & (step - 1) == 0
    return step if is_power and step > WORD_BYTES and addresses[0] % step + WORD_BYTES <= step else None


@dataclass(frozen=True)
class Accesses:
    """Accesses of one width, as arrays with a row per access and a column per lane.

    addresses: in bytes, from the array's start; active: whether the lane takes part. times: how often each was made.
    """

    addresses: Int64s
    active: Booleans
    times: Int64s
    nbytes: int
    is_load: bool

    def wavefronts(self, addresses: Int64s) -> int:
        """Return the wavefronts of all of them at other addresses."""
        numbers = np.arange(32)
        size = np.full(len(addresses), PART_LANES.get(self.nbytes, 32))
        if self.is_load and self.nbytes in PART_LANES:
            agree = np.zeros(len(addresses), bool)
            for step in (1, 2):
                same = addresses == addresses[:, numbers ^ step]
                agree |= (same | ~self.active | ~self.active[:, numbers ^ step]).all(axis=1)
            size[agree] *= 2
        part = numbers // size[:, None]
        unit = max(self.nbytes, WORD_BYTES)
        # A number for each word in its part, so that equal ones stand beside each other.
        words = np.sort(np.where(self.active, part << 40 | addresses // unit, -1), axis=1)
        is_new = np.diff(words, axis=1, prepend=-1) != 0
        places = np.arange(len(addresses))[:, None] * 4 * BANKS + (words >> 40) * BANKS + words % (ROW_BYTES // unit)
        counts = np.bincount(places[is_new], minlength=len(addresses) * 4 * BANKS).reshape(-1, 4, BANKS)
        return int(counts.max(axis=2).sum(axis=1) @ self.times)


def smallest_padding(
    accesses: list[Accesses], row_bytes: int, element_bytes: int, fewest: int
) -> tuple[int, int, int] | None:
    """Return the fewest elements behind each row that cure conflicts, or most of them; None: no number does.

    fewest: wavefronts without any conflict. The other two numbers are the wavefronts before and with the padding.
    """
    before = sum(some.wavefronts(some.addresses) for some in accesses)
    after = {}
    for padding in range(1, LARGEST_PADDING + 1):
        row = padding * element_bytes
        if any((row_bytes + row) % some.nbytes for some in accesses):
            continue  # a vector would no longer be aligned in every row
        after[padding] = sum(some.wavefronts(padded(some.addresses, row_bytes, row)) for some in accesses)
        if after[padding] <= fewest:
            break
    best = min(after.values(), default=before)
    if before - best < CURED_SHARE * (before - fewest) or best == before:
        return None
    return next((padding, before, number) for padding, number in after.items() if number <= best * GOOD_ENOUGH)


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
