"""`tilewright compare`: every kernel on the same matrices, each checked, timed and counted."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tilewright.choose.quantities import duration, extent, magnitude, three_digits
from tilewright.kernels import OPERATIONS
from tilewright.kernels.catalogue import present_name
from tilewright.lab.compare.comparison import legend, notes_of, run_rows
from tilewright.lab.compare.inputs import (
    SEED_004_SIZES,
    SEED_SIZES,
    Inputs,
    file_inputs,
    random_inputs,
    seed_004_inputs,
)
from tilewright.lab.compare.planning import candidates, check_names, has_any, known_names, plan_rows, refusal
from tilewright.lab.compare.record import FAIL, PASS, Row, record
from tilewright.launch import facts_of, kernel_machine

from . import FAILED, PASSED
from .options import DeviceName, OperationName, check_size
from .refusals import Refusal
from .screen import Bar, error_screen, screen
from .tables import print_whole
from .writing import JSON_HELP, STANDARD_OUTPUT, check_ending, check_outputs, write_json, write_whole

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


class InputName(StrEnum):
    """The built-in inputs, as the option takes them."""

    random = "random"
    seed004 = "seed004"


class TypeName(StrEnum):
    """The types of A and B, as the option takes them."""

    float32 = "float32"
    float64 = "float64"
    float16 = "float16"
    bfloat16 = "bfloat16"


def compare(
    a: Annotated[str | None, typer.Argument(metavar="A", help="File with A: .npy .npz .mtx .csv.")] = None,
    b: Annotated[str | None, typer.Argument(metavar="B", help="File with B; file.npz:name names an array.")] = None,
    operation: Annotated[OperationName | None, typer.Option(help="Without it: all; with files: matmul.")] = None,
    size: Annotated[
        tuple[int, int, int] | None,
        typer.Option(metavar="M N K", help="C is M x N, K the inner size; of dot 1 1 K."),
    ] = None,
    kernel: Annotated[list[str] | None, typer.Option(help="A kernel, such as tiled; may be repeated.")] = None,
    tile: Annotated[list[int] | None, typer.Option(help="A tile in place of the default; may be repeated.")] = None,
    dtype: Annotated[
        TypeName | None, typer.Option(help="Without it float32; files and seed004 have their own.")
    ] = None,
    device: Annotated[
        DeviceName, typer.Option(help="auto: the GPU, or the emulator where there is none.")
    ] = DeviceName.auto,
    source: Annotated[
        InputName, typer.Option("--input", help="What to multiply when no files are given.")
    ] = InputName.random,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the random matrices, 0 without it.")] = None,
    json_path: Annotated[Path | None, typer.Option("--json", metavar="FILE", help=JSON_HELP)] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="C.npy", help="Write C of the first kernel that is right.")
    ] = None,
) -> int:
    """Multiply real matrices with every kernel, and check, time and count each."""
    check_outputs([path for path in (json_path, out) if path is not None and path != STANDARD_OUTPUT])
    check_ending(out, "a NumPy array", ".npy")
    names, tiles = [present_name(name) for name in kernel or []], list(dict.fromkeys(tile or []))
    if seed is not None and (a is not None or source is not InputName.random):
        raise Refusal(f"--seed {seed} cannot be used: it makes random matrices, and these are given.")
    inputs = _inputs(a, b, operation, size, dtype, source, seed or 0, names)
    if out is not None and len(inputs) != 1:
        raise Refusal("--out takes the result of one operation; choose it with --operation.")
    machine, unused_gpu = kernel_machine() if device is DeviceName.auto else (device.value, None)

    console, bar = screen(), Bar(error_screen())
    console.quiet = json_path == STANDARD_OUTPUT
    with bar.running("planning and compiling"):
        planned = [plan_rows(item, candidates(item.problem, names, tiles, machine)) for item in inputs]
    _refuse(planned, names, tiles)
    results: list[NDArray[Any]] = []
    tables: list[tuple[Inputs, Sequence[Row]]] = []
    for item, plans in zip(inputs, planned, strict=True):
        rows = run_rows(item, plans, bar.running, lambda c: results.append(c) if not results else None)
        tables.append((item, rows))
        print_table(console, item, rows)
    ran = {row.candidate.machine for _, rows in tables for row in rows if row.run is not None}
    used = machine if machine in ran else "host"
    print_legend(console, used, facts_of(used).name)
    if unused_gpu is not None:
        console.print(unused_gpu, style="yellow", markup=False)

    if json_path is not None:
        write_json(json_path, record(machine, tables))
    if out is not None and results:
        write_whole(out, lambda file: numpy.save(file, results[0], allow_pickle=False))
    elif out is not None:
        console.print(f"{out} was not written: no result is right.", style="red", markup=False)
    _refuse([rows for _, rows in tables], names, tiles)  # what only running could tell, as a lack of memory
    return FAILED if any(row.status == FAIL for _, rows in tables for row in rows) else PASSED


def _refuse(tables: Sequence[Sequence[Row]], names: list[str], tiles: list[int]) -> None:
    why = refusal([row for rows in tables for row in rows], names, tiles)
    if why is not None:
        raise Refusal(why)


def _inputs(
    a: str | None,
    b: str | None,
    operation: OperationName | None,
    size: tuple[int, int, int] | None,
    dtype: TypeName | None,
    source: InputName,
    seed: int,
    names: list[str],
) -> list[Inputs]:
    asked = None if operation is None else operation.value
    if a is not None:
        if b is None:
            raise Refusal(f"Only one file is given, {a}; compare takes A and B, or none for random matrices.")
        if size is not None or source is not InputName.random:
            raise Refusal("Files bring their own matrices, so --size and --input cannot be used with them.")
        inputs = file_inputs(asked, (a, b), None if dtype is None else dtype.value)
        kind = inputs.problem.dtype
        check_names(known_names(names, kind), inputs.problem.operation, kind)
        return [inputs]
    if size is not None:
        check_size(size)
    kind = (dtype or (TypeName.float64 if source is InputName.seed004 else TypeName.float32)).value
    known_names(names, kind)
    if asked:
        check_names(names, asked, kind)
    operations = [asked] if asked else [item.name for item in OPERATIONS if has_any(item.name, names, kind)]
    return [_built_in(name, size, kind, source, seed) for name in operations]


def _built_in(operation: str, size: tuple[int, int, int] | None, dtype: str, source: InputName, seed: int) -> Inputs:
    defaults = SEED_004_SIZES if source is InputName.seed004 else SEED_SIZES
    m, n, k = size or defaults[operation]
    sizes = (1, 1, k) if operation == "dot" else (m, n, k)
    if source is InputName.seed004:
        return seed_004_inputs(operation, sizes, dtype)
    return random_inputs(operation, sizes, dtype, seed)


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
