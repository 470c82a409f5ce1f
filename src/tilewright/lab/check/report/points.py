"""`--points rubric.toml`: the points that a submission earns per criterion, and why it misses the others."""

from __future__ import annotations

import math
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tilewright.call.files.errors import FileError
from tilewright.call.files.opened import read_text
from tilewright.emulate.observers.finding import Finding
from tilewright.lab.check.find.said_launch import checked_launch
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.statuses import REFUSED, RIGHT

from .result import CaseResult, CheckResult, Extent

MOST_RUBRIC_BYTES = 1 << 20


@dataclass(frozen=True)
class ScoreLine:
    """A criterion's points for one file, the points possible, and why it is missed. Points are all or nothing."""

    criterion: str
    points: float
    of: float
    reason: str = ""


@dataclass(frozen=True)
class Score:
    """A file's points, in the rubric's order. pending: why they are not known yet; then this is no final result."""

    lines: tuple[ScoreLine, ...]
    pending: str = ""

    @property
    def total(self) -> float:
        """The points earned."""
        return sum(line.points for line in self.lines)

    @property
    def of(self) -> float:
        """The points that the rubric gives."""
        return sum(line.of for line in self.lines)

    def record(self) -> dict[str, Any]:
        """Return the score as plain data."""
        total = None if self.pending else self.total
        return {
            "total": total,
            "of": self.of,
            "pending": self.pending,
            "criteria": [asdict(line) for line in self.lines],
        }


Reason = Callable[[CheckResult], str]
"""Returns why a kernel does not meet a criterion; empty if it does."""


def _any_size(result: CheckResult) -> str:
    return _first_wrong([case for case in result.cases if case.status != REFUSED])


def _whole_tiles(result: CheckResult) -> str:
    ran = [case for case in result.cases if case.status != REFUSED]
    return _first_wrong([case for case in ran if not meets_boundary(case, _block(result))] or ran)


def _boundary_tiles(result: CheckResult) -> str:
    cases = [case for case in result.cases if case.status != REFUSED and meets_boundary(case, _block(result))]
    return _first_wrong(cases) if cases else "it is made for whole tiles only"


def _without(*kinds: str) -> Reason:
    def reason(result: CheckResult) -> str:
        found = [f for f in result.findings if f.kind in kinds and (f.severity == "error" or f.kind in NOTED)]
        if found:
            return _finding(found[0], len(found))
        return "" if any(case.status == RIGHT for case in result.cases) else "no problem came out right"

    return reason


def _no_error(result: CheckResult) -> str:
    found = [f for f in result.findings if f.severity == "error"]
    return _finding(found[0], len(found)) if found else _without()(result)


NOTED = ("uncoalesced", "bank conflict")
"""Kinds of notes, which cost points only if a criterion names them."""
CRITERIA: dict[str, Reason] = {
    "right": _whole_tiles,
    "boundary tiles": _boundary_tiles,
    "right at every size": _any_size,
    "no race": _without("race"),
    "no out of bounds": _without("out of bounds", "inner dimension"),
    "no uninitialised read": _without("uninitialised read"),
    "all barriers reached": _without("barrier not reached"),
    "no error": _no_error,
    "coalesced": _without("uncoalesced"),
    "no bank conflict": _without("bank conflict"),
}
"""The criteria of a rubric. A kernel without a right result earns no points for the absence of errors."""


def read_rubric(path: Path) -> dict[str, float]:
    """Return the points for each criterion, in the file's order.

    Raises:
        CheckError: it is not TOML, has no table `[points]`, or an entry is not a criterion with a number of points.
    """
    try:
        content = tomllib.loads(read_text(path, MOST_RUBRIC_BYTES))
    except FileError as error:
        raise CheckError(str(error)) from error
    except (ValueError, RecursionError) as error:
        raise CheckError(f"{path} is not TOML: {' '.join(str(error).split())[:200]}.") from error
    table = content.pop("points", None)
    content.pop("launch", None)
    if content:
        raise CheckError(
            f"{path} has {_short(next(iter(content)))}; a rubric has the tables [points] and [launch], no more."
        )
    if not isinstance(table, dict) or not table:
        raise CheckError(f"{path} has no table [points] with a line for each criterion, such as right = 40.")
    for name, points in table.items():
        if name not in CRITERIA:
            raise CheckError(f"{path} names {_short(name)}; a rubric's criteria are {', '.join(CRITERIA)}.")
        if isinstance(points, bool) or not isinstance(points, int | float) or not 0 <= points <= sys.float_info.max:
            raise CheckError(f"{path} gives {_short(points)} for {name!r}; points are a number from 0 on.")
    return {name: float(points) for name, points in table.items()}


def _short(value: object) -> str:
    try:
        said = repr(value)
    except (ValueError, RecursionError):  # a number with more digits than Python writes; tables in tables
        return "something that is not read"
    return said if len(said) <= 60 else f"{said[:60]}..."


def read_launch(path: Path) -> dict[str, str]:
    """Return a rubric's table [launch], for files that give no launch themselves.

    Raises:
        CheckError: an entry does not belong to a launch.
    """
    table = tomllib.loads(read_text(path, MOST_RUBRIC_BYTES)).get("launch", {})
    if not isinstance(table, dict):
        raise CheckError(f"{path} has launch = {table!r}; a launch is a table, [launch], with block and grid.")
    return checked_launch(table, f"The table [launch] of {path}")


def score(results: Sequence[CheckResult], rubric: dict[str, float]) -> Score:
    """Return a file's points: those of each criterion that all its kernels meet; none yet while a kernel is pending."""
    lines = []
    for criterion, points in rubric.items():
        reason = next(filter(None, (_reason(result, criterion) for result in results)), "")
        lines.append(ScoreLine(criterion, 0.0 if reason else points, points, reason))
    return Score(tuple(lines), next((result.pending for result in results if result.pending), ""))


def _block(result: CheckResult) -> Extent | None:
    """Return the block of the first launch that has one, which a launch that no GPU takes has not."""
    return next((case.block for case in result.cases if case.block), None)


def meets_boundary(case: CaseResult, usual: Extent | None = None) -> bool:
    """Return whether a size is not a multiple of the block's side, so that some block crosses the matrix's edge.

    usual: the block of a case that has none, because its launch was refused.
    """
    block = case.block or usual
    if block is None:
        return False
    sizes = [size for name, size in case.sizes.items() if name == "inner" or not _is_vector(case)]
    return any(size % _side(case, block) for size in sizes)


def _side(case: CaseResult, block: Extent) -> int:
    """Return the side of a block's square; for a one-dimensional block and a matrix C, the root of its threads."""
    x, y, z = block
    if y * z > 1:
        return max(x, y)
    return max(math.isqrt(x), 1) if {"rows", "cols"} <= case.sizes.keys() and not _is_vector(case) else x


def _is_vector(case: CaseResult) -> bool:
    return case.sizes.get("rows") == case.sizes.get("cols") == 1


def _reason(result: CheckResult, criterion: str) -> str:
    if result.refusal:
        return f"{result.pending or 'not checked'}: {result.refusal}"
    if not result.cases:
        return "nothing was run"
    reason = CRITERIA[criterion](result)
    return f"{result.kernel}: {reason}" if reason and result.kernel else reason


def _first_wrong(cases: Sequence[CaseResult]) -> str:
    for case in cases:
        if case.status != RIGHT:
            sizes = ", ".join(f"{name} {size}" for name, size in case.sizes.items())
            return f"{case.status} at {sizes or 'what was given'}{f': {case.message}' if case.message else ''}"
    return ""


def _finding(finding: Finding, count: int) -> str:
    line = "" if finding.place[1] is None else f"line {finding.place[1]}: "
    more = f" (and {count - 1} more)" if count > 1 else ""
    return f"{finding.kind}, {line}{finding.message}{more}"
