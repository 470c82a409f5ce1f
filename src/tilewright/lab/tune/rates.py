"""How far the models of kernels are off on a card: a factor for each, tried on products that it was not fitted to.

The factors are used where the planner compares kernels by their models: for 16-bit types, on Hopper
(`choose/sm90/fastest.py`), and with them on other chips, too (`choose/rated.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, log
from statistics import median

from tilewright.choose.rated import may_compare
from tilewright.choose.sm90.fastest import HOPPER
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.problem import INPUT_DTYPES

from .tuning import Measured

LEAST_TIMES = 8
"""Of a kernel, for a factor of its own; without one it has that of all together."""
LEAST_HELD_BACK, LEAST_GAIN = 12, 1.005
"""Factors are kept only if so many products that were held back gain so much, as a geometric mean."""


@dataclass(frozen=True)
class Trial:
    """Factors by kernel, and how they did on products that they were not fitted to."""

    factors: Mapping[str, float]
    products: int
    changed: int
    gain: float

    @property
    def is_kept(self) -> bool:
        """Whether they were tried on enough products, and these gained."""
        return self.products >= LEAST_HELD_BACK and self.gain >= LEAST_GAIN


def are_used(facts: DeviceFacts, dtypes: Sequence[str]) -> bool:
    """Return whether the planner compares models of kernels for some of these types on a card, with rates at least."""
    chip, sixteen = facts.compute_capability, [dtype for dtype in dtypes if dtype in INPUT_DTYPES]
    return any(chip == HOPPER or may_compare(dtype, chip) for dtype in sixteen)


def fitted(found: Sequence[Measured]) -> dict[str, float] | None:
    """Return by kernel the median of measured over modelled time, of 16-bit products; None without two kernels' times.

    The time of a kernel is that of the tile which its model finds the fastest, as the planner compares them.
    """
    ratios: dict[str, list[float]] = {}
    for each in found:
        for idea, ratio in _ratios(each):
            ratios.setdefault(idea, []).append(ratio)
    if sum(len(many) >= LEAST_TIMES for many in ratios.values()) < 2:
        return None
    of_all = median(ratio for many in ratios.values() for ratio in many)
    return {
        idea: round(median(many) if len(many) >= LEAST_TIMES else of_all, 3) for idea, many in sorted(ratios.items())
    }


def _ratios(found: Measured) -> Iterator[tuple[str, float]]:
    if found.contest.problem.dtype not in INPUT_DTYPES:
        return
    seen: set[str] = set()
    for candidate, us in zip(found.contest.candidates, found.candidates_us, strict=True):
        if candidate.kernel.idea not in seen and us is not None:
            yield candidate.kernel.idea, us / candidate.model_us
        seen.add(candidate.kernel.idea)


def trial(factors: Mapping[str, float], held_back: Sequence[Measured]) -> Trial:
    """Return how factors did: the planner's time over that with them, 1 where both have the same plan."""
    gains, changed = [], 0
    for each in held_back:
        if each.contest.problem.dtype in INPUT_DTYPES and each.rated_us is not None:
            changed += each.contest.rated != each.contest.planned
            gains.append(each.planned_us / each.rated_us)
    return Trial(dict(factors), len(gains), changed, geometric_mean(gains))


def geometric_mean(ratios: Sequence[float]) -> float:
    """Return the geometric mean; 1 of none."""
    return exp(fsum(map(log, ratios)) / len(ratios)) if ratios else 1.0
