"""One of each observer that finds mistakes, however many there are."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

from tilewright.emulate import observers
from tilewright.emulate.observers import Observer
from tilewright.emulate.observers.recorder import EventRecorder


def all_observers() -> list[Observer]:
    """New instances, for one launch after another."""
    found: list[type[Observer]] = []
    for module in pkgutil.iter_modules(observers.__path__, f"{observers.__name__}."):
        members = vars(importlib.import_module(module.name)).values()
        found += [
            member
            for member in members
            if inspect.isclass(member) and issubclass(member, Observer) and member.__module__ == module.name
        ]
    return [kind() for kind in found if kind not in (Observer, EventRecorder)]
