"""`tilewright kernels`: the catalogue as a table, or one kernel with its source."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from tilewright.kernels import OPERATIONS, Kernel, UnknownKernelError, find, kernels_of

from .screen import screen


def kernels(
    name: Annotated[str | None, typer.Argument(metavar="[OPERATION/IDEA]", help="Show this kernel's source.")] = None,
) -> None:
    """List the kernels: what each does, its seeds, its tiles and types, and where it runs."""
    console = screen()
    if name is not None:
        prefix, _, idea = name.partition("/")
        if not idea:
            raise UnknownKernelError(f"{name!r} names no kernel; write it as in matmul/tiled.")
        console.print(find(prefix, idea).source_text(), markup=False, highlight=False, soft_wrap=True)
        return
    for operation in OPERATIONS:
        console.print(f"[bold]{operation.name}[/]  {escape(operation.formula)}", soft_wrap=True)
        table = Table(box=None, pad_edge=False)
        table.add_column("kernel", no_wrap=True, style="cyan")
        table.add_column("tile (default)", no_wrap=True)
        table.add_column("runs on", no_wrap=True)
        table.add_column("seeds", no_wrap=True)
        table.add_column("what it does")
        for kernel in kernels_of(operation.name):
            table.add_row(kernel.idea, _tiles(kernel), _machines(kernel), " ".join(kernel.seeds), kernel.summary)
        console.print(table)
        console.print()
    console.print("All take float32 and float64. `tilewright kernels matmul/tiled` prints a kernel's source.")


def _tiles(kernel: Kernel) -> str:
    rule = kernel.tile
    if rule is None:
        return "-"
    powers = " 2^i" if rule.power_of_two else ""
    return f"{rule.smallest} to {rule.largest}{powers} ({rule.default})"


def _machines(kernel: Kernel) -> str:
    return ", ".join(machine for machine in ("gpu", "emulator", "host") if machine in kernel.runs_on)
