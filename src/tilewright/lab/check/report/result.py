"""What a check comes to: one result for each kernel, whatever was checked about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tilewright.emulate.observers.finding import Finding
from tilewright.lab.check.statuses import REFUSED, RIGHT

Extent = tuple[int, int, int]


@dataclass(frozen=True)
class CaseResult:
    """One launch of the kernel on one problem.

    sizes: by name (rows, inner, cols; for a kernel of another kind whatever it has). status: RIGHT, WRONG, FAULT (it
    did not end by itself) or REFUSED (the kernel does not promise this size). message: the first wrong element and
    the thread that wrote it, or what stopped it. error, bound: of the element nearest its bound. counts: by name,
    counted by execution.
    """

    sizes: Mapping[str, int]
    status: str
    grid: Extent | None = None
    block: Extent | None = None
    message: str = ""
    error: float | None = None
    bound: float | None = None
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class CountsRow:
    """Counts of one kernel on the problem that the kernel and the catalogue's were compared on."""

    kernel: str
    sizes: Mapping[str, int]
    counts: Mapping[str, int]


@dataclass(frozen=True)
class GpuCase:
    """One launch of the kernel on a GPU, on the inputs that the emulator had.

    status: RIGHT, WRONG (a wrong element, or a store beside the arrays), FAULT (it was stopped) or NOT_RUN (an earlier
    one was stopped). kernel_seconds: between two events, the median of several launches.
    """

    sizes: Mapping[str, int]
    status: str
    message: str = ""
    error: float | None = None
    bound: float | None = None
    kernel_seconds: float | None = None


@dataclass(frozen=True)
class GpuResult:
    """What a GPU said of one kernel. cases: in the order of the emulator's. refusal: why none was run."""

    device: str
    cases: tuple[GpuCase, ...] = ()
    refusal: str = ""

    @property
    def is_right(self) -> bool:
        """Say whether it ran, and every problem came out right."""
        return not self.refusal and bool(self.cases) and all(case.status == RIGHT for case in self.cases)


@dataclass(frozen=True)
class CheckResult:
    """What is known of one kernel of a file.

    operation: matmul, reduced_matmul, dot, or empty for another kind. arguments: what each argument is, in the form
    that `--args` takes, with `how` it was found. launch: where grid and block come from. refusal: why it could not
    be checked at all. notes: what the reader should know. compared: its counts beside the catalogue's. gpu: what a GPU
    said, where it was asked. pending: of a refusal that is no verdict on the kernel: NOT_EMULATED or NEEDS_LAUNCH.
    """

    file: str
    kernel: str
    operation: str = ""
    arguments: str = ""
    how: str = ""
    launch: str = ""
    cases: tuple[CaseResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    compared: tuple[CountsRow, ...] = ()
    notes: tuple[str, ...] = ()
    refusal: str = ""
    gpu: GpuResult | None = None
    pending: str = ""

    @property
    def is_right(self) -> bool:
        """Say whether it was checked, and every problem that it promises came out right."""
        ran = [case for case in self.cases if case.status != REFUSED]
        return not self.refusal and bool(ran) and all(case.status == RIGHT for case in ran)

    def is_well(self, *, strict: bool = False) -> bool:
        """Say whether all is well: right, on a GPU too if asked, and no finding that is an error (strict: no note)."""
        bad = [f for f in self.findings if f.severity == "error" or strict]
        return self.is_right and not bad and (self.gpu is None or self.gpu.is_right)

    def _repr_html_(self) -> str:
        """Return the result as notebooks show it."""
        from .result_html import html_of

        return html_of(self)
