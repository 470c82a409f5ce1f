"""Judges a kernel with known roles: compares it with the reference at many sizes, with every observer attached."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from math import lcm, prod

import numpy

from tilewright.emulate import BudgetExceeded
from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.products import (
    Comparison,
    result_of,
)
from tilewright.lab.check.find.promises import Promise
from tilewright.lab.check.find.roles import SCRATCH, Roles
from tilewright.lab.check.gpu.preparing import CodeFor, gpu_problem
from tilewright.lab.check.gpu.problems import GpuProblem
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.report.result import CaseResult
from tilewright.lab.check.run.endless import budget_at, endless_finding
from tilewright.lab.check.run.execution import Geometry, Outcome, Stand
from tilewright.lab.check.run.textbook_races import excused
from tilewright.lab.check.run.watching import (
    ERROR,
    correctness_observers,
    of_fault,
    of_output,
    said,
    together,
    traffic_observers,
)
from tilewright.lab.check.run.writers import StoreRecorder, last_writer, writing_line
from tilewright.lab.check.run.wrong_element import WrongElement
from tilewright.lab.check.sizes import Sizes, looped_sizes, tested_sizes
from tilewright.lab.check.statuses import FAULT, RIGHT, WRONG

from .allowed_blocks import allowed_blocks
from .cases import Case, case_of, starts_at_zero
from .full_grids import with_full_grids
from .long_rows import long_rows
from .more_blocks import with_more_blocks
from .row_lengths import are_row_lengths
from .variants import PLAIN, Variant, found_with, says_factors, takes_factors

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

PADDING = 8
"""Elements behind each row of a matrix with a leading dimension: whole vectors."""
IMPOSSIBLE = "impossible launch"
UNINITIALISED = "uninitialised read"
OF_LIMITS = ("out of bounds", "inner dimension", "endless loop")
"""What a row that is longer than an array for it shows."""

Progress = Callable[[int, int], None]


@dataclass
class Judgement:
    """The launches and their findings.

    tested: the sizes. launched: for each result its sizes, and how it differs from the plain launch. failing: the
    indices of results with an error. counted: those with counts for a comparison. everywhere: kind and place of each
    uninitialised read that every launch has.
    """

    tested: list[Sizes]
    launched: list[tuple[Sizes, Variant]] = field(default_factory=list)
    shapes: list[CaseResult] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    counted: tuple[Sizes, CaseResult] | None = None
    notes: list[str] = field(default_factory=list)
    failing: list[int] = field(default_factory=list)
    everywhere: set[tuple[str, tuple[str | None, int | None]]] = field(default_factory=set)

    def forget_last(self, findings: int) -> None:
        """Leave out the last launch, before which there were so many findings."""
        del self.findings[findings:], self.launched[-1], self.shapes[-1]
        self.failing = [number for number in self.failing if number < len(self.shapes)]


Held = tuple[Judgement, list[Finding], list[str]]
"""A judgement, all findings with those of the text, and notes."""


def judge(
    kernel: KernelFile, found: Found, promise: Promise, progress: Progress | None = None, *, is_padded: bool = True
) -> Judgement:
    """Run the kernel at sizes that it promises; raise what its compiler raises.

    is_padded: whether rows with a leading dimension are also longer than they are wide.
    """
    roles, seed = found.roles, kernel.options.seed
    tested = list(roles.fixed) or tested_sizes(roles.operation, roles.family, found.tile, seed, promise.multiples)
    tested = [roles.sized(sizes) for sizes in tested]
    _refuse_huge(kernel.signature.name, roles.operation, tested)
    judgement = Judgement(tested)

    def launch(sizes: Sizes, variant: Variant = PLAIN, *, traffic: bool = False) -> CaseResult:
        number, before = len(judgement.shapes), len(judgement.findings)
        at = found_with(found, variant)
        result = None if traffic else _right_as_variables(kernel, at, sizes, seed + number, judgement)
        result = result or _run(
            kernel, at, sizes, seed + number, judgement.findings, traffic=traffic, stand_at=kernel.stand
        )
        judgement.launched.append((sizes, variant))
        judgement.shapes.append(result)
        unset_here: set[tuple[str, tuple[str | None, int | None]]] = {
            (each.kind, each.place) for each in judgement.findings[before:] if each.kind == UNINITIALISED
        }
        judgement.everywhere = judgement.everywhere & unset_here if number else unset_here
        if result.status != RIGHT or any(each.severity == ERROR for each in judgement.findings[before:]):
            judgement.failing.append(number)
        return result

    endless = 0
    for number, sizes in enumerate(tested):
        (progress or _silent)(number, len(tested))
        is_traffic = number == min(TRAFFIC_SHAPE, len(tested) - 1)
        result = launch(sizes, traffic=is_traffic)
        if is_traffic and result.counts:
            judgement.counted = (sizes, result)
        endless += any(finding.kind == "endless loop" for finding in judgement.findings) and result.status == FAULT
        if endless == MOST_ENDLESS:
            judgement.notes.append(f"{len(tested) - number - 1} more sizes were not tried: launches do not end.")
            break
    if endless < MOST_ENDLESS:
        thin = looped_sizes(roles.operation, roles.family, found.tile) if promise.multiples is None else []
        smaller = _smaller(kernel, found, [*map(roles.sized, thin), *tested])
        full = with_full_grids(found, promise, tested)
        other = [*smaller, *full, *with_more_blocks(kernel, found, tested)]
        for sizes, variant in chain(other, _of_other_blocks(kernel, found, judgement)):
            launch(sizes, variant)
    _with_long_rows(long_rows(kernel, found, promise.multiples), judgement, launch)
    scaled = _scaled(kernel, found, judgement)
    for sizes, variant in scaled:
        launch(sizes, variant)
    padded = _padded(kernel, found, promise, judgement, is_scaled=bool(scaled))
    for sizes, variant in padded[: int(is_padded)]:
        launch(sizes, variant)
    judgement.findings = together(judgement.findings)
    return judgement


def _with_long_rows(rows: Sequence[Sizes], judgement: Judgement, launch: Callable[[Sizes], CaseResult]) -> None:
    """Launch a kernel that is right until then with long rows; leave out what shows that a row has a limit."""
    for sizes in rows if not (judgement.failing or _errors(judgement)) else ():
        before = len(judgement.findings)
        if launch(sizes).status == FAULT or any(each.kind in OF_LIMITS for each in judgement.findings[before:]):
            judgement.forget_last(before)


def _right_as_variables(
    kernel: KernelFile, found: Found, sizes: Sizes, seed: int, judgement: Judgement
) -> CaseResult | None:
    """Return a launch in which sizes that are constants of the file are variables, if it is right; else None.

    One compile is then enough for all sizes. What is wrong, or found, is told of the file's own code.
    """
    if judgement.failing or _errors(judgement) or kernel.constants.keys().isdisjoint(found.roles.constants_at(sizes)):
        return None
    findings: list[Finding] = []
    result = _run(kernel, found, sizes, seed, findings, traffic=False, stand_at=kernel.searching_stand)
    return result if result.status == RIGHT and not findings else None


def _of_other_blocks(kernel: KernelFile, found: Found, judgement: Judgement) -> Iterator[tuple[Sizes, Variant]]:
    """Yield launches with other blocks that the host allows, if all launches until then are right."""
    if not judgement.failing and not _errors(judgement):
        yield from allowed_blocks(kernel, found, judgement.tested)


def _errors(judgement: Judgement) -> list[Finding]:
    return [each for each in judgement.findings if each.severity == ERROR]


def _silent(_: int, __: int) -> None:
    """Report no progress."""


def _scaled(kernel: KernelFile, found: Found, judgement: Judgement) -> list[tuple[Sizes, Variant]]:
    """Return the launch of a right kernel with another alpha and beta; none where they could be something else."""
    if judgement.failing or not takes_factors(found):
        return []
    sizes = judgement.tested[min(TRAFFIC_SHAPE, len(judgement.tested) - 1)]
    is_one_of_several = bool(kernel.signature.template_parameters) or len(kernel.sites) > 1
    if not says_factors(kernel, found) or (is_one_of_several and not _reads_c(kernel, found, sizes)):
        judgement.notes.append(f"{kernel.signature.name} was checked with the factors 1 and 0 alone.")
        return []
    return [(sizes, Variant(is_scaled=True))]


def _padded(
    kernel: KernelFile, found: Found, promise: Promise, judgement: Judgement, *, is_scaled: bool
) -> list[tuple[Sizes, Variant]]:
    """Return the launch of a right kernel with leading dimensions that are no matrix's width."""
    if judgement.failing or not are_row_lengths(kernel, found):
        return []
    sizes = judgement.tested[min(TRAFFIC_SHAPE, len(judgement.tested) - 1)]
    return [(sizes, Variant(is_scaled=is_scaled, padding=lcm(PADDING, promise.multiples or 1)))]


def _reads_c(kernel: KernelFile, found: Found, sizes: Sizes) -> bool:
    """Return whether NaN in C shows in the result where beta is not 0: some instances are for a beta of 0 alone."""
    scaled = found_with(found, Variant(is_scaled=True))
    case = case_of(scaled, sizes, kernel.options.seed, zero=False)
    case.c[:] = numpy.nan
    stand = kernel.stand(scaled.roles.constants_at(sizes))
    outcome = stand.run(case.arguments, case.geometry, budget=budget_at(sizes, case.geometry, found.tile))
    return bool(numpy.isnan(outcome.arrays["C"]).any())


def _refuse_huge(name: str, operation: str, tested: Sequence[Sizes]) -> None:
    for sizes in tested:
        if max(prod(shape) for shape in sizes.ab_shapes(operation)) > MOST_ELEMENTS:
            raise CheckError(
                f"{name} would be tried with {sizes.said(operation)}, which is more than is run: --multiples-of says "
                "what its sizes are multiples of."
            )


def _smaller(kernel: KernelFile, found: Found, tested: Sequence[Sizes]) -> list[tuple[Sizes, Variant]]:
    """Return launches with a smaller grid for loops over it: where these have the most blocks, then elements."""
    variant = Variant(() if found.roles.fixed else kernel.looped_axes)
    smaller = found_with(found, variant)
    counted = []
    for sizes in tested:
        with suppress(LaunchError):
            all_blocks, blocks = (prod(each.rule.at(each.roles, sizes).grid) for each in (found, smaller))
            counted += [((all_blocks, sizes.rows * sizes.cols, sizes.inner), sizes)] if blocks < all_blocks else []
    return [(sizes, variant) for _, sizes in sorted(counted, key=lambda pair: pair[0], reverse=True)[:MOST_SMALLER]]


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
        expected = {"C": case.compare(case.c).expected.astype(case.c.dtype)} if found.roles.layer else {}
        problem = replace(problem, variables=kernel.variables_at(constants), expected=expected)
        problems.append(replace(problem, transposed=found.roles.transposed))
    return problems


def budget_of(sizes: Sizes) -> int:
    """Return more warp instructions than a group of blocks needs for any product of these sizes."""
    return SPARE_INSTRUCTIONS + INSTRUCTIONS_PER_PRODUCT * sizes.rows * sizes.inner * sizes.cols


def _run(
    kernel: KernelFile,
    found: Found,
    sizes: Sizes,
    seed: int,
    findings: list[Finding],
    *,
    traffic: bool,
    stand_at: Callable[[Mapping[str, int]], Stand],
) -> CaseResult:
    zero = starts_at_zero(kernel, found)
    try:
        case = case_of(found, sizes, seed, zero=zero)
    except LaunchError as error:
        return _stopped(found, sizes, None, str(error))
    stand = stand_at(found.roles.constants_at(sizes))
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
        return _stopped(found, sizes, case.geometry, said(outcome.fault))
    if outcome.refusal:
        findings += [*seen, _impossible(kernel, outcome.refusal)] if outcome.is_impossible else seen
        return _stopped(found, sizes, case.geometry, f"{outcome.refusal}.")
    findings += seen
    roles = found.roles
    comparison = case.compare(outcome.arrays["C"])
    wrong = None
    if not comparison.passed:
        stand = kernel.stand(roles.constants_at(sizes))  # as at the first launch
        wrong = _first_wrong(stand, case, comparison, outcome, roles.operation, budget)
    total = case.wrong_total(outcome.arrays) if wrong is None else ""
    if wrong is not None:
        findings.append(_finding_of(wrong, kernel, sizes.said(roles.operation) + _said_factors(roles)))
    elif total:
        findings.append(_finding_of_total(kernel, roles, f"With {sizes.said(roles.operation)}: {total}."))
    return CaseResult(
        sizes.named(roles.operation),
        RIGHT if wrong is None and not total else WRONG,
        case.geometry.grid,
        case.geometry.block,
        message=total if wrong is None else str(wrong),
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
    one = case.c[: comparison.right.size]  # the first slice, where C lies in several
    shape = case.roles.in_memory("C", one.reshape(comparison.right.shape)).shape if index else ()
    flat = int(numpy.ravel_multi_index(index, shape)) if index else 0
    recorder = StoreRecorder()
    again = stand.run(case.arguments, case.geometry, budget=budget, observers=[recorder])
    address = again.addresses["C"] + flat * case.c.itemsize
    writer = last_writer(recorder, case.geometry, address)
    got = result_of(operation, case.sizes, case.roles.without_padding(outcome.arrays["C"], case.sizes).ravel())
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


def _finding_of_total(kernel: KernelFile, roles: Roles, message: str) -> Finding:
    name = kernel.signature.parameters[roles.arguments.index(SCRATCH)].name
    stored = re.search(rf"\b{re.escape(name)}\s*\[", kernel.body[kernel.body.index("{") :])
    at = kernel.body.index("{") + stored.start() if stored else 0
    line = kernel.line_at(at)
    advice = "Store what a block's elements add up to, its last one included."
    return Finding("wrong result", ERROR, (kernel.opened.file.name, line), message, advice)


def _said_factors(roles: Roles) -> str:
    return " and alpha {:g}, beta {:g}".format(*roles.factors) if roles.is_scaled else ""


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
        other=(kernel.opened.file.name, kernel.site.line) if not who and kernel.site else None,
        threads=who,
        address=f"C{''.join(f'[{i}]' for i in wrong.index)}",
    )
