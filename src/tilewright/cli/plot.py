"""`tilewright plot`: the seeds' figures from measured results, as SVG or PNG."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .refusals import Refusal
from .screen import screen
from .tables import new_table, print_whole
from .writing import check_writable, write_whole

PLOT_HELP = "An .svg or .png file."


def plot(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Without it: a list of all.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help=PLOT_HELP)] = None,
    dark: Annotated[bool, typer.Option("--dark", help="For a dark page.")] = False,
    small: Annotated[bool, typer.Option("--small", help="As wide as a phone.")] = False,
    chip: Annotated[
        str | None, typer.Option(metavar="CHIP", help="Of the roofline: a chip (`tilewright chips`).")
    ] = None,
    results: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Raw results in place of the package's.")
    ] = None,
) -> None:
    """Draw a figure of the seeds from measured results, with the source of its numbers."""
    from tilewright.lab.plots import PLOTS
    from tilewright.lab.plots import plot as draw

    if name is None:
        if output is not None:
            raise Refusal(f"{output} needs to know which plot: {', '.join(PLOTS)}.")
        table = new_table("plot", "~shows")
        for each in PLOTS.values():
            table.add_row(each.name, each.what)
        print_whole(screen(), table)
        return
    path = output if output is not None else Path(f"{name}.svg")
    kind = kind_of(path)
    check_writable(path)
    write_whole(path, draw(name, kind, dark=dark, small=small, chip=chip, results=results))
    screen().print(f"wrote {path}", markup=False)


def kind_of(path: Path) -> str:
    """Return the format that a file's name gives; refuse others before any work."""
    from tilewright.lab.plots.look import FORMATS

    kind = path.suffix.removeprefix(".").lower()
    if kind not in FORMATS:
        raise Refusal(f"{path} has no ending that says what to draw: {' or '.join(f'.{each}' for each in FORMATS)}.")
    return kind
