"""The observer behind a trace: every access, barrier and end of threads of the chosen blocks, with the values moved.

A record consists of HEADER words; then, for each active lane, its address and the bits of its elements (for an atomic:
the old value and its two operands; for a shuffle, the lane that it gets a value from, and that value); then, for each
wanted register, the bits of each active lane. Registers hold their values at the time of the event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy

from tilewright.emulate import instruction_row as row
from tilewright.emulate import state as st
from tilewright.emulate.compiled import ObservedUnit, inner
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL, LOCAL, SHARED
from tilewright.emulate.execute.observed_access import old_value, stored_value
from tilewright.emulate.execute.warp_sync import SHUFFLE_INDEX, brought, source_lane
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.worker import Worker
from tilewright.emulate.observers import Observer
from tilewright.emulate.registers import read_lane, slot_address
from tilewright.emulate.state import Int64s
from tilewright.emulate.tables import field, get, put

HEADER = 14
KIND, PC, WARP, BLOCK, LANES, SPACE, NBYTES, ELEMENTS, ALLOCATION, BARRIER, EXPECTED, ARRIVED, WAITS, REGISTERS = range(
    HEADER
)
ATOMIC_OPERANDS = 2
WORDS, CAPACITY, USED, LOST, CHOSEN, CHOSEN_COUNT, WANTED, OWN_WORDS = range(8)

Register = tuple[int, bool]
"""A register's slot in the frame, and whether it has 64 bits."""


@inner
def _copy(own: int, at: int, value: int) -> int:
    put(get(own, WORDS), at, value)
    return at + 1


@inner
def _copy_accesses(state: int, own: int, event: int, at: int) -> int:
    """Append address and values of each active lane; return the position after them."""
    lanes, kind = get(event, ev.LANES), get(event, ev.KIND)
    for lane in range(32):
        if (lanes >> lane) & 1:
            at = _copy(own, at, ev.address_of(event, lane))
            for element in range(get(event, ev.ELEMENTS)):
                if kind == ev.STORE:
                    value = stored_value(state, event, lane, element)
                else:
                    value = old_value(state, event, lane, element)
                at = _copy(own, at, value)
            if kind == ev.ATOMIC:
                at = _copy(own, at, _operand(state, event, row.OPERAND_B, lane))
                at = _copy(own, at, _operand(state, event, row.OPERAND_C, lane))
    return at


@inner
def _copy_shuffle(state: int, own: int, event: int, kind: int, at: int) -> int:
    """Append for each lane whose value it gets, and the value; return the position after them."""
    lanes, pc = get(event, ev.LANES), get(event, ev.PC)
    for lane in range(32):
        if (lanes >> lane) & 1:
            source = source_lane(state, pc, get(event, ev.FRAME), kind, lane)
            at = _copy(own, at, source if source >= 0 else lane)
            at = _copy(own, at, brought(state, source if source >= 0 else lane))
    return at


@inner
def _operand(state: int, event: int, column: int, lane: int) -> int:
    """Return the bits of a lane's operand of an ATOMIC."""
    register = slot_address(state, get(event, ev.FRAME), field(state, get(event, ev.PC), column))
    bits: int = read_lane(register, lane, get(event, ev.NBYTES) == 8)
    return bits


@inner
def _copy_registers(state: int, own: int, event: int, wanted: int, at: int) -> int:
    """Append the wanted registers of each active lane; return the position after them."""
    lanes, warp = get(event, ev.LANES), get(event, ev.WARP)
    frame = get(state, st.LAYOUT_FRAMES) + warp * get(state, st.LAYOUT_FRAME_BYTES)
    for index in range(get(wanted, 0)):
        register = slot_address(state, frame, get(wanted, 1 + 2 * index))
        for lane in range(32):
            if (lanes >> lane) & 1:
                at = _copy(own, at, read_lane(register, lane, get(wanted, 2 + 2 * index) != 0))
    return at


@inner
def is_chosen(own: int, block: int) -> bool:
    """Return whether a block is among the chosen ones, which are sorted."""
    low, high = 0, get(own, CHOSEN_COUNT)
    while low < high:
        middle = (low + high) >> 1
        if get(get(own, CHOSEN), middle) < block:
            low = middle + 1
        else:
            high = middle
    if low == get(own, CHOSEN_COUNT):
        return False
    found: int = get(get(own, CHOSEN), low)
    return found == block


COPIED = (
    *(ev.KIND, ev.PC, ev.WARP_IN_BLOCK, ev.BLOCK, ev.LANES, ev.SPACE, ev.NBYTES, ev.ELEMENTS, ev.ALLOCATION),
    *(ev.BARRIER_NUMBER, ev.EXPECTED, ev.ARRIVED, ev.WAITS),
)
"""The words of an event that a record begins with, before the number of registers."""


@ObservedUnit
def record_step(state: int, own: int, event: int) -> int:
    """Append a record of the event; after the first one that does not fit, only count."""
    if not is_chosen(own, get(event, ev.BLOCK)):
        return 0
    pc, kind = get(event, ev.PC), get(event, ev.KIND)
    wanted = get(get(own, WANTED), pc) if pc >= 0 else 0
    registers = get(wanted, 0) if wanted != 0 else 0
    at = get(own, USED)
    if get(own, LOST) or at + HEADER + 32 * (1 + 4 + registers) > get(own, CAPACITY):
        put(own, LOST, get(own, LOST) + 1)
        return 0
    header = at
    for column in COPIED:
        at = _copy(own, at, get(event, column))
    at = _copy(own, at, registers)
    if kind <= ev.ATOMIC:
        at = _copy_accesses(state, own, event, at)
    elif kind == ev.WARP_SYNC and field(state, pc, row.KIND) <= SHUFFLE_INDEX:
        # What lanes give each other stands where accesses have their element.
        put(get(own, WORDS), header + ELEMENTS, 1)
        at = _copy_shuffle(state, own, event, field(state, pc, row.KIND), at)
    elif kind == ev.WARP_SYNC:
        put(get(own, WORDS), header + ELEMENTS, 0)
    if registers:
        at = _copy_registers(state, own, event, wanted, at)
    put(own, USED, at)
    return 0


@dataclass(frozen=True)
class Record:
    """One event of a warp, or of a block (warp -1).

    lanes: mask of the active ones; the arrays have a row for each of them, in order. addresses: in bytes. values: the
    bits loaded or stored, a column per element; for an atomic, the old value and the operands. Of a shuffle, addresses
    are the lanes that give, and values what they give; of other instructions of a warp's lanes there are none.
    registers: the bits of the registers that `wanted` names for this instruction.
    """

    kind: int
    pc: int
    warp: int
    block: int
    lanes: int
    space: int
    nbytes: int
    elements: int
    allocation: int
    barrier: int
    expected: int
    arrived: int
    waits: bool
    addresses: Int64s
    values: Int64s
    registers: Int64s

    @property
    def lane_numbers(self) -> list[int]:
        """The active lanes."""
        return [lane for lane in range(32) if self.lanes >> lane & 1]


class StepRecorder(Observer):
    """Records the events of some blocks.

    blocks: linear numbers. wanted: by instruction (row of the code), the registers to read there. capacity_words: of
    the buffer. lost: the number of events that did not fit, all later than those recorded.
    """

    unit = record_step
    events = ev.mask(ev.LOAD, ev.STORE, ev.ATOMIC, ev.BARRIER, ev.BARRIER_OPEN, ev.EXIT, ev.WARP_SYNC)
    spaces = ev.mask(GLOBAL, SHARED, LOCAL, ev.CONSTANT)

    def __init__(
        self, blocks: Iterable[int], wanted: Mapping[int, Sequence[Register]], capacity_words: int = 1 << 22
    ) -> None:
        super().__init__()
        self.blocks, self.wanted, self.capacity_words = list(blocks), wanted, capacity_words
        self.words: Int64s = numpy.zeros(0, numpy.int64)
        self.lost = 0
        self.launch: Launch | None = None

    def begin(self, launch: Launch, worker: Worker) -> int:  # noqa: ARG002  (an observer is given what all of them are)
        """Allocate the buffer."""
        self.launch = launch
        self._buffer = numpy.zeros(self.capacity_words, numpy.int64)
        # A sorted list, since a map would need a byte for each of up to 2^63 blocks.
        self._chosen = numpy.array(sorted(set(self.blocks)), numpy.int64)
        self._table = numpy.zeros(len(launch.module.rows), numpy.int64)
        self._lists = []
        for pc, registers in self.wanted.items():
            words = [len(registers), *(word for slot, is_wide in registers for word in (slot, int(is_wide)))]
            self._lists.append(numpy.array(words, numpy.int64))
            self._table[pc] = self._lists[-1].ctypes.data
        self._own = numpy.zeros(OWN_WORDS, numpy.int64)
        self._own[[WORDS, CAPACITY]] = self._buffer.ctypes.data, self.capacity_words
        self._own[[CHOSEN, CHOSEN_COUNT]] = self._chosen.ctypes.data, len(self._chosen)
        self._own[WANTED] = self._table.ctypes.data
        return int(self._own.ctypes.data)

    def end(self) -> None:
        """Keep the recorded words."""
        self.words = self._buffer[: int(self._own[USED])].copy()
        self.lost = int(self._own[LOST])
        del self._buffer

    def records(self) -> Iterator[Record]:
        """Return the records in the order of the events."""
        at = 0
        while at < len(self.words):
            header = [int(word) for word in self.words[at : at + HEADER]]
            at += HEADER
            lanes = (header[LANES] & 0xFFFFFFFF).bit_count()
            width = 1 + header[ELEMENTS] if header[KIND] <= ev.ATOMIC else 0
            width += 2 if header[KIND] == ev.WARP_SYNC and header[ELEMENTS] else 0
            width += ATOMIC_OPERANDS if header[KIND] == ev.ATOMIC else 0
            accesses = self.words[at : at + lanes * width].reshape(lanes, width)
            at += lanes * width
            registers = self.words[at : at + lanes * header[REGISTERS]].reshape(header[REGISTERS], lanes)
            at += lanes * header[REGISTERS]
            yield Record(
                kind=header[KIND],
                pc=header[PC],
                warp=header[WARP],
                block=header[BLOCK],
                lanes=header[LANES],
                space=header[SPACE],
                nbytes=header[NBYTES],
                elements=header[ELEMENTS],
                allocation=header[ALLOCATION],
                barrier=header[BARRIER],
                expected=header[EXPECTED],
                arrived=header[ARRIVED],
                waits=bool(header[WAITS]),
                addresses=accesses[:, 0] if width else numpy.zeros(0, numpy.int64),
                values=accesses[:, 1:],
                registers=registers,
            )
