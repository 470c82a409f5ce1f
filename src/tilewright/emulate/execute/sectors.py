"""Sectors of a request: all lanes at once (memory_vectors.py), or one by one where they lie too far apart for that."""

from __future__ import annotations

from tilewright.emulate.compiled import inner
from tilewright.emulate.memory_vectors import count_sectors_quickly
from tilewright.emulate.registers import read_lane


@inner
def count_sectors(slot: int, immediate: int, active: int) -> int:
    """Count the different 32-byte sectors of global memory that the lanes address."""
    count = count_sectors_quickly(slot, immediate, active)
    if count >= 0:
        return count
    count = 0
    for lane in range(32):
        if (active >> lane) & 1:
            sector = (read_lane(slot, lane, True) + immediate) >> 5
            is_new = 1
            for other in range(lane):
                if (active >> other) & 1 and (read_lane(slot, other, True) + immediate) >> 5 == sector:
                    is_new = 0
                    break
            count += is_new
    return count


@inner
def count_local_sectors(slot: int, immediate: int, active: int, nbytes: int) -> int:
    """Count the sectors of local memory, which silicon interleaves: word w of lane l lies at 128 w + 4 l."""
    count = 0
    for lane in range(32):
        if (active >> lane) & 1:
            word = (read_lane(slot, lane, False) + immediate) >> 2
            is_new = 1
            for other in range(lane & ~7, lane):
                if (active >> other) & 1 and (read_lane(slot, other, False) + immediate) >> 2 == word:
                    is_new = 0
                    break
            count += is_new
    return count * ((nbytes + 3) >> 2)
