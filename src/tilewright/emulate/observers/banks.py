"""Banks of shared memory: what one access of a warp costs, and what padding does to it. Plain Python, for reports.

Shared memory has 32 banks of 4 bytes. A wavefront serves one word of each bank, to any number of lanes. Lanes of
8 bytes are served half a warp at a time, lanes of 16 bytes a quarter at a time; two such parts of a load go together
when every lane has the address of the lane beside it, or of the lane two further. (Programming guide, and measured on
an H200: docs/observers.md.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import gcd

BANKS, WORD_BYTES = 32, 4
ROW_BYTES = BANKS * WORD_BYTES
LARGEST_PADDING = 32
"""Elements of padding that are tried: one more than any number of banks can call for with 4-byte elements."""

PART_LANES = {8: 16, 16: 8}

Lanes = Mapping[int, int]
"""The byte that each active lane addresses."""


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
    """Return the wavefronts of one access, and how many of them are no matter of conflicts: one per part of a warp."""
    parts = parts_of(lanes, nbytes, is_load=is_load)
    needed = sum(max(len(words) for words in words_by_bank(lanes, nbytes, part).values()) for part in parts)
    return needed, min(needed, len(_split(lanes, PART_LANES.get(nbytes, 32))))


def collisions(lanes: Lanes, nbytes: int, *, is_load: bool) -> tuple[int, dict[int, list[int]]]:
    """Return the bank that costs the most, and for each word that is wanted of it the lanes that want it."""
    worst: tuple[int, dict[int, list[int]]] = (0, {})
    for part in parts_of(lanes, nbytes, is_load=is_load):
        for bank, words in sorted(words_by_bank(lanes, nbytes, part).items()):
            if len(words) > len(worst[1]):
                worst = bank, {WORD_BYTES * word: found for word, found in words.items()}
    return worst


def padded(lanes: Lanes, row_bytes: int, padding_bytes: int) -> Lanes:
    """Return where lanes find their elements when each row of the array is longer; addresses count from its start."""
    return {lane: address + address // row_bytes * padding_bytes for lane, address in lanes.items()}


def row_bytes_by_stride(lanes: Lanes) -> int | None:
    """Return the length of a row where lanes step over whole rows of a power of two, else None."""
    addresses = sorted(set(lanes.values()))
    step = gcd(*(address - addresses[0] for address in addresses))
    is_power = step & (step - 1) == 0
    return step if is_power and step > WORD_BYTES and addresses[0] % step + WORD_BYTES <= step else None


def smallest_padding(
    accesses: list[tuple[Lanes, int, bool, int]], row_bytes: int, element_bytes: int
) -> tuple[int, int, int] | None:
    """Return the fewest elements behind each row with which accesses take the fewest wavefronts; None: none helps.

    accesses: lanes with addresses counted from the array's start, bytes per lane, whether it is a load, how often.
    The other two numbers are the wavefronts of all of them, before and with the padding.
    """
    costs = [(*wavefronts(lanes, nbytes, is_load=load), times) for lanes, nbytes, load, times in accesses]
    before, fewest = (sum(cost[which] * cost[2] for cost in costs) for which in (0, 1))
    best: tuple[int, int, int] | None = None
    for padding in range(1, LARGEST_PADDING + 1):
        row = padding * element_bytes
        if any((row_bytes + row) % nbytes for _, nbytes, _, _ in accesses):
            continue  # a vector would no longer be aligned in every row
        after = sum(
            times * wavefronts(padded(lanes, row_bytes, row), nbytes, is_load=load)[0]
            for lanes, nbytes, load, times in accesses
        )
        if after < (best[2] if best else before):
            best = padding, before, after
        if after <= fewest:
            break
    return best
