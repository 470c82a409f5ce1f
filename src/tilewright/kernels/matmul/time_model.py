"""What the cost models of kernels share: the time of memory, and how times overlap."""

from __future__ import annotations

from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import ceil_divide
from tilewright.kernels.problem import Problem

H100_GB_PER_S = 3350.0
"""The bandwidth where it is not known."""


def mb_per_us(facts: DeviceFacts) -> float:
    """Return the bandwidth of a chip's memory."""
    return 1e-3 * (facts.bandwidth_gb_per_s or H100_GB_PER_S)


def moved_us(product: Problem, facts: DeviceFacts, share: float) -> float:
    """Return the time in which memory reads the operands and writes C, with a share of its bandwidth."""
    return 1e-6 * product.least_bytes / (share * mb_per_us(facts))


def overlapped_us(overlap: float, *parts: float) -> float:
    """Return the longest of times, and the share of the others that it does not hide."""
    *others, longest = sorted(parts)
    return longest + overlap * sum(others)


def waves_of(blocks: int, resident: int, last_wave: float) -> float:
    """Return the waves of an SM's blocks, so many at a time, with a share of what the last one leaves idle."""
    whole = blocks / resident
    return max(1.0, whole + last_wave * (ceil_divide(blocks, resident) - whole))
