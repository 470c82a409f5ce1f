"""How far the warps of a block drift apart, and how many tiles they work on at once: seed 000's good and bad timing.

Time counts the shared-memory accesses and barrier arrivals of the block, in the order in which they ran: it has no unit
of seconds. A warp is in the phase whose tile it stored last.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy

from tilewright.emulate.execute import events as ev
from tilewright.emulate.state import Int64s

WAITS, NOT_BEGUN = -1, -2
BINS = 64
TILES_PER_PHASE = 2
FLOAT_BYTES = 4


@dataclass(frozen=True)
class Timeline:
    """The first block's warps over time.

    bins: per warp its phase in each part of the run; WAITS at a barrier, NOT_BEGUN before its first tile. drift: the
    most phases between the first warp and the last one, mean_drift over time. working_set_bytes: of the tiles that the
    warps worked on at once, at most.
    """

    bins: tuple[tuple[int, ...], ...]
    drift: int
    mean_drift: float
    working_set_bytes: int


def timeline_of(rows: Int64s, tile: int) -> Timeline:
    """Read the timeline of block 0 from recorded events of shared memory and barriers (EventRecorder.rows)."""
    rows = rows[rows[:, ev.BLOCK] == 0]
    if len(rows) == 0:
        return Timeline((), 0, 0.0, 0)
    warps = int(rows[:, ev.WARP_IN_BLOCK].max()) + 1
    phases = numpy.full((len(rows) + 1, warps), NOT_BEGUN, numpy.int64)
    waiting = numpy.zeros((len(rows) + 1, warps), bool)
    for time, row in enumerate(rows, 1):
        phases[time], waiting[time] = phases[time - 1], waiting[time - 1]
        warp, kind = int(row[ev.WARP_IN_BLOCK]), int(row[ev.KIND])
        waiting[time, warp] = kind == ev.BARRIER
        if kind == ev.STORE:
            phases[time, warp] = max(int(row[ev.TRIP]), int(phases[time, warp]))
    drifts = _drifts(phases[1:])
    most = int(drifts.max(initial=0))
    nbytes = (most + 1) * TILES_PER_PHASE * tile * tile * FLOAT_BYTES
    chosen = numpy.linspace(1, len(rows), min(BINS, len(rows))).astype(int)
    shown = numpy.where(waiting[chosen], WAITS, phases[chosen])
    bins = tuple(tuple(int(value) for value in column) for column in shown.T)
    return Timeline(bins, most, float(drifts.mean()) if len(drifts) else 0.0, nbytes)


def _drifts(phases: Int64s) -> Int64s:
    """Return at each time the phases between the warp that is furthest and the one that is last, from 0."""
    begun = phases.max(axis=1) >= 0
    # A warp that has not begun is before its first tile: no further behind than that.
    counted = numpy.maximum(phases[begun], -1)
    spread: Int64s = counted.max(axis=1) - counted.min(axis=1)
    return spread
