"""How sure the modelled reads of L2 are: an interval for nine in ten, as fitted to launches drawn at random.

The replay knows how many reads SMs share, and how many they would if they kept step better and a line's sectors did not
stand in each other's way. Where these are near each other the reads are sure, else the interval is wide. Its constants
were fitted to drawn launches (python -m benchmarks.measure.caches.fit_read_interval); docs/silicon.md tells how often
it held on the set held back.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

IN_STEP = 0.08
"""Real SMs keep step a little better than the replay's: the part of the way, in logarithms, to the reads in step."""
APART = 0.15
"""The reads are sure that differ by no more than this, in logarithms, from those in step."""
SURE_COVERAGE, UNSURE_COVERAGE = 0.89, 0.97
"""The part of the launches fitted to that lies inside: together more than nine in ten, as room for chance."""
SURE, UNSURE = 0.14, 0.383
"""Half-widths, in logarithms, that give this coverage."""
MOST_SHARED = 4
"""SMs that share a read: fewer reads than a fourth of the misses there are not, nor more than misses,"""
MISSES_ERROR = 0.02
"""which are modelled, too: most launches are within this."""


@dataclass(frozen=True)
class ReadInterval:
    """Reads of L2, in sectors: the likeliest, and between which the true count should lie nine times in ten."""

    expected: int
    low: int
    high: int


def l2_reads(misses: int, merged: int, in_step: int, sure: float = SURE, unsure: float = UNSURE) -> ReadInterval:
    """Return the reads of so many misses of L1, when so many are shared (CacheTraffic)."""
    reads = misses - merged
    if not reads:
        return ReadInterval(0, 0, 0)
    apart = reads_apart(misses, merged, in_step)
    expected = reads * exp(-IN_STEP * apart)
    width = unsure if apart > APART else sure
    low = max(expected * exp(-width), misses / MOST_SHARED * (1 - MISSES_ERROR))
    high = min(expected * exp(width), misses * (1 + MISSES_ERROR))
    return ReadInterval(round(expected), min(round(low), round(expected)), max(round(high), round(expected)))


def reads_apart(misses: int, merged: int, in_step: int) -> float:
    """Return how many times fewer reads there would be if SMs kept step, in logarithms."""
    reads = misses - merged
    return log(reads / max(min(misses - in_step, reads), 1)) if reads else 0.0
