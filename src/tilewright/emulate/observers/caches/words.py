"""Where the cache observer keeps what: words of its log, of its replay, and rows of their tables."""

from __future__ import annotations

from itertools import count

LOAD, STRONG_LOAD, STORE, ATOMIC, BARRIER, END = range(6)
"""What a word of the log is."""
KIND_SHIFT, MORE_SHIFT, GAP_SHIFT, LINE_SHIFT, WIDE_SHIFT = 4, 7, 8, 24, 60
WAITS = 1 << 62
LINE_MASK = (1 << 36) - 1
MAX_GAP = (1 << 16) - 1
CHUNK_WORDS = 64

(
    LOG_NEXT,  # address of the first chunk that was never used
    LOG_LIMIT,  # end of the memory for chunks
    LOG_FREE,  # first of the free chunks, each of which begins with the address of the next; 0: none
    LOG_WARPS,  # resident warp: LOGGED_*
    LOG_HEADS,  # place of a block, warp: first chunk
    LOG_PLACES,  # how many blocks may wait for their replay
    LOG_READY,  # place of a block: its number plus 1, once complete
    LOG_SITES,  # instruction: number among those that are logged, or 0 (int32)
    LOG_SITE_COUNT,
    LOG_BASIC_BLOCKS,  # site: number of its basic block (int32)
    LOG_GAPS,  # site, site: work between, or -1 (int32)
    LOG_WEIGHTS,  # instruction: work in quarter cycles (int32)
    LOG_STRAIGHT,  # instruction: work of all rows before (int32)
    LOG_WANTED,  # site: whether to note the sum of work there (int32)
    LOG_LAST_WARP,
    LOG_LAST_SITE,
    LOG_LAST_SUM,
    LOG_FIRST_LINE,  # what lines are counted from
    LOG_REPLAY,  # the unit that replays, and
    LOG_REPLAY_OWN,  # its words
    LOG_ROWS,  # instructions
    LOG_FULL,  # 1: memory ran out, and nothing more is logged
    LOG_WORDS,
) = range(23)
(LOGGED_AT, LOGGED_HEAD, LOGGED_SITE) = range(3)
LOGGED_COLUMNS = 3

(SM_CLOCK, SM_SOONEST, SM_LIVE, SM_ENDED, SM_GPC, SM_PIPE, SM_ASKED, SM_TURN) = range(8)
"""Of an SM: its time; when a warp is ready next, if none is; warps on it; whether a block has just ended; the GPC that
it belongs to; when its load-store pipe is free; requests that it has sent there; the turn of its schedulers."""
SM_COLUMNS = 8
(SLOT_FREE_AT, SLOT_LIVE, SLOT_WAITING) = range(3)
"""Of a block's place on an SM: when it became free, or TAKEN; warps that have not ended; warps at a barrier."""
SLOT_COLUMNS = 3
(WARP_READ, WARP_SLOT, WARP_ARRIVES, WARP_UNDER_WAY, WARP_WORD, WARP_AHEAD) = range(6)
"""Of a warp on an SM: its place in the log; its block's place; when all that it asked for will be there; words per lane
under way, or AT_BARRIER; the word of the log that it is at, or UNREAD; words that follow it, then zeros."""
WORDS_AHEAD = 3
WARP_COLUMNS = WARP_AHEAD + WORDS_AHEAD  # a line of the processor's cache
(HELD, HELD_FILL) = range(2)
"""Of a line that a cache holds: 1 + its number, above the sectors that are there and, in L2, those to be written back;
when the last of them was there. The lines of a set lie side by side, the latest use first, and a 0 is none."""
HELD_COLUMNS, HELD_SHIFT, TO_WRITE_SHIFT = 2, 8, 4
(MERGE_NAME, MERGE_SENT, MERGE_ARRIVES, MERGE_TIMES) = range(4)
"""Of a request on its way from a GPC to L2: line and sectors; when it leaves the GPC; its answer; how many share
it."""
MERGE_COLUMNS = 4
MERGE_ENTRIES = 4096
MAX_WARPS = 64
RECIPROCAL_SHIFT = 40
TAKEN = NEVER = 1 << 60
AT_BARRIER = -1
UNREAD = -1
"""In place of the word that a warp is at: the next one in its log."""
CLOSED = -1
"""In place of a request: the line has requests for different sectors under way, which are not shared."""

_numbers = count()
NEXT_BLOCK, BLOCKS, LIVE_BLOCKS, FREE_SLOTS = next(_numbers), next(_numbers), next(_numbers), next(_numbers)
TIME, SLICE = next(_numbers), next(_numbers)  # quarter cycles, as all times
SMS, SLOTS, WARPS = next(_numbers), next(_numbers), next(_numbers)  # slots per SM, warps per block
SM_TABLE, SLOT_TABLE, WARP_TABLE = next(_numbers), next(_numbers), next(_numbers)
READY_TABLE = next(_numbers)  # SM, warp: when it goes on, or NEVER
LAUNCH_TIME, QUANTUM, CHAIN_FACTOR, ISSUE_FACTOR = next(_numbers), next(_numbers), next(_numbers), next(_numbers)
MOST_UNDER_WAY = next(_numbers)  # of a warp, in words of 4 bytes per lane
QUEUE_TABLE = next(_numbers)  # SM, request modulo PIPE_QUEUE: when the pipe has done it
PIPE_QUEUE, MISS_NOISE = next(_numbers), next(_numbers)
LAUNCH_GAP, LAUNCHED = next(_numbers), next(_numbers)  # between two blocks; when the next one may go
L1_WAYS, L1_SETS, L1_LINES, L1_TIME = next(_numbers), next(_numbers), next(_numbers), next(_numbers)
L1_RECIPROCAL = next(_numbers)  # 2 ** RECIPROCAL_SHIFT / sets, rounded up: exact for 2 ** 31 lines
MERGE_TABLE, MERGE_TIME, MERGE_MOST = next(_numbers), next(_numbers), next(_numbers)
MERGE_BASE, MERGE_DRAM = next(_numbers), next(_numbers)
IN_STEP_TABLE, IN_STEP_TIME = next(_numbers), next(_numbers)
PORTS, PORT_TIME = next(_numbers), next(_numbers)  # by GPC: when its port to L2 is free, in 1/256 of a quarter cycle
L2_WAYS, L2_SETS, L2_LINES = next(_numbers), next(_numbers), next(_numbers)
L2_TIME, L2_SPREAD = next(_numbers), next(_numbers)
DRAM_TIME, DRAM_FREE_AT, DRAM_SECTOR_TIME = next(_numbers), next(_numbers), next(_numbers)
RANDOM, NOISE = next(_numbers), next(_numbers)
COUNT_L1_HITS, COUNT_L1_MISSES = next(_numbers), next(_numbers)
COUNT_MERGED, COUNT_L2_READS, COUNT_L2_WRITES = next(_numbers), next(_numbers), next(_numbers)
COUNT_IN_STEP = next(_numbers)
COUNT_DRAM_READS, COUNT_DRAM_WRITES = next(_numbers), next(_numbers)
REPLAY_WORDS = next(_numbers)
