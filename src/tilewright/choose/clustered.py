"""The plan of a product by the workers of a cluster: that of one machine, whose tiles are computed apart.

The tiles depend on the matrices and the limit alone, never on the workers: more or fewer of them give the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from tilewright.choose.quantities import in_words
from tilewright.choose.streamed import StreamedPlan, StreamedProblem

LEAST_TILES = 64
"""A product has at least so many tiles, for as many workers or some at a time for fewer, ..."""
LEAST_TILE_FLOPS = 10**10
"""... if each has so many operations: fewer take less time than their way to a worker."""


def least_tiles(problem: StreamedProblem) -> int:
    """How many tiles of C a product has at least, so that there is work for many workers."""
    m, n, k = problem.sizes
    return max(1, min(LEAST_TILES, 2 * m * n * k // LEAST_TILE_FLOPS))


@dataclass(frozen=True)
class Workers:
    """The workers that a plan reckons with: how many, how many tasks they run at once, and on how many machines."""

    count: int
    at_once: int
    machines: int

    def __str__(self) -> str:
        """As in "4 workers on 2 machines, 8 tiles at once"."""
        return (
            f"{_many(self.count, 'worker')} on {_many(self.machines, 'machine')}, {_many(self.at_once, 'tile')} at once"
        )


@dataclass(frozen=True)
class ClusteredPlan(StreamedPlan):
    """How a product goes to workers, a tile of C to each task. ``memory_limit_bytes`` is that of one task."""

    workers: Workers

    @classmethod
    def of(cls, plan: StreamedPlan, workers: Workers) -> ClusteredPlan:
        """A plan of one machine, with workers."""
        return cls(**{field.name: getattr(plan, field.name) for field in fields(StreamedPlan)}, workers=workers)

    @property
    def kept(self) -> str:
        """Tasks keep nothing for each other."""
        return ""

    @property
    def seconds(self) -> dict[str, float]:
        """The time of each part: every machine has a disk and a processor (or a GPU) as fast as the plan's rates."""
        most = max(1, min(self.workers.machines, self.tile_count))
        return {part: seconds / most for part, seconds in super().seconds.items()}

    def facts(self) -> dict[str, str]:
        """The plan's decisions, by name, as text."""
        found = {}
        for name, value in super().facts().items():
            found[name] = value
            if name == "machine":
                found["workers"] = str(self.workers)
        found["host peak"] += " for each task"
        return found

    @property
    def reasons(self) -> tuple[str, ...]:
        """The sentences of a plan of one machine, and what a cluster adds."""
        first, rates, bits = super().reasons
        moved = in_words(self.read_bytes + self.written_bytes)
        return (
            first,
            rates,
            f"Each task opens A, B and C by their paths; together they move {moved}, and nothing by the scheduler.",
            f"The machines ({self.workers.machines}) are taken to be as fast as this one, with a disk each.",
            bits,
            "The tiles do not depend on the workers, so that any number of them gives the same bits.",
        )


def _many(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"
