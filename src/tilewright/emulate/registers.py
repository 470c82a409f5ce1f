"""One lane's value in a register, as the instructions outside of the vector loop read and write it."""

from __future__ import annotations

from tilewright.emulate.compiled import inner
from tilewright.emulate.memory_vectors import load_64, load_u32, store_32, store_64
from tilewright.emulate.state import LAYOUT_CONSTANTS
from tilewright.emulate.tables import get


@inner
def slot_address(state: int, frame: int, offset: int) -> int:
    """Return where the slot `offset` lies: in the frame, or among the constants when negative."""
    if offset < 0:
        return get(state, LAYOUT_CONSTANTS) + ~offset
    return frame + offset


@inner
def read_lane(address: int, lane: int, wide: bool) -> int:
    """Return a lane of the slot at `address`, as unsigned bits when it has 32."""
    if wide:
        return load_64(address + 8 * lane)
    return load_u32(address + 4 * lane)


@inner
def write_lane(address: int, lane: int, wide: bool, value: int) -> None:
    """Write a lane of the slot at `address`."""
    if wide:
        store_64(address + 8 * lane, value)
    else:
        store_32(address + 4 * lane, value)


@inner
def write_predicate(address: int, mask: int, bits: int) -> None:
    """Write the lanes of `mask` of a predicate."""
    store_32(address, (load_u32(address) & ~mask) | (bits & mask))
