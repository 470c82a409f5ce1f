"""Checks the kernels of a file: roles, launches, sizes, observers, counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.finding_out import REFUSALS, KnownKernel, find_out
from tilewright.lab.check.find.kernel_file import KernelFile, OpenedFile, choose_kernels, open_file
from tilewright.lab.check.find.launches import FormulaLaunch
from tilewright.lab.check.find.promises import Promise, promise_of
from tilewright.lab.check.find.search import no_fit
from tilewright.lab.check.find.zeroed import adds_atomically, zeroing_line
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

from .cause_of_product import cause_of
from .causes import with_cause
from .counting import counted_beside
from .fills import with_fills
from .subscript_check import check_subscripts
from .variants import PLAIN
from .verdicts import IMPOSSIBLE, Judgement, gpu_problems, judge

OF_ANY_ROLES = ("barrier not reached", ENDLESS, IMPOSSIBLE)
"""Findings that do not depend on the arguments' roles, in a launch that ends under no roles."""
TRANSPOSED_SHARE = 0.4
"""The share of the time for a cause that is spent on the possibility of a transposed operand."""

Progress = Callable[[int, int], None]
Judged = Callable[[CheckResult, str, int], None]
"""Takes a kernel's result, the name of the next one, and how many are left."""
_Explained = tuple[Found, Promise, Judgement, list[Finding], list[str], Finding | None]


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
    return with_refused_as_notes(results)


def _checked(
    opened: OpenedFile,
    signature: KernelSignature,
    options: Options,
    progress: Progress | None,
    for_gpu: GpuFolder | None,
) -> CheckResult:
    try:
        return _judged(find_out(opened, signature, options), progress, for_gpu)
    except REFUSALS as error:
        return CheckResult(
            str(opened.file.path),
            signature.name,
            notes=tuple(opened.part.notes),
            refusal=_sentence(error),
            pending=pending_of(error),
        )


def _judged(known: KnownKernel, progress: Progress | None, for_gpu: GpuFolder | None) -> CheckResult:
    kernel = known.kernel
    found, promise, judgement, findings, inner_notes, cause = _explained(known, progress)
    is_plain = any(judgement.launched[number][1] == PLAIN for number in judgement.failing)
    is_wrong = not found.fits and any(each.severity == ERROR for each in findings)
    if cause is None and is_wrong and (is_plain or not judgement.failing):
        transposed = _as_transposed(kernel, found, promise, kernel.options.cause_seconds * TRANSPOSED_SHARE)
        if transposed is not None:
            found, judgement, findings, cause = transposed
    counted = counted_beside(found, judgement)
    findings = with_fills(with_cause(findings, cause), kernel)
    notes = [*kernel.notes, *judgement.notes, *inner_notes]
    notes += _assumed(kernel, found, promise)
    result = CheckResult(
        str(kernel.opened.file.path),
        kernel.signature.name,
        operation=found.roles.product,
        arguments=str(found.roles),
        how=found.how,
        launch=found.rule.said,
        cases=tuple(judgement.shapes),
        findings=tuple(findings),
        compared=tuple(counted),
        notes=tuple(dict.fromkeys(notes)),
    )
    if for_gpu is not None:
        for_gpu.add(result, lambda architecture: gpu_problems(kernel, found, judgement, architecture))
    return result


def _assumed(kernel: KernelFile, found: Found, promise: Promise) -> list[str]:
    """Return notes on what the kernel was judged as, and under which assumptions."""
    name, notes = kernel.signature.name, []
    if promise.is_note:
        notes.append(f"{name} is held to {promise.said}.")
    if found.roles.operation in KINDS:
        notes.append(f"{name} was judged as {found.roles.product}.")
    if found.roles.transposed:
        notes.append(f"C is {found.roles.product.partition(', ')[2]}, and {name} was judged as that.")
    if line := zeroing_line(kernel, found):
        notes.append(f"C holds zeros before each launch, as the file's cudaMemset of line {line} has it.")
    elif adds_atomically(kernel, found):
        sign = KINDS[found.roles.operation].sign if found.roles.operation in KINDS else 0
        holds = {0: "zeros", 1: "the least numbers", -1: "the largest numbers"}[sign]
        does = "changes" if sign else "adds into"
        notes.append(f"C holds {holds} before each launch: {name} {does} it with atomics.")
    if isinstance(found.rule, FormulaLaunch) and found.rule.is_guess:
        notes.append(f"The file has no launch of {name}; {found.rule.said} was guessed.")
    return notes


def _explained(known: KnownKernel, progress: Progress | None) -> _Explained:
    """Return the first of the possible roles that explain what is found; raise RolesError if none do."""
    kernel = known.kernel
    seconds = kernel.options.cause_seconds / (2 if known.rivals else 1)
    for found in (known.found, *known.rivals):
        promise = promise_of(kernel, found)
        judgement, findings, notes = _found_in(kernel, found, promise, progress)
        cause = cause_of(kernel, found, judgement, findings, seconds)
        if _is_explained(found, findings, cause):
            return found, promise, judgement, findings, notes, cause
    raise no_fit(known.candidate, [])


def _is_explained(found: Found, findings: Sequence[Finding], cause: Finding | None) -> bool:
    """Return whether a kernel may be judged as what was found.

    One that no guessed launch ends may want another launch: the cause shows that it does not. One of another kind than
    a product may be meant for something else: it is not called wrong without a cause, unless it is right where its
    blocks are whole, its launch is known, and its mistake is more than a wrong result. If it is right nowhere, the
    cause must be a usual one, and not what is computed from each element.
    """
    errors = {finding.kind for finding in findings if finding.severity == ERROR}
    is_guess = isinstance(found.rule, FormulaLaunch) and found.rule.is_guess
    if found.always_stops and is_guess:
        return cause is not None
    if found.roles.operation not in KINDS or not errors:
        return True
    if cause is not None:
        is_usual = not cause.details.get("is_of_values") or "+=" in str(cause.details["change"])
        return found.fits or is_usual
    return found.always_stops or (found.fits and not is_guess and errors != {"wrong result"})


def _found_in(
    kernel: KernelFile, found: Found, promise: Promise, progress: Progress | None = None
) -> tuple[Judgement, list[Finding], list[str]]:
    """Return the launches, the findings in them and in the subscripts, and notes on the subscripts.

    If a launch ends under no roles, only that is reported: bounds and results would be based on a guess.
    """
    judgement = judge(kernel, found, promise, progress)
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


def _as_transposed(
    kernel: KernelFile, found: Found, promise: Promise, seconds: float
) -> tuple[Found, Judgement, list[Finding], Finding] | None:
    """Return a wrong product as one with a transposed operand, if one change makes it right that way."""
    roles = found.roles
    if roles.operation != "matmul" or roles.transposed or roles.fixed or found.always_stops:
        return None
    for name in "BA":
        other = replace(found, roles=replace(roles, transposed=name))
        judgement, findings, _ = _found_in(kernel, other, promise)
        cause = cause_of(kernel, other, judgement, findings, seconds)
        if cause is not None:
            return other, judgement, findings, cause
    return None


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if text.endswith((".", "!", "?")) else f"{text}."
