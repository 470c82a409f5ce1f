"""The cost of each access of a warp: sectors of global memory, wavefronts and bank conflicts of shared memory."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.emulate.observers.banks.rule import collisions, wavefronts
from tilewright.emulate.observers.coalescing import SECTOR_BYTES

from .steps import LOAD, Step


@dataclass(frozen=True)
class Traffic:
    """The cost of one access.

    sectors: of 32 bytes, for global memory. wavefronts: for shared memory; ideal: the same without bank conflicts.
    bank, lanes: the bank with the most conflicts, and the lanes that access each of its words.
    """

    sectors: int = 0
    wavefronts: int = 0
    ideal: int = 0
    bank: int = 0
    lanes: tuple[tuple[int, ...], ...] = ()


def traffic_of(step: Step, space: str) -> Traffic:
    """Return the cost of an access from the addresses of its active lanes."""
    lanes = dict(zip(step.lane_numbers, step.addresses, strict=True))
    if not lanes:
        return Traffic()
    if space != "shared":
        touched = {
            sector
            for address in lanes.values()
            for sector in range(address // SECTOR_BYTES, (address + step.nbytes - 1) // SECTOR_BYTES + 1)
        }
        return Traffic(sectors=len(touched))
    is_load = step.kind == LOAD
    needed, ideal = wavefronts(lanes, step.nbytes, is_load=is_load)
    if needed == ideal:
        return Traffic(wavefronts=needed, ideal=ideal)
    bank, words = collisions(lanes, step.nbytes, is_load=is_load)
    return Traffic(wavefronts=needed, ideal=ideal, bank=bank, lanes=tuple(tuple(found) for found in words.values()))
