"""The base of every observer, and one that keeps every event as it came."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from tilewright.emulate.compiled import ObservedUnit, Unit
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL, LOCAL, SHARED
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.worker import Worker
from tilewright.emulate.observers.finding import Finding
from tilewright.emulate.state import Int64s
from tilewright.emulate.tables import get, put

EVERYTHING = (1 << (ev.ORDERING + 1)) - 1
ROWS, CAPACITY, COUNT, LAST = range(4)


class Observer:
    """Watches launches, one at a time; give it to Emulator.launch.

    unit: compiled function (state, own, event), called for the kinds of `events` and, of accesses, the `spaces`; `own`
    is what begin returned. wants_trips: whether events say how often the warp executed the instruction before.
    findings: what it found in the last launch, also when that raised a fault.
    """

    unit: ClassVar[Unit]
    events: int = ev.mask(ev.LOAD, ev.STORE, ev.ATOMIC)
    spaces: int = ev.mask(GLOBAL, SHARED, LOCAL)
    wants_trips: ClassVar[bool] = False

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def begin(self, launch: Launch, worker: Worker) -> int:
        """Allocate what the unit writes to, keep it alive, and return its address; called before each launch."""
        raise NotImplementedError

    def end(self) -> None:
        """Make findings and results of what the unit wrote; called after each launch, also after a fault."""
        raise NotImplementedError


def observed_units(observers: Sequence[Observer]) -> list[Unit]:
    """Return the units that a launch with these observers compiles besides the emulator's own."""
    from tilewright.emulate.execute.observed_access import observed_access, observed_atomic

    # The recorder's is small, and a launch with other observers is often followed by one with it: one wait, not two.
    return list(dict.fromkeys([observed_access, observed_atomic, record_event, *(each.unit for each in observers)]))


@ObservedUnit
def record_event(state: int, own: int, event: int) -> int:
    """Copy the event into the next free row; past the last, only count it."""
    count = get(own, COUNT)
    put(own, COUNT, count + 1)
    if count < get(own, CAPACITY):
        target = get(own, ROWS) + 8 * ev.EVENT_WORDS * count
        for word in range(ev.EVENT_WORDS):
            put(target, word, get(event, word))
    return 0


class EventRecorder(Observer):
    """Keeps events as rows of words (events.py).

    capacity: most events that it keeps; dropped: how many more there were. events, spaces: as in Observer.
    """

    unit = record_event
    wants_trips = True

    def __init__(
        self, capacity: int = 100_000, events: int = EVERYTHING, spaces: int = ev.mask(GLOBAL, SHARED, LOCAL)
    ) -> None:
        super().__init__()
        self.capacity = capacity
        self.events, self.spaces = events, spaces
        self.rows: Int64s = np.zeros((0, ev.EVENT_WORDS), np.int64)
        self.dropped = 0

    def begin(self, launch: Launch, worker: Worker) -> int:
        """Make room."""
        self._rows = np.zeros((self.capacity, ev.EVENT_WORDS), np.int64)
        self._own = np.zeros(LAST, np.int64)
        self._own[ROWS], self._own[CAPACITY] = self._rows.ctypes.data, self.capacity
        return int(self._own.ctypes.data)

    def end(self) -> None:
        """Keep what was written."""
        count = int(self._own[COUNT])
        self.rows = self._rows[: min(count, self.capacity)].copy()
        self.dropped = max(count - self.capacity, 0)
        del self._rows
