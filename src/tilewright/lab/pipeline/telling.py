"""From the events of a block to steps, each with a sentence, and spans of time on the lanes.

The warps of a lane do the same: a step is what the first of them does, and arrivals are told when all have arrived.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .boxes import Box, Matrix, Region, matrix_at, together
from .events import AccessEvent, BarrierEvent, CopyEvent, Event, GroupEvent, MultiplyEvent
from .layout import ENGINE, OTHERS, Layout
from .tiles import EMPTY, FULL, Place, Tiles


@dataclass
class Span:
    """What a lane does from a step on, up to another. row: of the lane. matrix: that is copied. barrier: that is waited
    for. regions: of matrices, by number. is_from_others: another block asked for the copy.
    """

    lane: int
    row: int
    kind: str
    label: str
    begin: int
    end: int | None = None
    matrix: int | None = None
    barrier: int | None = None
    regions: dict[int, Region] = field(default_factory=dict)
    is_from_others: bool = False


@dataclass
class Group:
    """The wgmma of a lane that were made one group; tiles: by stage and slot."""

    number: int
    span: Span
    tiles: list[Place]
    label: str
    is_ended: bool = False


class Teller:
    """Tells what happened in a block. product: the numbers of A, B and C, if the kernel multiplies them."""

    def __init__(
        self, block: int, layout: Layout, matrices: Sequence[Matrix], product: tuple[int, int, int] | None
    ) -> None:
        self.steps: list[dict[str, Any]] = []
        self.spans: list[Span] = []
        self._block, self._layout, self._matrices, self._product = block, layout, matrices, product
        self._tiles = Tiles(layout.stages, matrices)
        self._barriers = list(layout.barriers)
        self._phases: Counter[int] = Counter()
        self._passes: Counter[tuple[int, int]] = Counter()
        self._told: set[tuple[Any, ...]] = set()
        self._waits: dict[int, Span] = {}
        self._copies: list[tuple[CopyEvent, Span]] = []
        self._pending: defaultdict[int, list[MultiplyEvent]] = defaultdict(list)
        self._committed: Counter[int] = Counter()
        self._groups: defaultdict[int, list[Group]] = defaultdict(list)
        self._last: dict[int, tuple[str, Any]] = {}
        self._bytes: Counter[int] = Counter()
        self._arrivals: dict[tuple[int, int], list[BarrierEvent]] = {}
        self._latest: dict[int, BarrierEvent] = {}

    def tell(self, event: Event) -> None:
        """Add the steps of an event, if it is of this block; call `finish` after the last one."""
        if isinstance(event, BarrierEvent):
            if event.owner == self._block:
                self._tell_barrier(event)
        elif isinstance(event, CopyEvent):
            if event.owner == self._block:
                self._end_copy(event) if event.has_ended else self._begin_copy(event)
        elif event.block != self._block:
            return
        elif isinstance(event, MultiplyEvent):
            self._pending[event.warp].append(event)
        elif isinstance(event, GroupEvent):
            self._commit(event) if event.left is None else self._await(event, event.left)
        elif isinstance(event, AccessEvent):
            self._read(event) if event.is_load else self._store(event)

    def finish(self) -> None:
        """Add what was held back."""
        for lane, offset in list(self._arrivals):
            self._tell_arrivals(lane, offset)

    def _add(self, kind: str, lane: int, event: Event, text: str, **more: Any) -> int:
        """Append a step and return its number."""
        self.steps.append({"k": kind, "w": lane, "l": event.line, "t": text, **more})
        self._last[lane] = kind, None
        return len(self.steps) - 1

    def _mark(self, step: int, kind: str, label: str) -> None:
        self.spans.append(Span(self.steps[step]["w"], 0, kind, label, step, step))

    def _lane(self, event: Event) -> int:
        is_own = event.block == self._block
        return self._layout.lane_of(event.warp) if is_own else self._layout.number(OTHERS)

    def _who(self, event: Event, *, one: bool = False) -> str:
        """Return the subject of a sentence. one: the warp by itself, of a lane that has several."""
        if event.block != self._block:
            return f"Block {event.block}"
        lane = self._layout.lanes[self._layout.lane_of(event.warp)]
        if one and len(lane.warps) > 1:
            return f"Warp {event.warp} of {lane.said[0].lower()}{lane.said[1:]}"
        return lane.said

    # Barriers

    def _tell_barrier(self, event: BarrierEvent) -> None:
        name = self._layout.barriers[event.offset]
        announced = event.nbytes - self._bytes[event.offset]
        self._bytes[event.offset] = event.nbytes
        if event.kind == "turn":
            self._turn(event, name)
        elif event.kind == "bytes":
            self._count_bytes(event, name)
        elif event.kind in ("wait", "pass"):
            self._tell_wait(event, self._lane(event), name)
        elif event.kind == "init":
            self._initialise(event, self._lane(event), name)
        elif event.kind == "arrive":
            self._arrive(event)
        else:
            arrives = f"; {_missing(event)} now" if event.pending else " and arrives"
            text = f"{self._who(event, one=True)} announces {announced:,} bytes to {name}{arrives}."
            step = self._add("expect", self._lane(event), event, text, b=[self._state(event)])
            self._mark(step, "expect", f"announces {announced:,} bytes to {name}")

    def _state(self, event: BarrierEvent) -> list[int]:
        """Return a barrier's state: its number, phases ended, arrivals to come, arrivals of a phase, bytes to come."""
        phases = self._phases[event.offset]
        return [self._barriers.index(event.offset), phases, event.pending, event.expected, event.nbytes]

    def _arrive(self, event: BarrierEvent) -> None:
        """Arrivals of a lane are told when the last of its warps has arrived, or when they end the phase."""
        lane = self._lane(event)
        held = self._arrivals.setdefault((lane, event.offset), [])
        held.append(event)
        self._latest[event.offset] = event
        arriving = self._layout.arriving[event.offset]
        if {(each.block, each.warp) for each in held} >= {each for each in arriving if self._is_in(lane, *each)}:
            self._tell_arrivals(lane, event.offset)

    def _is_in(self, lane: int, block: int, warp: int) -> bool:
        is_own = block == self._block
        return warp in self._layout.lanes[lane].warps if is_own else self._layout.lanes[lane].name == OTHERS

    def _tell_arrivals(self, lane: int, offset: int) -> None:
        """Add the arrivals of a lane's warps at a barrier as one step."""
        held = self._arrivals.pop((lane, offset))
        first, last, name = held[0], self._latest[offset], self._layout.barriers[offset]
        warps, known = sorted({each.warp for each in held}), self._layout.lanes[lane]
        who, verb = self._who(first, one=True), "arrives"
        if known.name == OTHERS and len({each.block for each in held}) > 1:
            who, verb = "Other blocks", "arrive"
        elif len(warps) == len(known.warps) > 1:
            who, verb = known.said, "arrives with each warp"
        elif len(warps) > 1 and known.warps:
            who, verb = f"Warps {', '.join(map(str, warps))} of {known.name}", "arrive"
        text = f"{who} {verb} at {name}" + (f": {_missing(last)}." if last.pending else ", the last to do so.")
        step = self._add("arrive", lane, first, text, b=[self._state(last)])
        self._mark(step, "arrive", f"{verb} at {name}")

    def _count_bytes(self, event: BarrierEvent, name: str) -> None:
        """Bytes arrive: part of the step that brought them."""
        if self.steps:
            step = self.steps[-1]
            more = f"waits for {event.nbytes:,} bytes more" if event.nbytes else "has all its bytes"
            if event.nbytes < 0:
                more = f"was not told of {-event.nbytes:,} bytes that have come"
            step["t"] += f" {name} {more}."
            step["b"] = [*step.get("b", []), self._state(event)]

    def _initialise(self, event: BarrierEvent, lane: int, name: str) -> None:
        barrier = self._state(event)
        if self._last.get(lane, ("", None))[0] == "init":
            step = self.steps[-1]
            step["b"].append(barrier)
            counts = sorted({each[3] for each in step["b"]})
            step["t"] = (
                f"{self._who(event)} initialises {len(step['b'])} barriers. A phase of one takes as many arrivals as "
                f"were said: {' or '.join(map(str, counts))}."
            )
            return
        arrivals = "1 arrival" if event.expected == 1 else f"{event.expected} arrivals"
        step_number = self._add(
            "init", lane, event, f"{self._who(event)} initialises {name}: a phase of it takes {arrivals}.", b=[barrier]
        )
        self._mark(step_number, "init", "initialises barriers")

    def _tell_wait(self, event: BarrierEvent, lane: int, name: str) -> None:
        key = (lane, event.offset, self._passes[event.warp, event.offset])
        phase = self._phases[event.offset]
        if event.kind == "pass":
            self._passes[event.warp, event.offset] += 1
            if ("pass", *key) in self._told:
                return
            self._told.add(("pass", *key))
            before = "no phase has begun yet, and one before the first counts as ended" if not phase else ""
            ended = before or f"phase {phase - 1} has ended"
            number = self._add("pass", lane, event, f"{self._who(event)} need not wait at {name}: {ended}.")
            if lane in self._waits:
                self._waits.pop(lane).end = number
                self.steps[number]["t"] = f"{self._who(event)} goes on: {ended} at {name}."
            else:
                self._mark(number, "pass", f"{name}: phase has ended")
        elif lane not in self._waits and ("pass", *key) not in self._told:
            text = f"{self._who(event)} waits for phase {phase} (parity {event.parity}) of {name} to end: "
            number = self._add("wait", lane, event, f"{text}{_missing(event)}.")
            at = self._barriers.index(event.offset)
            self._waits[lane] = Span(lane, 0, "wait", f"waits for {name}, phase {phase}", number, barrier=at)
            self.spans.append(self._waits[lane])

    def _turn(self, event: BarrierEvent, name: str) -> None:
        """A phase ends: part of the step that ended it."""
        for lane, offset in list(self._arrivals):
            if offset == event.offset:
                self._tell_arrivals(lane, offset)
        ended = self._phases[event.offset]
        self._phases[event.offset] += 1
        changes, means = [], ""
        for number, stage in enumerate(self._layout.stages):
            if event.offset in (stage.full, stage.empty):
                is_full = event.offset == stage.full
                changes += self._tiles.change_stage(number, FULL if is_full else EMPTY)
                means = f": stage {number} is full" if is_full else f": stage {number} may be filled again"
        if not self.steps:
            return
        step = self.steps[-1]
        step["t"] += f" Phase {ended} of {name} ends{means}."
        if any(event.offset == stage.full for stage in self._layout.stages):
            step["e"] = 1
        step["b"] = [*step.get("b", []), self._state(event)]
        step["s"] = [*step.get("s", []), *changes]

    # Copies

    def _begin_copy(self, event: CopyEvent) -> None:
        engine, lane = self._layout.number(ENGINE), self._lane(event)
        matrix = matrix_at(self._matrices, event.box.address)
        what, region = self._said(event.box, matrix)
        busy = {span.row for _, span in self._copies}
        row = next(row for row in range(len(busy) + 1) if row not in busy)
        kind = "copy" if event.is_load else "store"
        number = len(self.steps)
        span = Span(engine, row, kind, what, number, matrix=matrix)
        if region is not None and matrix is not None:
            span.regions[matrix] = region
        text, changes = f"to store {what}", []
        at = self._tiles.find(event.offset, matrix) if event.is_load else None
        if event.is_load:
            text = f"for {what}"
        if at is not None:
            text, changes = f"{text} into stage {at[0]}", [self._tiles.ask(at, event)]
        others = [str(block) for block in event.targets if block != self._block]
        if event.is_load and others:
            there = f"block{'s' * (len(others) > 1)} {', '.join(others)}"
            text, span.label = f"{text}, here and in {there}", f"{what}, here and in {there}"
        if event.block != self._block:
            span.label, span.is_from_others = f"block {event.block}: {what}", True
        if event.barrier is not None:
            missing = self._bytes[event.barrier]
            now = f"now waits for {missing:,} bytes" if missing > 0 else "has not been told of these bytes yet"
            text += f"; {self._layout.barriers[event.barrier]} {now}"
        self._add("ask", lane, event, f"{self._who(event)} asks the copy engine {text}.", s=changes)
        self._mark(number, "ask", f"asks for {what}")
        self.spans.append(span)
        self._copies.append((event, span))

    def _end_copy(self, event: CopyEvent) -> None:
        wanted = event.is_load, event.offset, event.box
        found = [at for at, (each, _) in enumerate(self._copies) if (each.is_load, each.offset, each.box) == wanted]
        if not found:
            return
        _, span = self._copies.pop(found[0])
        matrix = matrix_at(self._matrices, event.box.address)
        what, _ = self._said(event.box, matrix)
        number = self._add("land", span.lane, event, f"The copy engine has stored {what}.")
        span.end = number
        if not event.is_load:
            return
        at = self._tiles.find(event.offset, matrix)
        where = f"stage {at[0]}" if at else "shared memory"
        asked = f", which block {event.block} asked for," if event.block != self._block else ""
        self.steps[number]["t"] = f"The copy engine has written {what}{asked} to {where}."
        if at is not None:
            self.steps[number]["s"] = [self._tiles.land(at, event.nbytes)]

    def _said(self, box: Box, number: int | None) -> tuple[str, Region | None]:
        if number is None:
            return f"{box.nbytes:,} bytes", None
        matrix = self._matrices[number]
        region = box.region(matrix)
        if region is None:
            return f"zeros, for what lies outside of {matrix.name}", None
        return matrix.said(region) + (" and zeros around it" if box.is_partly_outside else ""), region

    # Multiplication

    def _commit(self, event: GroupEvent) -> None:
        lane, number = self._layout.lane_of(event.warp), self._committed[event.warp]
        multiplies = self._pending.pop(event.warp, [])
        self._committed[event.warp] += 1
        if not multiplies or number < len(self._groups[lane]):
            return
        regions: dict[int, Region] = {}
        sides: list[str] = []
        tiles: list[Place] = []
        for is_a in (True, False):
            said, at, matrix, region = self._tiles.operand(multiplies, is_a=is_a)
            sides.append(said)
            tiles += [] if at is None else [at]
            if matrix is not None and region is not None:
                regions[matrix] = region
        if self._product and self._product[0] in regions and self._product[1] in regions:
            a, b = regions[self._product[0]], regions[self._product[1]]
            regions[self._product[2]] = a[0], a[1], b[2], b[3]
        first = multiplies[0]
        stages = " and ".join(f"stage {stage}" for stage in sorted({stage for stage, _ in tiles}))
        shape = f"{len(multiplies)} wgmma of {first.m} x {first.n} x {first.k}, one group"
        text = f"{self._who(event)} multiplies {sides[0]} by {sides[1]}{stages and f' from {stages}'}: {shape}."
        step = self._add("multiply", lane, event, text, s=[self._tiles.read(at, lane) for at in tiles])
        busy = {each.span.row for each in self._groups[lane] if each.span.end is None}
        row = next(row for row in range(1, len(busy) + 2) if row not in busy)
        span = Span(lane, row, "multiply", f"wgmma on {stages or 'registers'}", step, regions=regions)
        self.spans.append(span)
        self._groups[lane].append(Group(number, span, tiles, stages or "registers"))

    def _await(self, event: GroupEvent, left: int) -> None:
        """A warp has seen the end of all but the newest `left` groups: they have ended."""
        lane = self._layout.lane_of(event.warp)
        for group in self._groups[lane][: max(0, self._committed[event.warp] - left)]:
            if group.is_ended:
                continue
            group.is_ended = True
            changes = []
            for at in group.tiles:
                if not any(at in other.tiles for other in self._groups[lane] if not other.is_ended):
                    changes += self._tiles.leave(at, lane)
            text = f"{self._who(event)} has waited for its wgmma on {group.label}: they have ended."
            group.span.end = self._add("drain", lane, event, text, s=changes)

    # Loads and stores of threads

    def _read(self, event: AccessEvent) -> None:
        at = self._tiles.find(event.addresses[0])
        lane = self._layout.lane_of(event.warp)
        if at is None or self._last.get(lane) == ("read", at):
            return
        change = self._tiles.change(at)
        step = self._add("read", lane, event, f"{self._who(event)} reads {change[3] or 'its tile'} from stage {at[0]}.")
        self._mark(step, "read", f"reads stage {at[0]}")
        self._last[lane] = "read", at

    def _store(self, event: AccessEvent) -> None:
        """Stores one after the other are one step, whose region grows."""
        number = matrix_at(self._matrices, event.addresses[0])
        if number is None:
            return
        matrix, lane = self._matrices[number], self._layout.lane_of(event.warp)
        places = [matrix.place(a) for low in event.addresses for a in (low, low + event.nbytes - 1)]
        rows, columns = [row for row, _ in places], [column for _, column in places]
        region: Region | None = (min(rows), max(rows) + 1, min(columns), max(columns) + 1)
        kind, span = self._last.get(lane, ("", None))
        if kind != "store" or span.matrix != number:
            step = self._add("store", lane, event, "")
            span = Span(lane, 0, "store", "", step, step, number)
            self.spans.append(span)
            self._last[lane] = "store", span
        region = together([region, span.regions.get(number)])
        assert region is not None
        span.regions[number] = region
        span.label = f"stores {matrix.said(region)}"
        span.end = max(span.begin, len(self.steps) - 1)
        self.steps[span.begin]["t"] = f"{self._who(event)} stores its results, {matrix.said(region)}, itself."


def _missing(event: BarrierEvent) -> str:
    """Return what a barrier's phase still waits for."""
    arrivals = f"{event.pending} of {event.expected} arrivals" if event.pending else ""
    if event.nbytes < 0:
        return f"{arrivals} to come, and {-event.nbytes:,} bytes that have come are to be announced"
    coming = f"{event.nbytes:,} bytes" if event.nbytes else ""
    return (" and ".join(filter(None, (arrivals, coming))) or "nothing") + " to come"
