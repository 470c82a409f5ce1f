"""The base of every observer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL, LOCAL, SHARED
from tilewright.emulate.observers.finding import Finding

if TYPE_CHECKING:
    from tilewright.emulate.compiled import Unit
    from tilewright.emulate.machine.launch import Launch
    from tilewright.emulate.machine.worker import Worker


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

    return [observed_access, observed_atomic, *(observer.unit for observer in observers)]
