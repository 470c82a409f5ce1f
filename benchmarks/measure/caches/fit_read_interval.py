"""Say how wide the interval of modelled L2 reads must be to hold for so many of the drawn launches fitted to.

    python -m benchmarks.measure.caches.fit_read_interval

Prints SURE and UNSURE of emulate/observers/caches/observer.py: of launches whose reads depend little on how SMs keep
step, and of the others, the smallest for which so many lie inside as split-conformal prediction asks for. Then how
often the interval holds, and its median half-width, for launches left out of the fit: ten parts in turn, five times
over, and one family of kernels after the other. The set that is held back is not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from random import Random
from statistics import median

from benchmarks.measure.caches.cache_launches import DRAWN, DRAWN_SECOND
from benchmarks.tables.write_silicon import launches, mean
from tilewright.emulate.observers.caches.observer import (
    APART,
    SURE_COVERAGE,
    UNSURE_COVERAGE,
    ReadInterval,
    l2_reads,
    reads_apart,
)

FINEST = 1000
PARTS, TIMES = 10, 5
Widths = tuple[float, float]


@dataclass(frozen=True)
class Measured:
    """A launch: its family, what is modelled (misses, merged, in step), and the reads that were measured."""

    family: str
    modelled: tuple[int, int, int]
    reads: float

    @property
    def is_sure(self) -> bool:
        """Whether its reads depend little on how SMs keep step."""
        return reads_apart(*self.modelled) <= APART

    def interval(self, width: float) -> ReadInterval:
        """With a half-width, in logarithms."""
        return l2_reads(*self.modelled, sure=width, unsure=width)

    def holds(self, width: float) -> bool:
        """Whether the interval is wide enough."""
        interval = self.interval(width)
        return interval.low <= self.reads <= interval.high


def measured_launches() -> list[Measured]:
    """All that may be fitted to."""
    found = []
    for of_set in (DRAWN, DRAWN_SECOND):
        for row, there in launches(of_set):
            here = row["counts"]
            modelled = (here["l1_load_misses"], here["l2_merged"], here["l2_in_step"])
            found.append(Measured(row["case"].split()[0], modelled, mean(there, "l2_reads")))
    return found


def width_of(fitted: Sequence[Measured], coverage: float) -> float:
    """The smallest half-width that holds for as many as asked."""
    asked = min(ceil((len(fitted) + 1) * coverage), len(fitted))
    return next(
        step / FINEST for step in range(2 * FINEST) if sum(each.holds(step / FINEST) for each in fitted) >= asked
    )


def widths_of(fitted: Sequence[Measured]) -> Widths:
    """SURE and UNSURE."""
    sure, unsure = ([each for each in fitted if each.is_sure is wanted] for wanted in (True, False))
    return width_of(sure, SURE_COVERAGE), width_of(unsure, UNSURE_COVERAGE)


def left_out(parts: Iterable[Sequence[int]], found: Sequence[Measured]) -> tuple[float, float]:
    """How often the interval holds, and its median half-width, for the parts left out of the fit in turn."""
    inside, half_widths = [], []
    for part in parts:
        without = set(part)
        sure, unsure = widths_of([each for number, each in enumerate(found) if number not in without])
        for each in (found[number] for number in part):
            width = sure if each.is_sure else unsure
            interval = each.interval(width)
            inside.append(each.holds(width))
            half_widths.append((interval.high - interval.low) / 2 / max(interval.expected, 1))
    return sum(inside) / len(inside), median(half_widths)


def main() -> None:
    """Fit, and cross-validate."""
    found = measured_launches()
    sure, unsure = widths_of(found)
    print(f"sure {sure}, unsure {unsure}, of {len(found)} launches, {sum(each.is_sure for each in found)} of them sure")
    results = []
    for time in range(TIMES):
        numbers = list(range(len(found)))
        Random(time).shuffle(numbers)  # noqa: S311
        results.append(left_out([numbers[part::PARTS] for part in range(PARTS)], found))
    inside, half_widths = (sum(values) / TIMES for values in zip(*results, strict=True))
    print(f"launches left out: {inside:.1%} inside, median half-width {half_widths:.1%}")
    families: dict[str, list[int]] = {}
    for number, each in enumerate(found):
        families.setdefault(each.family, []).append(number)
    inside, half_widths = left_out(families.values(), found)
    print(f"families left out: {inside:.1%} inside, median half-width {half_widths:.1%}")


if __name__ == "__main__":
    main()
