"""A trace as data, and what may be left out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tilewright.emulate.observers import Finding

from .arrays import Number, TracedArray
from .steps import Step
from .subject import Subject
from .traffic import Traffic

Extent = tuple[int, int, int]
MOST_THREAD_STEPS = 300_000
"""Steps times the threads that take part: about 6 MB of trace, and a second to draw."""


@dataclass(frozen=True)
class Selection:
    """What is recorded. blocks: blockIdx of each (x, y, z), or None: all of them while they are few, else the first.
    threads: threadIdx of those that are kept, or None for all. phases: first and last, or None for all.
    """

    blocks: tuple[Extent, ...] | None = None
    threads: tuple[Extent, ...] | None = None
    phases: tuple[int, int] | None = None


@dataclass(frozen=True)
class BlockTrace:
    """The steps of one block, each with what it cost."""

    block: Extent
    steps: tuple[Step, ...]
    traffic: tuple[Traffic, ...]


@dataclass(frozen=True)
class Beside:
    """The same product by another kernel, for comparison: counted by execution, too.

    global_loads: of the whole launch. curves: how many loads a thread had made by its first, second, ... update of its
    sum, and at last in all. curve_of: for each element of C, the curve of the thread that stores it; -1 where none was
    recorded.
    """

    kernel: str
    tile: int | None
    global_loads: int
    curves: tuple[tuple[int, ...], ...]
    curve_of: tuple[int, ...]


@dataclass(frozen=True)
class Trace:
    """What a kernel did.

    arrays: global ones with `before` and `after` (flat, by number of the array), then shared ones. counts: of the whole
    launch. wrong: elements of C that are not what NumPy makes of A and B; None where C is no product's. fault: what
    stopped the launch. cut: what is missing, in a sentence.
    """

    subject: Subject
    arrays: tuple[TracedArray, ...]
    before: Mapping[int, Sequence[Number]]
    after: Mapping[int, Sequence[Number]]
    blocks: tuple[BlockTrace, ...]
    selection: Selection
    schedule: str
    findings: tuple[Finding, ...]
    counts: Mapping[str, int]
    beside: Beside | None = None
    wrong: int | None = None
    fault: str = ""
    cut: str = ""
    sums: int = 0
    notes: tuple[str, ...] = field(default=())
