"""What watches a launch: observers, each a small compiled function that is told of events and a class that reports."""

from tilewright.emulate.observers.finding import Finding
from tilewright.emulate.observers.observer import Observer
from tilewright.emulate.observers.recorder import EventRecorder

EVERY: list[type[Observer]] = []
"""The observers that look for something, in the order in which they report."""


def all_observers() -> list[Observer]:
    """Return one new observer of every kind."""
    return [kind() for kind in EVERY]


__all__ = ["EVERY", "EventRecorder", "Finding", "Observer", "all_observers"]
