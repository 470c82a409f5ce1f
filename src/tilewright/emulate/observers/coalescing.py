"""Coalescing: requests and 32-byte sectors of every access to global memory, line by line, and its worst warp."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import ObservedUnit
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL
from tilewright.emulate.execute.sectors import count_sectors
from tilewright.emulate.machine.counts import COLUMN, tabulate
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.worker import Worker
from tilewright.emulate.memory_vectors import count_lanes
from tilewright.emulate.observers.finding import Finding, Place
from tilewright.emulate.observers.observer import Observer
from tilewright.emulate.state import Int64s
from tilewright.emulate.tables import get, put

(SECTORS, LANES, NBYTES, BLOCK, WARP) = range(5)
ADDRESSES = 8
RECORD_WORDS = ADDRESSES + 32
RECORDS = 0  # of `own`: the table of records by instruction
SECTOR_BYTES = 32
WASTEFUL_RATIO = 3
WASTED_SECTORS = 7
"""What is called uncoalesced: this many times the sectors that would hold the bytes, and this many more. Rows of a
small tile that start anywhere stay below; the lanes of a warp that walk down a column don't."""
GLOBAL_OPCODES = {
    op.LOAD_GLOBAL: "load",
    op.LOAD_GENERIC: "load",
    op.ASYNC_COPY: "load",
    op.STORE_GLOBAL: "store",
    op.STORE_GENERIC: "store",
}


@ObservedUnit
def observe_sectors(state: int, own: int, event: int) -> int:
    """Keep an access to global memory if it takes more sectors than any before by its instruction."""
    record = get(get(own, RECORDS), get(event, ev.PC))
    lanes, slot = get(event, ev.LANES), event + 8 * ev.ADDRESSES
    most = get(record, SECTORS)
    if most >= count_lanes(lanes):
        return 0
    sectors = count_sectors(slot, 0, lanes)
    put(state, st.CONTROL_SECTORS, 1 + sectors)  # the access itself counts them, too
    if sectors > most:
        put(record, SECTORS, sectors)
        put(record, LANES, lanes)
        put(record, NBYTES, get(event, ev.NBYTES))
        put(record, BLOCK, get(event, ev.BLOCK))
        put(record, WARP, get(event, ev.WARP_IN_BLOCK))
        for lane in range(32):
            put(record, ADDRESSES + lane, get(slot, lane))
    return 0


@dataclass(frozen=True, slots=True)
class WarpAccess:
    """One access of a warp to global memory.

    lanes: the address of each active lane; nbytes: per lane. sector_of: the number of each lane's sector, counted from
    the lowest one.
    """

    pc: int
    lanes: dict[int, int]
    nbytes: int
    block: int
    warp: int

    @property
    def sectors(self) -> int:
        """Different sectors that the lanes address."""
        return len({address // SECTOR_BYTES for address in self.lanes.values()})

    @property
    def sector_of(self) -> dict[int, int]:
        """The number of each lane's sector, counted from the lowest one."""
        first = min(self.lanes.values()) // SECTOR_BYTES
        return {lane: address // SECTOR_BYTES - first for lane, address in self.lanes.items()}

    @property
    def fetched_bytes(self) -> int:
        """Bytes of those sectors."""
        return SECTOR_BYTES * self.sectors

    @property
    def used_bytes(self) -> int:
        """Different bytes that the lanes access."""
        return len({address + byte for address in self.lanes.values() for byte in range(self.nbytes)})

    @property
    def fewest_sectors(self) -> int:
        """Sectors that would hold those bytes if they lay together."""
        return -(-self.used_bytes // SECTOR_BYTES)


@dataclass(frozen=True, slots=True)
class GlobalLine:
    """The accesses of a source line to global memory: `load` or `store`, their sums, and the one with most sectors."""

    place: Place
    access: str
    requests: int
    sectors: int
    worst: WarpAccess


class CoalescingObserver(Observer):
    """Counts requests and sectors of loads and stores of global memory.

    lines: by source line. totals: under the names of Nsight Compute; equal to the counters of an H200
    (tests/counters).
    """

    unit = observe_sectors
    events = ev.mask(ev.LOAD, ev.STORE)
    spaces = ev.mask(GLOBAL)

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[GlobalLine] = []
        self.totals: dict[str, int] = {}

    def begin(self, launch: Launch, worker: Worker) -> int:
        """Give every instruction that may access global memory a record."""
        self._launch, self._worker = launch, worker
        opcodes = launch.module.rows[:, row.OPCODE]
        chosen = np.flatnonzero(np.isin(opcodes, list(GLOBAL_OPCODES)))
        self._pcs = chosen.tolist()
        self._records = np.zeros((len(chosen), RECORD_WORDS), np.int64)
        self._table = np.zeros(len(opcodes), np.int64)
        self._table[chosen] = self._records.ctypes.data + 8 * RECORD_WORDS * np.arange(len(chosen))
        self._own = np.array([self._table.ctypes.data], np.int64)
        return int(self._own.ctypes.data)

    def end(self) -> None:
        """Make lines, totals and findings."""
        module = self._launch.module
        code = module.code
        rows = module.rows[: len(code.rows)]
        elements, counted = np.array(code.elements, np.int64), np.ones(len(rows), np.int64)
        counts = tabulate(rows, elements, counted, self._worker.counters)
        lines: dict[tuple[Place, str], GlobalLine] = {}
        for pc, record in zip(self._pcs, self._records, strict=True):
            if not record[SECTORS]:
                continue
            access = GLOBAL_OPCODES[int(rows[pc][row.OPCODE])]
            requests, sectors = (int(counts[pc][COLUMN[f"global_{access}_{what}"]]) for what in ("requests", "sectors"))
            place, worst = self._launch.places.line_of(pc), _warp_access(pc, record)
            known = lines.get((place, access))
            if known:
                requests, sectors = requests + known.requests, sectors + known.sectors
                worst = max(known.worst, worst, key=lambda warp: warp.sectors)
            lines[place, access] = GlobalLine(place, access, requests, sectors, worst)
        self.lines = list(lines.values())
        self.totals = _totals(self.lines)
        self.findings = [self._finding(line) for line in self.lines if _is_wasteful(line)]

    def _finding(self, line: GlobalLine) -> Finding:
        worst, places = line.worst, self._launch.places
        lanes = sorted(worst.lanes)[:2]
        names = [places.name_of(GLOBAL, worst.lanes[lane]) for lane in lanes]
        block = places.block_of(worst.block)
        message = (
            f"The {line.access}s fetch {line.sectors / line.requests:.3g} sectors per request on average; in the worst "
            f"one, {worst.sectors} sectors ({worst.fetched_bytes} bytes) for {worst.used_bytes} bytes that are used: "
            f"lane {lanes[0]} is at {names[0]}, lane {lanes[-1]} at {names[-1]}."
        )
        return Finding(
            "uncoalesced",
            "note",
            line.place,
            message,
            "Let lanes beside each other access elements beside each other: threadIdx.x belongs in the last subscript.",
            threads=tuple((block, places.thread_of(worst.warp, lane)) for lane in lanes),
            address=names[0],
            times=line.requests,
            details={
                "sectors": worst.sector_of,
                "fetched_bytes": worst.fetched_bytes,
                "used_bytes": worst.used_bytes,
            },
        )


def _warp_access(pc: int, record: Int64s) -> WarpAccess:
    mask = int(record[LANES])
    lanes = {lane: int(record[ADDRESSES + lane]) for lane in range(32) if mask >> lane & 1}
    return WarpAccess(pc, lanes, int(record[NBYTES]), int(record[BLOCK]), int(record[WARP]))


def _is_wasteful(line: GlobalLine) -> bool:
    """Return whether the worst access wastes most of what it fetches, and the average takes half its sectors."""
    sectors, fewest = line.worst.sectors, line.worst.fewest_sectors
    is_worst_far_off = sectors >= WASTEFUL_RATIO * fewest and sectors - fewest >= WASTED_SECTORS
    return is_worst_far_off and 2 * line.sectors >= sectors * line.requests


def _totals(lines: list[GlobalLine]) -> dict[str, int]:
    """Return sums under the names of Nsight Compute; a sector counts 32 bytes there, whatever of it is used."""
    totals = {}
    for access, short in (("load", "ld"), ("store", "st")):
        chosen = [line for line in lines if line.access == access]
        requests, sectors = sum(line.requests for line in chosen), sum(line.sectors for line in chosen)
        totals[f"l1tex__t_requests_pipe_lsu_mem_global_op_{short}.sum"] = requests
        totals[f"l1tex__t_sectors_pipe_lsu_mem_global_op_{short}.sum"] = sectors
        totals[f"l1tex__t_bytes_pipe_lsu_mem_global_op_{short}.sum"] = SECTOR_BYTES * sectors
    return totals
