"""A trace as data, and the selection of what is recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tilewright.choose import notebook
from tilewright.choose.quantities import extent
from tilewright.emulate.observers import Finding
from tilewright.lab.check.report.junit import place_words

from .arrays import Number, TracedArray
from .steps import ADD, LOAD, STORE, WAIT, Step, Traffic
from .subject import Subject

Extent = tuple[int, int, int]
MOST_THREAD_STEPS = 300_000
"""The most steps times active threads: about 6 MB of trace, and a second to draw."""

COUNTED = ("global_loads", "global_load_requests", "global_load_sectors", "global_stores", "shared_loads", "barriers")
TOLD = (LOAD, STORE, ADD, WAIT)


@dataclass(frozen=True)
class Selection:
    """What to record. blocks: blockIdx (x, y, z) of each, or None for all of them if they are few, else the first.
    threads: threadIdx of each, or None for all. phases: the first and the last, or None for all.
    """

    blocks: tuple[Extent, ...] | None = None
    threads: tuple[Extent, ...] | None = None
    phases: tuple[int, int] | None = None


@dataclass(frozen=True)
class BlockTrace:
    """The steps of one block, each with its memory traffic."""

    block: Extent
    steps: tuple[Step, ...]
    traffic: tuple[Traffic, ...]


@dataclass(frozen=True)
class Beside:
    """Another kernel's counts for the same product, also by execution.

    global_loads: of the whole launch. curves: the loads a thread had made by its first, second, ... update of its sum,
    and finally in total. curve_of: for each element of C, the curve of the thread that stores it, or -1.
    """

    kernel: str
    tile: int | None
    global_loads: int
    curves: tuple[tuple[int, ...], ...]
    curve_of: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class Trace:
    """A kernel's recorded run.

    arrays: global ones with their contents `before` and `after` (flat, by number of the array), then shared ones.
    counts: of the whole launch. wrong: the number of elements that differ from NumPy's product or the expected arrays;
    None if there is nothing to compare with. fault: what stopped the launch. cut: a sentence on what is missing.
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

    def __str__(self) -> str:
        """Return a summary in one sentence."""
        steps = sum(len(block.steps) for block in self.blocks)
        count = "1 block" if len(self.blocks) == 1 else f"{len(self.blocks)} blocks"
        return f"{self.subject.name}, {self.subject.problem_said}: {steps:,} steps of {count}."

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return a summary as HTML; tilewright.watch plays the trace."""
        subject = self.subject
        known = {
            "problem": ", ".join(filter(None, (subject.operation, subject.problem_said))),
            "tile": "none" if subject.tile is None else str(subject.tile),
            "grid": extent(subject.geometry.grid),
            "block": extent(subject.geometry.block),
            "order of warps": self.schedule,
            "result": self.result_said,
        }
        columns = ("block", "steps", "phases", "loads", "stores", "updates of sums", "waits at barriers")
        counts = [name.replace("_", " ") for name in COUNTED]
        whole = [[f"{self.counts[name]:,}" for name in COUNTED]] if set(COUNTED) <= set(self.counts) else []
        findings = [f"{f.severity}: {f.kind}, {place_words(f.place)}: {f.message}" for f in self.findings]
        return notebook.together(
            notebook.facts(known, caption=f"{subject.name}, recorded"),
            notebook.table(columns, [_row(block) for block in self.blocks]),
            notebook.table(counts, whole, caption="The whole launch, counted by execution", words=()),
            notebook.sentences(filter(None, [self.cut, *findings, *self.notes])),
        )

    @property
    def result_said(self) -> str:
        """Whether C is right, in words."""
        if self.fault:
            return f"none, the launch was stopped: {self.fault}"
        if self.wrong is None:
            return "not compared"
        return "right" if self.wrong == 0 else f"{self.wrong:,} element{' is' if self.wrong == 1 else 's are'} wrong"


def _row(block: BlockTrace) -> list[str]:
    kinds = [step.kind for step in block.steps]
    counts = [len(kinds), len({step.phase for step in block.steps}), *(kinds.count(kind) for kind in TOLD)]
    return [str(tuple(block.block)), *(f"{count:,}" for count in counts)]
