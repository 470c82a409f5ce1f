"""What watches a launch: observers, each a small compiled function that is told of events and a class that reports."""

from tilewright.emulate.observers.bank_conflicts import BankConflictObserver
from tilewright.emulate.observers.barrier_reach import BarrierReachObserver
from tilewright.emulate.observers.bounds import BoundsObserver
from tilewright.emulate.observers.caches import CacheObserver
from tilewright.emulate.observers.coalescing import CoalescingObserver
from tilewright.emulate.observers.finding import Finding
from tilewright.emulate.observers.observer import Observer
from tilewright.emulate.observers.races import RaceObserver
from tilewright.emulate.observers.recorder import EventRecorder
from tilewright.emulate.observers.uninitialised import UninitialisedObserver

EVERY: list[type[Observer]] = [
    BarrierReachObserver,
    BoundsObserver,
    UninitialisedObserver,
    RaceObserver,
    CoalescingObserver,
    BankConflictObserver,
]
"""The observers that look for something, in the order in which they report: what is wrong, then what is slow."""


def all_observers() -> list[Observer]:
    """Return one new observer of every kind."""
    return [kind() for kind in EVERY]


__all__ = [
    "EVERY",
    "BankConflictObserver",
    "BarrierReachObserver",
    "BoundsObserver",
    "CacheObserver",
    "CoalescingObserver",
    "EventRecorder",
    "Finding",
    "Observer",
    "RaceObserver",
    "UninitialisedObserver",
    "all_observers",
]
