"""The thesis's figure 4.5: global loads decrease as the tile grows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tilewright.kernels import find_taught
from tilewright.lab.plots.look import (
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

NAME = "loads-by-tile"
WHAT = "the thesis's figure 4.5: global loads over the tile, by the seeds' formula and from hardware counters"
TILES = (1, 2, 4, 8, 16, 32)
TILED, NAIVE = "reduced_matmul/tiled", "reduced_matmul/naive_p"
SOURCES = ("thesis_figures_h200", "hardware_counters_h200")


def draw(look: Look, results: Path | None = None) -> Drawing:
    """Draw the formula as a line through all tiles, and hardware counts as rings on it."""
    name = next(name for name in SOURCES if exists(name, results) or name == SOURCES[-1])
    measured = result(name, results)
    size = max(row["n"] for row in measured["rows"] if row["kernel"] == NAIVE)
    counted = dict(_counted(measured["rows"], size))
    by_formula = {tile: find_taught(*TILED.split("/")).predicted_global_loads(size, size, size, tile) for tile in TILES}
    naive = find_taught(*NAIVE.split("/")).predicted_global_loads(size, size, size)
    figure, (axes,) = new_figure(look, 4.2)
    blue, orange = look.colours[:2]
    axes.plot(
        TILES, list(by_formula.values()), "o-", color=blue, linewidth=1.6, label="tiled: loads / tile, by the formula"
    )
    axes.axhline(naive, color=orange, linewidth=1.6, linestyle=(0, (5, 3)), label="naive, by the formula")
    tiles = [tile for tile in TILES if tile in counted]
    ring: dict[str, Any] = {
        "linestyle": "none",
        "markersize": 9,
        "markerfacecolor": "none",
        "markeredgewidth": 1.8,
        "marker": "o",
    }
    axes.plot(tiles, [counted[tile] for tile in tiles], color=look.text, label="hardware counters", **ring)
    axes.plot(TILES[-1], counted[None], color=look.text, **ring)
    for tile, loads in by_formula.items():
        axes.annotate(
            in_short(loads),
            (tile, loads),
            xytext=(0, -13),
            textcoords="offset points",
            ha="right",
            fontsize=look.font_points - 1,
        )
    axes.annotate(
        f"naive: {in_short(naive)}", (TILES[-1], naive), xytext=(0, 8), textcoords="offset points", ha="right"
    )
    axes.set_xscale("log", base=2)
    decade_ticks(axes, "y")
    axes.set_xticks(TILES, list(map(str, TILES)))
    axes.set_xlim(0.5, 45)
    axes.set_ylim(min(by_formula.values()) / 3, 3 * naive)
    axes.set_xlabel("tile")
    axes.set_ylabel("elements loaded by all threads")
    axes.grid()
    axes.legend(loc="lower left")
    data = [f"tile {tile}: {loads:,} by the formula" for tile, loads in by_formula.items()]
    data += [f"{'naive' if tile is None else f'tile {tile}'}: {loads:,} counted" for tile, loads in counted.items()]
    exact = all(loads == (naive if tile is None else by_formula[tile]) for tile, loads in counted.items())
    caption = (
        "Lines: the seeds' formula, 4N loads per thread and with tiles 4N/tile, for reduced products of "
        f"{size:,} x {size:,} matrices. Rings: hardware counters (Nsight Compute), {device_and_date(measured)}, "
        f"an element per thread and request{'; they equal the formula exactly' if exact else ''}."
    )
    return finish(figure, look, "Global loads fall as the tile grows", caption, data)


def _counted(rows: list[dict[str, object]], size: int) -> Iterator[tuple[int | None, int]]:
    """The loaded elements by hardware counters, by tile; None for the naive kernel."""
    for row in rows:
        tile, counts = row["tile"], row["counts"]
        assert isinstance(counts, dict)
        assert tile is None or isinstance(tile, int)
        is_whole = row["n"] == row["m"] == row["k"] == size and row["dtype"] == "float32"
        if is_whole and (row["kernel"] == NAIVE or row["kernel"] == TILED):
            threads = 32 if tile is None else min(32, tile * tile)  # of a warp
            yield tile, threads * int(counts["global_load_requests"])
