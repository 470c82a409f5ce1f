"""A plan: which kernel runs, how it is launched, and why."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from tilewright.choose import notebook
from tilewright.choose.problem import Problem
from tilewright.kernels import Kernel


class PlanError(ValueError):
    """There is no plan for what was asked; the message says what was given and what is accepted."""


@dataclass(frozen=True)
class Plan:
    """How a problem is computed on a machine ("gpu", "emulator" or "host").

    ``grid`` counts blocks and ``block`` threads, in x, y and z. ``tile`` is None for a kernel without one. Each of
    the ``reasons`` is a sentence.
    """

    problem: Problem
    kernel: Kernel
    machine: str
    tile: int | None
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    reasons: tuple[str, ...]

    @property
    def blocks(self) -> int:
        """The blocks of the grid."""
        return prod(self.grid)

    @property
    def threads(self) -> int:
        """The threads of all blocks."""
        return self.blocks * prod(self.block)

    @property
    def predicted_global_loads(self) -> int:
        """The elements that all threads together load from global memory."""
        return self.kernel.predicted_global_loads(*self.problem.sizes, self.tile)

    def facts(self) -> dict[str, str]:
        """What the plan decides, by name, as text."""
        facts = {
            "problem": str(self.problem),
            "result": f"C {self.problem.c_shape}",
            "kernel": self.kernel.name,
            "machine": self.machine,
        }
        if self.machine != "host":
            facts |= {
                "tile": "none" if self.tile is None else str(self.tile),
                "grid": " x ".join(map(str, self.grid)),
                "block": " x ".join(map(str, self.block)),
                "shared_bytes": f"{self.shared_bytes:,}",
            }
        return facts

    def __str__(self) -> str:
        """Return the plan, one fact a line, then one reason a line."""
        lines = [f"{name:<13} {value}" for name, value in self.facts().items()]
        return "\n".join([*lines, *(f"- {reason}" for reason in self.reasons)])

    def _repr_html_(self) -> str:
        """Return the plan as notebooks show it."""
        return notebook.together(notebook.facts(self.facts()), notebook.sentences(self.reasons))
