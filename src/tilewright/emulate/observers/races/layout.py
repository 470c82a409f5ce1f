"""What the race observer remembers: the columns of its tables.

Time is one counter of the launch. It advances at every barrier, warp synchronization and fence, so a *stamp* (time of
the warp's last such step, warp) says which stretch of which warp an access belongs to. A stamp is one word:
time << 32 | serial, and the serial of a warp is its block's number << 5 | its number in the block.

Every *cell* of memory (as many bytes as the kernel's narrowest access to that memory) has *records* of the accesses
that a later one may race with: a stamp, and a word of lanes | about << 32.
"""

from __future__ import annotations

from itertools import count

LOW = 0xFFFFFFFF
SAME_BLOCK = 0xFFFFFFE0
"""Two serials that differ in none of these bits belong to one block."""
SERIAL_SHIFT = 5
FOREVER = 1 << 62

READ, WRITE, ATOMIC = range(3)
IS_STRONG, IS_OF_BLOCK, ABOUT_KIND, ABOUT_PC = 1, 2, 2, 8
"""About an access: bit 0 strong, bit 1 strong within its block only, bits 2 and 3 READ, WRITE or ATOMIC, its row."""
RECORD_BYTES = 16
RECORD_STAMP, RECORD_REST = range(2)

_numbers = count()
# The observer's own words.
TIME = next(_numbers)
SHARED_SHIFT, GLOBAL_SHIFT = next(_numbers), next(_numbers)  # log2 of a cell's bytes
SHARED_BYTES, FIRST_SHARED_AREA = next(_numbers), next(_numbers)
LINES = next(_numbers)  # source lines of the module
AREAS, WARPS, BLOCKS, LANES = next(_numbers), next(_numbers), next(_numbers), next(_numbers)  # tables, by address
KNOWN = next(_numbers)  # warp, lane, other lane: up to which time a lane knows of another of its warp (int32)
EXECUTED = next(_numbers)  # warp, line: number of the last access there
MOMENT = next(_numbers)  # number of the last access
ARRIVALS = next(_numbers)  # block, barrier: ARRIVAL_*
NEIGHBORS = next(_numbers)  # block, entry: NEIGHBOR_*
NODES, NODES_USED, NODES_ROOM = next(_numbers), next(_numbers), next(_numbers)
ACQUIRES, ACQUIRES_USED, ACQUIRES_ROOM = next(_numbers), next(_numbers), next(_numbers)
FENCES, FENCES_USED, FENCES_ROOM = next(_numbers), next(_numbers), next(_numbers)
FOUND, FOUND_USED, FOUND_ROOM, FOUND_DROPPED = next(_numbers), next(_numbers), next(_numbers), next(_numbers)
RESETS = next(_numbers)  # strong stores, which end the chain of releases at their place
HAS_FENCED = next(_numbers)  # 1 after the first fence
IS_FULL = next(_numbers)  # 1 when a table had no room left
QUERY, WORK = next(_numbers), next(_numbers)  # of the search: its number, and the nodes that it has yet to look into
JUDGE, COLLIDE, SEARCH = next(_numbers), next(_numbers), next(_numbers)  # addresses of units
VOLATILE = next(_numbers)  # instruction: 1 where it says volatile (uint8)
NOW, NOW_ABOUT = next(_numbers), next(_numbers)  # stamp of the event at hand, and what a record says about it
NOW_LIMIT = next(_numbers)  # below it every stamp is in order before that one,
NOW_BLOCK_LIMIT, NOW_WARP_LIMIT = next(_numbers), next(_numbers)  # below these those of the same block, of its warp
GROUPS, GROUP_LANES = next(_numbers), next(_numbers)  # tables: byte offsets of records, the lanes that access each
GROUPED_LANES, REPEATED_LANES = next(_numbers), next(_numbers)  # what it points to: groups, lanes 32, 16, 8 ... apart
LOG, LOG_USED, LOG_ROOM = next(_numbers), next(_numbers), next(_numbers)  # loads that are not yet recorded, LOG_*
REPLAY = next(_numbers)  # address of a unit
HAS_BLOCK_SCOPE = next(_numbers)  # 1 after the first atomic that is one within its block only
ATOMIC_ROW = next(_numbers)  # 1 + row of the last atomic on global memory
COPIES = next(_numbers)  # resident block, 4 bytes of shared memory: who copies there (judge.py); 0: nobody can
WATCH_COPIES = next(_numbers)  # address of a unit
OWN_WORDS = next(_numbers)

(
    AREA_BASE,  # first address
    AREA_WRITES,  # where its records are: of the last write,
    AREA_READS,  # of the last warp that read,
    AREA_OTHER_READS,  # of another one,
    AREA_STRONG,  # of the last atomic or strong write,
    AREA_OTHER_STRONG,  # of another one;
    AREA_RELEASES,  # 1 + the last node that was released here (int32)
    AREA_PAGES,  # of its pages: PAGE_*
    AREA_IS_WRITTEN,  # the latest stamp of a write that is not strong, or 0,
    AREA_IS_READ,  # of a read; 1 where it was only logged,
    AREA_HAS_STRONG,  # of an atomic or strong write
    AREA_IS_DIRECT,  # 1: loads are recorded at once, 0: they are logged
) = range(12)
AREA_COLUMNS = 12
"""A piece of memory with cells of its own: an allocation, or the shared memory of a resident block."""

(PAGE_SINCE, PAGE_OWNERS) = range(2)
PAGE_COLUMNS, PAGE_SHIFT = 2, 5
"""So many neighboring cells (pages.py): the earliest stamp of their two readers each, 0 where it is not known; their
readers, in shared memory a bit for each warp of the block, in global memory the highest number of a block."""

(
    WARP_SERIAL,
    WARP_TIME,  # of its last barrier, synchronization or fence: the time in the stamps of its accesses
    WARP_MET,  # when all of its lanes met last
    WARP_PARTS,  # 1: some of its lanes met since, KNOWN says which
    WARP_LANES,  # all that it began with
) = range(5)
WARP_COLUMNS = 5

(
    BLOCK_BEGAN,  # number of the last access before it
    BLOCK_MET,  # when all of its threads met last
    BLOCK_MET_MOMENT,  # and the number of the last access then
    BLOCK_ACQUIRES,  # 1 + its last acquire
    BLOCK_FENCES,  # 1 + its last fence
) = range(5)
BLOCK_COLUMNS = 5

(
    LANE_TIME,  # of its last fence for the device,
    LANE_BLOCK_MET,  # and what it knew then,
    LANE_WARP_MET,
    LANE_LOCAL_TIME,  # of its last fence, also one for its block only,
    LANE_LOCAL_BLOCK_MET,  # and what it knew then
    LANE_LOCAL_WARP_MET,
    LANE_NODE,  # 1 + its last release,
    LANE_PLACE,  # and where
) = range(8)
LANE_COLUMNS = 8

(ARRIVAL_WAITING, ARRIVAL_PASSING, ARRIVAL_NODE) = range(3)
ARRIVAL_COLUMNS = 3
"""Who has come to a barrier: threads that wait, threads that only arrive, and 1 + the last node of those who came."""

(NEIGHBOR_BLOCK, NEIGHBOR_TIME) = range(2)
NEIGHBOR_COLUMNS, NEIGHBORS_PER_BLOCK = 2, 64
"""Another block of which everyone in this one knows all up to a time: serial of its first warp, time."""

(
    NODE_SERIAL,
    NODE_LANES,
    NODE_NEXT,  # 1 + the node released at the same place before, which this one passes on
    NODE_VISITED,
    NODE_TIME,  # the fence for the device: what these lanes did before it, and
    NODE_BLOCK_MET,  # what they knew then,
    NODE_WARP_MET,
    NODE_LOCAL_TIME,  # the fence for the block, likewise
    NODE_LOCAL_BLOCK_MET,
    NODE_LOCAL_WARP_MET,
    NODE_NOW_BLOCK_MET,  # what they knew when they released
    NODE_NOW_WARP_MET,
    NODE_ACQUIRES,  # 1 + the block's last acquire then
    NODE_FENCES,  # 1 + the block's last fence then
    NODE_PARTS,  # 1: NODE_KNOWN holds something
    NODE_IS_LOCAL,  # 1: only for threads of the same block
    NODE_WALKED,  # by which search, on behalf of which block, it and those behind it were looked at
) = range(17)
NODE_KNOWN = 24  # 32 int32 from here: what the lanes knew of the others of their warp
NODE_COLUMNS = 40
"""A release: what its threads knew at a fence (or at a barrier), for whoever acquires it."""

(
    ACQUIRE_SERIAL,
    ACQUIRE_LANES,
    ACQUIRE_TIME,
    ACQUIRE_NODE,
    ACQUIRE_NEXT,
    ACQUIRE_PLACE,
    ACQUIRE_RESETS,  # RESETS then
    ACQUIRE_VISITED,
) = range(8)
ACQUIRE_COLUMNS = 8

(FENCE_SERIAL, FENCE_LANES, FENCE_TIME, FENCE_SCOPE, FENCE_NEXT) = range(5)
FENCE_COLUMNS = 8

(LOG_STAMP, LOG_ABOUT, LOG_BLOCK_LIMIT, LOG_WARP_LIMIT, LOG_ADDRESS, LOG_NBYTES, LOG_AREA) = range(7)
LOG_COLUMNS = 8

(
    FOUND_KIND,  # of this access * 4 + of the earlier one, + SAME_VALUE when both wrote the same, + OTHER_*
    FOUND_PC,
    FOUND_OTHER_PC,
    FOUND_TIMES,
    FOUND_SERIAL,
    FOUND_LANE,
    FOUND_OTHER_SERIAL,
    FOUND_OTHER_LANE,
    FOUND_SPACE,
    FOUND_ADDRESS,
    FOUND_SEQUENCE,  # FIRST_IS_OTHER, FIRST_IS_THIS or UNKNOWN
) = range(11)
FOUND_COLUMNS = 16
SAME_VALUE, OTHER_WARP, OTHER_BLOCK, UNDER_WAY = 16, 32, 64, 128
UNKNOWN, FIRST_IS_OTHER, FIRST_IS_THIS = range(3)
"""Which of two lines the warp executes first between two barriers."""
