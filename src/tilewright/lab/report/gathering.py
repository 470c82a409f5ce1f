"""Gathers a report: multiplies, runs each kernel, models, sweeps, and records a small block."""

from __future__ import annotations

from collections.abc import Callable

import numpy

from tilewright.choose import EMULATOR_FACTS, DeviceFacts, PlanError, Problem, choose_plan, find_chip
from tilewright.choose import roofline as roofline_of
from tilewright.kernels import TaughtKernel, find_taught, taught_kernels_of
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.compiled_occupancy import compiled_occupancy
from tilewright.lab.report import checking
from tilewright.lab.report.checking import answer_of, verdict_of
from tilewright.lab.report.contents import Array, Given, KernelReport, Report
from tilewright.lab.sweep import Sweep, sweep
from tilewright.lab.sweep.counting import count_launch
from tilewright.lab.sweep.model import ModelledTime, check_chip, modelled_time
from tilewright.lab.sweep.run import work_of
from tilewright.lab.trace.catalogue_subject import catalogue_subject
from tilewright.lab.trace.document import document_of
from tilewright.lab.trace.record import record
from tilewright.lab.trace.subject import Subject, with_operands
from tilewright.launch import facts_of, kernel_machine
from tilewright.launch.plan_run import PlanRun, run_plan

GPU_SECONDS = 0.5
DEFAULT_CHIP = "h200"
Doing = Callable[[str, int, int], None]


def kernel_report(
    kernel: TaughtKernel,
    given: Given,
    counted: tuple[Problem, Array, Array],
    swept: Problem,
    chip: DeviceFacts,
    gpu: DeviceFacts | None,
) -> KernelReport:
    """PlanRun a kernel on the emulator and, if there is one, on the GPU; ask the models about it.

    counted: a problem of moderate size with its A and B; swept: the one that the model is asked about.
    """
    problem, a, b = counted
    try:
        plan = choose_plan(problem, EMULATOR_FACTS, kernel.name)
    except PlanError as error:
        return KernelReport(kernel.name, None, note=str(error))
    with numpy.errstate(all="ignore"):
        run = run_plan(plan, a, b, poison=True)
    occupancy, registers_from = compiled_occupancy(kernel, chip, tile=plan.side, dtype=problem.dtype)
    on_gpu = None if gpu is None else _on_gpu(kernel, given, gpu)
    return KernelReport(
        name=kernel.name,
        plan=plan,
        run=run,
        verdict=verdict_of(problem, kernel, a, b, run.c),
        occupancy=occupancy,
        registers_from=registers_from,
        roofline=roofline_of(kernel, chip, tile=plan.side, dtype=problem.dtype, size=given.problem.sizes),
        modelled=_modelled(kernel, swept, chip, occupancy.blocks_per_sm),
        on_gpu=on_gpu,
        verdict_on_gpu=None if on_gpu is None else verdict_of(given.problem, kernel, given.a, given.b, on_gpu.c),
    )


def _modelled(
    kernel: TaughtKernel, problem: Problem, chip: DeviceFacts, blocks_per_sm: int | None
) -> ModelledTime | None:
    """What the kernel would take on the chip; None where no block fits, or where it does not take these sizes."""
    if not blocks_per_sm:
        return None
    try:
        plan = choose_plan(problem, EMULATOR_FACTS, kernel.name)
    except PlanError:
        return None
    return modelled_time(work_of(plan, count_launch(plan), blocks_per_sm), chip, problem.dtype)


def _on_gpu(kernel: TaughtKernel, given: Given, gpu: DeviceFacts) -> PlanRun | None:
    try:
        plan = choose_plan(given.problem, gpu, kernel.name)
    except PlanError:
        return None
    return run_plan(plan, given.a, given.b, timing_seconds=GPU_SECONDS, poison=True)


def gather(given: Given, *, chip: str = DEFAULT_CHIP, device: str = "auto", doing: Doing | None = None) -> Report:
    """Gather a report on a multiplication.

    Args:
        given: A, B and where they are from; sizes of 1 or more.
        chip: what occupancy, roofline, sweep and modelled times are of.
        device: "auto" to time the kernels on a GPU where there is one, "gpu" to insist, "emulator" to leave it alone.
        doing: called with the name of each part, its number and the number of parts.

    Raises:
        UnknownChipError, PlanError: no such chip, no model of it, or sizes that no kernel takes.
        CompileError, CompilerMissingError, DeviceUnavailableError: kernels cannot be compiled, or there is no GPU.
    """
    problem, facts = given.problem, find_chip(chip)
    _refuse(problem, device)
    check_chip(facts, problem.dtype)
    gpu = _gpu(device)
    kernels = [kernel for kernel in taught_kernels_of(problem.operation) if "emulator" in kernel.runs_on]
    steps = _Steps(len(kernels) + 3, doing)
    steps.next("multiplying and checking")
    answer = answer_of(given)
    counted, swept = checking.counted(problem), checking.swept(problem)
    small = checking.part_of(counted, given.a, given.b)
    reports: list[KernelReport] = []
    for kernel in kernels:
        steps.next(f"running {kernel.name} on the emulator")
        reports.append(kernel_report(kernel, given, (counted, *small), swept, facts, gpu))
    steps.next("sweeping the tiles")
    found = _sweep(swept, facts)
    steps.next("recording a small block")
    subject, shows_own = _subject(given)
    trace = document_of(record(subject))
    return Report(
        given=given,
        answer=answer,
        counted=counted,
        kernels=tuple(reports),
        chip=facts,
        swept=swept,
        sweep=found,
        trace=trace,
        shows_own=shows_own,
        gpu=None if gpu is None else gpu.name,
    )


class _Steps:
    def __init__(self, count: int, doing: Doing | None) -> None:
        self._count, self._doing, self._at = count, doing, 0

    def next(self, what: str) -> None:
        if self._doing is not None:
            self._doing(what, self._at, self._count)
        self._at += 1


def _refuse(problem: Problem, device: str) -> None:
    if device not in ("auto", "emulator", "gpu"):
        raise PlanError(f"A report's kernels run on the emulator, and on the gpu as well, not on {device!r}.")
    refusal = problem.size_refusal
    if refusal:
        raise PlanError(refusal)
    if min(problem.sizes) < 1:
        m, n, k = problem.sizes
        raise PlanError(f"A report is of sizes of 1 or more, not m = {m}, n = {n}, k = {k}.")


def _gpu(device: str) -> DeviceFacts | None:
    machine = kernel_machine()[0] if device == "auto" else device
    return facts_of("gpu") if machine == "gpu" else None


def _sweep(problem: Problem, chip: DeviceFacts) -> Sweep:
    return sweep(find_taught(problem.operation, "tiled"), size=problem.sizes, dtype=problem.dtype, chip=chip)


def _subject(given: Given) -> tuple[Subject, bool]:
    """The tiled kernel on the first elements of A and B, and whether these are its numbers: long ones fit no cell."""
    small = checking.shown(given.problem)
    sizes, tile = Sizes(small.m, small.k, small.n), checking.SHOWN_TILES[small.operation]
    subject = catalogue_subject(find_taught(small.operation, "tiled"), sizes, tile, small.dtype)
    a, b = checking.part_of(small, given.a, given.b)
    if not all(checking.are_short(array) for array in (a, b)):
        return subject, False
    return with_operands(subject, a, b), True
