"""What watches a launch: observers, each a small compiled function that is told of events and a class that reports.

What is imported from here is loaded when it is first used: a finding does without Numba.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.lazy import loader

if TYPE_CHECKING:
    from tilewright.emulate.observers.banks.observer import BankConflictObserver as BankConflictObserver
    from tilewright.emulate.observers.barrier_reach import BarrierReachObserver as BarrierReachObserver
    from tilewright.emulate.observers.bounds import BoundsObserver as BoundsObserver
    from tilewright.emulate.observers.caches.observer import CacheObserver as CacheObserver
    from tilewright.emulate.observers.coalescing import CoalescingObserver as CoalescingObserver
    from tilewright.emulate.observers.every import EVERY as EVERY
    from tilewright.emulate.observers.every import all_observers as all_observers
    from tilewright.emulate.observers.finding import Finding as Finding
    from tilewright.emulate.observers.hazards.observer import HazardObserver as HazardObserver
    from tilewright.emulate.observers.observer import EventRecorder as EventRecorder
    from tilewright.emulate.observers.observer import Observer as Observer
    from tilewright.emulate.observers.pipeline import PipelineObserver as PipelineObserver
    from tilewright.emulate.observers.races.observer import RaceObserver as RaceObserver
    from tilewright.emulate.observers.swizzles import SwizzleObserver as SwizzleObserver
    from tilewright.emulate.observers.uninitialised import UninitialisedObserver as UninitialisedObserver
    from tilewright.emulate.observers.warp_masks import WarpMaskObserver as WarpMaskObserver

__getattr__ = loader(
    __name__,
    {
        "banks.observer": ("BankConflictObserver",),
        "barrier_reach": ("BarrierReachObserver",),
        "bounds": ("BoundsObserver",),
        "caches.observer": ("CacheObserver",),
        "coalescing": ("CoalescingObserver",),
        "every": ("EVERY", "all_observers"),
        "finding": ("Finding",),
        "hazards.observer": ("HazardObserver",),
        "observer": ("EventRecorder", "Observer"),
        "pipeline": ("PipelineObserver",),
        "races.observer": ("RaceObserver",),
        "swizzles": ("SwizzleObserver",),
        "uninitialised": ("UninitialisedObserver",),
        "warp_masks": ("WarpMaskObserver",),
    },
)
