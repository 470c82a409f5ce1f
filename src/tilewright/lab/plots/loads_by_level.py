"""The thesis's figure 4.4: what the naive and the tiled reduced product load, and what L2 and DRAM read of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilewright.lab.plots.look import (
    MARKERS,
    Drawing,
    Look,
    decade_ticks,
    device_and_date,
    exists,
    finish,
    in_short,
    new_figure,
    result,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "loads-by-level"
WHAT = "the thesis's figure 4.4: global loads, L2 reads and DRAM reads, naive and tiled, from hardware counters"
PANELS = {
    "requests of a warp": {"global_load_requests": "global loads"},
    "sectors of 32 bytes": {"global_load_sectors": "global loads", "l2_reads": "L2 reads", "dram_reads": "DRAM reads"},
}
"""The levels by unit: each unit has a panel of its own."""
LEVELS = {
    "global_load_requests": "global load requests",
    "global_load_sectors": "global load sectors",
    "l2_reads": "L2 read sectors",
    "dram_reads": "DRAM read sectors",
}
MODELLED = ("l2_reads", "dram_reads")
PAIR = (("reduced_matmul/naive_p", None), ("reduced_matmul/tiled", 32))
NAMES = ("naive", "tiled, tile 32")
APART = 0.12
"""How far the dots of a level stand from its middle, in levels: two that are equal stay visible."""
THESIS = "thesis_figures_h200"
CACHES, MODEL = "cache_counters_h200", "cache_model"
LABELS = ("reduced_matmul_naive_p 2048x2048x2048 float32", "reduced_matmul_tiled 2048x2048x2048 float32 tile 32")


def draw(look: Look, results: Path | None = None) -> Drawing:
    """Draw a dot for each kernel at each level, with the factor between the two above them."""
    size, counted, modelled, where = _readings(results)
    figure, panels = new_figure(look, 2.6 if look.small else 4.4, len(PANELS), [1.25, 3])
    values = [counts[level] for counts in counted for level in LEVELS]
    for axes, (unit, levels) in zip(panels, PANELS.items(), strict=True):
        for place, level in enumerate(levels):
            _level(axes, look, place, [counts[level] for counts in counted])
            if modelled is not None and level in MODELLED:
                _model(axes, look, place, level, modelled)
        decade_ticks(axes, "y")
        axes.set_ylim(min(values) / 10, 100 * max(values))
        axes.set_xticks(range(len(levels)), list(levels.values()))
        axes.set_xlim(-0.6, len(levels) - 0.4)
        axes.tick_params(axis="x", length=0)
        axes.set_ylabel(unit)
        axes.grid(axis="y")
    _legend(panels[-1], look, has_model=modelled is not None)
    caption = (
        f"Dots: hardware counters (Nsight Compute), {where}, reduced products of {size:,} x {size:,} matrices in "
        "float32, cold caches. A request is a load of a warp, a sector 32 bytes. Above: naive / tiled."
    )
    if modelled is not None:
        caption += " Diamonds: modelled by the emulator's CacheObserver, with the interval of L2 reads."
    title = "Global loads, L2 reads and DRAM reads: naive and tiled"
    return finish(figure, look, title, caption, _in_words(counted, modelled))


def _level(axes: Axes, look: Look, place: int, values: Sequence[int]) -> None:
    """Draw naive on the left and tiled on the right, a line between them, and their factor above."""
    xs = (place - APART, place + APART)
    axes.plot(xs, values, color=look.faint, linewidth=1, zorder=1)
    for number, (x, value) in enumerate(zip(xs, values, strict=True)):
        axes.plot(x, value, **_dot(look, number))
        axes.annotate(
            in_short(value),
            (x, value),
            xytext=((-7, 7)[number], 0),
            textcoords="offset points",
            ha=("right", "left")[number],
            va="center",
            fontsize=look.font_points - 1,
        )
    ratio = values[0] / values[1]
    text = "the same" if abs(ratio - 1) < 0.005 else f"{ratio:.3g}x"
    axes.annotate(
        text,
        (place, max(values)),
        xytext=(0, 10),
        textcoords="offset points",
        ha="center",
        fontweight="bold",
    )


def _model(axes: Axes, look: Look, place: int, level: str, modelled: Sequence[Mapping[str, int]]) -> None:
    """Draw what the emulator's caches would read, with its interval, below the counted dots' labels."""
    for number, counts in enumerate(modelled):
        likely, low, high = _interval(counts, level)
        axes.errorbar(
            place + (number - 0.5) * APART,
            likely,
            [[likely - low], [high - likely]] if high > low else None,
            fmt="D",
            color=look.text,
            markerfacecolor=look.background,
            markersize=5,
            capsize=3,
            elinewidth=1,
        )


def _interval(counts: Mapping[str, int], level: str) -> tuple[int, int, int]:
    likely = counts[level]
    return likely, counts.get(f"{level}_low", likely), counts.get(f"{level}_high", likely)


def _in_words(counted: Sequence[Mapping[str, int]], modelled: Sequence[Mapping[str, int]] | None) -> list[str]:
    """The numbers, a line each."""
    data = []
    for number, (name, counts) in enumerate(zip(NAMES, counted, strict=True)):
        for level, words in LEVELS.items():
            says = f"{name}: {counts[level]:,} {words}"
            if modelled is not None and level in MODELLED:
                likely, low, high = _interval(modelled[number], level)
                says += f", {likely:,} modelled" + (f" ({low:,} to {high:,})" if high > low else "")
            data.append(says)
    return data + [
        f"naive / tiled: {counted[0][level] / counted[1][level]:.4g} ({words})" for level, words in LEVELS.items()
    ]


def _dot(look: Look, number: int) -> dict[str, Any]:
    """The dot of a kernel: a filled circle, or a square that is empty."""
    colour = look.colours[number]
    face = colour if number == 0 else look.background
    return {
        "marker": MARKERS[number],
        "linestyle": "none",
        "color": colour,
        "markerfacecolor": face,
        "markeredgewidth": 1.6,
        "markersize": 8,
    }


def _readings(results: Path | None) -> tuple[int, list[dict[str, int]], list[dict[str, int]] | None, str]:
    """The size, the counters of both kernels, the cache model's counts if there are any, and device and date."""
    if exists(THESIS, results):
        measured = result(THESIS, results)
        rows = {(row["kernel"], row["tile"]): row for row in measured["rows"]}
        chosen = [rows[key] for key in PAIR]
        return chosen[0]["n"], [row["counts"] for row in chosen], None, device_and_date(measured)
    measured, model = result(CACHES, results), result(MODEL, results)
    counted, modelled = (
        [next(row["counts"] for row in source["rows"] if row["case"] == label) for label in LABELS]
        for source in (measured, model)
    )
    return 2048, counted, modelled, device_and_date(measured)


def _legend(axes: Axes, look: Look, *, has_model: bool) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], label=name, **_dot(look, number)) for number, name in enumerate(NAMES)]
    if has_model:
        marker: dict[str, Any] = {
            "marker": "D",
            "linestyle": "none",
            "markerfacecolor": look.background,
            "markersize": 5,
        }
        handles.append(Line2D([], [], color=look.text, label="modelled", **marker))
    axes.legend(handles=handles, loc="upper right", ncols=len(handles), columnspacing=1.2)
