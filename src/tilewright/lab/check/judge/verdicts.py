"""Judges a kernel with known roles: compares it with the reference at many sizes, with every observer attached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy

from tilewright.emulate import BudgetExceeded
from tilewright.emulate.observers import Finding
from tilewright.lab.check.element_types import unset
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError, SmallerGrid
from tilewright.lab.check.find.products import (
    Array,
    Comparison,
    c_elements,
    compare,
    operands,
    result_of,
    starting,
)
from tilewright.lab.check.find.promises import Promise
from tilewright.lab.check.find.zeroed import adds_atomically, zeroing_line
from tilewright.lab.check.gpu.preparing import CodeFor, gpu_problem
from tilewright.lab.check.gpu.problems import GpuProblem
from tilewright.lab.check.kinds import KINDS, Kind
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.report.result import CaseResult
from tilewright.lab.check.run.endless import budget_at, endless_finding
from tilewright.lab.check.run.execution import Argument, Geometry, Outcome, Pointer, Stand
from tilewright.lab.check.run.textbook_races import excused
from tilewright.lab.check.run.watching import (
    ERROR,
    correctness_observers,
    of_fault,
    of_output,
    together,
    traffic_observers,
)
from tilewright.lab.check.run.writers import StoreRecorder, last_writer, writing_line
from tilewright.lab.check.run.wrong_element import WrongElement
from tilewright.lab.check.sizes import Sizes, tested_sizes
from tilewright.lab.check.statuses import FAULT, RIGHT, WRONG

INSTRUCTIONS_PER_PRODUCT = 64
SPARE_INSTRUCTIONS = 400_000
TRAFFIC_SHAPE = 1
"""The index of the tested sizes whose memory traffic is examined: two by three tiles."""
MOST_ELEMENTS = 1 << 26
"""Of a matrix: with more of them an emulated launch would take hours."""
MOST_SMALLER = 2
"""The number of sizes at which a kernel with grid-stride loops also runs with a smaller grid."""
MOST_ENDLESS = 2
"""After this many endless launches the others are not tried, as each takes seconds."""

IMPOSSIBLE = "impossible launch"

Progress = Callable[[int, int], None]


@dataclass
class Judgement:
    """The launches and their findings.

    tested: the sizes. launched: for each result its sizes, and the axes along which its grid was made smaller. failing:
    the indices of results with an error. counted: those with counts for a comparison.
    """

    tested: list[Sizes]
    launched: list[tuple[Sizes, tuple[int, ...]]] = field(default_factory=list)
    shapes: list[CaseResult] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    counted: tuple[Sizes, CaseResult] | None = None
    notes: list[str] = field(default_factory=list)
    failing: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Case:
    """One launch with fresh inputs."""

    sizes: Sizes
    geometry: Geometry
    a: Array
    b: Array
    c: Array
    arguments: list[Argument]


def judge(kernel: KernelFile, found: Found, promise: Promise, progress: Progress | None = None) -> Judgement:
    """Run the kernel at sizes that it promises; raise what its compiler raises."""
    roles, seed = found.roles, kernel.options.seed
    tested = list(roles.fixed) or tested_sizes(roles.operation, roles.family, found.tile, seed, promise.multiples)
    _refuse_huge(kernel.signature.name, roles.operation, tested)
    judgement = Judgement(tested)

    def launch(sizes: Sizes, axes: tuple[int, ...], *, traffic: bool = False) -> CaseResult:
        number, before = len(judgement.shapes), len(judgement.findings)
        at = found_with(found, axes)
        result = _run(kernel, at, sizes, seed + number, judgement.findings, traffic=traffic)
        judgement.launched.append((sizes, axes))
        judgement.shapes.append(result)
        if result.status != RIGHT or any(each.severity == ERROR for each in judgement.findings[before:]):
            judgement.failing.append(number)
        return result

    endless = 0
    for number, sizes in enumerate(tested):
        if progress:
            progress(number, len(tested))
        is_traffic = number == min(TRAFFIC_SHAPE, len(tested) - 1)
        result = launch(sizes, (), traffic=is_traffic)
        if is_traffic and result.counts:
            judgement.counted = (sizes, result)
        endless += any(finding.kind == "endless loop" for finding in judgement.findings) and result.status == FAULT
        if endless == MOST_ENDLESS:
            judgement.notes.append(f"{len(tested) - number - 1} more sizes were not tried: launches do not end.")
            break
    if endless < MOST_ENDLESS and (axes := kernel.looped_axes) and not roles.fixed:
        for sizes in _with_most_blocks(found, found_with(found, axes), tested):
            launch(sizes, axes)
    judgement.findings = together(judgement.findings)
    return judgement


def _refuse_huge(name: str, operation: str, tested: Sequence[Sizes]) -> None:
    for sizes in tested:
        if max(prod(shape) for shape in sizes.ab_shapes(operation)) > MOST_ELEMENTS:
            raise CheckError(
                f"{name} would be tried with {sizes.said(operation)}, which is more than is run: --multiples-of says "
                "what its sizes are multiples of."
            )


def found_with(found: Found, axes: tuple[int, ...]) -> Found:
    """Return the roles with a launch whose grid is smaller along these axes."""
    return replace(found, rule=SmallerGrid(found.rule, axes)) if axes else found


def _with_most_blocks(found: Found, smaller: Found, tested: Sequence[Sizes]) -> list[Sizes]:
    """Return the sizes at which the loops over a smaller grid have the most work."""
    counted = []
    for sizes in tested:
        with suppress(LaunchError):
            all_blocks, blocks = (prod(each.rule.at(each.roles, sizes).grid) for each in (found, smaller))
            counted += [(all_blocks, sizes)] if blocks < all_blocks else []
    return [sizes for _, sizes in sorted(counted, key=lambda pair: -pair[0])[:MOST_SMALLER]]


def case_of(found: Found, sizes: Sizes, seed: int, *, zero: bool) -> Case:
    """Return a launch's inputs: random A and B, and C unset (or 0); raise LaunchError."""
    roles = found.roles
    geometry = found.rule.at(roles, sizes)
    values = roles.values(sizes, lambda text: found.rule.number(text, roles, sizes))
    dtypes = found.dtypes
    count = c_elements(roles.operation, sizes, int(numpy.prod(geometry.grid)))
    generator = numpy.random.default_rng(seed)
    a, b = operands(roles.operation, sizes, dtypes, generator)
    kind = KINDS.get(roles.operation)
    a = kind.shifted(a, generator) if kind else a
    c = starting(roles.operation, a, b, _before(kind, count, dtypes["C"], zero=zero))
    is_unset = not zero and not (kind and kind.starts)
    shape = sizes.c_shape(roles.operation) or (count,)
    matrices = {name: Pointer(name, roles.in_memory(name, matrix)) for name, matrix in (("A", a), ("B", b))}
    matrices["C"] = Pointer("C", c.reshape(shape), is_unset=is_unset)
    arguments: list[Argument] = [matrices[v] if isinstance(v, str) else v for v in values]
    return Case(sizes, geometry, a, b, c, arguments)


def _before(kind: Kind | None, count: int, dtype: numpy.dtype[Any], *, zero: bool) -> Array:
    """Return what C holds: nothing, 0, or for a maximum with atomics the least number."""
    if not zero or kind is None or not kind.sign:
        return numpy.zeros(count, dtype) if zero else unset(count, dtype)
    ends = numpy.iinfo(dtype) if dtype.kind in "iu" else numpy.finfo(dtype)
    return numpy.full(count, ends.min if kind.sign > 0 else ends.max, dtype)


def gpu_problems(kernel: KernelFile, found: Found, judgement: Judgement, architecture: str) -> list[GpuProblem]:
    """Return the judged launches for a GPU; raise what the compiler raises."""
    code = CodeFor(kernel, architecture)
    zero = starts_at_zero(kernel, found)
    problems = []
    for number, sizes in enumerate(judgement.tested):
        case = case_of(found, sizes, kernel.options.seed + number, zero=zero)
        constants = found.roles.constants_at(sizes)
        problem = gpu_problem(
            kernel,
            kernel.stand(constants),
            code.at(constants),
            sizes=sizes.named(found.roles.operation),
            operation=found.roles.operation,
            arguments=case.arguments,
            geometry=case.geometry,
        )
        problems.append(replace(problem, variables=kernel.variables_at(constants), transposed=found.roles.transposed))
    return problems


def budget_of(sizes: Sizes) -> int:
    """Return more warp instructions than a group of blocks needs for any product of these sizes."""
    return SPARE_INSTRUCTIONS + INSTRUCTIONS_PER_PRODUCT * sizes.rows * sizes.inner * sizes.cols


def starts_at_zero(kernel: KernelFile, found: Found) -> bool:
    """Return whether C starts as 0: by the user's option, by the file's host code, or because of a factor beta."""
    if kernel.options.zero_output or "0.0" in found.roles.arguments:
        return True
    return zeroing_line(kernel, found) is not None or adds_atomically(kernel, found)


def _run(
    kernel: KernelFile,
    found: Found,
    sizes: Sizes,
    seed: int,
    findings: list[Finding],
    *,
    traffic: bool,
) -> CaseResult:
    zero = starts_at_zero(kernel, found)
    try:
        case = case_of(found, sizes, seed, zero=zero)
    except LaunchError as error:
        return _stopped(found, sizes, None, str(error))
    stand = kernel.stand(found.roles.constants_at(sizes))
    watching = correctness_observers() + (traffic_observers() if traffic else [])
    budget = budget_at(sizes, case.geometry, found.tile)
    outcome = stand.run(case.arguments, case.geometry, budget=budget, observers=watching)
    outputs = () if zero else ("C",)
    found_here = excused((each for observer in watching for each in observer.findings), stand.module, stand.entry)
    seen = [of_output(finding, outputs) for finding in found_here]
    if outcome.fault is not None:
        own = of_fault(outcome.fault, seen)
        if isinstance(outcome.fault, BudgetExceeded):
            own = endless_finding(outcome.fault, stand, kernel.opened.file.text, case.arguments, case.geometry, budget)
        findings += [*seen, own] if own else seen
        return _stopped(found, sizes, case.geometry, " ".join(str(outcome.fault).split()))
    if outcome.refusal:
        findings += [*seen, _impossible(kernel, outcome.refusal)] if outcome.is_impossible else seen
        return _stopped(found, sizes, case.geometry, f"{outcome.refusal}.")
    findings += seen
    roles = found.roles
    comparison = compare(
        roles.operation, case.a, case.b, result_of(roles.operation, sizes, outcome.arrays["C"].ravel())
    )
    wrong = None if comparison.passed else _first_wrong(stand, case, comparison, outcome, roles.operation, budget)
    if wrong is not None:
        findings.append(_finding_of(wrong, kernel, sizes.said(roles.operation)))
    return CaseResult(
        sizes.named(roles.operation),
        RIGHT if wrong is None else WRONG,
        case.geometry.grid,
        case.geometry.block,
        message="" if wrong is None else str(wrong),
        error=comparison.error,
        bound=comparison.bound_there,
        counts=outcome.counts.as_dict() if outcome.counts else {},
    )


def _impossible(kernel: KernelFile, refusal: str) -> Finding:
    line = kernel.site.line if kernel.site else kernel.signature.line
    message = f"No GPU takes this launch: {refusal.rstrip('.')}."
    advice = "Change the block, the grid or the shared memory of the launch, or what the kernel asks for."
    return Finding(IMPOSSIBLE, ERROR, (kernel.opened.file.name, line), message, advice)


def _stopped(found: Found, sizes: Sizes, geometry: Geometry | None, why: str) -> CaseResult:
    named = sizes.named(found.roles.operation)
    if geometry is None:
        return CaseResult(named, FAULT, message=why)
    return CaseResult(named, FAULT, geometry.grid, geometry.block, message=why)


def _first_wrong(
    stand: Stand, case: Case, comparison: Comparison, outcome: Outcome, operation: str, budget: int
) -> WrongElement:
    index = comparison.first_wrong or ()
    flat = int(numpy.ravel_multi_index(index, comparison.right.shape)) if index else 0
    recorder = StoreRecorder()
    again = stand.run(case.arguments, case.geometry, budget=budget, observers=[recorder])
    address = again.addresses["C"] + flat * case.c.itemsize
    writer = last_writer(recorder, case.geometry, address)
    got = result_of(operation, case.sizes, outcome.arrays["C"].ravel())
    return WrongElement(
        array="C",
        index=tuple(index),
        got=float(got[index]),
        expected=float(comparison.expected[index]),
        bound=float(comparison.bound[index]),
        count=int((~comparison.right).sum()),
        total=int(comparison.right.size),
        block=writer.block if writer else None,
        thread=writer.thread if writer else None,
        line=writer.line if writer else writing_line(recorder, again.addresses["C"]),
    )


def _finding_of(wrong: WrongElement, kernel: KernelFile, sizes: str) -> Finding:
    who = ((wrong.block, wrong.thread),) if wrong.block is not None and wrong.thread is not None else ()
    if wrong.block is None:
        advice = "Check the grid and the guards: every element needs a thread that writes it."
    elif numpy.isnan(wrong.got):
        advice = "Something that nobody wrote goes into it: set the sum to 0, fill the tiles, or give --zero-output."
    else:
        advice = "Compare the loop's bounds, the strides and the barriers with what this element needs."
    return Finding(
        "wrong result",
        ERROR,
        (kernel.opened.file.name, wrong.line or kernel.signature.line),
        f"With {sizes}: {wrong}",
        advice,
        threads=who,
        address=f"C{''.join(f'[{i}]' for i in wrong.index)}",
    )
