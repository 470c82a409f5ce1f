"""Running the rows that were planned, each checked against the reference."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.call.reference import Verdict, check, check_seed_004
from tilewright.choose import Plan
from tilewright.lab.check.element_types import numbers
from tilewright.launch import OutOfMemoryError, Progress
from tilewright.launch.plan_run import PlanRun, run_plan

from .inputs import Inputs
from .record import FAIL, NOT_RUN, PASS, PLANNED, Row

Array = NDArray[Any]
Announce = Callable[[str], AbstractContextManager[Progress | None]]

TIMING_SECONDS = {"gpu": 0.5, "host": 0.2, "emulator": 0.0}
"""Kernels that are short enough are timed several times within this; the emulator counts, so once is enough."""


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
    return check(problem.operation, a, b, run.c, multiplied_out=multiplied_out, tensor_cores=on_tensor_cores)


def _is_fault(error: RuntimeError) -> bool:
    emulate = sys.modules.get("tilewright.emulate")  # what was not imported did not raise
    return emulate is not None and isinstance(error, emulate.EmulationError)


def _is_too_large(error: RuntimeError) -> bool:
    if isinstance(error, OutOfMemoryError):
        return True
    return _is_fault(error) and isinstance(error, sys.modules["tilewright.emulate"].BudgetExceeded)
