"""Checks a kernel that is not a product: runs it once on the user's arrays, and compares the user's results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.emulate import BudgetExceeded
from tilewright.emulate.observers import Finding
from tilewright.lab.check.expressions import FormulaError, extent, whole
from tilewright.lab.check.find.kernel_file import KernelFile, OpenedFile, choose_kernels, open_file
from tilewright.lab.check.find.other_arguments import Bound, Reference, Scalar, bind, names_at_launch
from tilewright.lab.check.gpu.preparing import CodeFor, GpuFolder, gpu_problem
from tilewright.lab.check.gpu.problems import GpuProblem
from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.check.report.result import CaseResult, CheckResult
from tilewright.lab.check.run.endless import endless_finding
from tilewright.lab.check.run.execution import Geometry, Outcome, Pointer, Stand
from tilewright.lab.check.run.not_emulated import NotEmulatedError, pending_of
from tilewright.lab.check.run.textbook_races import excused
from tilewright.lab.check.run.tolerances import Nearness, nearness
from tilewright.lab.check.run.watching import (
    ERROR,
    correctness_observers,
    of_fault,
    of_output,
    said,
    together,
    traffic_observers,
)
from tilewright.lab.check.run.writers import StoreRecorder, Writer, last_writer, writing_line
from tilewright.lab.check.statuses import FAULT, RIGHT, WRONG
from tilewright.lab.source import CompileError, KernelSignature, SourceError, resolve_launch

from .subscript_check import run_instrumented

Array = NDArray[Any]
Progress = Callable[[int, int], None]

SPARE_INSTRUCTIONS = 10_000_000
INSTRUCTIONS_PER_ELEMENT = 100
"""The most warp instructions of a group of blocks, which take the emulator seconds: beyond it, a launch is endless."""


def check_other(
    path: str | Path,
    options: Options,
    *,
    arrays: Mapping[str, Array],
    scalars: Mapping[str, Scalar],
    expect: Mapping[str, Array] | None = None,
    reference: Reference | None = None,
    progress: Progress | None = None,
    for_gpu: GpuFolder | None = None,
) -> list[CheckResult]:
    """Check the kernel of a file whose parameters have the given names.

    arrays: the contents of pointers or `__constant__` variables before the launch, in their types. scalars: the other
    arguments; those that are numbers in the file's own launch may be omitted. expect: expected arrays by parameter.
    reference: a function of everything given, by name, that returns them (other_inputs.py). Pointers only in expect
    hold NaN before the launch, or 0 with `zero_output`. The launch is given by the options `block` and `grid`, as
    formulas of the scalars, else by the file.

    The result has one case. for_gpu: receives its launch. Raises CheckError, SourceError or CompileError if there is
    nothing to run.
    """
    opened = open_file(path)
    kernel = KernelFile(opened, choose_named(opened, options.symbol, [*arrays, *scalars]), options)
    bound = bind(kernel, arrays, scalars, expect, reference)
    geometry, launch = launch_of(kernel, bound.scalars)
    if progress:
        progress(0, 1)
    try:
        result = _checked(kernel, bound, geometry, launch)
    except (NotEmulatedError, CompileError) as error:
        if not pending_of(error):
            raise
        return [
            CheckResult(str(opened.file.path), kernel.signature.name, refusal=str(error), pending=pending_of(error))
        ]
    if for_gpu is not None:
        for_gpu.add(result, lambda architecture: [_gpu_problem(kernel, bound, geometry, architecture)])
    if progress:
        progress(1, 1)
    return [result]


def choose_named(opened: OpenedFile, symbol: str, given: list[str]) -> KernelSignature:
    """Return the kernel called `symbol`, else the only one whose parameters have the given names."""
    chosen = choose_kernels(opened, symbol)
    if len(chosen) > 1:
        chosen = [k for k in chosen if set(given) <= {p.name for p in k.parameters}] or chosen
    if len(chosen) > 1:
        names = ", ".join(kernel.name for kernel in chosen)
        raise CheckError(f"{opened.file.path} has the kernels {names}; --symbol says which one is checked.")
    return chosen[0]


def launch_of(kernel: KernelFile, scalars: Mapping[str, Scalar]) -> tuple[Geometry, str]:
    """Return the launch and its source, the options or the file; raise CheckError if neither has one."""
    options, name = kernel.options, kernel.signature.name
    values = kernel.known_numbers | {n: v for n, v in scalars.items() if isinstance(v, int)}
    if bool(options.block) != bool(options.grid):
        raise CheckError("--block and --grid go together.")
    try:
        if options.block:
            block, grid = extent(options.block, values, "block"), extent(options.grid, values, "grid")
            shared = whole(options.shared_bytes or "0", values)
            return Geometry(grid, block, shared), f'--block {options.block} --grid "{options.grid}"'
        if kernel.site is None:
            raise CheckError(f'{name} is launched nowhere in its file: give --block 256 --grid "ceil(n/256)".')
        found = resolve_launch(kernel.site, names_at_launch(kernel, scalars))
        if isinstance(found, str):
            raise CheckError(f"{found} Give --block and --grid.")
        shared = whole(options.shared_bytes, values) if options.shared_bytes else found.shared_bytes
    except FormulaError as error:
        raise CheckError(str(error)) from error
    return Geometry(found.grid, found.block, shared), kernel.site.said


def _checked(kernel: KernelFile, bound: Bound, geometry: Geometry, launch: str) -> CheckResult:
    stand = stand_of(kernel, bound)
    observers = correctness_observers() + traffic_observers()
    outcome = stand.run(bound.arguments, geometry, budget=budget_of_arrays(bound), observers=observers)
    outputs = () if kernel.options.zero_output else bound.outputs
    seen = excused((f for o in observers for f in o.findings), stand.module, stand.entry)
    findings = [of_output(finding, outputs) for finding in seen]
    if outcome.fault is not None:
        own = of_fault(outcome.fault, findings)
        if isinstance(outcome.fault, BudgetExceeded):
            own = endless_finding(
                outcome.fault, stand, kernel.opened.file.text, bound.arguments, geometry, budget_of_arrays(bound)
            )
        findings += [own] if own else []
        case = _case(bound, geometry, FAULT, said(outcome.fault))
    elif outcome.refusal:
        case = _case(bound, geometry, FAULT, f"{outcome.refusal}.")
    else:
        case, wrong = _judged(kernel, stand, bound, geometry, outcome)
        findings += wrong
    inner, inner_notes = _subscripts(kernel, bound, geometry)
    return CheckResult(
        str(kernel.opened.file.path),
        kernel.signature.name,
        arguments=",".join(p.name for p in kernel.signature.parameters),
        how="given by name",
        launch=launch,
        cases=(case,),
        findings=tuple(together([*findings, *inner])),
        notes=tuple(dict.fromkeys([*kernel.notes, *inner_notes, *_unjudged(bound, outcome)])),
    )


def _gpu_problem(kernel: KernelFile, bound: Bound, geometry: Geometry, architecture: str) -> GpuProblem:
    constants = _constants(kernel, bound)
    problem = gpu_problem(
        kernel,
        kernel.stand(constants),
        CodeFor(kernel, architecture).at(constants),
        sizes=_sizes(bound),
        operation="",
        arguments=bound.arguments,
        geometry=geometry,
    )
    return replace(problem, variables=bound.variables, expected=bound.expected)


def stand_of(kernel: KernelFile, bound: Bound) -> Stand:
    """Return the compiled kernel, with the given contents in its file's variables."""
    return _with_variables(kernel.stand(_constants(kernel, bound)), kernel, bound)


def _constants(kernel: KernelFile, bound: Bound) -> dict[str, int]:
    scalars = {name: value for name, value in bound.scalars.items() if isinstance(value, int)}
    try:
        return {name: whole(text, scalars) for name, text in kernel.size_constants.items()}
    except FormulaError as error:
        raise CheckError(str(error)) from error


def _with_variables(stand: Stand, kernel: KernelFile, bound: Bound) -> Stand:
    for name, array in bound.variables.items():
        variable = stand.module.variables.get(name)
        if variable is None:
            pointers = ", ".join(a.name for a in bound.arguments if isinstance(a, Pointer))
            raise CheckError(f"{name} is no pointer of {kernel.signature.name}, which has {pointers}, and no variable.")
        if array.nbytes > variable.nbytes:
            raise CheckError(f"The array for {name} has {array.nbytes:,} bytes, and the variable {variable.nbytes:,}.")
        stand.emulator.set_variable(stand.module, name, array)
    return stand


def _subscripts(kernel: KernelFile, bound: Bound, geometry: Geometry) -> tuple[list[Finding], list[str]]:
    """Return the findings of a second compile with a bounds check of each subscript against its own dimension."""
    try:
        stand, checks = kernel.instrumented(_constants(kernel, bound))
    except (CompileError, SourceError) as error:
        return [], [f"Subscripts were not checked against their own dimensions: {' '.join(str(error).split())}"]
    if not checks.sites:
        return [], []
    _with_variables(stand, kernel, bound)
    return run_instrumented(stand, checks, bound.arguments, geometry, budget=4 * budget_of_arrays(bound))


def budget_of_arrays(bound: Bound) -> int:
    """Return the warp instructions after which a launch counts as endless."""
    elements = sum(argument.array.size for argument in bound.arguments if isinstance(argument, Pointer))
    return SPARE_INSTRUCTIONS + INSTRUCTIONS_PER_ELEMENT * elements


@dataclass(frozen=True)
class _Wrong:
    """An array that is wrong."""

    name: str
    got: Array
    expected: Array
    near: Nearness


def _judged(
    kernel: KernelFile, stand: Stand, bound: Bound, geometry: Geometry, outcome: Outcome
) -> tuple[CaseResult, list[Finding]]:
    """Return the case, and a finding for each array that is wrong."""
    wrong, nearest = [], Nearness(numpy.ones(0, bool), 0.0, 0.0)
    for name, expected in bound.expected.items():
        got = outcome.arrays[name]
        near = nearness(got, expected.reshape(got.shape))
        if not near.passed:
            wrong.append(_Wrong(name, got, expected.reshape(got.shape), near))
        if near.share >= nearest.share:
            nearest = near
    counts = outcome.counts.as_dict() if outcome.counts else {}
    case = replace(_case(bound, geometry, RIGHT, ""), error=nearest.error, bound=nearest.bound, counts=counts)
    if not wrong:
        return case, []
    recorder = StoreRecorder()
    again = stand.run(bound.arguments, geometry, budget=budget_of_arrays(bound), observers=[recorder])
    findings = []
    for one in wrong:
        first = again.addresses[one.name]
        writer = last_writer(recorder, geometry, first + one.near.first_wrong * one.got.itemsize)
        line = writer.line if writer else writing_line(recorder, first)
        findings.append(_finding(kernel, one, writer, line, all_kept=not recorder.dropped))
    return replace(case, status=WRONG, message=" ".join(finding.message for finding in findings)), findings


def _finding(kernel: KernelFile, wrong: _Wrong, writer: Writer | None, line: int, *, all_kept: bool) -> Finding:
    at = numpy.unravel_index(wrong.near.first_wrong, wrong.got.shape)
    element = f"{wrong.name}{''.join(f'[{i}]' for i in at)}"
    advice = "Compare the loop's bounds, the strides and the barriers with what this element needs."
    if writer is not None:
        who = f"thread {writer.thread} of block {writer.block} wrote it in line {writer.line}"
    elif all_kept:
        who = f"nobody wrote it, and {wrong.name} is written in line {line}" if line else "nobody wrote it"
        advice = "Check the grid and the guards: every element needs a thread that writes it."
    else:
        who = "there are too many stores to say who wrote it"
    count, total = int((~wrong.near.is_right).sum()), wrong.near.is_right.size
    return Finding(
        "wrong result",
        ERROR,
        (kernel.opened.file.name, line or kernel.signature.line),
        f"{element} is {_shown(wrong.got[at])} and should be {_shown(wrong.expected[at])}; {who}. "
        f"{count:,} of {total:,} elements are wrong.",
        advice,
        threads=((writer.block, writer.thread),) if writer else (),
        address=element,
    )


def _shown(value: Any) -> str:
    return f"{float(value):.8g}" if numpy.asarray(value).dtype.kind == "f" else str(value)


def _case(bound: Bound, geometry: Geometry, status: str, message: str) -> CaseResult:
    return CaseResult(_sizes(bound), status, geometry.grid, geometry.block, message=message)


def _sizes(bound: Bound) -> dict[str, int]:
    sizes = {name: value for name, value in bound.scalars.items() if isinstance(value, int)}
    return sizes or {a.name: a.array.size for a in bound.arguments if isinstance(a, Pointer)}


def _unjudged(bound: Bound, outcome: Outcome) -> list[str]:
    """Return a note for each array that the kernel changed without an expected result."""
    before = {a.name: a.array for a in bound.arguments if isinstance(a, Pointer)}
    return [
        f"{name} was changed, and nothing says what it should hold."
        for name, array in outcome.arrays.items()
        if name not in bound.expected and array.tobytes() != before[name].tobytes()
    ]
