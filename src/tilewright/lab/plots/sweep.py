"""A sweep as a chart: for each tile the five parts of the modelled time, of which the slowest decides."""

from __future__ import annotations

from tilewright.lab.plots.look import MARKERS, Drawing, Look, decade_ticks, finish, in_short, new_figure
from tilewright.lab.sweep.model import IN_WORDS
from tilewright.lab.sweep.result import Sweep, in_digits

SHORT = {
    "issue": "issuing",
    "load_store": "load-store pipe",
    "compute": "computing",
    "waiting": "waiting",
    "memory": "memory",
}


def draw(look: Look, found: Sweep) -> Drawing:
    """Draw a row per tile: a marker for each part, the slowest filled, and a star for a timed median."""
    figure, (axes,) = new_figure(look, 1.5 + 0.36 * len(found.rows))
    data = []
    for place, row in enumerate(found.rows):
        parts = {name: us for name, us in row.modelled.parts.items() if us > 0}
        axes.plot([min(parts.values()), row.modelled.us], [place, place], color=look.grid, linewidth=2, zorder=1)
        for number, name in enumerate(row.modelled.parts):
            if name not in parts:
                continue
            is_slowest = name == row.modelled.bound
            colour = look.colours[number]
            face = colour if is_slowest else look.background
            axes.plot(parts[name], place, MARKERS[number], color=colour, markerfacecolor=face, markersize=7)
        if row.median_timed_us is not None:
            axes.plot(row.median_timed_us, place, "*", color=look.text, markersize=11)
        right = max(row.modelled.us, row.median_timed_us or 0)
        counts = row.counts
        first = ", first" if row is found.winner else ""
        axes.annotate(
            f"{in_digits(row.us)} us{first}",
            (right, place),
            xytext=(9, 0),
            textcoords="offset points",
            va="center",
            fontweight="bold" if first else "normal",
            fontsize=look.font_points - 0.5,
        )
        data.append(
            f"tile {row.tile}: modelled {in_digits(row.modelled.us)} us, bound by {IN_WORDS[row.modelled.bound]}, "
            f"{in_short(counts.global_loads)} global loads, {row.occupancy.blocks_per_sm} blocks per SM"
            + ("" if row.median_timed_us is None else f", timed {in_digits(row.median_timed_us)} us")
        )
    values = [us for row in found.rows for us in (*row.modelled.parts.values(), row.us) if us > 0]
    decade_ticks(axes, "x")
    axes.set_xlim(min(values) / 2, max(values) * (12 if look.small else 5))
    axes.set_yticks(range(len(found.rows)), [f"tile {row.tile}" for row in found.rows])
    axes.set_ylim(len(found.rows) - 0.4, -0.6)
    axes.set_xlabel("us, modelled")
    axes.grid(axis="x")
    _legend(axes, look, timed=found.timed_on is not None)
    how = "every block" if all(row.counts.whole for row in found.rows) else "every block, or some blocks and scaled"
    timed = "" if found.timed_on is None else f" Stars: timed on {found.timed_on}, median."
    m, n, k = found.sizes
    caption = (
        f"Modelled for {found.chip.name}, from counts that the emulator executed ({how}); the model measures no time. "
        f"Filled: the slowest part, which is the modelled time.{timed} "
        f"m = {m:,}, n = {n:,}, k = {k:,}, {found.dtype}."
    )
    return finish(figure, look, f"{found.kernel} by its tile: what each would wait for", caption, data)


def _legend(axes: object, look: Look, *, timed: bool) -> None:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    assert isinstance(axes, Axes)
    handles = [
        Line2D([], [], linestyle="none", marker=MARKERS[number], color=look.colours[number], label=name)
        for number, name in enumerate(SHORT.values())
    ]
    if timed:
        handles.append(Line2D([], [], linestyle="none", marker="*", color=look.text, markersize=10, label="timed"))
    columns = 3 if look.small else len(handles)
    axes.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=columns,
        frameon=False,
        columnspacing=1.2,
        handletextpad=0.3,
    )
