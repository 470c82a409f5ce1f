"""Checks the kernels of a file: roles, launches, sizes, observers, counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.described_launch import is_described
from tilewright.lab.check.find.evidence import explains, is_proof, may_be_many
from tilewright.lab.check.find.finding_out import (
    REFUSALS,
    KnownKernel,
    find_out,
    launched_by_guess,
    launched_by_other_guesses,
    with_changes,
)
from tilewright.lab.check.find.kernel_file import KernelFile, OpenedFile, choose_kernels, open_file
from tilewright.lab.check.find.other_instances import other_instances, other_launches
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.find.plain_slips import Slip
from tilewright.lab.check.find.promises import Promise, promise_of, promise_of_rows, promise_of_vectors
from tilewright.lab.check.find.roles import MATRICES, Roles, RolesError
from tilewright.lab.check.find.search import no_fit
from tilewright.lab.check.find.transposed import says_transposed
from tilewright.lab.check.gpu.preparing import GpuFolder
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.options import Options
from tilewright.lab.check.report.result import CheckResult, with_refused_as_notes
from tilewright.lab.check.run.endless import KIND as ENDLESS
from tilewright.lab.check.run.not_emulated import pending_of
from tilewright.lab.check.run.watching import ERROR, together
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.check.statuses import FAULT
from tilewright.lab.source import KernelSignature

from .any_kernel import mistakes_of_any_kind
from .as_transposed import as_said, as_transposed
from .assumptions import assumed
from .cause_of_product import cause_of, fails_padded_alone
from .causes import CAUSE, with_cause
from .counting import counted_beside
from .fills import with_fills
from .given_bytes import is_of_dynamic, of_given_bytes
from .host_slips import KIND as HOST_CODE
from .host_slips import exchanged_names, with_host_slips
from .large_indices import large_indices
from .last_block import sums_left_in_a_variable
from .long_sums import long_sum
from .many_products import of_many_products
from .more_shared import refuse_more_shared, takes_more_shared
from .narrow_sums import narrow_sum
from .odd_sides import outside_at_odd_sides
from .overflowing import overflows
from .own_program import with_own_program
from .own_wrapper import wrong_in_wrapper
from .pairs_meant import wrong_pairs
from .rest_of_vectors import rest_of_vectors
from .said_bias import other_bias_than_said
from .slices import of_slices
from .subscript_check import check_subscripts
from .unfenced_sums import unfenced_sums
from .unused_reads import without_unused_reads
from .variants import PLAIN
from .verdicts import IMPOSSIBLE, Held, Judgement, gpu_problems, judge
from .whole_vectors import Explained, held_to_vectors
from .wrong_elsewhere import wrong_elsewhere

OF_ANY_ROLES = ("barrier not reached", ENDLESS, IMPOSSIBLE)
"""Findings that do not depend on the arguments' roles, in a launch that ends under no roles."""
MOST_CHANGED = 3
"""The most changes that are judged at all sizes, of a kernel that nothing explains as it is."""

Progress = Callable[[int, int], None]
Judged = Callable[[CheckResult, str, int], None]
"""Takes a kernel's result, the name of the next one, and how many are left."""


def check_file(
    path: str | Path,
    options: Options,
    *,
    progress: Progress | None = None,
    judged: Judged | None = None,
    for_gpu: GpuFolder | None = None,
) -> list[CheckResult]:
    """Check the kernels of a file that compute a matmul, a reduced_matmul or a dot product.

    Kernels that compute none of these are left out, with a note at the first result; if all do, each is refused.
    progress: called with the launches done and their total. judged: called with each result that others follow.
    for_gpu: receives the problems of each kernel that is not refused. Raises CheckError or SourceError for a file
    without a kernel, or without the one asked for.
    """
    opened = open_file(path)
    chosen = choose_kernels(opened, options.symbol)
    results = []
    for number, signature in enumerate(chosen, 1):
        results.append(_checked(opened, signature, options, progress, for_gpu))
        if judged is not None and number < len(chosen):
            judged(results[-1], chosen[number].name, len(chosen) - number)
    return with_refused_as_notes(with_own_program(results, opened, options))


def _checked(
    opened: OpenedFile,
    signature: KernelSignature,
    options: Options,
    progress: Progress | None,
    for_gpu: GpuFolder | None,
) -> CheckResult:
    try:
        known = find_out(opened, signature, options)
        kernel, explained = _explained_or_guessed(known, opened, options, progress)
        result = _judged(kernel, explained, for_gpu)
        return (_wrong_as_another(known.kernel, explained[0].roles, options) if result.is_well() else None) or result
    except REFUSALS as error:
        found = None
        if isinstance(error, RolesError):
            changed = _with_change(opened, signature, options)
            found = _judged(*changed, for_gpu) if changed else mistakes_of_any_kind(opened, signature, options)
        return found or CheckResult(
            str(opened.file.path),
            signature.name,
            notes=tuple(opened.part.notes),
            refusal=_sentence(error),
            pending=pending_of(error),
        )


def _wrong_as_another(kernel: KernelFile, roles: Roles, options: Options) -> CheckResult | None:
    """Return what is wrong with a right kernel in another launch of the file, or in another type, or None.

    Its arguments are the same there, also where no launch ends.
    """
    if not (roles.transposed or roles.fixed or roles.family or options.arguments):
        options = replace(options, arguments=roles.words, operation=roles.operation)
    others = [(kernel.opened, replace(options, template_arguments=each)) for each in other_instances(kernel)]
    if not (options.template_arguments or options.block):
        others += [(opened, options) for opened in other_launches(kernel)]
    for opened, asked in others:
        with suppress(*REFUSALS):
            known = find_out(opened, kernel.signature, asked)
            result = _judged(*_explained_or_guessed(known, opened, options, None), None)
            errors = {each.kind for each in result.findings if each.severity == ERROR}
            if not result.is_well() and errors != {HOST_CODE}:  # the host was looked at with all launches
                return result
    return None


def _with_change(
    opened: OpenedFile, signature: KernelSignature, options: Options
) -> tuple[KernelFile, Explained] | None:
    """Return a kernel that nothing explains with the small change of its text that makes every problem right."""
    with suppress(*REFUSALS):
        for known in islice(with_changes(opened, signature, options), MOST_CHANGED):
            with suppress(RolesError):
                return known.kernel, _explained(known, None)
    return None


def _explained_or_guessed(
    known: KnownKernel, opened: OpenedFile, options: Options, progress: Progress | None
) -> tuple[KernelFile, Explained]:
    """Return the kernel with what explains it; right under a guess if it is wrong under a launch that was misread.

    A launch in a comment, and one whose block only the running program knows, are hypotheses as guesses are: elements
    that nobody writes, or any error of such a block, may be theirs and not the kernel's.
    """
    try:
        explained = _explained(known, progress)
    except RolesError as error:
        explained, refused = None, error
    if explained is not None and (not _is_of_misread_launch(explained) or _rounds_down(known, explained)):
        return known.kernel, explained
    if explained is not None or known.found.fits:
        for launched in launched_by_other_guesses(known, opened, options):
            right = _right_as_launched(launched, progress)
            if right is not None:
                return launched.kernel, right
    guessed = launched_by_guess(known, opened, options)
    other = _explained_or_none(guessed, progress) if guessed is not None else None
    if guessed is not None and other is not None and not any(finding.severity == ERROR for finding in other[3]):
        if explained is not None and explained[-1] is not None and takes_more_shared(known, guessed):
            return known.kernel, explained
        refuse_more_shared(known, guessed)
        guessed.kernel.notes.append(
            f"With {known.found.rule.said}, as it was understood, {known.kernel.signature.name} is wrong."
        )
        return guessed.kernel, other
    if explained is None:
        raise refused
    return known.kernel, explained


def _right_as_launched(known: KnownKernel, progress: Progress | None) -> Explained | None:
    """Return what a kernel does with its guessed launch if nothing is wrong, without a search for causes."""
    promise = promise_of(known.kernel, known.found)
    judgement, findings, notes = _found_in(known.kernel, known.found, promise, progress)
    is_wrong = judgement.failing or any(finding.severity == ERROR for finding in findings)
    return None if is_wrong else (known.found, promise, judgement, findings, notes, None)


def _explained_or_none(known: KnownKernel, progress: Progress | None) -> Explained | None:
    try:
        return _explained(known, progress)
    except RolesError:
        return None


def _is_of_misread_launch(explained: Explained) -> bool:
    """Return whether all that was found may come from the launch alone, as far as that is not known for sure."""
    found, _, judgement, findings, _, _ = explained
    errors = [finding for finding in findings if finding.severity == ERROR]
    failed = [judgement.shapes[number] for number in judgement.failing]
    if failed and all(judgement.launched[number][1].sides for number in judgement.failing):
        return False  # right with the block that was guessed, and the host lets the other one through
    if found.rule.is_guess:
        return bool(errors or failed)
    is_left = all(finding.kind == "wrong result" and not finding.threads for finding in errors)
    return bool(failed) and is_left


def _judged(kernel: KernelFile, explained: Explained, for_gpu: GpuFolder | None) -> CheckResult:
    found, promise, judgement, findings, inner_notes, cause = explained
    is_plain = any(judgement.launched[number][1] == PLAIN for number in judgement.failing)
    is_wrong = not found.fits and any(each.severity == ERROR for each in findings)
    is_of_shared = any(_is_of_any_roles(found, judgement, each) for each in findings)  # whatever the operands are
    is_of_shared = is_of_shared and not says_transposed(kernel.opened.file.text)
    if cause is None and is_wrong and not is_of_shared and (is_plain or not judgement.failing):
        transposed = as_transposed(kernel, found, promise, _found_in)
        if transposed is not None:
            found, judgement, findings, cause = transposed
    findings = with_fills(with_cause(findings, cause), kernel, found)
    if cause is None:
        findings = with_host_slips(of_given_bytes(kernel, found, judgement.tested, findings), kernel, found)
        findings += [
            *(list(overflows(kernel, found)) or large_indices(kernel, found)),
            *long_sum(kernel, found),
            *outside_at_odd_sides(kernel, found),
            *unfenced_sums(kernel, found, findings),
            *other_bias_than_said(kernel, found),
        ]
    if not any(each.severity == ERROR for each in findings):
        findings += filter(None, [wrong_in_wrapper(kernel, found, judgement)])
    notes = [*kernel.notes, *judgement.notes, *inner_notes, *assumed(kernel, found, promise)]
    result = CheckResult(
        str(kernel.opened.file.path),
        kernel.signature.name,
        operation=found.roles.product,
        arguments=str(found.roles),
        how=found.how,
        launch=found.rule.said,
        cases=tuple(judgement.shapes),
        findings=tuple(findings),
        compared=tuple(counted_beside(found, judgement)),
        notes=tuple(dict.fromkeys(notes)),
    )
    if for_gpu is not None:
        for_gpu.add(result, lambda architecture: gpu_problems(kernel, found, judgement, architecture))
    return result


def _explained(known: KnownKernel, progress: Progress | None) -> Explained:
    """Return the first of the possible roles that explain what is found; raise RolesError if none do."""
    kernel = known.kernel
    if known.slip is not None and known.mended is not None:
        return _without_slip(known, known.mended, known.slip, progress)
    seconds = kernel.options.cause_seconds / (2 if known.rivals else 1)
    explained = wrong_elsewhere(kernel, known.found, partial(_found_in, kernel), seconds)
    for found in () if explained else (*as_said(known), known.found, *known.rivals):
        explained = explained or _explained_as(known, found, seconds, progress)
    if explained is None and says_transposed(known.candidate.text):
        promise = promise_of(kernel, known.found)
        transposed = as_transposed(kernel, known.found, promise, _found_in)
        if transposed is not None and is_proof(transposed[-1]):
            found, judgement, findings, cause = transposed
            explained = found, promise, judgement, findings, [], cause
    if explained is None:
        raise no_fit(known.candidate, [])
    return explained


def _explained_as(known: KnownKernel, found: Found, seconds: float, progress: Progress | None) -> Explained | None:
    """Return a kernel with these roles, if they explain what is found."""
    kernel, promise = known.kernel, promise_of(known.kernel, found)
    judgement, findings, notes = _found_in(kernel, found, promise, progress)
    held = held_to_vectors(kernel, found, promise, judgement, findings, partial(_found_in, kernel), seconds)
    if held is not None:
        return held
    judge_as = partial(_found_in, kernel, promise=promise)
    sliced = of_slices(found, judgement, judge_as)
    if sliced is not None:
        return sliced[0], promise, *sliced[1], None
    if fails_padded_alone(judgement):  # or nowhere: a step to the next matrix may be taken for a row's length
        many = of_many_products(kernel, known.candidate, found, judge_as, seconds)
        if many is not None:
            return many[0], promise, *many[1:]
    cause = wrong_pairs(kernel, found) or exchanged_names(kernel, found, judgement)
    cause = cause or rest_of_vectors(kernel, found, judgement, partial(_found_in, kernel, found))
    cause = cause or sums_left_in_a_variable(kernel, found, judgement)
    cause = cause or narrow_sum(kernel, found, judgement, findings)
    cause = cause or cause_of(kernel, found, judgement, findings, seconds)
    if cause is None and judgement.failing and fails_padded_alone(judgement):
        judgement, findings, notes = _found_in(kernel, found, promise, progress, is_padded=False)
    is_explained = _is_explained(known, found, judgement, findings, cause)
    return (found, promise, judgement, findings, notes, cause) if is_explained else None


def _without_slip(known: KnownKernel, mended: KnownKernel, slip: Slip, progress: Progress | None) -> Explained:
    """Return a kernel with the slip that is its cause; raise RolesError if it is not right without it."""
    promises = (
        promise_of(mended.kernel, mended.found),
        promise_of_vectors(mended.kernel),
        promise_of_rows(mended.kernel, mended.found),
    )
    for promise in filter(None, promises):
        judgement, findings, _ = _found_in(mended.kernel, mended.found, promise, progress)
        if not judgement.failing and not any(each.severity == ERROR for each in findings):
            name = known.kernel.opened.file.name
            says = f"{slip.says[0].upper()}{slip.says[1:].rstrip(',')}, every problem comes out right."
            advice = "See whether that is what is meant; what is found below follows from it."
            cause = Finding(CAUSE, ERROR, (name, slip.line), says, advice, details={"change": slip.says})
            return known.found, promise, *_found_in(known.kernel, known.found, promise), cause
    raise no_fit(known.candidate, [])


def _is_explained(
    known: KnownKernel, found: Found, judgement: Judgement, findings: Sequence[Finding], cause: Finding | None
) -> bool:
    """Return whether a kernel may be judged as what was found: for what counts as evidence see find/evidence.py.

    One that no guessed launch ends may want another launch: the cause shows that it does not. One of another kind than
    a product may be meant for something else: it is not called wrong without a cause, unless it is right where its
    blocks are whole, at several sizes, its launch is known, and its mistake is more than a wrong result. If it is right
    nowhere, the cause must be a usual one, and not what is computed from each element.
    """
    errors = {finding.kind for finding in findings if finding.severity == ERROR}
    is_guess = found.rule.is_guess
    if is_guess and cause is None and any(is_of_dynamic(known.kernel, each) for each in findings):
        return False  # how much of it there is is a guess, too
    if found.always_stops and is_guess:
        return cause is not None
    if not errors:
        return not (found.always_stops and judgement.failing)
    if found.roles.operation not in KINDS:
        asked = known.kernel.options
        is_said = bool(asked.arguments or asked.operation) or (found.always_stops and not may_be_many(found))
        is_shown = is_said or is_proof(cause) or any(_is_of_any_roles(found, judgement, each) for each in findings)
        return is_shown or explains(known.candidate, found)
    if cause is not None:
        is_said = bool(known.kernel.options.arguments)  # or found with another launch
        is_sure = is_said or found.roles.is_bijective or not cause.details.get("is_of_launch")
        return found.fits or (is_proof(cause) and is_sure)
    is_known = found.fits and not is_guess and errors != {"wrong result"}
    return found.always_stops or (is_known and explains(known.candidate, found))


def _is_of_any_roles(found: Found, judgement: Judgement, finding: Finding) -> bool:
    """Return whether a finding in the file's own launch stays whatever the arrays are: a race in shared memory.

    So does a read of shared memory that nobody wrote, if it is found at all sizes, whole tiles among them.
    """
    is_own = isinstance(found.rule, OwnLaunch) and not found.rule.is_guess and finding.severity == ERROR
    if not is_own or finding.address.startswith(tuple(f"{name}[" for name in MATRICES)):
        return False
    return finding.kind == "race" or (finding.kind, finding.place) in judgement.everywhere


def _rounds_down(known: KnownKernel, explained: Explained) -> bool:
    """Return whether the host's code divides where rounding up makes all right: so it is with blocks of any side."""
    cause = explained[-1]
    is_of_launch = cause is not None and cause.details.get("is_of_launch") and not is_described(known.kernel.opened)
    return cause is not None and bool(is_of_launch) and "- 1) / (" in str(cause.details["change"])


def _found_in(
    kernel: KernelFile,
    found: Found,
    promise: Promise,
    progress: Progress | None = None,
    *,
    is_padded: bool = True,
) -> Held:
    """Return the launches, the findings in them and in the subscripts, and notes on the subscripts.

    If a launch ends under no roles, only that is reported: bounds and results would be based on a guess.
    """
    judgement = judge(kernel, found, promise, progress, is_padded=is_padded)
    judgement = without_unused_reads(
        kernel, found, judgement, lambda other: judge(other, found, promise, is_padded=is_padded)
    )
    if found.always_stops:
        return judgement, [finding for finding in judgement.findings if finding.kind in OF_ANY_ROLES], []
    inner, notes = check_subscripts(kernel, found, _ended(judgement))
    return judgement, together([*judgement.findings, *inner]), notes


def _ended(judgement: Judgement) -> list[Sizes]:
    """Return the sizes tested, without those at which the kernel may be endless, as each of these takes seconds."""
    is_endless = any(finding.kind == ENDLESS for finding in judgement.findings)
    shapes = judgement.shapes[: len(judgement.tested)]
    return [
        sizes for sizes, shape in zip(judgement.tested, shapes, strict=False) if not is_endless or shape.status != FAULT
    ]


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if text.endswith((".", "!", "?")) else f"{text}."
