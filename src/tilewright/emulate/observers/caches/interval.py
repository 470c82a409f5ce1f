"""The interval that holds the true reads of L2 nine times in ten, fitted to launches drawn at random.

The replay counts the reads that SMs share, and those that they would share if they kept step better and requests for
different sectors did not block each other. If the two are close, the interval is narrow, else it is wide. Its constants
were fitted to drawn launches (python -m benchmarks.measure.caches.fit_read_interval); docs/silicon.md tells how often
it held on the set held back.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

IN_STEP = 0.08
"""Real SMs keep step a little better than the replay's: this part of the way, in logarithms, to the reads in step."""
APART = 0.15
"""The interval is narrow if the reads differ by at most this, in logarithms, from those in step."""
SURE_COVERAGE, UNSURE_COVERAGE = 0.89, 0.97
"""The share of the fitting set that lies inside, narrow and wide: together more than nine in ten, as a margin."""
SURE, UNSURE = 0.14, 0.383
"""Half-widths, in logarithms, that give this coverage."""
MOST_SHARED = 4
"""At most so many SMs share a read, so reads are between a fourth of the misses and all of them."""
MISSES_ERROR = 0.02
"""The error of the modelled misses in most launches."""


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
