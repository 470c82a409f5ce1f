"""What a file's own `main` shows of its kernels: it is run step by step, and its launches on the emulator.

It shows mistakes that no single launch has: bytes that are too few, arrays that are exchanged, sums that nothing
clears, a result that differs from the reference that the program computes itself. A kernel that no operation explains
is right if the program compares its results with a reference of its own, and all are equal at all sizes that were run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.kernel_file import OpenedFile
from tilewright.lab.check.options import Options
from tilewright.lab.check.program.program import Ran
from tilewright.lab.check.program.trying import Compared, Tried, compared, runs_of
from tilewright.lab.check.report.result import CaseResult, CheckResult
from tilewright.lab.check.run.watching import ERROR
from tilewright.lab.check.statuses import NOT_EMULATED, RIGHT, WRONG
from tilewright.lab.source import SourceError, read_cuda_file
from tilewright.lab.source.macros import code_only

from .cause_in_program import cause_in_program
from .causes import with_cause

SECONDS_IF_RIGHT, SECONDS = 2.5, 16.0
"""Of the processor, for a file whose kernels are right alone, and for one that is asked about."""
_FILLS = re.compile(r"HostToDevice|cudaMallocManaged|cudaMemcpyDefault|\A(?!.*\bcudaMalloc).*ToSymbol", re.DOTALL)
_TAKES = re.compile(r"DeviceToHost|cudaMallocManaged|cudaMemcpyDefault|FromSymbol")
"""A program that gives the device nothing, or takes nothing back, only shows how a kernel is launched. What goes to a
symbol is an input only where no memory is allocated: beside arrays it may be a kernel's constants."""
LEAST_COMPARED, MANY_COMPARED = 1, 50
UNWRITTEN = -1
"""A whole number of the device that nothing has written: all of its bits are set."""
OF_PROGRAM = "wrong result of the program"


def with_own_program(results: Sequence[CheckResult], opened: OpenedFile, options: Options) -> list[CheckResult]:
    """Return a file's results with what its `main` shows; as they are if it shows nothing, or some kernel is wrong."""
    is_told = options.symbol or options.arguments or options.operation or options.block or options.grid
    is_wrong = any(not (each.refusal or each.is_well()) for each in results)
    is_pending = any(each.pending == NOT_EMULATED for each in results)
    code = code_only(opened.file.text)
    is_program = all(each.search(code) for each in (re.compile(r"\bmain\s*\("), _FILLS, _TAKES))
    if is_told or is_wrong or is_pending or options.defines or not is_program:
        return list(results)
    are_asked = all(each.refusal for each in results)
    try:
        file = read_cuda_file(opened.file.path)  # structs that a kernel is given are whole there
    except SourceError:
        return list(results)
    tried: list[tuple[Tried, Compared]] = []
    for each in runs_of(file, SECONDS if are_asked else SECONDS_IF_RIGHT, is_quick=not are_asked):
        tried.append((each, compared(each.ran)))
        mistake = _mistake(each, tried[-1][1], file.name)
        if mistake is not None:
            cause = cause_in_program(opened, options, file, each) if mistake.kind == OF_PROGRAM else None
            return _with_mistake(results, each, with_cause([mistake], cause))
    return _as_right(results, tried) if are_asked else list(results)


def _mistake(tried: Tried, seen: Compared, file: str) -> Finding | None:
    """Return the first mistake of a run: what its launches and copies showed, or a result unlike the reference."""
    errors = [each for each in tried.ran.found if each.severity == ERROR]
    if errors:
        return replace(errors[0], message=f"{errors[0].message} So it is where `main` runs with {tried.said}.")
    if seen.wrong is None or not tried.ran.launches:
        return None
    result, reference, line = seen.wrong
    last = tried.ran.launches[-1]
    message = (
        f"Where `main` runs with {tried.said}, {seen.wrong_count} of the results that line {line} compares differ from "
        f"the program's own reference: {result:g} in place of {reference:g}."
    )
    advice = f"Follow one of these results from the launch of {last.kernel} back to what it is made of."
    is_unwritten = math.isnan(result) or result == UNWRITTEN  # and what no thread writes is the grid's
    at = (last.made, last.line) if is_unwritten else (last.line, line)
    other = (file, at[1] if at[0] != at[1] else line)
    return Finding(OF_PROGRAM, ERROR, (file, at[0]), message, advice, other=other)


def _with_mistake(results: Sequence[CheckResult], tried: Tried, findings: Sequence[Finding]) -> list[CheckResult]:
    """Return the results with a mistake at the kernel that has it, or that was launched last."""
    mistake = findings[-1]
    name = mistake.details.get("kernel") or tried.ran.launches[-1].kernel if tried.ran.launches else ""
    chosen = next((each for each in results if each.kernel == name), results[0])
    launch = next((each for each in reversed(tried.ran.launches) if each.kernel == chosen.kernel), None)
    grid, block = (_sides(launch.grid), _sides(launch.block)) if launch is not None else (None, None)
    case = CaseResult({}, WRONG, grid, block, mistake.message)
    if chosen.refusal:
        now = _judged_by_program(chosen, tried, (case,), tuple(findings))
    else:
        now = replace(chosen, cases=(*chosen.cases, case), findings=(*findings, *chosen.findings))
    return [now if each is chosen else each for each in results]


def _as_right(results: Sequence[CheckResult], tried: Sequence[tuple[Tried, Compared]]) -> list[CheckResult]:
    """Return kernels that are asked about as right, if the program's own reference says so at all sizes."""
    whole = [(each, seen) for each, seen in tried if _is_whole(each.ran, seen)]
    is_stopped = any(each.ran.stopped and each.ran.launches for each, seen in tried if not seen.count)
    if not whole or is_stopped:
        return list(results)
    launched = {launch.kernel for each, _ in whole for launch in each.ran.launches}
    if not launched.issuperset(each.kernel for each in results):
        return list(results)
    now = []
    for result in results:
        cases = []
        for each, _ in whole:
            launch = next(one for one in reversed(each.ran.launches) if one.kernel == result.kernel)
            cases.append(CaseResult({}, RIGHT, _sides(launch.grid), _sides(launch.block)))
        now.append(_judged_by_program(result, whole[0][0], tuple(cases), ()))
    return now


def _is_whole(ran: Ran, seen: Compared) -> bool:
    """Return whether a run came to its end, or was stopped for its time while it compared its last results."""
    return (ran.status == 0 and seen.count >= LEAST_COMPARED) or (ran.is_too_long and seen.count >= MANY_COMPARED)


def _judged_by_program(
    result: CheckResult, tried: Tried, cases: tuple[CaseResult, ...], findings: tuple[Finding, ...]
) -> CheckResult:
    note = (
        f"What {result.kernel} computes is not known: it was judged by the file's own `main`, which was run with "
        f"{tried.said}, and by the reference that it computes."
    )
    return replace(
        result,
        how="as the file's own main launches it",
        launch="the launches of main",
        cases=cases,
        findings=findings,
        notes=(*result.notes, note),
        refusal="",
        pending="",
    )


def _sides(sides: Sequence[int]) -> tuple[int, int, int]:
    x, y, z = sides
    return x, y, z
