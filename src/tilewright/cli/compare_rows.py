"""Running the kernels that `compare` compares: a row per kernel and tile, each checked against the reference."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.call.pipeline import Run, facts_of, run_plan
from tilewright.call.reference import Verdict, check, check_seed_004
from tilewright.choose import Plan, PlanError, choose_plan
from tilewright.kernels import find, kernels_of
from tilewright.launch import DeviceUnavailableError

from .inputs import Inputs
from .progress import Bar
from .refusals import Refusal

Array = NDArray[Any]

TIMING_SECONDS = {"gpu": 0.5, "host": 0.2, "emulator": 0.0}
"""Kernels that are short enough are timed several times within this; the emulator counts, so once is enough."""

PASS, FAIL, REFUSED, NOT_RUN = "PASS", "FAIL", "refused", "not run"


@dataclass(frozen=True)
class Candidate:
    """A kernel to run: idea and tile (None: its default), the machine, and whether the user named it."""

    idea: str
    tile: int | None
    machine: str
    named: bool


@dataclass(frozen=True)
class Row:
    """What became of a candidate. status: PASS, FAIL, REFUSED or NOT_RUN; note: why, in a sentence, or ""."""

    operation: str
    candidate: Candidate
    status: str
    plan: Plan | None = None
    run: Run | None = None
    verdict: Verdict | None = None
    note: str = ""

    @property
    def tile(self) -> int | None:
        """The tile that ran or would have run; None for a kernel without one."""
        if self.plan is not None or self.candidate.machine == "host":
            return None if self.plan is None else self.plan.tile
        rule = find(self.operation, self.candidate.idea).tile
        return self.candidate.tile or (None if rule is None else rule.default)

    @property
    def gflops(self) -> float | None:
        """The operation's floating-point operations per second of kernel time, in 10^9; None if nothing ran."""
        if self.run is None or self.plan is None or self.run.kernel_seconds <= 0:
            return None
        return self.plan.problem.flops / self.run.kernel_seconds / 1e9


def candidates(operation: str, names: Sequence[str], tiles: Sequence[int], device: str) -> list[Candidate]:
    """What to run for an operation, in the catalogue's order, NumPy last.

    names: ideas or operation/idea; none means every kernel. Names of other operations are passed over.
    device: "gpu", "emulator" or "host"; sequential and NumPy run on the host whatever it is.
    """
    ideas = [kernel.idea for kernel in kernels_of(operation)] + ["numpy"]
    if names:
        asked = [name.rpartition("/") for name in names]
        wanted = [idea for prefix, _, idea in asked if prefix in ("", operation)]
        ideas = [idea for idea in ideas if idea in wanted]
    elif device == "host":
        ideas = [idea for idea in ideas if idea == "numpy" or "host" in find(operation, idea).runs_on]
    return [candidate for idea in ideas for candidate in _tiled(operation, idea, tiles, device, named=bool(names))]


def _tiled(operation: str, idea: str, tiles: Sequence[int], device: str, *, named: bool) -> Iterator[Candidate]:
    if idea == "numpy" or "host" in find(operation, idea).runs_on:
        yield Candidate(idea, None, "host", named)
        return
    takes_tile = find(operation, idea).tile is not None
    for tile in tiles if takes_tile and tiles else (None,):
        yield Candidate(idea, tile, device, named)


def run_rows(inputs: Inputs, chosen: Sequence[Candidate], bar: Bar, keep: Callable[[Array], None]) -> list[Row]:
    """Run the candidates one after another. `keep` gets every C that is right; rows go without, to spare memory.

    Raises:
        Refusal: a kernel that the user named cannot run, or none of the device's kernels can.
    """
    rows = []
    for candidate in chosen:
        row = _run(inputs, candidate, bar)
        if row.run is not None:
            if row.status == PASS:
                keep(row.run.c)
            row = replace(row, run=replace(row.run, c=numpy.empty(0)))
        rows.append(row)
    on_device = [row for row in rows if row.candidate.machine != "host"]
    if on_device and all(row.run is None and row.status != FAIL for row in on_device):
        raise Refusal(on_device[-1].note)
    return rows


def _run(inputs: Inputs, candidate: Candidate, bar: Bar) -> Row:
    problem = inputs.problem
    try:
        plan = choose_plan(problem, facts_of(candidate.machine), candidate.idea, candidate.tile)
    except PlanError as error:
        if candidate.named:
            raise
        return Row(problem.operation, candidate, NOT_RUN if candidate.machine == "host" else REFUSED, note=str(error))
    try:
        with numpy.errstate(all="ignore"), bar.running(f"{plan.kernel.name} on the {plan.machine}") as progress:
            run = run_plan(
                plan,
                inputs.a,
                inputs.b,
                timing_seconds=TIMING_SECONDS[plan.machine],
                poison=True,
                progress=progress,
            )
    except DeviceUnavailableError as error:
        if candidate.machine != "host" or candidate.named:
            raise
        return Row(problem.operation, candidate, NOT_RUN, plan, note=str(error))
    except RuntimeError as error:
        if not _is_fault(error) or (_is_too_large(error) and candidate.named):
            raise
        return Row(problem.operation, candidate, NOT_RUN if _is_too_large(error) else FAIL, plan, note=str(error))
    with bar.running(f"checking {plan.kernel.name}"):
        verdict = _verdict(inputs, plan, run)
    return Row(problem.operation, candidate, PASS if verdict.passed else FAIL, plan, run, verdict, verdict.note)


def _verdict(inputs: Inputs, plan: Plan, run: Run) -> Verdict:
    problem = inputs.problem
    if inputs.source == "seed004" and problem.dtype == "float64":
        return check_seed_004(problem.operation, run.c, problem.k)
    return check(problem.operation, inputs.a, inputs.b, run.c, multiplied_out=plan.kernel.idea == "naive_4p")


def _is_fault(error: RuntimeError) -> bool:
    emulate = sys.modules.get("tilewright.emulate")  # what was not imported did not raise
    return emulate is not None and isinstance(error, emulate.EmulationError)


def _is_too_large(error: RuntimeError) -> bool:
    return _is_fault(error) and isinstance(error, sys.modules["tilewright.emulate"].BudgetExceeded)
