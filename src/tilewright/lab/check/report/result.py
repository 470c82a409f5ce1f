"""The result of a check, one per kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tilewright.emulate.observers.finding import Finding
from tilewright.lab.check.statuses import REFUSED, RIGHT

Extent = tuple[int, int, int]


@dataclass(frozen=True)
class CaseResult:
    """One launch of the kernel on one problem.

    sizes: by name (rows, inner, cols; for a kernel that is not a product, its scalars). status: RIGHT, WRONG, FAULT
    (it was stopped) or REFUSED (the kernel does not promise this size). message: the first wrong element and the
    thread that wrote it, or what stopped it. error, bound: of the element closest to its bound. counts: by name,
    counted by execution; where constants of the file are sizes, of code that reads them as variables, except in the
    problem that is compared.
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
    """The counts of one kernel on the problem used for comparison with the catalogue's kernels."""

    kernel: str
    sizes: Mapping[str, int]
    counts: Mapping[str, int]


@dataclass(frozen=True)
class GpuCase:
    """One launch of the kernel on a GPU, with the emulator's inputs.

    status: RIGHT, WRONG (a wrong element, or a store outside the arrays), FAULT (it was stopped) or NOT_RUN (an earlier
    one was stopped). kernel_seconds: the median time of several launches, measured by events.
    """

    sizes: Mapping[str, int]
    status: str
    message: str = ""
    error: float | None = None
    bound: float | None = None
    kernel_seconds: float | None = None


@dataclass(frozen=True)
class GpuResult:
    """A GPU's results of one kernel. cases: in the emulator's order. refusal: why none was run."""

    device: str
    cases: tuple[GpuCase, ...] = ()
    refusal: str = ""

    @property
    def is_right(self) -> bool:
        """Return whether it ran and every problem is right."""
        return not self.refusal and bool(self.cases) and all(case.status == RIGHT for case in self.cases)


@dataclass(frozen=True)
class CheckResult:
    """The check's result for one kernel of a file.

    operation: matmul, reduced_matmul, dot, or empty for another kind. arguments: each argument's role, in the form of
    `--args`. how: how the roles were found. launch: the source of grid and block. refusal: why it could not be checked.
    notes: for the reader. compared: its counts beside the catalogue's. gpu: the GPU's results, if it ran there.
    pending: for a refusal that is no verdict on the kernel, such as NOT_EMULATED.
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
        """Return whether it was checked and every problem that it promises is right."""
        ran = [case for case in self.cases if case.status != REFUSED]
        return not self.refusal and bool(ran) and all(case.status == RIGHT for case in ran)

    def is_well(self, *, strict: bool = False) -> bool:
        """Return whether it is right (on a GPU, too, if it ran there) and has no errors (strict: and no notes)."""
        bad = [f for f in self.findings if f.severity == "error" or strict]
        return self.is_right and not bad and (self.gpu is None or self.gpu.is_right)

    def _repr_html_(self) -> str:
        """Return the result as HTML."""
        from .result_html import html_of

        return html_of(self)


def with_refused_as_notes(results: Sequence[CheckResult]) -> list[CheckResult]:
    """Return a file's results: those that are refused are notes of the first that is not, if there is one."""
    others = [result for result in results if result.refusal]
    if len(others) == len(results):
        return others
    first, *rest = (result for result in results if not result.refusal)
    left_out = tuple(f"{other.kernel} was not checked: {other.refusal}" for other in others)
    return [replace(first, notes=(*first.notes, *left_out)), *rest]
