"""Gathers a report: multiplies, runs each kernel, models, sweeps, and records a small block."""

from __future__ import annotations

import time
from collections.abc import Callable

from tilewright.choose import DeviceFacts, PlanError, Problem, find_chip
from tilewright.kernels import find_taught, taught_kernels_of
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.report import bounds
from tilewright.lab.report.checking import answer_of
from tilewright.lab.report.contents import Given, KernelReport, Report
from tilewright.lab.report.kernel import kernel_report
from tilewright.lab.sweep import Sweep, sweep
from tilewright.lab.sweep.model import check_chip
from tilewright.lab.trace.catalogue_subject import catalogue_subject
from tilewright.lab.trace.document import document_of
from tilewright.lab.trace.record import record
from tilewright.lab.trace.subject import Subject, with_operands
from tilewright.launch import facts_of, kernel_machine

DEFAULT_CHIP = "h200"
Doing = Callable[[str, int, int], None]


def gather(given: Given, *, chip: str = DEFAULT_CHIP, device: str = "auto", doing: Doing | None = None) -> Report:
    """Find out everything about a multiplication.

    Args:
        given: A, B and where they are from; sizes of 1 or more.
        chip: what occupancy, roofline, sweep and modelled times are of.
        device: "auto" to time the kernels on a GPU where there is one, "gpu" to insist, "emulator" to leave it alone.
        doing: told what begins, and which part of how many it is.

    Raises:
        UnknownChipError, PlanError: no such chip, no model of it, or sizes that no kernel takes.
        CompileError, CompilerMissingError, DeviceUnavailableError: kernels cannot be compiled, or there is no GPU.
    """
    begin = time.perf_counter()
    problem, facts = given.problem, find_chip(chip)
    _refuse(problem, device)
    check_chip(facts, problem.dtype)
    gpu = _gpu(device)
    kernels = [kernel for kernel in taught_kernels_of(problem.operation) if "emulator" in kernel.runs_on]
    steps = _Steps(len(kernels) + 3, doing)
    steps.next("multiplying and checking")
    answer = answer_of(given)
    counted, swept = bounds.counted(problem), bounds.swept(problem)
    small = bounds.part_of(counted, given.a, given.b)
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
        seconds=time.perf_counter() - begin,
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
    small = bounds.shown(given.problem)
    sizes, tile = Sizes(small.m, small.k, small.n), bounds.SHOWN_TILES[small.operation]
    subject = catalogue_subject(find_taught(small.operation, "tiled"), sizes, tile, small.dtype)
    a, b = bounds.part_of(small, given.a, given.b)
    if not all(bounds.are_short(array) for array in (a, b)):
        return subject, False
    return with_operands(subject, a, b), True
