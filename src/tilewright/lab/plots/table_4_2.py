"""The thesis's table 4.2 as a chart: time over size and kernel, as printed and as timed on another GPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from pathlib import Path
from typing import Any

from tilewright.lab.plots.look import (
    MARKERS,
    Drawing,
    Look,
    decade_ticks,
    device_and_date,
    finish,
    label_end,
    new_figure,
    result,
)

NAME = "table-4-2"
WHAT = "the thesis's table 4.2 as a chart: times by size and kernel, as printed (GTX 1050) and as timed (H200)"
SIZES = (128, 512, 2048, 8192, 16384)
POINTS_PER_DECADE = 24.0
"""10.5 decades of time are about 250 points."""
LABEL_POINTS = 11.5
SECOND, MS, MINUTE, HOUR = 1e6, 1e3, 60e6, 3600e6
PRINTED_US = {
    "sequential": (5.8 * MS, 630.94 * MS, 47.28 * SECOND, 80 * MINUTE, 16 * HOUR),
    "naive_4p": (120.0, 5.28 * MS, 365.55 * MS, 24.94 * SECOND, 193.03 * SECOND),
    "naive_p": (44.8, 2.01 * MS, 145.72 * MS, 12.08 * SECOND, 89.05 * SECOND),
    "tiled, tile 8": (17.07, 648.0, 45.15 * MS, 4.39 * SECOND, 42.3 * SECOND),
    "tiled, tile 16": (13.05, 455.0, 27.4 * MS, 1.98 * SECOND, 16.2 * SECOND),
    "tiled, tile 32": (12.32, 455.0, 27.4 * MS, 1.81 * SECOND, 14.25 * SECOND),
}
"""Seed 003, table 4.2; its last size, printed as 16394, is 16384."""


def draw(look: Look, results: Path | None = None) -> Drawing:
    """Draw both panels on the same logarithmic scales."""
    timed, sequential = result("table_4_2_h200", results), result("sequential_column", results)
    here: dict[str, dict[int, float]] = {}
    for row in (*sequential["rows"], *timed["rows"]):
        here.setdefault(_name(row), {})[row["n"]] = row["median_us"]
    printed = {name: dict(zip(SIZES, times, strict=True)) for name, times in PRINTED_US.items()}
    figure, panels = new_figure(look, 4.9 if not look.small else 4.3, panels=2)
    lowest, highest = 3.0 / SECOND, 3 * max(PRINTED_US["sequential"]) / SECOND
    data = []
    for axes, title, series in zip(
        panels,
        ("As printed: GTX 1050 Mobile", f"As timed: {timed['environment']['device']}"),
        (printed, here),
        strict=True,
    ):
        _lines(axes, look, series)
        axes.set_title(title)
        axes.set_ylim(lowest, highest)
        data += [f"{title}: {name}, {n:,}: {us:,.1f} us" for name, times in series.items() for n, us in times.items()]
    if not look.small:
        panels[1].tick_params(labelleft=False)
    for axes in panels if look.small else panels[:1]:
        axes.set_ylabel("seconds that one product takes")
    caption = (
        "Left: seed 003, table 4.2, as printed (nvprof; its 16394 is 16384). Right: timed, "
        f"{device_and_date(timed)}, float32, median kernel time with a cold L2 cache; sequential: one thread of "
        f"{device_and_date(sequential)}."
    )
    if look.small:
        caption = caption.replace("Left:", "Above:").replace("Right:", "Below:")
    return finish(figure, look, "Reduced matrix products: time by size and kernel", caption, data)


def _lines(axes: Any, look: Look, series: Mapping[str, Mapping[int, float]]) -> None:
    ends = {name: times[max(times)] / SECOND for name, times in series.items()}
    raised = _apart(ends)
    for number, (name, times) in enumerate(series.items()):
        colour, marker = look.colours[number], MARKERS[number]
        seconds = [us / SECOND for us in times.values()]
        axes.plot(list(times), seconds, color=colour, marker=marker, linewidth=1.4, markersize=4.5)
        label_end(axes, max(times), ends[name], name, colour, above=raised[name])
    axes.set_xscale("log", base=2)
    decade_ticks(axes, "y")
    axes.set_xticks(SIZES, [f"{n:,}" if n < max(SIZES) else f"\n{n:,}" for n in SIZES])
    axes.xaxis.minorticks_off()
    axes.set_xlabel("N, of matrices of N x N")
    axes.set_xlim(100, 16384 * (14 if not look.small else 6))
    axes.grid()


def _apart(ends: Mapping[str, float]) -> dict[str, float]:
    """How many points to move each label so that none covers another."""
    places = sorted(((POINTS_PER_DECADE * log10(seconds), name) for name, seconds in ends.items()), reverse=True)
    moved: dict[str, float] = {}
    before = float("inf")
    for place, name in places:
        new = min(place + 4, before - LABEL_POINTS)
        moved[name] = new - place
        before = new
    return moved


def _name(row: Mapping[str, Any]) -> str:
    idea = row["kernel"].partition("/")[2]
    return idea if row["tile"] is None else f"{idea}, tile {row['tile']}"


def printed_rows() -> Sequence[tuple[str, int, float]]:
    """The thesis's numbers as (kernel, size, us)."""
    return [(name, n, us) for name, times in PRINTED_US.items() for n, us in zip(SIZES, times, strict=True)]
