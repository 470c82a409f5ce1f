"""The verbs, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from .barriers import barriers
from .bench import bench
from .check import check
from .chips import chips
from .compare import compare
from .devices import devices
from .explain import explain
from .kernels import kernels
from .memories import memories
from .multiply import multiply
from .occupancy import occupancy
from .plot import plot
from .report import report
from .roofline import roofline
from .sweep import sweep
from .tune import tune
from .watch import watch

app = typer.Typer(
    name="tilewright",
    help="Tiled matrix multiplication on a GPU, or without one: see it, prove it, run it.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(value: bool) -> None:
    if value:
        from tilewright import __version__

        typer.echo(f"tilewright {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Tiled matrix multiplication on a GPU, or without one: see it, prove it, run it."""


VERBS = (
    *(compare, explain, kernels, devices, chips, occupancy, roofline, sweep, plot, memories, barriers, check, watch),
    *(report, bench, tune, multiply),
)

for verb in VERBS:
    app.command()(verb)
