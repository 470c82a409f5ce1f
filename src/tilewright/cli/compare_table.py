"""`compare`'s tables: one per operation, readable at 100 columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tilewright.choose.quantities import duration, extent, magnitude, three_digits
from tilewright.lab.compare.comparison import legend, notes_of
from tilewright.lab.compare.inputs import Inputs
from tilewright.lab.compare.record import FAIL, PASS, Row

from .tables import print_whole

HEADINGS = (
    "kernel",
    "tile",
    "grid x\nblock",
    "copy\nin",
    "kernel\ntime",
    "copy\nout",
    "GFLOP\n/s",
    "global\nloads",
    "load\nrequests",
    "error",
    "bound",
    "",
)
GRID = 2
KEYS = 2
"""Kernel and tile: what tells the rows apart."""
NARROW = ((0, 1, 2, 3, 4, 5, 6), (0, 1, 7, 8, 9, 10, 11))
"""Two tables, times and counts, where the terminal is too narrow for one."""

COLORS = {PASS: "green", FAIL: "bold red"}


def print_table(console: Console, inputs: Inputs, rows: Sequence[Row]) -> None:
    """Print an operation's table, and notes below it."""
    problem = inputs.problem
    c_shape = f"C {problem.c_shape}" if problem.c_shape else "C a scalar"
    console.print(f"[bold]{problem.operation}[/]  {escape(problem.about.formula)}", soft_wrap=True)
    if any(row.note != rows[0].note or row.can for row in rows):
        shapes = f"A {problem.a_shape}, B {problem.b_shape}, {c_shape}, {problem.dtype}"
        console.print(f"{shapes}, {escape(inputs.description)}", soft_wrap=True)
        lines = [_cells(row, name_rule=inputs.source == "seed004") for row in rows]
        print_whole(console, _table(lines), keys=KEYS, groups=NARROW)
    for note in notes_of(inputs, rows):
        console.print(escape(note), style="red" if note.startswith(FAIL) else "dim")
    console.print()


def _table(lines: Sequence[Sequence[str]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), collapse_padding=True)
    for number, heading in enumerate(HEADINGS):
        justify: Literal["left", "right"] = "left" if heading in ("kernel", "") else "right"
        table.add_column(heading, justify=justify, no_wrap=number != GRID)
    for line in lines:
        table.add_row(*line)
    return table


def _cells(row: Row, *, name_rule: bool) -> list[str]:
    plan, run, verdict = row.plan, row.run, row.verdict
    status = f"[{COLORS[row.status]}]{row.status}[/]" if row.status in COLORS else row.status
    cells = [f"[cyan]{row.candidate.idea}[/]", "-" if row.tile is None else str(row.tile)]
    if plan is None or run is None or verdict is None:
        reached = [row.status, *["-"] * 6, "-"] if row.status != FAIL else [*["-"] * 7, status]
        return [*cells, "-", "-", *reached]
    on_host = plan.machine == "host"
    bound = magnitude(verdict.bound)
    if name_rule:
        bound += " seed" if "seed" in verdict.rule else " gamma"
    return [
        *cells,
        "host" if on_host else f"{extent(plan.grid)} x {extent(plan.block)}",
        duration(None if on_host else run.copy_in_seconds),
        duration(run.kernel_seconds),
        duration(None if on_host else run.copy_out_seconds),
        three_digits(row.gflops),
        _count(run.counts, "global_loads"),
        _count(run.counts, "global_load_requests"),
        magnitude(verdict.error),
        bound,
        status,
    ]


def _count(counts: Any, name: str) -> str:
    return "-" if counts is None else f"{getattr(counts, name):,}"


def print_legend(console: Console, device: str, device_name: str) -> None:
    """Print once what the numbers mean."""
    for sentence in legend(device, device_name):
        console.print(escape(sentence), style="dim")
