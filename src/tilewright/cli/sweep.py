"""`tilewright sweep`: a kernel at all its tiles, which one a chip would like best, and why."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from . import PASSED
from .options import DtypeName
from .plot import PLOT_HELP, kind_of
from .screen import Bar, error_screen, screen
from .tables import new_table, print_whole
from .within import MemoryLimit, TimeLimit, status_within
from .writing import JSON_HELP, STANDARD_OUTPUT, check_outputs, write_json, write_whole

if TYPE_CHECKING:
    from tilewright.lab.sweep import Sweep


class SweepDevice(StrEnum):
    """Where a sweep runs, as the option takes it."""

    emulator = "emulator"
    gpu = "gpu"


def sweep(
    kernel: Annotated[str, typer.Argument(metavar="[OPERATION/IDEA]", help="A kernel with tiles.")] = "matmul/tiled",
    size: Annotated[
        tuple[int, int, int] | None,
        typer.Option(metavar="M N K", help="The problem; of dot 1 1 K. Without it 1024 each, or 2^20 for dot."),
    ] = None,
    tile: Annotated[list[int] | None, typer.Option(help="A tile; may be repeated. Without it: the usual ones.")] = None,
    dtype: Annotated[DtypeName, typer.Option(help="The element type.")] = DtypeName.float32,
    chip: Annotated[
        str | None, typer.Option(metavar="CHIP", help="What is modelled (`tilewright chips`). Without it: h200.")
    ] = None,
    device: Annotated[
        SweepDevice, typer.Option(help="emulator counts; gpu times each tile on the GPU as well.")
    ] = SweepDevice.emulator,
    json_path: Annotated[Path | None, typer.Option("--json", metavar="FILE", help=JSON_HELP)] = None,
    plot_path: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help=PLOT_HELP)] = None,
    dark: Annotated[bool, typer.Option("--dark", help="The plot for a dark page.")] = False,
    time_limit: TimeLimit = None,
    memory_limit: MemoryLimit = None,
) -> int:
    """Count what a kernel does at each of its tiles, and say which tile a chip would like best, and why."""
    if (status := status_within("the sweep", time_limit, memory_limit)) is not None:
        return status
    from tilewright.lab.sweep import sweep as run_sweep  # imports Numba, which takes a while

    check_outputs([path for path in (json_path, plot_path) if path is not None and path != STANDARD_OUTPUT])
    kind = None if plot_path is None else kind_of(plot_path)
    with Bar(error_screen()).running(f"sweeping {kernel}") as progress:
        found = run_sweep(
            kernel,
            size=size,
            tiles=tile,
            dtype=dtype.value,
            chip=chip,
            device=device.value,
            progress=progress,
        )
    is_shown = not write_json(json_path, found.as_dict())
    if plot_path is not None and kind is not None:
        from tilewright.lab.plots import plot_sweep

        write_whole(plot_path, plot_sweep(found, kind, dark=dark))
    if is_shown:
        _print(screen(), found)
    return PASSED


def _print(console: Console, found: Sweep) -> None:
    from tilewright.lab.sweep.model import MODEL

    console.print(found.title, style="bold", markup=False)
    table = new_table(
        *("~bound by" if name == "bound by" else ">" + name.replace(" ", "\n", 1) for name in found.columns)
    )
    for row in found.rows:
        first, *others = row.cells()
        table.add_row(f"> {first}" if row is found.winner else first, *others)
    print_whole(console, table)
    console.print()
    for sentence in found.sentences:
        console.print(f"- {sentence}", markup=False)
    for why in found.left_out.values():
        console.print(f"- Left out: {why}", markup=False, style="dim")
    console.print(f"> comes first. us: {MODEL}.", markup=False, style="dim")
