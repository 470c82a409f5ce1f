"""Lanes that execute a shuffle, a vote or `__syncwarp` whose mask does not name them: what they get is undefined."""

from __future__ import annotations

import numpy as np

from tilewright.emulate import state as st
from tilewright.emulate.compiled import ObservedUnit
from tilewright.emulate.execute import events as ev
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.worker import Worker
from tilewright.emulate.observers.finding import Finding
from tilewright.emulate.observers.observer import Observer
from tilewright.emulate.state import Int64s
from tilewright.emulate.tables import get, increase, put, split_at

(TIMES, OUTSIDE, MEMBERS, BLOCK, WARP, COLUMNS) = range(6)
"""Of a row per instruction: how often, and the first time which lanes are not in which mask, and where."""
ADVICE = "Name every lane that comes to it, 0xffffffff for a whole warp, or let the others take another way."


@ObservedUnit
def watch_masks(state: int, own: int, event: int) -> int:
    """Count the lanes that meet at an instruction with a mask that does not name them."""
    warp, pc, lanes = get(event, ev.WARP), get(event, ev.PC), get(event, ev.LANES)
    for number in range(32):
        split = split_at(state, warp, number)
        if get(split, st.SPLIT_STATE) != st.AT_WARP_SYNC or get(split, st.SPLIT_PC) != pc:
            continue
        members = get(split, st.SPLIT_DATA)
        outside = get(split, st.SPLIT_MASK) & lanes & ~members
        if outside != 0:
            record = get(own, 0) + 8 * COLUMNS * pc
            if get(record, TIMES) == 0:
                put(record, OUTSIDE, outside)
                put(record, MEMBERS, members)
                put(record, BLOCK, get(event, ev.BLOCK))
                put(record, WARP, get(event, ev.WARP_IN_BLOCK))
            increase(record, TIMES, 1)
    return 0


class WarpMaskObserver(Observer):
    """Finds lanes that take part in an exchange of a warp whose mask leaves them out."""

    unit = watch_masks
    events = ev.mask(ev.WARP_SYNC)
    spaces = 0

    def begin(self, launch: Launch, worker: Worker) -> int:
        """Make room for a record per instruction."""
        self._launch = launch
        self._records = np.zeros((len(launch.module.rows), COLUMNS), np.int64)
        self._own = np.array([self._records.ctypes.data], np.int64)
        return int(self._own.ctypes.data)

    def end(self) -> None:
        """Make a finding of each instruction that lanes without a place in its mask executed."""
        found = [self._finding(int(pc), self._records[pc]) for pc in np.flatnonzero(self._records[:, TIMES])]
        first: dict[object, Finding] = {}
        for finding in found:
            first.setdefault(finding.place, finding)  # a loop that was unrolled
        self.findings = list(first.values())

    def _finding(self, pc: int, record: Int64s) -> Finding:
        places = self._launch.places
        block, warp = places.block_of(int(record[BLOCK])), int(record[WARP])
        lanes = [lane for lane in range(32) if int(record[OUTSIDE]) >> lane & 1]
        threads = tuple((block, places.thread_of(warp, lane)) for lane in lanes[:1])
        who = f"Lane {lanes[0]}" if len(lanes) == 1 else f"Lanes {lanes[0]} to {lanes[-1]}"
        if len(lanes) > 1 and lanes[-1] - lanes[0] + 1 != len(lanes):
            who = f"{len(lanes)} lanes, {lanes[0]} first,"
        message = (
            f"{who} of warp {warp} of block {block} execute this with the mask 0x{int(record[MEMBERS]):08x}, which "
            "leaves them out: what they give and get is undefined."
        )
        return Finding(
            "warp mask", "error", places.line_of(pc), message, ADVICE, threads=threads, times=int(record[TIMES])
        )
