"""Every kernel of an operation on the same matrices: planned, run, checked and counted, as data and as a table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.call.arguments import check_device
from tilewright.call.reference import Verdict, as_tf32, check, check_seed_004
from tilewright.choose import Plan, PlanError, notebook
from tilewright.choose.quantities import duration, extent, magnitude, three_digits
from tilewright.lab.check.element_types import numbers
from tilewright.launch import OutOfMemoryError, Progress, facts_of, kernel_machine
from tilewright.launch.plan_run import PlanRun, run_plan

from .inputs import Inputs, in_type, inputs_of
from .planning import candidates, check_names, known_names, plan_rows, refusal
from .record import EMPTY, FAIL, NOT_RUN, PASS, PLANNED, Row, record

Announce = Callable[[str], AbstractContextManager[Progress | None]]

TIMING_SECONDS = {"gpu": 0.5, "host": 0.2, "emulator": 0.0}
"""Kernels that are short enough are timed several times within this; the emulator counts, so once is enough."""
BITS_16 = 2
"""Bytes of an element."""
Array = NDArray[Any]
COLUMNS = (
    "kernel",
    "tile",
    "grid",
    "block",
    "kernel time",
    "GFLOP/s",
    "global loads",
    "load requests",
    "error",
    "bound",
    "result",
)


def run_rows(inputs: Inputs, rows: Sequence[Row], announce: Announce, keep: Callable[[Array], None]) -> list[Row]:
    """Run the planned rows one after another; the others stay as they are.

    announce: shows the current step, and yields where to report progress. keep: receives every C that is right; rows
    drop theirs to save memory.
    """
    if not any(row.status == PLANNED for row in rows):
        return list(rows)
    with announce("making A and B"):
        a, b = inputs.make()
    finished = []
    for planned in rows:
        row = _run(inputs, planned, (a, b), announce) if planned.status == PLANNED else planned
        if row.run is not None:
            if row.status == PASS:
                keep(row.run.c)
            row = replace(row, run=replace(row.run, c=numpy.empty(0)))
        finished.append(row)
    return finished


def _run(inputs: Inputs, row: Row, matrices: tuple[Array, Array], announce: Announce) -> Row:
    plan = row.plan
    assert plan is not None
    try:
        with numpy.errstate(all="ignore"), announce(f"{plan.kernel.name} on the {plan.machine}") as progress:
            run = run_plan(plan, *matrices, timing_seconds=TIMING_SECONDS[plan.machine], poison=True, progress=progress)
    except RuntimeError as error:
        if _is_too_large(error):
            return replace(row, status=NOT_RUN, note=str(error))
        if _is_fault(error):
            return replace(row, status=FAIL, note=str(error))
        raise
    with announce(f"checking {plan.kernel.name}"):
        verdict = _verdict(inputs, plan, matrices, run)
    return replace(row, status=PASS if verdict.passed else FAIL, run=run, verdict=verdict, note=verdict.note)


def _verdict(inputs: Inputs, plan: Plan, matrices: tuple[Array, Array], run: PlanRun) -> Verdict:
    problem = inputs.problem
    if inputs.source == "seed004" and problem.dtype == "float64":
        return check_seed_004(problem.operation, run.c, problem.k)
    a, b = map(numbers, matrices)
    on_tensor_cores = any("mma" in family for family in plan.kernel.families)
    multiplied_out = plan.kernel.idea == "naive_4p"
    if plan.problem.precision == "tf32":
        a, b = as_tf32(a), as_tf32(b)
    if problem.operation == "reduced_matmul" and matrices[0].dtype.itemsize == BITS_16:
        sums = sum_of_pairs(a[0::2], a[1::2], problem.dtype), sum_of_pairs(b[:, 0::2], b[:, 1::2], problem.dtype)
        verdict = check("matmul", *sums, run.c, tensor_cores=True)
        return replace(verdict, rule=f"{verdict.rule}, A and B being the pairs' sums rounded to {problem.dtype}")
    verdict = check(problem.operation, a, b, run.c, multiplied_out=multiplied_out, tensor_cores=on_tensor_cores)
    return replace(verdict, rule=f"{verdict.rule} in tf32") if plan.problem.precision == "tf32" else verdict


def sum_of_pairs(x: Array, y: Array, dtype: str) -> Array:
    """The sums of 16-bit numbers as kernels make them: added in float32, and rounded once to their type."""
    with numpy.errstate(all="ignore"):
        return numbers(in_type(x.astype(numpy.float32) + y.astype(numpy.float32), dtype))


def _is_fault(error: RuntimeError) -> bool:
    emulate = sys.modules.get("tilewright.emulate")  # what was not imported did not raise
    return emulate is not None and isinstance(error, emulate.EmulationError)


def _is_too_large(error: RuntimeError) -> bool:
    if isinstance(error, OutOfMemoryError):
        return True
    return _is_fault(error) and isinstance(error, sys.modules["tilewright.emulate"].BudgetExceeded)


@dataclass(frozen=True, repr=False)
class Comparison:
    """The results of all kernels.

    device: "gpu", "emulator" or "host": where the kernels ran, except those that always run on the host. c: the result
    of the first kernel that is right, or None. notes: sentences.
    """

    inputs: Inputs
    rows: tuple[Row, ...]
    device: str
    device_name: str
    c: Array | None
    notes: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        """Whether some kernel ran, and every one that ran is right."""
        ran = [row for row in self.rows if row.can]
        return bool(ran) and all(row.status == PASS for row in ran)

    @property
    def title(self) -> str:
        """The problem and where A and B come from."""
        return f"{self.inputs.problem}, {self.inputs.description}"

    def as_dict(self) -> dict[str, Any]:
        """Everything raw, as `tilewright compare --json` writes it."""
        return record(self.device, [(self.inputs, self.rows)])

    def __str__(self) -> str:
        """Return the table in plain text, then the notes."""
        lines = [COLUMNS, *(_cells(row) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = ["  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)) for line in lines]
        return "\n".join([self.title, *(line.rstrip() for line in text), *self.notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the table and the notes, as notebooks show them."""
        rows = [_cells(row) for row in self.rows]
        shown = notebook.table(COLUMNS, rows, caption=self.title, words=(0, 2, 3, len(COLUMNS) - 1))
        return notebook.together(shown, notebook.sentences(self.notes))


def compare(
    a: object = None,
    b: object = None,
    *,
    operation: str | None = None,
    size: tuple[int, int, int] | None = None,
    kernels: str | Sequence[str] = (),
    tiles: int | Sequence[int] = (),
    dtype: str | None = None,
    device: str = "auto",
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Comparison:
    """Multiply the same A and B with every kernel; check each against float64, time it and count its accesses.

    Args:
        a: A (m, k), or (k,) for dot: a NumPy array, nested lists, or the path of a file; None for random matrices.
        b: B (k, n), or (k,) for dot, likewise.
        operation: "matmul", "reduced_matmul" or "dot"; None for dot of two vectors and matmul of all else.
        size: m, n and k of random matrices.
        kernels: an idea such as "tiled", or a name, or several; none for all.
        tiles: one or several, in place of each kernel's default.
        dtype: "float32", "float64", "float16" or "bfloat16"; None for the type of A and B. Sums of 16-bit numbers are
            compared as float32.
        device: "auto" (the GPU, or the emulator where there is none), "gpu", "emulator" or "host".
        seed: of random matrices.
        progress: told what is going on, in a few words.

    Raises:
        ShapeError, DtypeError, FileError: A and B cannot be multiplied.
        PlanError: nothing that was asked for can run; a sentence that says why.
        UnknownKernelError: there is no such kernel.
        DeviceUnavailableError, MachineError, CompileError, CompilerMissingError: the device cannot be used.
    """
    tiles = [tiles] if isinstance(tiles, int) else tiles
    inputs = inputs_of("compare", a, b, operation, size, dtype, seed)
    problem = inputs.problem
    names = known_names([kernels] if isinstance(kernels, str) else kernels, problem.dtype)
    check_names(names, problem.operation, problem.dtype)
    machine, unused_gpu = kernel_machine() if check_device(device) == "auto" else (device, None)
    rows = plan_rows(inputs, candidates(problem, names, tiles, machine))
    _refuse(rows, names, tiles)
    results: list[Array] = []
    rows = run_rows(inputs, rows, _announcing(progress), lambda c: results.append(c) if not results else None)
    _refuse(rows, names, tiles)  # what only running could tell, as a lack of memory
    used = machine if any(row.run is not None and row.candidate.machine == machine for row in rows) else "host"
    about = [*notes_of(inputs, rows), *legend(used, facts_of(used).name), *([unused_gpu] if unused_gpu else [])]
    return Comparison(inputs, tuple(rows), used, facts_of(used).name, results[0] if results else None, tuple(about))


def _announcing(progress: Callable[[str], None] | None) -> Any:
    @contextmanager
    def announce(what: str) -> Iterator[Progress | None]:
        if progress is not None:
            progress(what)
        yield None

    return announce


def _refuse(rows: Sequence[Row], names: Sequence[str], tiles: Sequence[int]) -> None:
    why = refusal(rows, names, tiles)
    if why is not None:
        raise PlanError(why)


def _cells(row: Row) -> tuple[str, ...]:
    plan, run, verdict = row.plan, row.run, row.verdict
    kernel, tile = row.candidate.idea, "-" if row.tile is None else str(row.tile)
    if plan is None or run is None or verdict is None:
        return (kernel, tile, *["-"] * (len(COLUMNS) - 3), row.status)
    on_host = plan.machine == "host"
    return (
        kernel,
        tile,
        "host" if on_host else extent(plan.grid),
        "-" if on_host else extent(plan.block),
        duration(run.kernel_seconds),
        three_digits(row.gflops),
        "-" if run.counts is None else f"{run.counts.global_loads:,}",
        "-" if run.counts is None else f"{run.counts.global_load_requests:,}",
        magnitude(verdict.error),
        magnitude(verdict.bound),
        row.status,
    )


def notes_of(inputs: Inputs, rows: Sequence[Row]) -> list[str]:
    """The notes below a table."""
    verdicts = [row.verdict for row in rows if row.verdict is not None]
    notes = list(inputs.notes)
    notes += dict.fromkeys(f"bound: {verdict.rule}" for verdict in verdicts)
    notes += dict.fromkeys(f"{verdict.note[0].upper()}{verdict.note[1:]}." for verdict in verdicts if verdict.note)
    notes += dict.fromkeys(
        row.note if row.status == EMPTY else f"{row.status}: {row.note}"
        for row in rows
        if row.note and row.verdict is None
    )
    return notes


def legend(device: str, device_name: str) -> list[str]:
    """What the numbers mean, in sentences."""
    where = {
        "host": "Everything ran on the host, whose times are the wall clock's.",
        "emulator": "Kernels ran as compiled PTX on the emulator: loads and requests are counted by execution, exactly;"
        " times are the emulator's on this processor, not a GPU's.",
        "gpu": f"Kernels ran on {device_name}, timed between CUDA events; nothing counts loads there "
        "(--device emulator does).",
    }
    return [
        where[device],
        "error and bound belong to the element that comes nearest its bound, against a float64 reference.",
    ]
