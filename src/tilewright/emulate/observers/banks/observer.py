"""Bank conflicts: wavefronts of every access to shared memory, who collides where, and the padding that cures it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import SHARED
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.worker import Worker
from tilewright.emulate.observers.banks import patterns as bp
from tilewright.emulate.observers.banks.rule import (
    ROW_BYTES,
    Accesses,
    Lanes,
    collisions,
    conflicts_when_merged,
    merging_loads,
    row_bytes_by_stride,
    smallest_padding,
)
from tilewright.emulate.observers.finding import Finding, Place
from tilewright.emulate.observers.observer import Observer
from tilewright.emulate.state import Int64s

SHARED_OPCODES = (
    *(op.LOAD_SHARED, op.STORE_SHARED, op.LOAD_GENERIC, op.STORE_GENERIC),
    *(op.ASYNC_COPY, op.LOAD_MATRIX, op.STORE_MATRIX),
)
METRICS = {
    "l1tex__data_pipe_lsu_wavefronts_mem_shared": "wavefronts",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared": "conflicts",
}
DEFAULT_ELEMENT_BYTES = 4
"""Assumed for an array of unknown type."""


@dataclass(frozen=True, slots=True)
class SharedAccess:
    """How a warp accessed shared memory, and how often.

    lanes: the byte that each active lane addresses, the first time; nbytes: per lane. ideal: wavefronts of an access
    without conflicts. times: accesses that differ by no more than where they start. block, warp: the first.
    """

    pc: int
    is_load: bool
    lanes: Lanes
    nbytes: int
    wavefronts: int
    ideal: int
    times: int
    block: int
    warp: int


@dataclass(frozen=True, slots=True)
class SharedLine:
    """The accesses of a source line to shared memory: `load` or `store`, their sums, and the one that costs most."""

    place: Place
    access: str
    requests: int
    wavefronts: int
    ideal: int
    worst: SharedAccess

    @property
    def conflicts(self) -> int:
        """Wavefronts that only conflicts cost."""
        return self.wavefronts - self.ideal


class BankConflictObserver(Observer):
    """Counts wavefronts of loads and stores of shared memory (atomics are none of these).

    lines: by source line. totals: under the names of Nsight Compute. Both are counted from PTX: the GPU's compiler may
    merge neighboring loads, which changes requests and wavefronts. Conflicts that merging would leave nothing of are no
    findings.
    """

    unit = bp.observe_banks
    events = ev.mask(ev.LOAD, ev.STORE)
    spaces = ev.mask(SHARED)

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[SharedLine] = []
        self.accesses: list[SharedAccess] = []
        self.totals: dict[str, int] = {}

    def begin(self, launch: Launch, worker: Worker) -> int:
        """Give every instruction that may access shared memory a record."""
        self._launch = launch
        opcodes = launch.module.rows[:, row.OPCODE]
        chosen = np.flatnonzero(np.isin(opcodes, SHARED_OPCODES))
        self._records = np.zeros((len(chosen), bp.RECORD_WORDS), np.int64)
        self._pcs = chosen.tolist()
        self._table = np.zeros(len(opcodes), np.int64)
        self._table[chosen] = self._records.ctypes.data + 8 * bp.RECORD_WORDS * np.arange(len(chosen))
        self._own = np.zeros(bp.OWN_WORDS, np.int64)
        self._own[bp.RECORDS] = self._table.ctypes.data
        return int(self._own.ctypes.data)

    def end(self) -> None:
        """Make lines, totals and findings."""
        places = self._launch.places
        self.accesses = []
        sums: dict[tuple[Place, str], list[int]] = {}
        worst: dict[tuple[Place, str], SharedAccess] = {}
        for pc, record in zip(self._pcs, self._records, strict=True):
            found = _accesses(pc, record)
            self.accesses += found
            if found:
                key = places.line_of(pc), "load" if found[0].is_load else "store"
                others = [int(value) for value in record[[bp.OTHER_TIMES, bp.OTHER_WAVEFRONTS, bp.OTHER_IDEAL]]]
                total = sums.setdefault(key, [0, 0, 0])
                for access in found:
                    others[0] += access.times
                    others[1] += access.times * access.wavefronts
                    others[2] += access.times * access.ideal
                sums[key] = [a + b for a, b in zip(total, others, strict=True)]
                candidates = [worst[key], *found] if key in worst else found
                worst[key] = max(candidates, key=lambda access: access.wavefronts - access.ideal)
        self.lines = [
            SharedLine(place, access, numbers[0], numbers[1], numbers[2], worst[place, access])
            for (place, access), numbers in sums.items()
        ]
        self.totals = {
            f"{metric}_op_{short}.sum": sum(getattr(line, name) for line in self.lines if line.access == access)
            for metric, name in METRICS.items()
            for access, short in (("load", "ld"), ("store", "st"))
        }
        cures = _Cures(self._launch, self.accesses, int(self._records[:, bp.OTHER_TIMES].sum()))
        merging = self._merging_lines()
        self.findings = [
            _conflict_finding(self._launch, line, cures, is_merging=(line.place, line.access) in merging)
            for line in self.lines
            if line.conflicts and merging.get((line.place, line.access), True)
        ]

    def _merging_lines(self) -> dict[tuple[Place, str], bool]:
        """Lines with loads that ptxas may merge, and whether a conflict would remain."""
        widths = merging_loads(self._launch.module.rows, {access.pc: access.nbytes for access in self.accesses})
        remain: dict[tuple[Place, str], bool] = {}
        for access in (access for access in self.accesses if access.is_load):
            key = self._launch.places.line_of(access.pc), "load"
            if access.pc in widths:
                conflicts = conflicts_when_merged(access.lanes, widths[access.pc])
                remain[key] = remain.get(key, False) or (conflicts and access.wavefronts > access.ideal)
        for access in self.accesses:
            key = self._launch.places.line_of(access.pc), "load"
            if access.is_load and access.pc not in widths and access.wavefronts > access.ideal and key in remain:
                remain[key] = True
        return remain


def _accesses(pc: int, record: Int64s) -> list[SharedAccess]:
    """Return the patterns of an instruction."""
    found = []
    for index in range(int(record[bp.COUNT])):
        words = record[bp.HEADER_WORDS + bp.PATTERN_WORDS * index :][: bp.PATTERN_WORDS]
        offsets = words[bp.OFFSETS :].view(np.int32).tolist()
        lanes = {lane: int(words[bp.START]) + offsets[lane] for lane in range(32) if int(words[bp.LANES]) >> lane & 1}
        wavefronts, ideal, times, block, warp = (
            int(words[column]) for column in (bp.WAVEFRONTS, bp.IDEAL, bp.TIMES, bp.BLOCK, bp.WARP)
        )
        is_load, nbytes = bool(record[bp.IS_LOAD]), int(record[bp.NBYTES])
        found.append(SharedAccess(pc, is_load, lanes, nbytes, wavefronts, ideal, times, block, warp))
    return found


def _conflict_finding(launch: Launch, line: SharedLine, cures: _Cures, *, is_merging: bool) -> Finding:
    """Say which lanes collide on which bank, and which padding would cure it; is_merging: if ptxas may merge loads."""
    places, worst = launch.places, line.worst
    bank, words = collisions(worst.lanes, worst.nbytes, is_load=worst.is_load)
    (first, lanes), (second, others) = list(words.items())[:2]
    names = [places.name_of(SHARED, address) for address in (first, second)]
    threads = tuple((places.block_of(worst.block), places.thread_of(worst.warp, who[0])) for who in (lanes, others))
    message = (
        f"{len(words)} words of bank {bank} are wanted at once, such as {names[0]} by lane {lanes[0]} and {names[1]} "
        f"by lane {others[0]}: the {line.access}s take {line.wavefronts / line.requests:.3g} wavefronts each, "
        f"{line.ideal / line.requests:.3g} without conflicts{', before ptxas merges them' if is_merging else ''}."
    )
    return Finding(
        "bank conflict",
        "note",
        line.place,
        message,
        cures.advice(worst),
        threads=threads,
        address=names[0],
        times=line.conflicts,
        details={"bank": bank, "words": words, "lanes": dict(worst.lanes), "wavefronts": worst.wavefronts},
    )


class _Cures:
    """The paddings of one launch's arrays, found on the padded addresses of everything that was recorded."""

    def __init__(self, launch: Launch, accesses: list[SharedAccess], unrecorded: int) -> None:
        self.launch, self.accesses = launch, accesses
        self.counted = "counted on padded addresses"
        if unrecorded:
            self.counted += f" of {bp.PATTERNS} patterns of each instruction"
        self.known: dict[tuple[str, int], tuple[int, int, int] | None] = {}

    def advice(self, worst: SharedAccess) -> str:
        """Name the padding that takes the fewest wavefronts; where the rows are not known, try some lengths."""
        found = self.launch.places.shared_array_at(min(worst.lanes.values()))
        if found is None:
            return "Lay the array out so that the lanes of a warp need different banks."
        name, first, _ = found
        dtype, shape = self.launch.places.shared_arrays.get(name, (None, ()))
        element_bytes = DEFAULT_ELEMENT_BYTES if dtype is None else np.dtype(dtype).itemsize
        if len(shape) > 1:
            rows = [shape[-1] * element_bytes]
        else:
            by_stride = row_bytes_by_stride({lane: address - first for lane, address in worst.lanes.items()})
            rows = [*({by_stride} if by_stride else {}), ROW_BYTES]
        found_by_row = {row_bytes: self._padding(found, row_bytes, element_bytes) for row_bytes in rows}
        paddings = {row_bytes: best for row_bytes, best in found_by_row.items() if best}
        if not paddings:
            why = "no padding of its rows does it" if len(shape) > 1 else "the length of its rows is not known"
            return f"Lay {name} out so that the lanes of a warp need different banks: {why}."
        row_bytes = min(paddings, key=lambda row_bytes: paddings[row_bytes][2])
        padding, before, after = paddings[row_bytes]
        proof = f"the accesses to {name} then take {after} wavefronts instead of {before}, {self.counted}"
        if len(shape) > 1:
            subscripts = "".join(f"[{extent}]" for extent in shape[:-1])
            return f"Declare it as {name}{subscripts}[{shape[-1] + padding}]: {proof}."
        return f"Leave {padding * element_bytes} bytes free behind every {row_bytes} bytes of {name}: {proof}."

    def _padding(self, array: tuple[str, int, int], row_bytes: int, element_bytes: int) -> tuple[int, int, int] | None:
        name, first, nbytes = array
        if (name, row_bytes) not in self.known:
            inside = [access for access in self.accesses if _lies_in(access, first, first + nbytes)]
            fewest = sum(access.times * access.ideal for access in inside)
            arrays = _as_arrays(inside, first)
            self.known[name, row_bytes] = smallest_padding(arrays, row_bytes, element_bytes, fewest)
        return self.known[name, row_bytes]


def _lies_in(access: SharedAccess, low: int, high: int) -> bool:
    return all(low <= address < high for address in access.lanes.values())


def _as_arrays(accesses: list[SharedAccess], first: int) -> list[Accesses]:
    """Return the accesses by width, their addresses counted from `first`."""
    result = []
    for nbytes, is_load in sorted({(access.nbytes, access.is_load) for access in accesses}):
        some = [access for access in accesses if (access.nbytes, access.is_load) == (nbytes, is_load)]
        addresses = np.array([[access.lanes.get(lane, -1) for lane in range(32)] for access in some], np.int64)
        active = addresses >= 0
        times = np.array([access.times for access in some], np.int64)
        result.append(Accesses(np.where(active, addresses - first, 0), active, times, nbytes, is_load))
    return result
