"""A card that is not there: the time of a plan is a number of its kernel, its programs are noted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tilewright.choose import find_chip
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launches
from tilewright.kernels.problem import Problem
from tilewright.lab.tune.stopwatch import UnmeasurableError

H100 = replace(find_chip("h100"), driver="13.0")
STEPS = ("matmul/repack", "matmul/splitk_reduce")


@dataclass
class StandIn:
    """Stands in for `DriverStopwatch`. ``us`` is by kernel, where there are several one for each timing in turn.

    ``unlike``: kernels whose results differ from the first's.
    """

    us: Mapping[str, float | list[float]] = field(default_factory=dict)
    facts: DeviceFacts = H100
    unlike: frozenset[str] = frozenset()
    refuses: bool = False
    seconds_each: float = 0.0
    time: float = 0.0
    prepared: list[Launches] = field(default_factory=list)
    timings: list[tuple[Problem, list[str]]] = field(default_factory=list)

    def prepare(self, plans: Sequence[Launches]) -> None:
        """Note them."""
        self.prepared += plans

    def times_us(self, problem: Problem, plans: Sequence[Launches], seconds: float) -> list[float | None]:
        """Return the kernels' numbers."""
        assert seconds > 0
        if self.refuses:
            raise UnmeasurableError(f"{problem}: there is no room for it.")
        assert all(plan in self.prepared for plan in plans), "compiled ahead"
        self.time += self.seconds_each
        kernels = [main_kernel(plan) for plan in plans]
        self.timings.append((problem, kernels))
        return [None if number and kernel in self.unlike else self._us(kernel) for number, kernel in enumerate(kernels)]

    def _us(self, kernel: str) -> float:
        us = self.us.get(kernel, 50.0)
        turn = min(len(self.timings), len(us)) - 1 if isinstance(us, list) else 0
        return us[turn] if isinstance(us, list) else us

    def now(self) -> float:
        """The time that all timings have taken."""
        return self.time


def main_kernel(plan: Launches) -> str:
    """The kernel that multiplies."""
    return next(launch.kernel for launch in plan.launches if launch.kernel not in STEPS)
