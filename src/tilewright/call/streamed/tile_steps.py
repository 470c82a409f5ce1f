"""The steps of some tiles of C, in order, and what was measured while they ran."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tilewright.choose.streamed import StreamedPlan

from .prefetch import Step

Done = Callable[[int, int], None]
"""Called with a tile's number and checksum when it is written; the bytes may not be on the disk yet."""


@dataclass
class Timing:
    """Seconds of a run: all of it, those that waited for input, the first of these, and those spent on writing."""

    seconds: float = 0.0
    stalled_seconds: float = 0.0
    first_seconds: float = 0.0
    writing_seconds: float = 0.0
    flushing_seconds: float = 0.0
    tiles: int = 0
    tiles_kept: int = 0


def steps_of(plan: StreamedPlan, numbers: Iterable[int]) -> Iterator[Step]:
    """The steps of the tiles with these numbers, which are drawn one by one."""
    tiles, along = plan.tiles(), plan.steps()
    for number in numbers:
        rows, columns = tiles[number]
        for index, span in enumerate(along):
            yield Step(number, rows, columns, span, index == 0, index == len(along) - 1)
