"""The cause of a wrong product: changes of the kernel are tried on the problems that it was judged on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.bounds_of_roles import bounds_of
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.other_instances import of_other_text
from tilewright.lab.check.run.endless import budget_at
from tilewright.lab.check.run.execution import Stand
from tilewright.lab.check.run.textbook_races import excused
from tilewright.lab.check.run.watching import ERROR, correctness_observers
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.check.statuses import RIGHT
from tilewright.lab.source.changes_of_indices import OFFSET_SLIP
from tilewright.lab.source.unpacking import BETWEEN

from .cases import Case, case_of, starts_at_zero
from .causes import Launched, Problems, find_cause
from .launch_causes import find_launch_cause
from .subscript_check import check_subscripts
from .variants import found_with
from .verdicts import Judgement

SLOWER = 12
"""The most work after a change, as a multiple of the work before: loops that were cut short run to their end, and the
changed kernel is compiled quickly, so that loops are not unrolled."""
QUICKLY_COMPILED, MOST_QUICKLY = 40, 20_000_000
"""The same for small launches, and up to how many warp instructions: a thread's arrays stay in memory
where loops are not unrolled."""
ALWAYS_ALLOWED = 400_000
"""Warp instructions that a changed kernel may take in any case: one whose loop had no turn at all took almost none."""


def cause_of(
    kernel: KernelFile,
    found: Found,
    judgement: Judgement,
    findings: Sequence[Finding],
    seconds: float,
) -> Finding | None:
    """Return the finding that names the cause, or None if nothing is wrong, or no change fixes it in time.

    seconds: time to try changes of the kernel, and the same again for changes of its launch.
    """
    failing = judgement.failing or (list(range(len(judgement.shapes))) if _is_inner(findings) else [])
    if not failing:
        return None
    order = sorted(failing, key=lambda number: _telling(judgement, number, found))
    rest = [number for number in range(len(judgement.shapes)) if number != order[0]]
    rest.sort(key=lambda number: (number not in judgement.failing, _products(judgement.launched[number][0])))

    def launched(kernel: KernelFile, other: Found) -> list[Launched]:
        is_own = other.rule is found.rule  # else the work before says nothing: most of C may be unwritten
        return [_launched(kernel, other, judgement, number, is_own=is_own) for number in (order[0], *rest)]

    def of_launch() -> Finding | None:
        return find_launch_cause(kernel, found, judgement.tested, launched, seconds)

    try:
        first, *others = launched(kernel, found)
    except LaunchError:
        return of_launch()
    operation = found.roles.operation
    is_whole = _is_whole(judgement.launched[order[0]][0], found.tile, operation)
    likely = [is_whole and _is_whole(judgement.launched[number][0], found.tile, operation) for number in rest]
    problems = Problems(
        first,
        [each for each, is_likely in zip(others, likely, strict=True) if is_likely],
        [each for each, is_likely in zip(others, likely, strict=True) if not is_likely],
        is_whole,
        not is_whole and any(_is_whole(sizes, found.tile, operation) for sizes, _ in judgement.launched),
        all(judgement.launched[number][1].axes for number in failing),
        _subscripts_of(kernel, found, judgement) if _is_inner(findings) else None,
        _row_lengths(kernel, found) if fails_padded_alone(judgement) else frozenset(),
    )
    is_unwritten = any(finding.kind == "wrong result" and not finding.threads for finding in findings)
    is_unwritten &= OFFSET_SLIP.search(kernel.body) is None  # which may leave elements, too
    is_unwritten &= not any(finding.kind == "race" and finding.address.startswith("C[") for finding in findings)
    is_of_turns = problems.is_of_turns  # which the file's own launch may not have
    cause = of_launch() if is_unwritten and not is_of_turns else None
    cause = cause or find_cause(kernel, bounds_of(kernel, found), findings, problems, seconds)
    return cause or (None if is_unwritten or is_of_turns else of_launch())


def fails_padded_alone(judgement: Judgement) -> bool:
    """Return whether a kernel is right but for rows that are longer than wide."""
    return all(judgement.launched[number][1].padding for number in judgement.failing)


def _row_lengths(kernel: KernelFile, found: Found) -> frozenset[str]:
    """Return what the kernel calls the lengths of rows in memory: `lda`, or `ld` of a struct."""
    parameters = kernel.signature.parameters
    keys = (key for _, key in found.roles.leading)
    names = (parameters[key].name if isinstance(key, int) else key.replace(BETWEEN, ".") for key in keys)
    return frozenset(name.rpartition(".")[2] for name in names)


def _is_inner(findings: Sequence[Finding]) -> bool:
    return any(finding.kind == "inner dimension" and finding.severity == ERROR for finding in findings)


def _subscripts_of(kernel: KernelFile, found: Found, judgement: Judgement) -> Callable[[str], bool]:
    """Return a check of whether all subscripts of a changed text stay within their dimensions."""

    def check(text: str) -> bool:
        other = of_other_text(kernel.opened, kernel.signature, text)
        return (
            other is not None and not check_subscripts(KernelFile(*other, kernel.options), found, judgement.tested)[0]
        )

    return check


def _is_whole(sizes: Sizes, tile: int, operation: str) -> bool:
    return all(size % tile == 0 for size in replace(sizes, batch=1).named(operation).values())


def _telling(judgement: Judgement, number: int, found: Found) -> tuple[bool, bool, bool, int]:
    """Return a sort key: whole tiles first, then wrong results, then distinct sizes, then small ones."""
    sizes = judgement.launched[number][0]
    known = sizes.rows, sizes.inner, sizes.cols
    is_plain = min(known) == 1 or len(set(known)) < 3
    is_whole = _is_whole(sizes, found.tile, found.roles.operation)
    return not is_whole, judgement.shapes[number].status == RIGHT, is_plain, _products(sizes)


def _products(sizes: Sizes) -> int:
    return sizes.rows * sizes.inner * sizes.cols


def _launched(kernel: KernelFile, found: Found, judgement: Judgement, number: int, *, is_own: bool) -> Launched:
    sizes, variant = judgement.launched[number]
    found = found_with(found, variant)
    case = case_of(found, sizes, kernel.options.seed + number, zero=starts_at_zero(kernel, found))
    counts = judgement.shapes[number].counts.get("warp_instructions", 0)
    allowed = max(SLOWER * counts, min(QUICKLY_COMPILED * counts, MOST_QUICKLY)) + ALWAYS_ALLOWED
    budget = allowed if counts and is_own else SLOWER * budget_at(sizes, case.geometry, found.tile)
    was_right = judgement.shapes[number].status == RIGHT

    def check(stand: Stand) -> bool:
        return (was_right or _comes_right(stand, case, budget, watched=False)) and _comes_right(
            stand, case, budget, watched=True
        )

    return Launched(found.roles.constants_at(sizes), check)


def _comes_right(stand: Stand, case: Case, budget: int, *, watched: bool) -> bool:
    watching = correctness_observers() if watched else []
    outcome = stand.run(case.arguments, case.geometry, budget=budget, observers=watching)
    if outcome.fault is not None or outcome.refusal:
        return False
    seen = excused((finding for observer in watching for finding in observer.findings), stand.module, stand.entry)
    if any(finding.severity == ERROR for finding in seen):
        return False
    return case.compare(outcome.arrays["C"]).passed and not case.wrong_total(outcome.arrays)
