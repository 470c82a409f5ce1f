"""How well guessed roles explain the addresses that a kernel touches, for kernels whose results are useless."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
from numpy.typing import NDArray

from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL
from tilewright.emulate.observers.observer import EventRecorder

MOST_EVENTS = 100_000
_EACH_LANE = numpy.arange(32)
_WIDEST_BYTES = 16
"""Of an access of one lane."""


class TouchedElements:
    """Records the global accesses of a launch, and returns the part of each array that they touched."""

    def __init__(self) -> None:
        self.recorder = EventRecorder(MOST_EVENTS, ev.mask(ev.LOAD, ev.STORE, ev.ATOMIC), ev.mask(GLOBAL))

    def likeness(self, first: int, count: int, element_bytes: int, expected: int, *, stored: bool) -> float:
        """Return the likeness of the touched elements to an array's first `expected` ones: 1 if they are the same.

        first: the array's address. count: its elements, including padding. stored: compare the elements written, else
        those read.
        """
        touched = self._touched((ev.STORE, ev.ATOMIC) if stored else (ev.LOAD,), first, count, element_bytes)
        inside, everything = int(touched[:expected].sum()), int(touched.sum())
        return inside / (expected + everything - inside) if expected else 0.0

    def _touched(self, kinds: Sequence[int], first: int, count: int, element_bytes: int) -> NDArray[numpy.bool_]:
        """Return for each element of an array whether these events touched it."""
        rows = self.recorder.rows[numpy.isin(self.recorder.rows[:, ev.KIND], kinds)]
        lanes = (rows[:, ev.LANES, None] >> _EACH_LANE) & 1 == 1
        offsets = rows[:, ev.ADDRESSES :] - first
        near = lanes & (offsets > -_WIDEST_BYTES) & (offsets < count * element_bytes)
        is_of_array = near.any(axis=1)
        near, places = near[is_of_array], offsets[is_of_array] // element_bytes
        widths = numpy.maximum(rows[is_of_array, ev.NBYTES] // element_bytes, 1)
        touched = numpy.zeros(count, bool)
        for offset in range(int(widths.max(initial=0))):
            elements = places[near & (widths > offset)[:, None]] + offset
            touched[elements[(elements >= 0) & (elements < count)]] = True
        return touched
