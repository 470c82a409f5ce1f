"""What watches a launch: observers, each a small compiled function that is told of events and a class that reports."""

from tilewright.emulate.observers.finding import Finding
from tilewright.emulate.observers.observer import Observer

__all__ = ["Finding", "Observer"]
