"""What a warp remembers of its asynchronous copies: a ring of records, and how many groups each lane has closed.

A record is a `cp.async` of the warp: what its lanes have read, and where it goes once they have waited for it.
"""

from __future__ import annotations

from tilewright.emulate import state as st
from tilewright.emulate.compiled import inner
from tilewright.emulate.tables import get

RECORDS = 64
"""Copies of a warp that may be under way; the oldest is completed before there are more."""

FIRST, COUNT, GROUPS = 0, 1, 2
"""Of a warp: the oldest record, how many there are, and from GROUPS on the groups that each of 32 lanes has closed."""
HEADER_WORDS = 40
HEADER_BYTES = 8 * HEADER_WORDS

COPY_PC, COPY_LANES, COPY_BYTES = range(3)
"""Of a record: the instruction's row, the lanes that have not waited for it, the bytes that each writes."""
COPY_ADDRESSES, COPY_GROUPS, COPY_DATA = 8, 40, 72
"""From here on, for each lane: its offset in shared memory, its group, and two words of data."""
RECORD_WORDS = 136
WARP_BYTES = HEADER_BYTES + 8 * RECORD_WORDS * RECORDS


@inner
def copies_of(state: int, warp: int) -> int:
    """Return where the header of a resident warp is."""
    return get(state, st.LAYOUT_ASYNC) + WARP_BYTES * warp


@inner
def record_at(copies: int, number: int) -> int:
    """Return the record so many behind the oldest."""
    return copies + HEADER_BYTES + 8 * RECORD_WORDS * ((get(copies, FIRST) + number) % RECORDS)
