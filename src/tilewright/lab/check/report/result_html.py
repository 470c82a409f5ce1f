"""A check's result as HTML for notebooks: verdict, problems, findings with their lines, counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tilewright.choose import notebook
from tilewright.choose.printable import escape
from tilewright.choose.quantities import extent, magnitude
from tilewright.emulate.observers.finding import Finding
from tilewright.lab.check.statuses import REFUSED

from .junit import place_words
from .plain_text import QuotedLines
from .verdict_words import verdict

if TYPE_CHECKING:
    from .result import CaseResult, CheckResult, CountsRow

COUNTED = ("global_loads", "global_load_requests", "global_load_sectors", "shared_loads", "barriers")


def html_of(result: CheckResult) -> str:
    """Return one kernel's result as HTML."""
    name = f"{result.file}: {result.kernel}" if result.kernel else result.file
    known = {
        "result": verdict(result),
        "why": result.refusal,
        "operation": result.operation,
        "arguments": result.arguments,
        "launch": result.launch,
    }
    parts = [notebook.facts(known, caption=name), _cases(result.cases)]
    lines = QuotedLines(result.file)
    parts += [_finding(finding, lines) for finding in sorted(result.findings, key=lambda f: f.severity != "error")]
    parts += [_compared(result.compared), notebook.sentences(note for note in result.notes)]
    return notebook.together(*parts)


def _cases(cases: Sequence[CaseResult]) -> str:
    if not cases:
        return ""
    names = list(dict.fromkeys(name for case in cases for name in case.sizes))
    columns = [*names, "grid", "block", "result", "error", "bound"]
    rows = [
        [
            *(f"{case.sizes[name]:,}" if name in case.sizes else "" for name in names),
            extent(case.grid),
            extent(case.block),
            "not promised" if case.status == REFUSED else case.status,
            magnitude(case.error),
            magnitude(case.bound),
        ]
        for case in cases
    ]
    words = range(len(names), len(names) + 3)
    said = dict.fromkeys(case.message for case in cases if case.message)
    return notebook.table(columns, rows, words=words) + notebook.sentences(said)


def _finding(finding: Finding, lines: QuotedLines) -> str:
    places = dict.fromkeys(place for place in (finding.place, finding.other) if place is not None)
    quoted = "".join(
        f"<pre>{escape(place_words(place))}: {escape(line)}</pre>" for place in places if (line := lines.line(place))
    )
    times = f" ({finding.times:,} times)" if finding.times > 1 else ""
    head = f"{finding.severity}: {finding.kind} at {place_words(finding.place)}{times}"
    said = [escape(text) for text in (finding.message, finding.advice) if text]
    return f"<p><b>{escape(head)}</b></p>{quoted}<p>{'<br/>'.join(said)}</p>"


def _compared(rows: Sequence[CountsRow]) -> str:
    if not rows:
        return ""
    sizes = ", ".join(f"{name} {size}" for name, size in rows[0].sizes.items())
    cells = [
        [row.kernel, *(f"{row.counts[name]:,}" if name in row.counts else "-" for name in COUNTED)] for row in rows
    ]
    columns = ["kernel", *(name.replace("_", " ") for name in COUNTED)]
    return notebook.table(columns, cells, caption=f"Beside the catalogue's kernels, at {sizes}")
