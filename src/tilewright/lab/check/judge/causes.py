"""Finds the cause of a mistake by trying small changes of the text, until one makes every problem right.

A change that makes every problem right without an error proves two things: it shows the place of the mistake, and all
other findings follow from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.changed_stands import changed_stands
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.run.deadline import Deadline
from tilewright.lab.check.run.execution import Stand
from tilewright.lab.check.run.watching import ERROR
from tilewright.lab.source import SourceError
from tilewright.lab.source.changes import Bounds, Change
from tilewright.lab.source.variants import ChangeableKernel

CAUSE = "cause"
_NAME = re.compile(r"[A-Za-z_]\w*")
_SET = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)")
_GUARD = re.compile(r"\s*(?:\}\s*else\s+)?if\b")
_ROUNDED_UP = re.compile(r"- 1\) / ")
BATCH = 40
MOST_CHANGES = 600
MOST_SURVIVORS = 6
MENDS = {
    "race": ("barrier", "atomic"),
    "barrier not reached": ("barrier",),
    "uninitialised read": ("fill", "sum", "barrier", "order"),
    "out of bounds": ("guard",),
    "inner dimension": ("expression", "index", "sum"),
    "endless loop": ("loop",),
}
"""The changes that usually fix each kind of finding."""

Check = Callable[[Stand], bool]
"""Checks whether a changed kernel is right where the original was not."""


@dataclass(frozen=True)
class Launched:
    """A launch that a changed kernel must pass. values: of the file's constants. check: runs it."""

    values: Mapping[str, int]
    check: Check


@dataclass(frozen=True)
class Problems:
    """The launches that a changed kernel must pass.

    first: the most telling launch that fails. likely: others that the kernel is probably made for. others: the rest.
    is_whole: whether the first has whole tiles only. is_right_whole: whether all launches of whole tiles are right, and
    there are some. is_of_turns: whether only launches fail whose blocks take several turns. subscripts: if some
    subscript leaves its dimension, a check that a text has no such subscript. wanted: names of which one is probably
    missing where another stands.
    """

    first: Launched
    likely: Sequence[Launched]
    others: Sequence[Launched]
    is_whole: bool = False
    is_right_whole: bool = False
    is_of_turns: bool = False
    subscripts: Callable[[str], bool] | None = None
    wanted: frozenset[str] = frozenset()


def find_cause(
    kernel: KernelFile, bounds: Bounds, findings: Sequence[Finding], problems: Problems, seconds: float
) -> Finding | None:
    """Return the finding that names the line where one change makes everything right.

    Failing that, a change suffices that makes right what the kernel is probably made for (`problems.likely`). None if
    there is no such change either, or none was found in time.
    """
    try:
        own = ChangeableKernel(
            kernel.opened.file, kernel.signature, bounds, list(kernel.constants), kernel.template_arguments
        )
    except SourceError:
        return None
    at = {line for finding in findings for _, line in (finding.place, finding.other or finding.place) if line}
    near = at, _near(kernel, at)
    changes = sorted(own.changes(), key=lambda change: _rank(change, findings, near, problems))
    deadline = Deadline(seconds)
    for start in range(0, min(len(changes), MOST_CHANGES), BATCH):
        if deadline.is_over:
            return None
        likely, proven = _fitting(kernel, own, changes[start : start + BATCH], problems)
        if proven:
            alike = [each for each in changes[start + BATCH :] if each.doubt <= proven[0].doubt][:BATCH]
            proven += _fitting(kernel, own, alike, problems)[1] if not deadline.is_over else []
            return _finding(kernel, proven, "every problem")
        if likely and problems.likely:
            return _finding(kernel, likely, "every problem of whole tiles")
    return None


def _fitting(
    kernel: KernelFile, own: ChangeableKernel, changes: Sequence[Change], problems: Problems
) -> tuple[list[Change], list[Change]]:
    """Return the changes that make right what the kernel is probably made for, and those that make all right."""
    first = problems.first
    survivors = [change for change, stand in changed_stands(kernel, own, changes, first.values) if first.check(stand)]
    if problems.subscripts is not None:
        survivors = [change for change in survivors if problems.subscripts(own.text_with(change))]
    likely = [c for c in survivors[:MOST_SURVIVORS] if _holds(kernel, own, c, problems.likely)]
    return likely, [change for change in likely if _holds(kernel, own, change, problems.others)]


def _near(kernel: KernelFile, near: set[int]) -> set[int]:
    """Return these lines, the conditions that they stand under, and lines where the kernel sets what stands in them."""
    first, lines = kernel.signature.line, kernel.body.split("\n")
    near |= {
        number - 1 for number in near if 0 < number - first < len(lines) and _GUARD.match(lines[number - first - 1])
    }
    named = {
        word for number in near if 0 <= number - first < len(lines) for word in _NAME.findall(lines[number - first])
    }
    return near | {first + at for at, line in enumerate(lines) for word in _SET.findall(line) if word in named}


def _rank(
    change: Change, findings: Sequence[Finding], near: Sequence[set[int]], problems: Problems
) -> tuple[float, ...]:
    """Return a sort key: fixes of common mistakes first, and among them those near the line of a finding.

    near: lines, of which each counts as often as it is in a set.
    """
    kinds = {finding.kind for finding in findings if finding.severity == ERROR}
    doubt = float(change.doubt)
    if any(change.mends in MENDS.get(kind, ()) for kind in kinds):
        doubt -= 0.5
    elif change.mends in ("barrier", "atomic"):
        doubt += 3  # without a race or a barrier that is missed they change nothing
    elif problems.is_whole and change.mends in ("guard", "fill"):
        doubt += 2  # nothing sticks out of the matrices
    elif problems.is_of_turns and change.mends == "sum":
        doubt -= 1  # what a turn leaves to the next
    elif problems.is_right_whole and _ROUNDED_UP.search(change.now):
        doubt -= 0.5
    if problems.wanted & set(_NAME.findall(change.now)):
        doubt -= 1
    for lines, closer in zip(near, (0.125, 0.25), strict=True):
        if not lines.isdisjoint(range(change.line, change.last_line + 1)):
            doubt -= closer
    return (doubt, change.last_line - change.line)


def _holds(kernel: KernelFile, own: ChangeableKernel, change: Change, launched: Sequence[Launched]) -> bool:
    stands: dict[tuple[tuple[str, int], ...], Stand] = {}
    for each in launched:
        key = tuple(sorted(each.values.items()))
        if key not in stands:
            found = [stand for _, stand in changed_stands(kernel, own, [change], each.values)]
            if not found:
                return False
            stands[key] = found[0]
        if not each.check(stands[key]):
            return False
    return True


def _finding(kernel: KernelFile, proven: Sequence[Change], what: str) -> Finding:
    best = proven[0]
    file = kernel.opened.file.name
    elsewhere = [change for change in proven[1:] if change.line != best.line]
    also = f" So it does {elsewhere[0].says} in line {elsewhere[0].line}." if elsewhere else ""
    last = max(best.last_line, best.next_line)
    last = last if last != best.line or not elsewhere else elsewhere[0].line
    return Finding(
        CAUSE,
        ERROR,
        (file, best.line),
        f"{best.says[0].upper()}{best.says[1:]}, {what} comes out right and nothing else is found.{also}",
        "See whether that is what is meant; what is found below follows from it.",
        other=(file, last) if last != best.line else None,
        details={"change": best.says, "is_of_values": best.is_of_values and best.mends != "atomic"},
    )


def with_cause(findings: Sequence[Finding], cause: Finding | None) -> list[Finding]:
    """Return the cause, then the findings that follow from it, which no longer count as errors."""
    if cause is None:
        return list(findings)
    return [cause, *(replace(each, follows=True) if each.severity == ERROR else each for each in findings)]
