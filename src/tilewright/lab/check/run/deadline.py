"""A time that counts what the processor did for it, so that a busy machine finds the causes that a quiet one finds."""

from __future__ import annotations

import os
from time import monotonic

from tilewright.lab.source.isolation import processor_seconds_elsewhere

MOST_WALL_TIME = 4
"""The clock's seconds, as a multiple of the processor's, after which it is over on the busiest machine."""


class Deadline:
    """The end of a time that begins now. seconds: of the processor, for this process, its children and its compiles."""

    def __init__(self, seconds: float) -> None:
        self._processor, self._clock = _used() + seconds, monotonic() + MOST_WALL_TIME * seconds

    @property
    def is_over(self) -> bool:
        """Whether the time is used up."""
        return _used() > self._processor or monotonic() > self._clock


def _used() -> float:
    return sum(os.times()[:4]) + processor_seconds_elsewhere()
