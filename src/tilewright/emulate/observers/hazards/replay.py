"""Goes through a log, and follows what each warp knows, what is under way, and who may touch what."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute import mbarriers as mb
from tilewright.emulate.execute import pipeline_events as pe
from tilewright.emulate.execute.addresses import GLOBAL, SHARED
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.observers.hazards import endings, operands
from tilewright.emulate.observers.hazards.global_traces import GlobalTraces
from tilewright.emulate.observers.hazards.handovers import Handovers
from tilewright.emulate.observers.hazards.knowledge import MOST_BARRIERS, SEEN, Knowledge
from tilewright.emulate.observers.hazards.log import Logged
from tilewright.emulate.observers.hazards.phases import ARRIVALS, LOOKS, Phases, Wait
from tilewright.emulate.observers.hazards.sentences import Sentences
from tilewright.emulate.observers.hazards.traces import PIECE_BYTES, Copy, Note, Product, Traces
from tilewright.emulate.state import Int64s


@dataclass
class Groups:
    """A thread's copies in groups: those that no group has yet, and the groups that are closed."""

    open: list[Copy] = field(default_factory=list)
    closed: list[list[Copy]] = field(default_factory=list)


@dataclass
class Meeting:
    """Who has come to a barrier of the block, and with what number of threads."""

    known: Int64s
    waiting: list[int] = field(default_factory=list)
    first_pc: int = -1
    expected: int = -1


class Replay:
    """One launch. barriers: all mbarriers that there were; live: those that there are, by slot and offset."""

    def __init__(self, launch: Launch) -> None:
        self.launch, self.rows = launch, launch.module.rows
        self.time = 0
        self.say = Sentences(launch)
        self.know = Knowledge(launch.resident * launch.warps)
        self.barriers: list[Phases] = []
        self.live: dict[tuple[int, int], int] = {}
        self.judge = Handovers(self.know, self.say, self.barriers)
        self.globals = GlobalTraces(launch, self.know, self.say)
        self.traces: dict[int, Traces] = {}
        self.slots: dict[int, int] = {}
        self.flying: list[Copy] = []
        self.groups: dict[tuple[int, int], Groups] = defaultdict(Groups)
        self.products: dict[int, list[Product]] = defaultdict(list)
        self.product_groups: dict[int, int] = defaultdict(int)
        self.meetings: dict[tuple[int, int], Meeting] = {}
        self.clusters: dict[int, Int64s] = defaultdict(self.know.nothing)
        self.places: dict[tuple[int, int, int], Int64s] = {}
        self.exits: dict[int, int] = {}
        self.takes = {
            ev.BARRIER: self._arrive,
            ev.BARRIER_OPEN: self._open,
            ev.MBARRIER: self._mbarrier,
            ev.BULK: self._copy,
            ev.WARPGROUP: self._products,
            ev.ORDERING: self._order,
            ev.BLOCK_START: self._begin_block,
            ev.BLOCK_END: lambda event: endings.end_block(self, event),
            ev.EXIT: lambda event: self.exits.__setitem__(event.resident, event.pc),
        }

    def take(self, event: Logged) -> None:
        """Follow one event."""
        self.time += 1
        if event.warp >= 0:
            self.know.of[event.warp, SEEN, event.warp] = self.time
        if event.kind <= ev.ATOMIC:
            self._access(event)
        elif event.kind in self.takes:
            self.takes[event.kind](event)

    # Blocks and their barriers

    def _begin_block(self, event: Logged) -> None:
        slot, warps = event.resident, self.launch.warps
        self.know.forget(slot * warps, warps)
        self.traces[slot] = Traces(-(-self.launch.shared_bytes // PIECE_BYTES) + 1)
        self.slots = {block: place for block, place in self.slots.items() if place != slot} | {event.block: slot}
        self.live = {key: number for key, number in self.live.items() if key[0] != slot}
        self.meetings = {key: meeting for key, meeting in self.meetings.items() if key[0] != slot}
        self.flying = [copy for copy in self.flying if copy.slot != slot]
        for warp in range(slot * warps, (slot + 1) * warps):
            self.products.pop(warp, None)
            self.product_groups.pop(warp, None)
            for lane in range(32):
                self.groups.pop((warp, lane), None)

    def _arrive(self, event: Logged) -> None:
        key = event.resident, event.detail
        meeting = self.meetings.setdefault(key, Meeting(self.know.nothing()))
        if meeting.expected < 0:
            meeting.expected, meeting.first_pc = event.expected, event.pc
        elif meeting.expected != event.expected:
            counts = [f"{count} threads" if count else "all threads" for count in (event.expected, meeting.expected)]
            self.say.add(
                "barrier counts differ",
                f"Warp {event.warp % self.launch.warps} of block {self.say.block(event.block)} comes to barrier "
                f"{event.detail} for {counts[0]}{self.say.at(event.pc)}, and others came to it for {counts[1]}"
                f"{self.say.at(meeting.first_pc)}.",
                *(event.pc, meeting.first_pc),
                threads=((self.say.block(event.block), self.say.thread(event.warp, event.lanes)),),
            )
        self.know.tell(event.warp, meeting.known)
        if event.waits:
            meeting.waiting.append(event.warp)

    def _open(self, event: Logged) -> None:
        meeting = self.meetings.pop((event.resident, event.detail), None)
        for warp in meeting.waiting if meeting else ():
            self.know.learn(warp, meeting.known)  # type: ignore[union-attr]

    def _order(self, event: Logged) -> None:
        """Fences of proxies, groups of copies, the cluster's barrier, other launches."""
        warp, cluster = event.warp, event.resident // self.launch.cluster_blocks
        if event.detail in (op.ORDER_PROXIES, op.ORDER_INIT):
            if event.detail == op.ORDER_PROXIES:
                self.know.fence(warp)
            for number in self.live.values():
                barrier = self.barriers[number]
                barrier.is_fenced |= self.know.knows(warp, barrier.warp, barrier.time)
        elif event.detail == op.ORDER_CLUSTER_ARRIVE:
            self.know.tell(warp, self.clusters[cluster])
        elif event.detail == op.ORDER_CLUSTER_WAIT:
            self.know.learn(warp, self.clusters[cluster])
        elif event.detail == op.ORDER_GRID_WAIT:
            self.know.of[warp, SEEN, self.know.grid_column] = 1
        elif event.detail in (op.ORDER_GROUP_CLOSE, op.ORDER_GROUP_WAIT):
            self._groups(event)

    def _groups(self, event: Logged) -> None:
        lanes = [lane for lane in range(32) if event.lanes >> lane & 1]
        owners = [self.groups[event.warp, lane] for lane in lanes if (event.warp, lane) in self.groups]
        for groups in owners:
            if event.detail == op.ORDER_GROUP_CLOSE:
                for copy in groups.open:
                    copy.is_closed = True
                groups.closed.append(groups.open)
                groups.open = []
                continue
            left = int(self.rows[event.pc][row.IMMEDIATE])
            for group in groups.closed[: max(len(groups.closed) - left, 0)]:
                for copy in group:
                    copy.waited = copy.waited or self.time
        if event.detail == op.ORDER_GROUP_WAIT and not owners:
            self.judge.foreign[event.block] = Note(event.warp, event.block, self.time, event.pc, event.lanes)

    # Accesses by threads

    def _access(self, event: Logged) -> None:
        note = Note(event.warp, event.block, self.time, event.pc, event.lanes)
        if event.space == SHARED:
            self._access_shared(event, note)
        elif event.space == GLOBAL:
            self.globals.access(event.kind, note, event.payload)
        is_strong = event.kind == ev.ATOMIC or event.order & op.STRONG
        if is_strong and event.space in (GLOBAL, SHARED):
            for piece in event.payload:
                self._meet_at((event.space, event.resident if event.space == SHARED else -1, piece), event)

    def _access_shared(self, event: Logged, note: Note) -> None:
        """Threads access shared memory: of the block of the event, which need not be their own."""
        traces = self.traces[event.resident]
        pieces = np.array([piece for piece in event.payload if piece < traces.pieces], np.int64)
        self.judge.notes.append(note)
        number = len(self.judge.notes) - 1
        if event.kind != ev.STORE:
            self.judge.read(traces, pieces, note)
            traces.of_warp(traces.reads, note.warp)[pieces] = number
        if event.kind != ev.LOAD:
            self.judge.write(traces, pieces, note)
            traces.writes[pieces] = number
            traces.copied_in[pieces] = traces.copied_out[pieces] = 0
        if event.warp // self.launch.warps != event.resident:
            traces.visitors[note.warp] = note

    def _meet_at(self, place: tuple[int, int, int], event: Logged) -> None:
        """Atomics and strong accesses of a place order their threads: whatever they promise, to stay silent."""
        known = self.places.setdefault(place, self.know.nothing())
        if event.kind != ev.STORE:
            self.know.learn(event.warp, known)
        if event.kind != ev.LOAD:
            self.know.tell(event.warp, known)

    # mbarriers

    def _mbarrier(self, event: Logged) -> None:
        offset, owner, before, after, parity, ended = event.payload
        slot = self.slots.get(owner, event.resident)
        if event.detail == mb.INIT:
            self._initialise(event, slot, owner, offset, after & mb.MOST)
            return
        if (slot, offset) not in self.live:
            return
        if event.detail == mb.INVALIDATE:
            del self.live[slot, offset]
            return
        barrier = self.barriers[self.live[slot, offset]]
        if event.detail != mb.COMPLETE:
            self._is_published(barrier, event)
        if event.detail in LOOKS:
            self._look(barrier, event, parity, ended)
            return
        if event.detail in ARRIVALS:
            self.know.tell(event.warp, barrier.pending)
        if slot != event.resident and event.detail != mb.COMPLETE:
            self.traces[slot].visitors[event.warp] = Note(event.warp, event.block, self.time, event.pc, event.lanes)
        if event.detail == mb.COMPLETE:
            self._land(barrier, event)
        barrier.change(event.detail, event.pc, before, after, self._overrun)
        if (before ^ after) >> mb.PHASE_SHIFT & 1:
            barrier.end(self.time)

    def _initialise(self, event: Logged, slot: int, owner: int, offset: int, count: int) -> None:
        if len(self.barriers) == MOST_BARRIERS:
            return
        self.live[slot, offset] = len(self.barriers)
        column = self.know.warps + len(self.barriers)
        known = self.know.nothing(), self.know.nothing()
        self.barriers.append(Phases(slot, owner, offset, column, event.warp, self.time, event.pc, count, *known))

    def _is_published(self, barrier: Phases, event: Logged, *, is_copy: bool = False) -> None:
        """Compare a use of a barrier with its initialisation."""
        name = self.say.barrier(barrier.offset)
        who = f"Thread {self.say.thread(event.warp, event.lanes)} of block {self.say.block(event.block)}"
        uses = "asks for a copy to" if is_copy else "uses"
        whose = "" if barrier.block == event.block else f" of block {self.say.block(barrier.block)}"
        if not self.know.knows(event.warp, barrier.warp, barrier.time):
            why = "no barrier lies between this and its initialisation"
        elif is_copy and not barrier.is_fenced:
            why = "no fence has published its initialisation"
        else:
            return
        self.say.add(
            "barrier not published",
            f"{who} {uses} {name}{whose}{self.say.at(event.pc)}, and {why}{self.say.at(barrier.pc)}.",
            *(event.pc, barrier.pc),
            threads=((self.say.block(event.block), self.say.thread(event.warp, event.lanes)),),
            address=self.say.name(barrier.offset),
        )

    def _look(self, barrier: Phases, event: Logged, parity: int, ended: int) -> None:
        warp = event.warp
        if not ended:
            barrier.waiting[warp] = Wait(event.pc, parity, barrier.completed, event.lanes)
            return
        barrier.waiting.pop(warp, None)
        last = barrier.last_waits.get(warp)
        is_news = barrier.completed > (last.completed if last else 0)
        barrier.last_waits[warp] = Wait(event.pc, parity, barrier.completed, event.lanes, is_news)
        barrier.awaited = barrier.completed
        known = barrier.done.copy()
        known[2] = np.maximum(known[2], known[SEEN])  # reads that were over at an arrival are over for copies, too
        self.know.learn(warp, known)
        self.know.of[warp, SEEN, barrier.column] = max(barrier.ended_at, self.know.of[warp, SEEN, barrier.column])

    def _overrun(self, barrier: Phases, pc: int) -> None:
        self.say.add(
            "too many arrivals",
            f"An arrival{self.say.at(pc)} ends a phase of {self.say.barrier(barrier.offset)} in block "
            f"{self.say.block(barrier.block)} before anyone has waited for the phase before; it was initialised for "
            f"{_count(barrier.count, 'arrival')}{self.say.at(barrier.pc)}.",
            *(pc, barrier.pc),
            address=self.say.name(barrier.offset),
        )

    def _land(self, barrier: Phases, event: Logged) -> None:
        """Let the bytes of a copy come."""
        for index, copy in enumerate(self.flying):
            is_it = copy.pc == event.pc and copy.warp == event.warp and event.lanes >> copy.lane & 1
            if is_it and self.barriers[copy.barrier] is barrier:
                barrier.landed.append(copy)
                del self.flying[index]
                return

    # Copies in bulk, and products

    def _copy(self, event: Logged) -> None:
        asked = operands.asked_of(event.payload, int(self.rows[event.pc][row.KIND]))
        slot = self.slots.get(asked.owner, event.resident)
        lane = (event.lanes & -event.lanes).bit_length() - 1
        note = Note(event.warp, event.block, self.time, event.pc, event.lanes)
        copy = Copy(event.warp, lane, event.block, slot, self.time, event.pc, asked.offset, asked.nbytes)
        self.judge.copies.append(copy)
        number, traces = len(self.judge.copies) - 1, self.traces[slot]
        pieces = slice(
            asked.offset // PIECE_BYTES, min(-(-(asked.offset + asked.nbytes) // PIECE_BYTES), traces.pieces)
        )
        if asked.to_global:
            self.judge.read_async(traces, pieces, note, "a copy in bulk")
            traces.copied_out[pieces] = number
            self.groups[event.warp, lane].open.append(copy)
            self.globals.store(note, asked)
            return
        barrier = self.live.get((slot, asked.barrier))
        if barrier is None:
            return  # about to fault
        copy.barrier, copy.phase = barrier, self.barriers[barrier].completed
        self._is_published(self.barriers[barrier], event, is_copy=True)
        self.flying.append(copy)
        if asked.is_values:
            return  # its bytes may share a piece with another thread's
        if asked.from_shared >= 0:
            own, first = self.traces[event.resident], asked.from_shared // PIECE_BYTES
            source = slice(first, min(first + asked.nbytes // PIECE_BYTES, own.pieces))
            self.judge.read_async(own, source, note, "a copy in bulk")
        else:
            self.globals.load(note, asked)
        self.judge.write_async(traces, pieces, note)
        traces.overwrite(pieces)
        traces.copied_in[pieces] = number

    def _products(self, event: Logged) -> None:
        warp = event.warp
        if event.detail == op.WARPGROUP_COMMIT:
            self.product_groups[warp] += 1
        elif event.detail == op.WARPGROUP_WAIT:
            limit = self.product_groups[warp] - int(self.rows[event.pc][row.IMMEDIATE])
            for product in self.products[warp]:
                if product.group < limit:
                    product.waited = self.time
            self.products[warp] = [product for product in self.products[warp] if not product.waited]
        elif event.detail == op.WARPGROUP_MULTIPLY:
            product = Product(warp, event.block, self.time, event.pc, self.product_groups[warp])
            self.products[warp].append(product)
            self.judge.products.append(product)
            number, traces = len(self.judge.products) - 1, self.traces[event.resident]
            note = Note(warp, event.block, self.time, event.pc, event.lanes)
            columns = self.rows[event.pc]
            of_a, of_b = event.payload[pe.PRODUCT_A], event.payload[pe.PRODUCT_B]
            for pieces in operands.pieces_of_product(columns, of_a, of_b, warp % self.launch.warps):
                inside = pieces[pieces < traces.pieces]
                self.judge.read_async(traces, inside, note, "wgmma")
                traces.of_warp(traces.multiplied, warp)[inside] = number


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
