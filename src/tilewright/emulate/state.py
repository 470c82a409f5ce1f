"""The memory of a running launch: one block of words per worker, and the tables that it points to.

Everything that a warp is lives here and nowhere else, so that a run can stop (to print, say) and go on.
tables.py reads these columns; launch.py lays them out.
"""

from __future__ import annotations

from itertools import count

import numpy as np
from numpy.typing import NDArray

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]

_numbers = count()
# Sizes of the launch.
LAYOUT_GRID_X, LAYOUT_GRID_Y, LAYOUT_GRID_Z = next(_numbers), next(_numbers), next(_numbers)
LAYOUT_BLOCK_X, LAYOUT_BLOCK_Y, LAYOUT_BLOCK_Z = next(_numbers), next(_numbers), next(_numbers)
LAYOUT_THREADS, LAYOUT_WARPS = next(_numbers), next(_numbers)  # per block
LAYOUT_RESIDENT = next(_numbers)  # blocks that run interleaved
LAYOUT_ENTRY = next(_numbers)  # row of the kernel's first instruction
LAYOUT_FRAME_BYTES = next(_numbers)  # per warp, all calls deep
LAYOUT_FRAME_ZERO = next(_numbers)  # bytes of a warp's frame to clear at its start
LAYOUT_SHARED_BYTES = next(_numbers)  # per block, static and dynamic
LAYOUT_RESERVED_BYTES = next(_numbers)  # of shared memory, at its start: the system's, which hands it over as zeros
LAYOUT_LOCAL_BYTES = next(_numbers)  # per thread, all calls deep
LAYOUT_ALLOCATIONS = next(_numbers)
LAYOUT_QUANTUM = next(_numbers)  # instructions of a warp's turn
LAYOUT_RANDOM = next(_numbers)  # 1: warps take turns at random
LAYOUT_WAITS = next(_numbers)  # 1: the kernel may wait for other threads (atomics, volatile loads)
LAYOUT_PARALLEL = next(_numbers)  # 1: other workers run at the same time
# Addresses in this process.
LAYOUT_CODE = next(_numbers)  # int32 rows (instruction_row.py)
LAYOUT_CONSTANTS = next(_numbers)
LAYOUT_COUNTERS = next(_numbers)  # instruction, COUNTER_COLUMNS
LAYOUT_FRAMES, LAYOUT_SHARED, LAYOUT_LOCAL = next(_numbers), next(_numbers), next(_numbers)
LAYOUT_CALLS = next(_numbers)  # call sites and functions, CALL_*
LAYOUT_COPIES = next(_numbers)  # parameter copied at a call: source, target, bytes
LAYOUT_TABLES = next(_numbers)  # targets of brx.idx
LAYOUT_ALLOCATION_TABLE = next(_numbers)  # ALLOCATION_*, by ascending address
LAYOUT_HINTS = next(_numbers)  # instruction: the allocation that it used last (int32)
LAYOUT_WARP_TABLE, LAYOUT_SPLITS, LAYOUT_JOINS = next(_numbers), next(_numbers), next(_numbers)
LAYOUT_BLOCKS, LAYOUT_BARRIERS = next(_numbers), next(_numbers)
LAYOUT_PRINTS = next(_numbers)  # records of the printf that a warp executes
LAYOUT_EXCHANGE = next(_numbers)  # lane: values on their way through a shuffle
LAYOUT_BUDGET = next(_numbers)  # instructions of the whole launch
LAYOUT_SPENT = next(_numbers)  # how many it has executed: one word for all workers
LAYOUT_ORDER = next(_numbers)  # the order in which resident warps take turns
LAYOUT_LISTENERS = next(_numbers)  # kind of event, space: where the list of those who want it is (events.py)
LAYOUT_OBSERVER_COUNT = next(_numbers)
LAYOUT_EVENT = next(_numbers)  # the event that observers are told of (events.py)
LAYOUT_TRIPS = next(_numbers)  # resident warp, instruction: executions before (int32); 0 where nobody asks
LAYOUT_INSTRUCTIONS = next(_numbers)  # rows of the code
LAYOUT_RUN_VECTORS, LAYOUT_ACCESS_MEMORY, LAYOUT_EXECUTE_SCALAR = next(_numbers), next(_numbers), next(_numbers)
LAYOUT_ATOMIC, LAYOUT_WARP_SYNC, LAYOUT_RUN_SPLIT = next(_numbers), next(_numbers), next(_numbers)
SPECIAL_OPCODES = 32
LAYOUT_SPECIAL, *_ = (next(_numbers) for _ in range(SPECIAL_OPCODES))  # units of the opcodes from ASYNC_COPY on
LAYOUT_ASYNC = next(_numbers)  # resident warp: its asynchronous copies (async_copies.py); 0 where a kernel has none
LAYOUT_TILES = next(_numbers)  # operands of a product of matrices (tiles.py); 0 where a kernel has none
LAYOUT_WARPGROUPS = next(_numbers)  # resident warp: its wgmma (warpgroups.py); 0 where a kernel has none
LAYOUT_CLUSTER_X, LAYOUT_CLUSTER_Y, LAYOUT_CLUSTER_Z = next(_numbers), next(_numbers), next(_numbers)
LAYOUT_CLUSTER = next(_numbers)  # blocks of a cluster
LAYOUT_MBARRIERS = next(_numbers)  # resident block, byte of shared memory: what its mbarriers hold (mbarriers.py)
LAYOUT_BULK = next(_numbers)  # copies in bulk that are under way (bulk_copies.py); 0 where a kernel has none
LAYOUT_PERFORM_BULK = next(_numbers)
LAYOUT_COMPLETION = next(_numbers)  # when asynchronous work is done: EARLY, LATE, AT_RANDOM
LAYOUT_PLAIN_ACCESS, LAYOUT_PLAIN_ATOMIC = next(_numbers), next(_numbers)  # what an observed access goes on to
# What changes while it runs.
CONTROL_STATUS = next(_numbers)
CONTROL_BUDGET = next(_numbers)  # what is left to a group of resident blocks
CONTROL_RANDOM = next(_numbers)
CONTROL_PRINTED = next(_numbers)  # bytes used in prints
CONTROL_RESUME = next(_numbers)
CONTROL_INDEX = next(_numbers)  # where in the round a stopped run goes on
CONTROL_TURN = next(_numbers)  # and what is left of that warp's turn
CONTROL_TIMES_OUT = next(_numbers)  # 1: a try_wait that would wait says that its phase has not ended
CONTROL_TIMEOUTS, CONTROL_STUCK = next(_numbers), next(_numbers)  # how many in a row, and what there was at the last
CONTROL_SECTORS = next(_numbers)  # of the access at hand, 1 + how many an observer has counted, or 0
CONTROL_FAULT = next(_numbers)
CONTROL_FAULT_PC = next(_numbers)
CONTROL_FAULT_WARP = next(_numbers)  # in its block
CONTROL_FAULT_RESIDENT = next(_numbers)  # among all resident ones
CONTROL_FAULT_LANE = next(_numbers)
CONTROL_FAULT_ADDRESS = next(_numbers)
CONTROL_FAULT_BYTES = next(_numbers)
CONTROL_FAULT_BLOCK = next(_numbers)
CONTROL_FAULT_WINDOW = next(_numbers)
STATE_WORDS = next(_numbers)

COUNTER_COLUMNS = 8
COUNTER_BYTES = 8 * COUNTER_COLUMNS
"""Per instruction: warp executions, thread executions, requests, sectors; of a generic access also the requests and
threads that reached global and shared memory."""

(
    CALL_TARGET,  # row of the callee's first instruction
    CALL_FRAME,  # bytes from the caller's frame to the callee's; of a function (called through a pointer) where it is
    CALL_LOCAL,  # bytes of the caller's local memory
    CALL_FIRST_IN,
    CALL_LAST_IN,  # copies before the call
    CALL_FIRST_OUT,
    CALL_LAST_OUT,  # copies after the return
    CALL_CALLEE_FRAME,  # of an indirect call: the number of functions
    CALL_CALLEE_LOCAL,  # bytes; of an indirect call those of its prototype, which need not be the callee's own
) = range(9)
CALL_COLUMNS = 9

(
    ALLOCATION_BASE,  # first address
    ALLOCATION_BYTES,
    ALLOCATION_HOST,  # where its bytes are in this process
    ALLOCATION_WRITABLE,  # 0 for constants
    ALLOCATION_USED,  # USED_* of this worker
    ALLOCATION_SHADOW,  # a byte per 4 bytes, set by this worker's stores
    ALLOCATION_ORIGINAL,  # where its contents are kept before the first change,
    ALLOCATION_FLAG,  # and whether they are (addresses.py); shared between workers
) = range(8)
ALLOCATION_COLUMNS = 8
USED_LOAD, USED_STORE, USED_ATOMIC = 1, 2, 4

(
    WARP_ALIVE,
    WARP_CLOCK,
    WARP_CURRENT,
    WARP_STALLED,
    WARP_CLUSTER,  # lanes that have arrived at their cluster's barrier, until everyone has
) = range(5)
WARP_COLUMNS = 5

(SPLIT_STATE, SPLIT_PC, SPLIT_MASK, SPLIT_JOIN, SPLIT_FRAME, SPLIT_LOCAL, SPLIT_BARRIER, SPLIT_DATA) = range(8)
SPLIT_COLUMNS = 8
FREE, READY, AT_BARRIER, AT_WARP_SYNC, AT_EVENT = range(5)
"""AT_EVENT: at an instruction of a special unit, which is tried again until what it waits for has come."""
FAILED, DONE, WAITS, YIELDS = range(4)
"""What a special unit returns: a fault, go on, wait at the instruction, or go on when the others had their turn."""

(JOIN_USED, JOIN_PC, JOIN_EXPECTED, JOIN_ARRIVED, JOIN_PARENT, JOIN_FRAME, JOIN_LOCAL, JOIN_CALL) = range(8)
JOIN_COLUMNS = 8
JOINS = 192
"""Joins per warp: one per level of divergence and call that is under way."""

(BLOCK_LINEAR, BLOCK_X, BLOCK_Y, BLOCK_Z, BLOCK_LIVE) = range(5)
BLOCK_COLUMNS = 5

(BARRIER_ARRIVED, BARRIER_EXPECTED, BARRIER_COUNT, BARRIER_ALL, BARRIER_ANY) = range(5)
BARRIER_COLUMNS = 5
BARRIERS = 16

(LISTENER_UNIT, LISTENER_OWN) = range(2)
LISTENER_COLUMNS = 2
"""Of an observer in a list, which ends with a unit of 0."""

EARLY, LATE, AT_RANDOM = range(3)
"""Asynchronous work is done when it is begun, when it is waited for, or in between."""

RUNNING, FAULTED, PRINTED, STOPPED = range(4)

(
    FAULT_OUTSIDE,
    FAULT_MISALIGNED,
    FAULT_READ_ONLY,
    FAULT_BARRIER,
    FAULT_BUDGET,
    FAULT_UNSUPPORTED,
    FAULT_ASSERT,
    FAULT_TRAP,
    FAULT_CALL_DEPTH,
    FAULT_DIVERGENCE,
    FAULT_ATOMIC_SPACE,
    FAULT_CALL_TARGET,
    FAULT_PART_OF_WARP,
    FAULT_WARPGROUP,
    FAULT_PART_OF_WARPGROUP,
    FAULT_EVENT,  # a wait of AT_EVENT that never ends
    FAULT_MBARRIER,  # an operation that an mbarrier cannot take: in CONTROL_FAULT_BYTES which (mbarriers.py)
    FAULT_BULK,  # a copy in bulk that no copy engine takes: in CONTROL_FAULT_BYTES why (bulk_copies.py)
) = range(1, 19)

PRINT_RECORD_BYTES = 512
PRINT_HEADER_BYTES = 40
"""A printf of a thread: block, thread, resident warp, address of the format, bytes of arguments (int64 each), then
the arguments."""
