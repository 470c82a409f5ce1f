"""The compiled part of coalescing.py: for each instruction the access to global memory that took the most sectors."""

from __future__ import annotations

from tilewright.emulate.compiled import ObservedUnit
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.sectors import count_sectors
from tilewright.emulate.memory_vectors import count_lanes, count_sectors_quickly
from tilewright.emulate.tables import get, put

(SECTORS, LANES, NBYTES, BLOCK, WARP) = range(5)
ADDRESSES = 8
RECORD_WORDS = ADDRESSES + 32
RECORDS = 0  # of `own`: the table of records by instruction


@ObservedUnit
def observe_sectors(state: int, own: int, event: int) -> int:
    """Keep an access to global memory if it takes more sectors than any before by its instruction."""
    record = get(get(own, RECORDS), get(event, ev.PC))
    lanes, slot = get(event, ev.LANES), event + 8 * ev.ADDRESSES
    most = get(record, SECTORS)
    if most >= count_lanes(lanes):
        return 0
    sectors = count_sectors_quickly(slot, 0, lanes)
    if sectors < 0:
        sectors = count_sectors(slot, 0, lanes)
    if sectors > most:
        put(record, SECTORS, sectors)
        put(record, LANES, lanes)
        put(record, NBYTES, get(event, ev.NBYTES))
        put(record, BLOCK, get(event, ev.BLOCK))
        put(record, WARP, get(event, ev.WARP_IN_BLOCK))
        for lane in range(32):
            put(record, ADDRESSES + lane, get(slot, lane))
    return 0
