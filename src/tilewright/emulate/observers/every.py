"""The observers that look for something, all of them."""

from __future__ import annotations

from tilewright.emulate.observers.banks.observer import BankConflictObserver
from tilewright.emulate.observers.barrier_reach import BarrierReachObserver
from tilewright.emulate.observers.bounds import BoundsObserver
from tilewright.emulate.observers.coalescing import CoalescingObserver
from tilewright.emulate.observers.hazards.observer import HazardObserver
from tilewright.emulate.observers.observer import Observer
from tilewright.emulate.observers.races.observer import RaceObserver
from tilewright.emulate.observers.swizzles import SwizzleObserver
from tilewright.emulate.observers.uninitialised import UninitialisedObserver
from tilewright.emulate.observers.warp_masks import WarpMaskObserver

EVERY: list[type[Observer]] = [
    BarrierReachObserver,
    BoundsObserver,
    UninitialisedObserver,
    SwizzleObserver,
    HazardObserver,
    RaceObserver,
    WarpMaskObserver,
    CoalescingObserver,
    BankConflictObserver,
]
"""The observers that look for something, in the order in which they report: what is wrong, then what is slow."""


def all_observers() -> list[Observer]:
    """Return one new observer of every kind."""
    return [kind() for kind in EVERY]
