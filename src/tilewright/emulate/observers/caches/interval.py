"""How sure the modelled reads of L2 are: an interval for nine in ten, as fitted to launches drawn at random.

The replay knows how many reads SMs share, and how many they would if they kept step better: where these are far apart,
the interval is wide. Its constants were fitted to one set of drawn launches (python -m
benchmarks.measure.caches.fit_read_interval); docs/silicon.md tells how often it held on the set held back.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

COVERAGE = 0.9
PARTING = 0.3
"""Real SMs part more than the replay's: the part of the way, in logarithms, that reads are moved from those in step."""
LEAST = 0.1
"""The narrowest half-width, in logarithms, and"""
SLOPE = 5
"""by how many times itself it grows for each unit that the reads in step are below."""
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


def l2_reads(misses: int, merged: int, in_step: int, least: float = LEAST) -> ReadInterval:
    """Return the reads of so many misses of L1, when so many are shared (CacheTraffic)."""
    reads = misses - merged
    if not reads:
        return ReadInterval(0, 0, 0)
    below = log(reads / max(min(misses - in_step, reads), 1))
    expected = min(reads * exp(PARTING * below), misses)
    width = least * (1 + SLOPE * below)
    low = max(expected * exp(-width), misses / MOST_SHARED * (1 - MISSES_ERROR))
    high = min(expected * exp(width), misses * (1 + MISSES_ERROR))
    return ReadInterval(round(expected), min(round(low), round(expected)), max(round(high), round(expected)))
