"""Plots of the seeds' figures and of a sweep, as SVG or PNG: a module per figure, each with its numbers' source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilewright.lab.plots import loads_by_level, loads_by_tile, roofline, table_4_2, tile_sizes
from tilewright.lab.plots.look import FORMATS, Drawing, Look, PlotError, as_bytes, drawing_in

if TYPE_CHECKING:
    from tilewright.lab.sweep import Sweep

__all__ = ["PLOTS", "Look", "Plot", "PlotError", "plot", "plot_sweep"]


@dataclass(frozen=True)
class Plot:
    """A figure that can be drawn by name. what: its description. by_chip: whether it takes a chip."""

    name: str
    what: str
    draw: Callable[..., Drawing]
    by_chip: bool = False


PLOTS: dict[str, Plot] = {
    module.NAME: Plot(module.NAME, module.WHAT, module.draw, by_chip=module is roofline)
    for module in (tile_sizes, loads_by_level, loads_by_tile, roofline, table_4_2)
}


def plot(
    name: str,
    kind: str = "svg",
    *,
    dark: bool = False,
    small: bool = False,
    chip: str | None = None,
    results: Path | None = None,
) -> bytes:
    """Return a plot as a file's bytes, the same each time.

    Args:
        name: one of PLOTS.
        kind: "svg" or "png".
        dark: for a dark page.
        small: as wide as a phone.
        chip: of the roofline: a chip of the table.
        results: the folder of raw results; None: those that come with the package.

    Raises:
        PlotError: no such plot or kind, no Matplotlib, no result to draw from, or a chip for a plot that is of none.
        UnknownChipError: no such chip.
    """
    if name not in PLOTS:
        raise PlotError(f"There is no plot {name!r}; there are {', '.join(PLOTS)}.")
    check_kind(kind)
    found = PLOTS[name]
    if chip is not None and not found.by_chip:
        by_chip = ", ".join(other.name for other in PLOTS.values() if other.by_chip)
        raise PlotError(
            f"{name} is of no chip of one's choice, so chip = {chip!r} cannot be used; {by_chip} takes one."
        )
    look = Look(dark, small)
    options: dict[str, Any] = {} if chip is None else {"chip": chip}
    with drawing_in(look):
        return as_bytes(found.draw(look, results, **options), kind)


def plot_sweep(found: Sweep, kind: str = "svg", *, dark: bool = False, small: bool = False) -> bytes:
    """Return a sweep as a plot: for each tile, what it would wait for.

    Raises:
        PlotError: no such kind, or no Matplotlib.
    """
    from tilewright.lab.plots import sweep

    check_kind(kind)
    look = Look(dark, small)
    with drawing_in(look):
        return as_bytes(sweep.draw(look, found), kind)


def check_kind(kind: str) -> None:
    """Refuse a file's kind that is not drawn."""
    if kind not in FORMATS:
        raise PlotError(f"Plots are {' or '.join(FORMATS)}, not {kind!r}.")
