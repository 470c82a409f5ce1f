"""What a report holds, as data."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.call.reference import Verdict
from tilewright.choose import DeviceFacts, Occupancy, Plan, Problem, Roofline
from tilewright.kept.whole_files import write_whole
from tilewright.lab.sweep import Sweep
from tilewright.lab.sweep.model import ModelledTime
from tilewright.launch.plan_run import PlanRun

Array = NDArray[Any]
FRAME_HEIGHT_PX = 900


@dataclass(frozen=True)
class Given:
    """A multiplication to report on.

    a, b: C-contiguous, of the problem's shapes and type. description: their source; notes: sentences on conversions.
    """

    problem: Problem
    a: Array
    b: Array
    description: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """C and its errors against the float64 reference.

    rows_checked: rows of C that were compared, spread evenly. closeness: |error| / bound of each element compared, in
    ascending order; empty where the inputs are not finite. largest_error: absolute. run: how C was computed.
    """

    run: PlanRun
    verdict: Verdict
    rows_checked: int
    closeness: Array
    largest_error: float

    @property
    def c(self) -> Array:
        """C, of the problem's shape."""
        return self.run.c

    @property
    def rows(self) -> int:
        """The rows of C; 1 for a scalar."""
        return 1 if self.c.ndim == 0 else int(self.c.shape[0])

    @property
    def is_its_own_reference(self) -> bool:
        """Whether C was computed as the reference is: by NumPy, in float64."""
        return self.c.dtype == numpy.float64 and self.run.plan.machine == "host"


@dataclass(frozen=True)
class KernelReport:
    """A kernel on this multiplication.

    run, verdict: on the emulator, of the counted problem; None where it was refused, and note says why. on_gpu: the
    whole problem on the GPU at hand, if there is one. occupancy, registers_from, modelled: on the chip of the report.
    """

    name: str
    plan: Plan | None
    run: PlanRun | None = None
    verdict: Verdict | None = None
    note: str = ""
    occupancy: Occupancy | None = None
    registers_from: str = ""
    roofline: Roofline | None = None
    modelled: ModelledTime | None = None
    on_gpu: PlanRun | None = None
    verdict_on_gpu: Verdict | None = None

    @property
    def tile(self) -> int | None:
        """The tile, None for a kernel without one."""
        return None if self.plan is None else self.plan.side

    @property
    def tile_text(self) -> str:
        """The tile in a table."""
        return "-" if self.tile is None else str(self.tile)


@dataclass(frozen=True, repr=False)
class Report:
    """A report on one multiplication.

    counted: the problem that kernels executed on the emulator; the first rows and columns of a large one. swept: the
    problem of the sweep and of modelled times. trace: the document of a small block's recording (docs/trace.md);
    shows_own: whether it is of A's and B's own numbers. gpu: the GPU that timed, None without.
    """

    given: Given
    answer: Answer
    counted: Problem
    kernels: tuple[KernelReport, ...]
    chip: DeviceFacts
    swept: Problem
    sweep: Sweep
    trace: dict[str, Any]
    shows_own: bool
    gpu: str | None

    def page(self, *, made_by: str = "tilewright.report", made_on: str = "") -> str:
        """Return the page as one HTML document. made_by: the command or the function; made_on: a date.

        Raises:
            PlotError: Matplotlib is not installed.
        """
        from tilewright.lab.report.page import page_of

        return page_of(self, made_by=made_by, made_on=made_on)

    def save(self, path: str | Path) -> Path:
        """Write the page. Raises PlotError, and OSError where the file cannot be written."""
        path = Path(path)
        page = self.page().encode()
        write_whole(path, lambda file: file.write(page))
        return path

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, as notebooks show it."""
        style = f"width:100%;height:{FRAME_HEIGHT_PX}px;border:0;resize:vertical;overflow:auto"
        return (
            f'<iframe title="{escape(str(self))}" sandbox="allow-scripts" loading="lazy" style="{style}" '
            f'srcdoc="{escape(self.page())}"></iframe>'
        )

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        """Return the answer in a sentence."""
        verdict = self.answer.verdict
        word = "right" if self.passed else "wrong"
        return f"{self.problem}: {word}, error {verdict.error:.2g}, bound {verdict.bound:.2g} ({verdict.rule})."

    @property
    def passed(self) -> bool:
        """Whether the answer and every kernel's result are right."""
        kernels = [verdict for each in self.kernels for verdict in (each.verdict, each.verdict_on_gpu) if verdict]
        return all(verdict.passed for verdict in (self.answer.verdict, *kernels))

    @property
    def problem(self) -> Problem:
        """The whole multiplication."""
        return self.given.problem
