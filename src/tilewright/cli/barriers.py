"""`tilewright barriers`: what each barrier of the tiled product is for, by taking it out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from .screen import screen
from .tables import new_table, print_whole
from .writing import JSON_HELP, check_json_path, write_json

if TYPE_CHECKING:
    from tilewright.lab.barriers import Run

COLORS = ("blue", "dark_orange", "green", "magenta", "cyan", "red", "yellow", "white")
PHASES = "0123456789abcdefghijklmnopqrstuvwxyz"
MOST_ELEMENTS = 1 << 22


def barriers(
    size: Annotated[tuple[int, int, int], typer.Option(metavar="M N K", help="C is M x N, K the inner size.")] = (
        40,
        40,
        96,
    ),
    tile: Annotated[int, typer.Option(min=2, max=32, help="The tile; a block has a thread per element of it.")] = 16,
    seeds: Annotated[int, typer.Option(min=0, max=20, help="Random schedules, besides round robin.")] = 2,
    json_path: Annotated[Path | None, typer.Option("--json", metavar="FILE", help=JSON_HELP)] = None,
) -> None:
    """Run the tiled product without its first barrier, without its second, with misplaced ones: what goes wrong."""
    from tilewright.lab.barriers import run_all, schedules  # imports Numba, which takes a while

    from .refusals import Refusal

    check_json_path(json_path)
    m, n, k = size
    if min(size) < 1 or m * n * k > MOST_ELEMENTS:
        raise Refusal(f"--size {m} {n} {k}: each is 1 or more, and their product is at most {MOST_ELEMENTS:,}.")
    runs = list(run_all(size, tile, schedules(seeds)))
    if write_json(json_path, {"size": list(size), "tile": tile, "runs": [_record(run) for run in runs]}):
        return
    console = screen()
    _print_outcomes(console, runs)
    _print_findings(console, runs)
    _print_timelines(console, runs)


def _print_outcomes(console: Console, runs: list[Run]) -> None:
    table = new_table("matmul/tiled", "schedule", ">wrong elements", ">races", ">drift (phases)", ">tiles at once")
    before = ""
    for run in runs:
        wrong = f"{run.wrong:,} of {run.elements:,}" if run.fault is None else "hangs"
        races = sum(finding.kind == "race" for finding in run.findings)
        line = run.timeline
        title = run.variant.title if run.variant.title != before else ""
        before = run.variant.title
        cells = (wrong, str(races), f"{line.drift}, mean {line.mean_drift:.1f}", f"{line.working_set_bytes:,} bytes")
        table.add_row(title, str(run.schedule), *cells)
    print_whole(console, table, keys=2)
    console.print(
        "Each variant is the catalogue's file with that line taken out or replaced; the blog's placement is "
        "matmul/tiled_inner_barrier. A right result under every schedule proves nothing: see the races.",
        style="dim",
    )


def _print_findings(console: Console, runs: list[Run]) -> None:
    for variant in dict.fromkeys(run.variant for run in runs):
        mine = [run for run in runs if run.variant == variant]
        told = {(f.kind, f.place, f.other): f for run in reversed(mine) for f in reversed(run.findings)}
        faults = [run.fault for run in mine if run.fault]
        if not told and not faults:
            continue
        changes = "; ".join(f"line {number}: {text or 'taken out'}" for number, text in variant.changes)
        console.print(f"\n{variant.title}" + (f" ({changes})" if changes else ""), style="bold", markup=False)
        for finding in reversed(told.values()):
            console.print(f"  {finding.message} {finding.advice}", markup=False)
        if faults:
            console.print(f"  {faults[0]}", markup=False)


def _print_timelines(console: Console, runs: list[Run]) -> None:
    console.print(
        "\nThe first block over time: the phase whose tile a warp is at, a point while it waits. Good timing: one "
        "phase in a column. Bad timing: warps far apart, and all their tiles needed at once.",
        style="bold",
    )
    for run in runs:
        if run.schedule != runs[0].schedule and run.timeline.drift <= 1:
            continue
        console.print(f"\n{run.variant.title}, {run.schedule}: drift {run.timeline.drift}", markup=False)
        for number, bins in enumerate(run.timeline.bins):
            line = Text(f"  warp {number:2} ")
            for value in bins:
                line.append(*_cell(value))
            console.print(line, soft_wrap=True)


def _cell(value: int) -> tuple[str, str]:
    from tilewright.lab.barriers import NOT_BEGUN, WAITS

    if value == NOT_BEGUN:
        return " ", ""
    if value == WAITS:
        return ".", "dim"
    return PHASES[value % len(PHASES)], COLORS[value % len(COLORS)]


def _record(run: Run) -> dict[str, Any]:
    return {
        "variant": run.variant.title,
        "file": run.variant.file,
        "changed_lines": {str(number): text for number, text in run.variant.changes},
        "schedule": run.schedule.kind,
        "seed": run.schedule.seed,
        "wrong_elements": None if run.fault else run.wrong,
        "elements": run.elements,
        "fault": run.fault,
        "findings": [
            {
                "kind": finding.kind,
                "severity": finding.severity,
                "line": finding.place[1],
                "other_line": finding.other[1] if finding.other else None,
                "address": finding.address,
                "times": finding.times,
                "message": finding.message,
                "advice": finding.advice,
            }
            for finding in run.findings
        ],
        "drift_phases": run.timeline.drift,
        "mean_drift_phases": round(run.timeline.mean_drift, 3),
        "working_set_bytes": run.timeline.working_set_bytes,
        "timeline": [list(bins) for bins in run.timeline.bins],
    }
