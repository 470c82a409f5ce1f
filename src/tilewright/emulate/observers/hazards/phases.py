"""The mbarriers of a launch, phase by phase: who arrived, what came, and who waited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tilewright.emulate.execute import mbarriers as mb
from tilewright.emulate.observers.hazards.traces import Copy
from tilewright.emulate.state import Int64s

ARRIVALS = (mb.ARRIVE, mb.DROP, mb.ARRIVE_EXPECT, mb.DROP_EXPECT, mb.ARRIVE_INSIDE, mb.DROP_INSIDE, mb.AFTER_COPIES)
EXPECTS = (mb.EXPECT, mb.ARRIVE_EXPECT, mb.DROP_EXPECT)
LOOKS = (mb.TEST, mb.TEST_PARITY, mb.TRY, mb.TRY_PARITY)


@dataclass(slots=True)
class Wait:
    """A look at a barrier. completed: the phases that had ended. is_news: whether the warp had waited for fewer."""

    pc: int
    parity: int
    completed: int
    lanes: int = 1
    is_news: bool = True


@dataclass
class Phases:
    """An mbarrier. slot, offset: where it lies. warp, time, pc: who initialised it when and where.

    pending, done: what those know who have arrived in this phase, or in those that have ended. waiting: by warp.
    """

    slot: int
    block: int
    offset: int
    column: int
    warp: int
    time: int
    pc: int
    count: int
    pending: Int64s
    done: Int64s
    is_fenced: bool = False
    completed: int = 0
    ended_at: int = 0
    awaited: int = 0
    arrivals: int = 0
    arrived_pc: int = -1
    expected: int = 0
    expected_pc: int = -1
    last_expected_pc: int = -1
    came: int = 0
    came_pc: int = -1
    landed: list[Copy] = field(default_factory=list)
    waiting: dict[int, Wait] = field(default_factory=dict)
    last_waits: dict[int, Wait] = field(default_factory=dict)

    def change(self, operation: int, pc: int, before: int, after: int, fault: Callable[[Phases, int], None]) -> None:
        """Follow an arrival, expected bytes, or bytes that come. fault: called when nobody awaited the last phase."""
        is_over = (before ^ after) >> mb.PHASE_SHIFT & 1
        if operation in ARRIVALS:
            self.arrivals += 1
            self.arrived_pc = pc
        if operation in EXPECTS:
            self.expected_pc = self.last_expected_pc = pc
            self.expected += _missing(after) - _missing(before)
        if operation == mb.COMPLETE:
            self.came_pc = pc
            self.came += _missing(before) - _missing(after)
        if is_over and self.completed > self.awaited and operation in ARRIVALS:
            fault(self, pc)

    def misses(self, copy: Copy) -> bool:
        """Return whether a copy came, or will come, in a phase that does not expect its bytes."""
        is_late = self.completed > copy.phase and copy not in self.landed
        return not copy.completed and (is_late or self.came > self.expected)

    def end(self, time: int) -> None:
        """End the phase."""
        self.completed += 1
        self.ended_at = time
        for copy in self.landed:
            copy.completed = time
        self.landed = []
        np.maximum(self.done, self.pending, out=self.done)
        self.pending[:] = 0
        self.arrivals, self.expected, self.came = 0, 0, 0
        self.arrived_pc = self.expected_pc = self.came_pc = -1


def _missing(word: int) -> int:
    """Return the bytes that a phase still waits for, as execute/mbarriers.py keeps them."""
    return (word >> mb.BYTES_SHIFT & (2 * mb.NO_BYTES - 1)) - mb.NO_BYTES
