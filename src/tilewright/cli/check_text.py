"""What `tilewright check` prints: each kernel's verdict, problems, findings and counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, zip_longest

from rich.console import Console
from rich.text import Text

from tilewright.choose.printable import printable, printable_line
from tilewright.choose.quantities import duration, extent, magnitude
from tilewright.emulate.observers.finding import Coordinates, Finding
from tilewright.lab.check.report.junit import case_name, place_words
from tilewright.lab.check.report.plain_text import QuotedLines
from tilewright.lab.check.report.points import Score
from tilewright.lab.check.report.result import CaseResult, CheckResult, CountsRow, GpuCase, GpuResult
from tilewright.lab.check.report.verdict_words import verdict
from tilewright.lab.check.statuses import FAULT, REFUSED, RIGHT

from .tables import new_table, print_whole

COUNTED = (
    ("global\nloads", "global_loads"),
    ("load\nrequests", "global_load_requests"),
    ("sectors per\nrequest", ""),
    ("global\nstores", "global_stores"),
    ("shared\nloads", "shared_loads"),
    ("barriers", "barriers"),
    ("warp in-\nstructions", "warp_instructions"),
)
MOST_THREADS = 2
MOST_MESSAGES = 2


def print_result(console: Console, result: CheckResult, *, strict: bool = False) -> None:
    """Print one kernel's verdict with its evidence. strict: notes count as errors."""
    name = f"{result.file}: {result.kernel}" if result.kernel else result.file
    style = "bold green" if result.is_well(strict=strict) else "bold red"
    console.print(Text.assemble((printable_line(name), "bold"), "  ", (verdict(result, strict=strict), style)))
    if result.refusal:
        _say(console, result.refusal)
        return
    _print_known(console, result)
    _print_cases(console, result)
    _print_gpu(console, result.gpu)
    lines = QuotedLines(result.file)
    for finding in sorted(result.findings, key=lambda f: f.severity != "error"):
        _print_finding(console, finding, lines)
    _print_compared(console, result.compared)
    for note in result.notes:
        _say(console, f"Note: {note}")


def print_points(console: Console, names: Sequence[str], scores: Sequence[Score]) -> None:
    """Print the points of each file by criterion, then why each lost point was lost."""
    criteria = [f">~{line.criterion}\nof {line.of:g}" for line in scores[0].lines]
    table = new_table("~file", ">total", *criteria, style="")
    for name, score in zip(names, scores, strict=True):
        cells = ["-" if score.pending else f"{line.points:g}" for line in score.lines]
        total = score.pending or f"{score.total:g} of {score.of:g}"
        table.add_row(Text(printable_line(name)), total, *cells)
    print_whole(console, table, keys=2)
    for name, score in zip(names, scores, strict=True):
        lost = [line for line in score.lines if line.reason and line.of]
        if lost:
            console.print()
            console.print(Text(printable_line(name), "bold"))
        for reason in dict.fromkeys(line.reason for line in lost):
            same = [line for line in lost if line.reason == reason]
            points = sum(line.of - line.points for line in same)
            lost_points = "" if score.pending else f", -{points:g}"
            _say(console, f"{', '.join(line.criterion for line in same)}{lost_points}: {reason}")


def print_summary(console: Console, files: Sequence[Sequence[CheckResult]], *, strict: bool = False) -> None:
    """Print a line for each kernel of several files."""
    table = new_table("~file", "~kernel", "~result", style="")
    for result in (result for results in files for result in results):
        table.add_row(
            Text(printable_line(result.file)), Text(printable_line(result.kernel)), verdict(result, strict=strict)
        )
    print_whole(console, table, keys=2)


def _print_known(console: Console, result: CheckResult) -> None:
    added = result.how.removeprefix(result.arguments).strip()
    how = f" ({added})" if added else ""
    for name, value in (
        ("operation", result.operation or "of another kind"),
        ("arguments", f"{result.arguments}{how}" if result.arguments or how else ""),
        ("launch", result.launch),
    ):
        if value:
            _say(console, f"{name}: {value}")


def _print_cases(console: Console, result: CheckResult) -> None:
    cases = result.cases
    if not cases:
        return
    console.print()
    names = list(dict.fromkeys(name for case in cases for name in case.sizes))
    on_gpu = result.gpu.cases if result.gpu else ()
    there = ("on the\nGPU", ">error\nthere", ">time\nthere") if on_gpu else ()
    sides = (f">{name}" for name in names)
    table = new_table(*sides, "grid", "block", "result", ">error", ">bound", *there, style="")
    for case, of_gpu in zip_longest(cases, on_gpu):
        sizes = [f"{case.sizes[name]:,}" if name in case.sizes else "" for name in names]
        state = {RIGHT: "right", REFUSED: "not promised"}.get(case.status, case.status.upper())
        numbers = (magnitude(case.error), magnitude(case.bound))
        table.add_row(*sizes, extent(case.grid), extent(case.block), state, *numbers, *_gpu_cells(of_gpu))
    print_whole(console, table, keys=max(1, len(names)))
    told = "\n".join(finding.message for finding in result.findings)
    _print_messages(console, [case for case in cases if case.status != RIGHT and case.message not in told])


def _gpu_cells(case: GpuCase | None) -> tuple[str, ...]:
    if case is None:
        return ()
    state = {RIGHT: "right", FAULT: "STOPPED"}.get(case.status, case.status.upper())
    return state, magnitude(case.error), duration(case.kernel_seconds)


def _print_gpu(console: Console, gpu: GpuResult | None) -> None:
    """Say which GPU, why it ran nothing, what was wrong at which problem."""
    if gpu is None:
        return
    if gpu.refusal:
        _say(console, f"On {gpu.device}: not run, for {gpu.refusal}.")
        return
    _say(console, f"On {gpu.device}: times are medians of five launches, each on fresh inputs with cold caches.")
    _print_messages(console, gpu.cases, " on the GPU")


def _print_messages(console: Console, cases: Sequence[CaseResult | GpuCase], where: str = "") -> None:
    """Print the first messages of cases, once for those in a row that have the same."""
    told = [case for case in cases if case.message]
    groups = [list(group) for _, group in groupby(told, key=lambda case: case.message)]
    for same in groups[:MOST_MESSAGES]:
        more = f" (and {len(same) - 1} more)" if len(same) > 1 else ""
        what = "stopped" if same[0].status == FAULT else same[0].status
        _say(console, f"{case_name(same[0])}{more}: {what}{where}: {same[0].message}")
    if len(groups) > MOST_MESSAGES:
        _say(console, f"The messages of {sum(map(len, groups[MOST_MESSAGES:]))} more{where} are in --json.")


def _print_finding(console: Console, finding: Finding, lines: QuotedLines) -> None:
    console.print()
    style = "bold red" if finding.severity == "error" and not finding.follows else "bold yellow"
    times = f" ({finding.times:,} times)" if finding.times > 1 else ""
    rank = "follows" if finding.follows else finding.severity
    head = Text.assemble((f"{rank}: {finding.kind}", style), f" at {printable_line(place_words(finding.place))}{times}")
    console.print(head)
    _quote(console, lines.line(finding.place))
    _say(console, finding.message)
    if finding.other is not None and finding.other != finding.place:
        _say(console, f"The other line, {place_words(finding.other)}:")
        _quote(console, lines.line(finding.other))
    if finding.threads:
        more = len(finding.threads) - MOST_THREADS
        named = "; ".join(_thread(*thread) for thread in finding.threads[:MOST_THREADS])
        rest = f"; and {more:,} more" if more > 0 else ""
        _say(console, f"threads: {named}{rest}" + (f"; at {finding.address}" if finding.address else ""))
    if finding.advice:
        _say(console, f"What to do: {finding.advice}")


def _print_compared(console: Console, rows: Sequence[CountsRow]) -> None:
    if not rows:
        return
    console.print()
    sizes = ", ".join(f"{name} {size}" for name, size in rows[0].sizes.items())
    console.print(Text(f"Beside the catalogue's kernels, at {sizes}; counted by execution:"))
    table = new_table("~kernel", *(f">{heading}" for heading, _ in COUNTED))
    for row in rows:
        table.add_row(Text(printable(row.kernel)), *_counts(row))
    print_whole(console, table)


def _counts(row: CountsRow) -> Iterable[str]:
    for _, name in COUNTED:
        if name:
            yield f"{row.counts[name]:,}" if name in row.counts else "-"
        else:
            requests, sectors = row.counts.get("global_load_requests"), row.counts.get("global_load_sectors")
            yield f"{sectors / requests:.1f}" if requests and sectors is not None else "-"


def _thread(block: Coordinates, thread: Coordinates) -> str:
    return f"thread ({', '.join(map(str, thread))}) of block ({', '.join(map(str, block))})"


def _quote(console: Console, line: str) -> None:
    if line:
        _print_indented(console, f"| {line}", 4, "dim")


def _say(console: Console, text: str) -> None:
    _print_indented(console, printable(text), 2)


def _print_indented(console: Console, text: str, columns: int, style: str = "") -> None:
    """Print wrapped text, without the spaces that fill rich's lines to their end."""
    for line in Text(text, style).wrap(console, max(1, console.width - columns)):
        line.rstrip()
        console.print(Text(" " * columns).append_text(line))
