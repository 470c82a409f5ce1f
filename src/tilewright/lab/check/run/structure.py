"""How well guessed roles explain the addresses that a kernel touches, for kernels whose results are useless."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
from numpy.typing import NDArray

from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL
from tilewright.emulate.observers.observer import EventRecorder
from tilewright.emulate.state import Int64s

MOST_EVENTS = 100_000


class TouchedElements:
    """Records the global accesses of a launch, and returns the part of each array that they touched."""

    def __init__(self) -> None:
        self.recorder = EventRecorder(MOST_EVENTS, ev.mask(ev.LOAD, ev.STORE, ev.ATOMIC), ev.mask(GLOBAL))

    def likeness(self, first: int, count: int, element_bytes: int, expected: int, *, stored: bool) -> float:
        """Return the likeness of the touched elements to an array's first `expected` ones: 1 if they are the same.

        first: the array's address. count: its elements, including padding. stored: compare the elements written, else
        those read.
        """
        kinds = (ev.STORE, ev.ATOMIC) if stored else (ev.LOAD,)
        elements = _elements(self.recorder.rows, kinds, first, element_bytes)
        elements = elements[(elements >= 0) & (elements < count)]
        inside = int((elements < expected).sum())
        return inside / (expected + len(elements) - inside) if expected else 0.0


def _elements(rows: Int64s, kinds: Sequence[int], first: int, element_bytes: int) -> NDArray[numpy.int64]:
    """Return the distinct elements of the array and around it that these events touched."""
    chosen = rows[numpy.isin(rows[:, ev.KIND], kinds)]
    lanes = (chosen[:, ev.LANES, None] >> numpy.arange(32)) & 1 == 1
    count = numpy.maximum(chosen[:, ev.NBYTES] // element_bytes, 1)
    found = []
    for offset in range(int(count.max(initial=0))):
        wide = lanes & (count > offset)[:, None]
        found.append((chosen[:, ev.ADDRESSES :][wide] - first) // element_bytes + offset)
    return numpy.unique(numpy.concatenate(found)) if found else numpy.zeros(0, numpy.int64)
