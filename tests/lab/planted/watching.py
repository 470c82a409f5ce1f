"""One of each observer that finds mistakes; the others only say what could be faster."""

from __future__ import annotations

from tilewright.emulate.observers import (
    BarrierReachObserver,
    BoundsObserver,
    HazardObserver,
    Observer,
    SwizzleObserver,
    UninitialisedObserver,
)
from tilewright.emulate.observers.races.observer import RaceObserver


def all_observers() -> list[Observer]:
    """New instances, for one launch."""
    return [
        BarrierReachObserver(),
        BoundsObserver(),
        UninitialisedObserver(),
        SwizzleObserver(),
        HazardObserver(),
        RaceObserver(),
    ]
