"""From records to steps: what each warp did, in order, the sources of sums and tiles, the cost of each access."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy

from tilewright.emulate import instruction_row as row
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import SHARED
from tilewright.emulate.observers.banks.rule import collisions, wavefronts
from tilewright.emulate.observers.coalescing import SECTOR_BYTES
from tilewright.lab.instructions import Definition

from .arrays import UNKNOWN, Locator, Number, TracedArray, number_of, updated_bits
from .dataflow import Dataflow, Update
from .recording import Record

LOAD, STORE, ATOMIC, ADD, WAIT, ARRIVE, OPEN, EXIT = "load", "store", "atomic", "add", "wait", "arrive", "open", "exit"
GIVE = "give"
KINDS = {ev.LOAD: LOAD, ev.STORE: STORE, ev.ATOMIC: ATOMIC, ev.BARRIER: WAIT, ev.BARRIER_OPEN: OPEN, ev.EXIT: EXIT}

Source = tuple[int, int]
"""The step of a load, and the element within a vector load."""
LineOf = Callable[[int], int | None]


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


@dataclass
class Step:
    """What a warp did with one instruction.

    kind: `load`, `store`, `atomic`, `add` (an update of a running sum), `wait` (at a barrier), `arrive` (at a barrier,
    without waiting), `open` (a barrier releases its block; warp -1), `exit`, or `give` (lanes give each other numbers).
    lanes: mask of the active ones; the lists have an entry for each of them.
    array: its number, or -1. elements: flat index of the first element; of a `give`, the lanes that it comes from.
    count: elements of a vector access. values: those loaded, stored or given, or the results of atomics or sums.
    sources: the loads behind each factor of an `add`, or behind a `store`. is_copy: a store of a loaded value,
    unchanged. is_mixed: an `add` whose factors are more than sums of loads. sum: number of the running sum. barrier:
    its number. expected: threads, 0 for all live ones. phase: counted from 0.
    """

    kind: str
    warp: int
    line: int | None
    lanes: int
    array: int = UNKNOWN
    elements: list[int] = field(default_factory=list)
    count: int = 1
    values: list[list[Number]] = field(default_factory=list)
    sources: tuple[tuple[Source, ...], ...] = ()
    is_copy: bool = False
    is_mixed: bool = False
    sum: int = 0
    barrier: int = 0
    expected: int = 0
    phase: int = 0
    addresses: list[int] = field(default_factory=list)
    nbytes: int = 0
    pc: int = -1

    @property
    def lane_numbers(self) -> list[int]:
        """The active lanes."""
        return [lane for lane in range(32) if self.lanes >> lane & 1]


class StepMaker:
    """Makes the steps of one block from its records, in order."""

    def __init__(self, dataflow: Dataflow, arrays: Sequence[TracedArray], locator: Locator, line_of: LineOf) -> None:
        self.dataflow, self.arrays, self.locator, self.line_of = dataflow, arrays, locator, line_of
        self.steps: list[Step] = []
        self._told: dict[tuple[int, int], int] = {}
        self._loaded: dict[tuple[int, int, int], int] = {}
        self._used: dict[tuple[int, int, int], int] = {}
        self._store_loads: dict[int, tuple[Definition, ...]] = {}
        self._ending: dict[int, Step] = {}

    def add(self, record: Record) -> None:
        """Append the updates of sums that ran before a record, then the record's own step."""
        if record.warp >= 0 and record.kind != ev.BARRIER_OPEN:
            self._add_updates(record)
            if record.kind not in (ev.STORE, ev.ATOMIC, ev.EXIT):
                self._end(record.warp)
        match record.kind:
            case ev.EXIT:
                self._hold_end(record)
            case ev.LOAD | ev.STORE | ev.ATOMIC:
                self._add_access(record)
            case ev.WARP_SYNC:
                self._add_shuffle(record)
            case ev.BARRIER_OPEN:
                self.steps.append(Step(OPEN, -1, None, 0, barrier=record.barrier, expected=record.expected))
            case _:
                line = self.line_of(record.pc)
                kind = ARRIVE if record.kind == ev.BARRIER and not record.waits else KINDS[record.kind]
                step = Step(kind, record.warp, line, record.lanes, pc=record.pc)
                step.barrier, step.expected = record.barrier, record.expected
                self.steps.append(step)
        for lane in record.lane_numbers:
            self._told[record.warp, lane] = record.pc

    def _add_shuffle(self, record: Record) -> None:
        """Append who gives what to whom; other instructions that a warp's lanes execute together are no steps."""
        if record.elements:
            step = Step(GIVE, record.warp, self.line_of(record.pc), record.lanes, pc=record.pc)
            step.elements = [int(lane) for lane in record.addresses]
            kind = numpy.dtype("f4" if self.dataflow.gives_floats(record.pc) else "i4")
            step.values = [[number_of(int(bits), kind)] for (bits,) in record.values]
            self.steps.append(step)

    def _hold_end(self, record: Record) -> None:
        """Keep the end of lanes until the rest of their warp ends, too, or does more than store.

        Of a warp whose first lane stores a sum, the others jump over that store to the end that all have in common: the
        emulator lets them end first, which tells nothing of the kernel.
        """
        held = self._ending.pop(record.warp, None)
        lanes = record.lanes | (held.lanes if held else 0)
        self._ending[record.warp] = Step(EXIT, record.warp, self.line_of(record.pc), lanes, pc=record.pc)

    def _end(self, warp: int) -> None:
        if warp in self._ending:
            self.steps.append(self._ending.pop(warp))

    def finish(self) -> None:
        """Append the ends that were kept; after the last record."""
        for warp in list(self._ending):
            self._end(warp)

    def _add_access(self, record: Record) -> None:
        addresses = [int(address) for address in record.addresses]
        if record.space == SHARED:
            addresses = [address - (1 << 32) if address >> 31 else address for address in addresses]
        number = self.locator.locate(record.pc, record.space, addresses)
        array = self.arrays[number] if number != UNKNOWN else None
        size = record.nbytes // record.elements
        step = Step(KINDS[record.kind], record.warp, self.line_of(record.pc), record.lanes, number, pc=record.pc)
        step.count, step.addresses, step.nbytes = record.elements, addresses, record.nbytes
        if array is not None:
            step.elements = [array.element(address) for address in addresses]
            values = self._updated(record) if record.kind == ev.ATOMIC else record.values
            parts = size // array.itemsize if size % array.itemsize == 0 else 1  # a word of several elements
            step.count *= max(1, parts)
            step.values = [[n for bits in lane for n in array.numbers(int(bits), size)] for lane in values]
        if record.kind == ev.STORE:
            if record.pc not in self._store_loads:
                self._store_loads[record.pc] = self.dataflow.loads_behind_store(record.pc)
            is_whole = array is None or array.itemsize == size
            step.is_copy = is_whole and self.dataflow.holds(record.pc) and self.dataflow.is_copy(record.pc)
            sources = [s for lane in step.lane_numbers for s in self._sources(step, lane, self._store_loads[record.pc])]
            step.sources = (tuple(dict.fromkeys(sources)),)
            self._note_use(step)
        self.steps.append(step)
        if record.kind == ev.LOAD:
            for lane in step.lane_numbers:
                self._loaded[step.warp, lane, step.pc] = len(self.steps) - 1

    def _updated(self, record: Record) -> list[list[int]]:
        """Return the bits that each lane's atomic left, in the order of the lanes."""
        values = self.dataflow.rows[record.pc]
        held: dict[int, int] = {}
        found = []
        for address, (old, value, third) in zip(record.addresses, record.values, strict=True):
            before = held.get(int(address), int(old))
            operation, kind = values[row.IMMEDIATE], values[row.KIND]
            held[int(address)] = updated_bits(
                operation, kind, before, int(value), int(third), is_shared=record.space == SHARED
            )
            found.append([held[int(address)]])
        return found

    def _sources(self, step: Step, lane: int, loads: Iterable[Definition]) -> list[Source]:
        """Return a lane's loads behind a value: those made since the same instruction last ran."""
        since = self._used.get((step.warp, lane, step.pc), -1)
        made = [(self._loaded.get((step.warp, lane, pc), -1), element) for pc, element in loads]
        new = [(index, element) for index, element in made if index > since]
        if step.kind == ADD and not new:
            return [max(made)] if made and max(made)[0] >= 0 else []  # loaded once, used again
        return new

    def _note_use(self, step: Step) -> None:
        for lane in step.lane_numbers:
            self._used[step.warp, lane, step.pc] = len(self.steps) - 1

    def _add_updates(self, record: Record) -> None:
        """Append an `add` for each update between these lanes' last record and this one."""
        wanted = self.dataflow.updates_before(record.pc) if len(record.registers) else []
        if not wanted:
            return
        rows = {update.pc: index for index, update in enumerate(wanted)}
        lanes = record.lane_numbers
        ran: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for lane in lanes:
            before = self._told.get((record.warp, lane), -1)
            ran[self.dataflow.updates_between(before, record.pc) or ()].append(lane)
        for updates, together in ran.items():
            for pc in updates:
                bits = {lane: int(record.registers[rows[pc], lanes.index(lane)]) for lane in together}
                self._add_update(record.warp, pc, together, bits)

    def _add_update(self, warp: int, pc: int, lanes: Sequence[int], bits: dict[int, int]) -> None:
        number, update = self.dataflow.updates[pc]
        by_source: dict[tuple[tuple[Source, ...], ...], list[int]] = defaultdict(list)
        probe = Step(ADD, warp, self.line_of(pc), 0, pc=pc)
        for lane in lanes:
            by_source[tuple(tuple(self._sources(probe, lane, loads)) for loads in update.factors)].append(lane)
        for sources, together in by_source.items():
            step = Step(ADD, warp, probe.line, sum(1 << lane for lane in together), sum=number, pc=pc)
            step.sources, step.is_mixed = sources, update.is_mixed
            step.values = [[_number(bits[lane], update)] for lane in together]
            self.steps.append(step)
            self._note_use(step)


def _number(bits: int, update: Update) -> Number:
    kind = f"{'f' if update.is_float else 'i'}{8 if update.is_wide else 4}"
    return number_of(bits, numpy.dtype(kind))


def count_phases(steps: Sequence[Step], arrays: Sequence[TracedArray]) -> None:
    """Set each step's phase. A warp enters the next phase when it starts to fill shared memory after reading from it.

    A kernel without shared memory has only phase 0; a warp's steps before its first tile are in phase 0 as well.
    """
    for warp in {step.warp for step in steps if step.warp >= 0}:
        own = [step for step in steps if step.warp == warp]
        phase, has_used = 0, False
        for index, step in enumerate(own):
            if not _fills(step, arrays):
                has_used = has_used or step.kind == WAIT or _is_shared(step, arrays)
            elif has_used and _is_filling(own[index:], arrays):
                phase, has_used = phase + 1, False
            step.phase = phase
    phase = 0
    for step in steps:
        phase = step.phase if step.warp >= 0 else phase
        step.phase = phase


def _is_shared(step: Step, arrays: Sequence[TracedArray]) -> bool:
    return step.array != UNKNOWN and arrays[step.array].space == "shared"


def _fills(step: Step, arrays: Sequence[TracedArray]) -> bool:
    if step.kind == LOAD:
        return step.array != UNKNOWN and not _is_shared(step, arrays)
    return step.kind == STORE and _is_shared(step, arrays)


def _is_filling(steps: Sequence[Step], arrays: Sequence[TracedArray]) -> bool:
    """Return whether a run of loads from global memory leads to a store to shared memory."""
    for step in steps:
        if not _fills(step, arrays):
            return False
        if step.kind == STORE:
            return True
    return False
