"""The hazard observer: mistakes of asynchronous kernels, whatever the order in which things happened to be done."""

from __future__ import annotations

import numpy as np

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL, SHARED
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.worker import Worker
from tilewright.emulate.observers.hazards import log
from tilewright.emulate.observers.hazards.endings import end_launch
from tilewright.emulate.observers.hazards.global_traces import waits_for_grid
from tilewright.emulate.observers.hazards.knowledge import MOST_WARPS
from tilewright.emulate.observers.hazards.product_code import troubles_of
from tilewright.emulate.observers.hazards.replay import Replay
from tilewright.emulate.observers.observer import Observer


class HazardObserver(Observer):
    """Finds hazards of copies in bulk, mbarriers, clusters, wgmma, named barriers and dependent launches.

    A launch is logged, and judged when it has ended, by what orders what (docs/hazards.md). Kernels without any of
    these are not watched. is_complete: False when the log was full, or too many warps were resident: what came later
    is not judged.
    """

    unit = log.log_hazards
    events = ev.mask(
        *(ev.LOAD, ev.STORE, ev.ATOMIC, ev.BARRIER, ev.BARRIER_OPEN, ev.EXIT, ev.BLOCK_START, ev.BLOCK_END),
        *(ev.MBARRIER, ev.BULK, ev.WARPGROUP, ev.ORDERING),
    )
    spaces = ev.mask(GLOBAL, SHARED)

    def __init__(self) -> None:
        super().__init__()
        self.is_complete = True

    def begin(self, launch: Launch, worker: Worker) -> int:
        """Make room for the log, if the kernel has anything to judge."""
        self._launch = launch
        is_watched = _has_asynchronous_work(launch)
        self.is_complete = not is_watched or launch.resident * launch.warps <= MOST_WARPS
        is_watched = is_watched and self.is_complete
        self.events = HazardObserver.events if is_watched else 0
        self._words = np.zeros(log.ROOM if is_watched else 0, np.int64)
        self._own = np.zeros(log.OWN_WORDS, np.int64)
        self._own[log.WORDS], self._own[log.CAPACITY] = self._words.ctypes.data, len(self._words)
        self._own[log.KEEPS_LOADS] = waits_for_grid(launch)
        return int(self._own.ctypes.data)

    def end(self) -> None:
        """Judge what was logged."""
        self.findings = []
        if not self.events:
            return
        replay, products = Replay(self._launch), set[int]()
        for event in log.logged(self._words, int(self._own[log.USED])):
            replay.take(event)
            if event.kind == ev.WARPGROUP:
                products.add(event.pc)
        if self._own[log.LOST]:
            self.is_complete = False
        else:
            end_launch(replay)
        say = replay.say
        for trouble in troubles_of(self._launch):
            if trouble.pc not in products:
                continue
            if trouble.kind == "missing wgmma fence":
                why = f"after {trouble.register} was written{say.at(trouble.other)}" if trouble.register else "at all"
                message = f"A path leads to wgmma.mma_async{say.at(trouble.pc)} without wgmma.fence {why}."
                say.add(trouble.kind, message, trouble.pc, trouble.other)
            else:
                message = (
                    f"{trouble.register} of a product{say.at(trouble.pc)} is used{say.at(trouble.other)} before a "
                    "wgmma.wait_group covers it."
                )
                say.add(trouble.kind, message, trouble.other, trouble.pc)
        self.findings = list(say.found.values())
        del self._words


def _has_asynchronous_work(launch: Launch) -> bool:
    """Return whether a launch has anything of what is judged."""
    if launch.has_events or launch.uses_warpgroups or waits_for_grid(launch):
        return True
    rows = launch.module.rows
    return bool(((rows[:, row.OPCODE] == op.BARRIER) & (rows[:, row.IMMEDIATE] != 0)).any())
