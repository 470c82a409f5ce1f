"""The rows of a comparison: a kernel with a tile on a machine, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.call.reference import Verdict
from tilewright.choose import Plan
from tilewright.kernels import find
from tilewright.launch.plan_run import PlanRun

PLANNED, PASS, FAIL, REFUSED, NOT_RUN, EMPTY = "planned", "PASS", "FAIL", "refused", "not run", "empty"
"""PLANNED becomes one of the others. EMPTY: C has no elements, so that there is nothing to launch."""


@dataclass(frozen=True)
class Candidate:
    """A kernel to run: idea and tile (None: its default, or none), and the machine."""

    idea: str
    tile: int | None
    machine: str


@dataclass(frozen=True)
class Row:
    """What became of a candidate. status: one of the words above; note: why, in a sentence, or ""."""

    operation: str
    candidate: Candidate
    status: str
    plan: Plan | None = None
    run: PlanRun | None = None
    verdict: Verdict | None = None
    note: str = ""

    @property
    def tile(self) -> int | None:
        """The tile that ran or would have run; None for a kernel without one."""
        if self.plan is not None or self.candidate.machine == "host":
            return None if self.plan is None else self.plan.side
        rule = find(self.operation, self.candidate.idea).tile
        return self.candidate.tile or (None if rule is None else rule.default)

    @property
    def gflops(self) -> float | None:
        """The operation's floating-point operations per second of kernel time, in 10^9; None if nothing ran."""
        if self.run is None or self.plan is None or self.run.kernel_seconds <= 0:
            return None
        return self.plan.problem.flops / self.run.kernel_seconds / 1e9

    @property
    def name(self) -> str:
        """The kernel as an option names it in full, `matmul/tiled`."""
        return f"{self.operation}/{self.candidate.idea}"

    @property
    def can(self) -> bool:
        """Whether it will run, or has run."""
        return self.status in (PLANNED, PASS, FAIL)
