"""What the race observer found, in sentences: who touched what where, and between which lines a barrier is missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilewright.emulate.machine.places import Places
from tilewright.emulate.observers.finding import Coordinates, Finding, Place
from tilewright.emulate.observers.races import layout as ly

Row = np.ndarray[Any, np.dtype[np.int64]]
VERBS = {ly.READ: "reads", ly.WRITE: "writes", ly.ATOMIC: "atomically changes"}


class Side:
    """One of the two accesses."""

    def __init__(self, places: Places, kind: int, pc: int, serial: int, lane: int) -> None:
        self.kind, self.pc, self.serial, self.lane = kind, pc, serial, lane
        self.place: Place = places.line_of(pc)
        self.where = places.where(pc)
        self.block: Coordinates = places.block_of(serial >> ly.SERIAL_SHIFT)
        self.thread: Coordinates = places.thread_of(serial & 31, lane)

    @property
    def verb(self) -> str:
        """What it does."""
        return VERBS[self.kind]

    @property
    def order(self) -> tuple[str, int]:
        """Where it stands in the source."""
        file, line = self.place
        return file or "", line or 0


class Race:
    """A pair of accesses, `first` the one whose line a warp executes first between two barriers."""

    def __init__(self, found: Row, places: Places, atomic_row: int) -> None:
        kinds, self.times = int(found[ly.FOUND_KIND]), int(found[ly.FOUND_TIMES])
        this = Side(places, kinds >> 2 & 3, *(int(found[c]) for c in (ly.FOUND_PC, ly.FOUND_SERIAL, ly.FOUND_LANE)))
        columns = ly.FOUND_OTHER_PC, ly.FOUND_OTHER_SERIAL, ly.FOUND_OTHER_LANE
        other = Side(places, kinds & 3, *(int(found[c]) for c in columns))
        sequence = int(found[ly.FOUND_SEQUENCE])
        is_other_first = sequence == ly.FIRST_IS_OTHER or (sequence == ly.UNKNOWN and other.order <= this.order)
        self.first, self.second = (other, this) if is_other_first else (this, other)
        self.is_same_value = bool(kinds & ly.SAME_VALUE)
        self.is_under_way = bool(kinds & ly.UNDER_WAY)
        self.distance = (kinds & (ly.OTHER_WARP | ly.OTHER_BLOCK)) // ly.OTHER_WARP  # 0: same warp, 1: block, 2: grid
        self.address = places.name_of(int(found[ly.FOUND_SPACE]), int(found[ly.FOUND_ADDRESS]))
        self.instructions = {(self.first.pc, self.second.pc)}
        self.handover = places.where(atomic_row) if atomic_row >= 0 else None

    @property
    def pair(self) -> str:
        """Which two kinds of access."""
        if self.is_same_value:
            return "same value"
        return "read-write" if ly.READ in (self.first.kind, self.second.kind) else "write-write"

    @property
    def key(self) -> tuple[str, Place, Place]:
        """What makes it one with others."""
        return self.pair, self.second.place, self.first.place

    @property
    def is_in_block(self) -> bool:
        """Whether both threads belong to one block."""
        return self.first.block == self.second.block

    def message(self) -> str:
        """Say what happened."""
        first, second = self.first, self.second
        owners = self._owner(first), self._owner(second)
        if self.is_under_way:
            name = "Read-write" if self.pair == "read-write" else "Write-write"
            return (
                f"{name} race on {self.address}: {owners[1]} {second.verb} it at {second.where} while the asynchronous "
                f"copy that {owners[0]} began at {first.where} may still be under way: nobody has waited for it."
            )
        if first.place == second.place and first.kind == second.kind:
            who = f"{owners[0]} and {owners[1]} both {_plural(first.verb)} it at {first.where}"
        else:
            who = f"{owners[0]} {first.verb} it at {first.where} and {owners[1]} {second.verb} it at {second.where}"
        if self.is_same_value:
            return f"Write-write race on {self.address}: {who}, with the same value each time."
        name = "Read-write" if self.pair == "read-write" else "Write-write"
        return f"{name} race on {self.address}: {who}, and nothing says which comes first."

    def _owner(self, side: Side) -> str:
        block = f" of block {side.block}" if not self.is_in_block or self.first is side else ""
        return f"thread {side.thread}{block}"

    def advice(self) -> str:
        """Say what to do."""
        first, second = self.first, self.second
        if self.is_under_way:
            return (
                f"Let the thread that began the copy wait for it (`cp.async.wait_group`, `__pipeline_wait_prior`), and "
                f"then all threads at __syncthreads(), before {second.where}."
            )
        if not self.is_in_block:
            return self._advice_for_blocks()
        barrier = "__syncthreads()" if self.distance else "__syncthreads() (or __syncwarp(), for both are in one warp)"
        is_one_line = first.place == second.place
        if is_one_line and self.pair != "read-write":
            return (
                "Let one thread write it, as in `if (threadIdx.x == 0)`, give each thread an element of its own, "
                "or use an atomic."
            )
        if is_one_line:
            return (
                f"Read into a variable, then {barrier}, then write; in a loop also put {barrier} after {first.where}, "
                "before the next trip."
            )
        if ly.ATOMIC in (first.kind, second.kind):
            return f"Put {barrier} between {first.where} and {second.where}, or make both of them atomic."
        if first.order > second.order:
            return f"Put {barrier} after {first.where}, before the next trip {second.verb} at {second.where}."
        return f"Put {barrier} between {first.where}, which {first.verb}, and {second.where}, which {second.verb}."

    def _advice_for_blocks(self) -> str:
        if self.pair != "read-write":
            return "Give each element to one block, or let the blocks add to it with an atomic: they run in any order."
        writer = self.first if self.first.kind != ly.READ else self.second
        apart = "let no block read what another one writes, or make two launches of it: blocks run in any order."
        if self.handover and writer.where != self.handover:
            return (
                f"If the atomic at {self.handover} is to hand it over, put __threadfence() between {writer.where} and "
                f"the atomic; else {apart}"
            )
        return apart[0].upper() + apart[1:]

    def finding(self, *, strict: bool) -> Finding:
        """Return it as a finding."""
        first, second = self.first, self.second
        return Finding(
            kind="race",
            severity="note" if self.is_same_value and not strict else "error",
            place=second.place,
            message=self.message(),
            advice=self.advice(),
            other=first.place,
            threads=((first.block, first.thread), (second.block, second.thread)),
            address=self.address,
            times=self.times,
            details={
                "pair": self.pair,
                "same_block": self.is_in_block,
                "same_warp": self.distance == 0,
                "instructions": sorted(self.instructions),
            },
        )


def _plural(verb: str) -> str:
    return verb.replace("reads", "read").replace("writes", "write").replace("changes", "change")


def findings_of(found: Row, places: Places, atomic_row: int, *, strict: bool) -> list[Finding]:
    """Return a finding per kind of race and pair of lines, errors first."""
    races: dict[tuple[str, Place, Place], Race] = {}
    for line in found:
        race = Race(line, places, atomic_row)
        known = races.setdefault(race.key, race)
        if known is not race:
            # What cures threads far apart also cures those that are near each other.
            is_worse = (race.is_under_way, race.distance) > (known.is_under_way, known.distance)
            kept, other = (race, known) if is_worse else (known, race)
            kept.times += other.times
            kept.instructions |= other.instructions
            races[race.key] = kept
    told = {(second, first) for pair, second, first in races if pair == "write-write"}
    shown = [race for (pair, *lines), race in races.items() if pair != "same value" or tuple(lines) not in told]
    return sorted((race.finding(strict=strict) for race in shown), key=lambda finding: finding.severity)
