"""What an asynchronous pipeline moves and waits for: bytes by TMA, shared memory read by `wgmma`, waits at mbarriers.

The names in `totals` are Nsight Compute's, and tests compare the numbers with an H100's. Global memory is read and
written in whole sectors: those that a row of a box touches, and where a load reaches out of its tensor, as many as the
filling takes. A load that goes to several blocks comes in pairs of sectors. A product of a warpgroup reads its operands
as groups of 8 lines of 16 bytes: a wavefront where these lie in different banks, one more for each that collides. Each
warp reads its own rows of A, and all four share the reads of B.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import ObservedUnit, inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute import mbarriers as mb
from tilewright.emulate.execute.addresses import GLOBAL, SHARED, find_allocation
from tilewright.emulate.execute.pipeline_events import BARRIER_ENDED, BARRIER_OFFSET
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.worker import Worker
from tilewright.emulate.memory_vectors import count_lanes, load_u8, store_8
from tilewright.emulate.observers.finding import Place
from tilewright.emulate.observers.observer import Observer
from tilewright.emulate.tables import allocation_at, field, get, increase, put

(LOADED, STORED, FIRST_LOADED, WAVEFRONTS, CONFLICTS, SEEN, WAITS, IN_ROW, LAST_SECTOR, OWN_WORDS) = range(10)
"""Of `own`: bytes from and to global memory, those of sectors that were not loaded before, wavefronts of products and
how many of these are conflicts; addresses of the tables of seen sectors, by allocation, and of waits; of the row of a
box at hand the bytes that were read and are not yet written, and the last sector of them."""
(KEY, PASSED, WAITED, WAIT_WORDS) = range(4)
WAIT_RECORDS = 1 << 13
"""Of waits, by instruction, warp of the block and barrier: an open table, whose further entries are left out."""
OFFSET_BITS, WARP_BITS = 18, 6
HASH = 0x9E3779B97F4A7C15 - (1 << 64)
SECTOR_BYTES, SECTOR_SHIFT, PIECE_SHIFT = 32, 5, 4
LINES = 8
"""Lines of 16 bytes that `wgmma` reads at a time: those of all banks."""


@inner
def _group_wavefronts(event: int, first: int) -> int:
    """Return in how many steps 8 lines of 16 bytes are read: as many as want the same banks."""
    most = 1
    for lane in range(first, first + LINES):
        same, place = 0, ev.address_of(event, lane) >> PIECE_SHIFT
        for other in range(first, lane + 1):
            there = ev.address_of(event, other) >> PIECE_SHIFT
            same += 1 if (there ^ place) & (LINES - 1) == 0 and (there != place or other == lane) else 0
        most = max(most, same)
    return most


@inner
def _count_operand(own: int, event: int) -> None:
    """Count the wavefronts of a warp's rows of A (32 lines of 16 bytes), or of 8 columns of B (16 of them)."""
    lanes = count_lanes(get(event, ev.LANES))
    # Every warp is told to read all of B: the hardware reads it once for the four.
    if lanes < 32 and get(event, ev.WARP_IN_BLOCK) & 3:
        return
    for first in range(0, lanes, LINES):
        wavefronts = _group_wavefronts(event, first)
        increase(own, WAVEFRONTS, wavefronts)
        increase(own, CONFLICTS, wavefronts - 1)


@inner
def _goes_to_shared(state: int, event: int) -> bool:
    """Say whether a copy in bulk goes from global to shared memory."""
    way = (field(state, get(event, ev.PC), row.KIND) >> op.BULK_WAY_SHIFT) & 3
    return way == op.BULK_TO_SHARED


@inner
def _in_packets(state: int, event: int, nbytes: int) -> int:
    """Return bytes rounded up to whole sectors, or to pairs of them where the load is a multicast."""
    is_multicast = field(state, get(event, ev.PC), row.KIND) & op.BULK_MULTICAST
    unit = 2 * SECTOR_BYTES if is_multicast else SECTOR_BYTES
    return (nbytes + unit - 1) & -unit


@inner
def _count_loaded(state: int, own: int, event: int) -> None:
    """Count the sectors of a part of a row that is read, and those that nothing has asked for before."""
    lanes = count_lanes(get(event, ev.LANES))
    address, nbytes = ev.address_of(event, 0), lanes * get(event, ev.NBYTES)
    allocation = find_allocation(state, address)
    base = get(allocation_at(state, allocation), st.ALLOCATION_BASE)
    seen = get(get(own, SEEN), allocation)
    first, last = (address - base) >> SECTOR_SHIFT, (address + nbytes - 1 - base) >> SECTOR_SHIFT
    is_counted = get(own, IN_ROW) > 0 and get(own, LAST_SECTOR) == first
    increase(own, LOADED, _in_packets(state, event, SECTOR_BYTES * (last - first + (0 if is_counted else 1))))
    increase(own, IN_ROW, nbytes)
    put(own, LAST_SECTOR, last)
    for sector in range(first, last + 1):
        if load_u8(seen + sector) == 0:
            store_8(seen + sector, 1)
            increase(own, FIRST_LOADED, SECTOR_BYTES)


@inner
def _count_filled(state: int, own: int, event: int) -> None:
    """Count what a row holds beside the bytes that were read for it: other blocks' copies of them, or a filling."""
    nbytes = count_lanes(get(event, ev.LANES)) * get(event, ev.NBYTES)
    read = min(get(own, IN_ROW), nbytes)
    increase(own, IN_ROW, -read)
    increase(own, LOADED, _in_packets(state, event, nbytes - read))


@inner
def _count_stored(own: int, event: int) -> None:
    """Count the sectors of a part of a row that is written."""
    address, nbytes = ev.address_of(event, 0), count_lanes(get(event, ev.LANES)) * get(event, ev.NBYTES)
    sectors = ((address + nbytes - 1) >> SECTOR_SHIFT) - (address >> SECTOR_SHIFT) + 1
    increase(own, STORED, SECTOR_BYTES * sectors)


@inner
def _count_wait(own: int, event: int) -> None:
    """Count that a warp passes a barrier, or that it has to wait there."""
    offset = get(event, ev.ADDRESSES + BARRIER_OFFSET)
    key = ((get(event, ev.PC) << WARP_BITS | get(event, ev.WARP_IN_BLOCK)) << OFFSET_BITS | offset) + 1
    place = (key * HASH >> 40) & (WAIT_RECORDS - 1)
    for _ in range(WAIT_RECORDS):
        record = get(own, WAITS) + 8 * WAIT_WORDS * place
        if get(record, KEY) == 0:
            put(record, KEY, key)
        if get(record, KEY) == key:
            increase(record, PASSED if get(event, ev.ADDRESSES + BARRIER_ENDED) else WAITED, 1)
            return
        place = (place + 1) & (WAIT_RECORDS - 1)


@ObservedUnit
def observe_pipeline(state: int, own: int, event: int) -> int:
    """Take an event."""
    kind = get(event, ev.KIND)
    if kind == ev.LOAD:
        if field(state, get(event, ev.PC), row.OPCODE) == op.WARPGROUP_MULTIPLY:
            _count_operand(own, event)
    elif kind == ev.MBARRIER:
        if mb.TEST <= get(event, ev.OPERATION) <= mb.TRY_PARITY:
            _count_wait(own, event)
    elif get(event, ev.SPACE) == GLOBAL:
        if kind == ev.BULK_LOAD:
            _count_loaded(state, own, event)
        else:
            _count_stored(own, event)
    elif kind == ev.BULK_STORE and _goes_to_shared(state, event):
        _count_filled(state, own, event)
    return 0


@dataclass(frozen=True, slots=True)
class BarrierWaits:
    """Waits of a warp of the block for an mbarrier, all blocks together.

    place: of the wait in the source. barrier: as `bars[2]`, or its byte in shared memory. passed: phases that the warp
    went past; waited: those of them that had not ended when it came.
    """

    place: Place
    barrier: str
    warp: int
    passed: int
    waited: int


class PipelineObserver(Observer):
    """Counts what a pipeline of TMA, mbarriers and `wgmma` does. It looks for nothing, so that it has no findings.

    totals: under the names of Nsight Compute: bytes that TMA loads, for each block that they go to, and stores, in
    whole sectors; wavefronts in which `wgmma` reads shared memory, and bank conflicts among them.
    first_loaded_bytes: those of sectors that no copy had asked for before, all that comes from DRAM where L2 holds the
    rest. waits: of each warp at each mbarrier; `waited` depends on the emulator's order of warps, and no GPU has it.
    """

    unit = observe_pipeline
    events = ev.mask(ev.LOAD, ev.BULK_LOAD, ev.BULK_STORE, ev.MBARRIER)
    spaces = ev.mask(SHARED)

    def __init__(self) -> None:
        super().__init__()
        self.totals: dict[str, int] = {}
        self.first_loaded_bytes = 0
        self.waits: list[BarrierWaits] = []

    def begin(self, launch: Launch, worker: Worker) -> int:
        """Make room for a byte per sector of global memory, and for the waits."""
        self._launch = launch
        sizes = worker.allocations[:, st.ALLOCATION_BYTES] // SECTOR_BYTES + 2
        self._seen = np.zeros(int(sizes.sum()), np.uint8)
        self._tables = self._seen.ctypes.data + np.cumsum(sizes) - sizes
        self._waits = np.zeros((WAIT_RECORDS, WAIT_WORDS), np.int64)
        self._own = np.zeros(OWN_WORDS, np.int64)
        self._own[SEEN], self._own[WAITS] = self._tables.ctypes.data, self._waits.ctypes.data
        return int(self._own.ctypes.data)

    def end(self) -> None:
        """Read the counts."""
        own = [int(value) for value in self._own]
        self.totals = {
            "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum": own[LOADED],
            "l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum": own[STORED],
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum": own[WAVEFRONTS],
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_gmma.sum": own[CONFLICTS],
        }
        self.first_loaded_bytes = own[FIRST_LOADED]
        found = sorted(self._waits[self._waits[:, KEY] > 0].tolist())
        self.waits = [self._waits_of(key - 1, passed, waited) for key, passed, waited in found]

    def _waits_of(self, key: int, passed: int, waited: int) -> BarrierWaits:
        places, offset = self._launch.places, key & ((1 << OFFSET_BITS) - 1)
        warp, pc = key >> OFFSET_BITS & ((1 << WARP_BITS) - 1), key >> (OFFSET_BITS + WARP_BITS)
        return BarrierWaits(places.line_of(pc), places.name_of(SHARED, offset), warp, passed, waited)
