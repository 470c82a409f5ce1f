"""`tilewright kernels`: the catalogue as a table, or one kernel with its source."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from tilewright.kernels import OPERATIONS, Kernel, TaughtKernel, UnknownKernelError, kernels_of
from tilewright.kernels.catalogue import present_name

from .screen import screen
from .tables import new_table

HEADINGS = ("kernel", "tile (default)", "runs on", "seeds")
SUMMARY_COLUMNS = 24
"""Fewer columns for the summary would make the table too tall."""


def kernels(
    name: Annotated[str | None, typer.Argument(metavar="[OPERATION/IDEA]", help="Show this kernel's source.")] = None,
) -> None:
    """List the kernels: what each does, its seeds, its tiles and types, and where it runs."""
    console = screen()
    if name is not None:
        name = present_name(name)
        prefix, _, idea = name.partition("/")
        if not idea:
            raise UnknownKernelError(f"{name!r} names no kernel; write it as in matmul/tiled.")
        known = {kernel.name: kernel for operation in OPERATIONS for kernel in kernels_of(operation.name)}
        if name not in known:
            names = ", ".join(other for other in known if other.startswith(f"{prefix}/")) or ", ".join(known)
            raise UnknownKernelError(f"There is no kernel {name}; there are {names}.")
        found = known[name]
        console.print(found.source_text(), markup=False, highlight=False, soft_wrap=True)
        return
    rows = [[_cells(kernel) for kernel in kernels_of(operation.name)] for operation in OPERATIONS]
    columns = (zip(HEADINGS, *cells, strict=True) for cells in rows)
    fixed = max(sum(max(map(len, column)) + 2 for column in of_operation) for of_operation in columns)
    for operation in OPERATIONS:
        console.print(f"[bold]{operation.name}[/]  {escape(operation.formula)}", soft_wrap=True)
        if fixed + SUMMARY_COLUMNS <= console.width:
            console.print(_table(operation.name))
        else:
            _print_list(console, operation.name)
        console.print()
    console.print(
        "All take float32 and float64, but those whose tile is planned: they take float16 and bfloat16, and their tile "
        "depends on the chip. "
        "`tilewright kernels matmul/tiled` prints a kernel's source.",
    )


def _cells(kernel: Kernel) -> tuple[str, str, str, str]:
    return (kernel.idea, _tiles(kernel), _machines(kernel), " ".join(kernel.seeds))


def _table(operation: str) -> Table:
    table = new_table(*HEADINGS, "~what it does")
    for kernel in kernels_of(operation):
        table.add_row(*_cells(kernel), kernel.summary)
    return table


def _print_list(console: Console, operation: str) -> None:
    """The table's cells one below the other, for a narrow terminal."""
    for kernel in kernels_of(operation):
        tiles = _tiles(kernel)
        tile = "no tile" if tiles == "-" else f"tile {tiles}"
        facts = f"{tile}; runs on {_machines(kernel)}; seeds {' '.join(kernel.seeds) or '-'}"
        console.print(kernel.idea, style="cyan")
        for text in (facts, kernel.summary):
            console.print(Padding(escape(text), (0, 0, 0, 2)))


def _tiles(kernel: Kernel) -> str:
    rule = kernel.tile
    if rule is None:
        return "-" if isinstance(kernel, TaughtKernel) else "planned"
    powers = " 2^i" if rule.power_of_two else ""
    return f"{rule.smallest} to {rule.largest}{powers} ({rule.default})"


def _machines(kernel: Kernel) -> str:
    return ", ".join(machine for machine in ("gpu", "emulator", "host") if machine in kernel.runs_on)
