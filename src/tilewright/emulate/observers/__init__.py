"""What watches a launch: observers, each a small compiled function that is told of events and a class that reports.

What is imported from here is loaded when it is first used: a finding does without Numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilewright.emulate.observers.banks.observer import BankConflictObserver
    from tilewright.emulate.observers.barrier_reach import BarrierReachObserver
    from tilewright.emulate.observers.bounds import BoundsObserver
    from tilewright.emulate.observers.caches.observer import CacheObserver
    from tilewright.emulate.observers.coalescing import CoalescingObserver
    from tilewright.emulate.observers.every import EVERY, all_observers
    from tilewright.emulate.observers.finding import Finding
    from tilewright.emulate.observers.observer import Observer
    from tilewright.emulate.observers.races.observer import RaceObserver
    from tilewright.emulate.observers.recorder import EventRecorder
    from tilewright.emulate.observers.uninitialised import UninitialisedObserver

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

_MODULES = {
    "BankConflictObserver": "tilewright.emulate.observers.banks.observer",
    "BarrierReachObserver": "tilewright.emulate.observers.barrier_reach",
    "BoundsObserver": "tilewright.emulate.observers.bounds",
    "CacheObserver": "tilewright.emulate.observers.caches.observer",
    "CoalescingObserver": "tilewright.emulate.observers.coalescing",
    "EVERY": "tilewright.emulate.observers.every",
    "EventRecorder": "tilewright.emulate.observers.recorder",
    "Finding": "tilewright.emulate.observers.finding",
    "Observer": "tilewright.emulate.observers.observer",
    "RaceObserver": "tilewright.emulate.observers.races.observer",
    "UninitialisedObserver": "tilewright.emulate.observers.uninitialised",
    "all_observers": "tilewright.emulate.observers.every",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'tilewright.emulate.observers' has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value
