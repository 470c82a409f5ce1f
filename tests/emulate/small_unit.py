"""A unit that compiles in a moment, on a cache of its own."""

from __future__ import annotations

from tilewright.emulate import compiled
from tilewright.emulate.compiled import Unit


def add_one(number: int) -> int:
    """Something to compile."""
    return number + 1


def fresh() -> Unit:
    """The unit as a process sees it that has loaded nothing yet."""
    before = list(compiled._UNITS)
    unit = Unit(add_one)
    compiled._UNITS[:] = before  # no launch needs it
    return unit


def is_right() -> bool:
    """Whether a new process, so to speak, gets a right result of it."""
    return fresh().call(41) == 42
