"""What the check says of some of the blind kernels: roles, launch, what each size shows, findings.

Their places stand there; their sentences and the notes are a hash.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.check.report.result import CheckResult

BLIND = Path(__file__).parents[1] / "lab" / "blind"
RECORDED = Path(__file__).parent / "recorded" / "checks.txt"
NAMES = [line.partition(" | ")[0] for line in RECORDED.read_text(encoding="utf-8").splitlines()]
"""Drawn from those that take a few seconds at most: causes are looked for within a time. A name alone is a new one."""
QUICK = NAMES[:28]
"""Those that take less than a second."""


def checks() -> Iterator[tuple[str, str]]:
    """Yield each file and what is said of it."""
    for name in NAMES:
        yield name, checked(name)


def checked(name: str) -> str:
    """Return what is said of a file's kernels, one after the other."""
    try:
        return "\n".join(map(_said, check_file(BLIND / f"{name}.cu", Options())))
    except CheckError:
        return "refused"


def _said(result: CheckResult) -> str:
    cases = [
        f"{'x'.join(map(str, case.sizes.values()))} {case.status} {case.grid} {case.block}" for case in result.cases
    ]
    places = [
        f"{finding.severity}: {finding.kind} {[place[1] for place in (finding.place, finding.other) if place]}"
        for finding in result.findings
    ]
    told = [text for each in result.findings for text in (each.message, each.advice, each.address, str(each.follows))]
    words = "\n".join([result.operation, result.arguments, result.refusal, result.pending, *result.notes, *told])
    verdict = "refused" if result.refusal else "well" if result.is_well() else "not well"
    words = re.sub(r"-?\d+\.\d\S*", "", words)  # fractions, whose last digits differ between processors
    return "; ".join([result.kernel, verdict, result.how, result.launch, *cases, *places, hashed(words)])


def hashed(text: str) -> str:
    """Return a text in eight letters."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]
