"""Seed 001's chart "Tiling Size Effects": the rate of a tiled product by tile, beside the product without tiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tilewright.lab.plots.look import Drawing, Look, device_and_date, finish, new_figure, result

NAME = "tile-sizes"
WHAT = "seed 001's chart of tile sizes: GFLOP/s by tile, timed, with the model of `tilewright sweep` beside it"
BESIDE = ("matmul/naive", 16)
DTYPES = ("float32", "float64")


def draw(look: Look, results: Path | None = None) -> Drawing:
    """Draw the timed rates as bars and the modelled ones as dashes."""
    timed, modelled = result("tile_sweep_h200", results), result("sweep_model", results)
    rows = {_key(row): row for row in timed["rows"]}
    models = {_key(row): row for row in modelled["rows"]}
    tiles = sorted({row["tile"] for row in timed["rows"] if row["kernel"] == "matmul/tiled"})
    variants = [BESIDE, *(("matmul/tiled", tile) for tile in tiles)]
    figure, (axes,) = new_figure(look, 4.3)
    data = []
    width = 0.4
    for number, dtype in enumerate(DTYPES):
        for place, (kernel, tile) in enumerate(variants):
            row, model = rows[kernel, tile, dtype], models.get((kernel, tile, dtype))
            rate, x = _tflops(row, row["median_us"]), place + (number - 0.5) * width
            axes.bar(x, rate, 0.92 * width, **look.bar(number))
            modelled_rate = None if model is None else _tflops(model, model["modelled_us"])
            covers = modelled_rate is not None and rate <= modelled_rate < rate + 0.9
            axes.annotate(
                _short(rate),
                (x, modelled_rate if covers else rate),
                xytext=(0, 3),
                textcoords="offset points",
                ha="center",
                va="bottom",
                rotation=90 if look.small else 0,
                fontsize=look.font_points - 2,
            )
            says = f"{kernel}, tile {tile}, {dtype}: {rate:.3g} TFLOP/s timed"
            if modelled_rate is not None:
                axes.plot([x - 0.46 * width, x + 0.46 * width], [modelled_rate] * 2, color=look.text, linewidth=1.6)
                says += f", {modelled_rate:.3g} modelled"
            data.append(says)
    axes.axvline(0.5, color=look.faint, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.set_xticks(range(len(variants)), ["no\ntiles", *map(str, tiles)])
    axes.set_xlabel("tile" if look.small else "tile (a block has tile x tile threads; no tiles: blocks of 16 x 16)")
    axes.set_ylabel("TFLOP/s")
    axes.set_xlim(-0.6, len(variants) - 0.4)
    axes.set_ylim(0, 1.14 * max(_tflops(row, row["median_us"]) for row in rows.values()))
    axes.grid(axis="y")
    axes.tick_params(axis="x", length=0)
    _legend(axes, look)
    size = timed["rows"][0]["n"]
    fastest = max((row for row in rows.values()), key=lambda row: _tflops(row, row["median_us"]))
    caption = (
        f"Bars: timed, {device_and_date(timed)}, seeds' kernels at {size:,} x {size:,} x {size:,}, median of launches "
        f"with a cold L2 cache. Dashes: modelled from counts by `tilewright sweep`, no time. "
        f"Fastest: {fastest['kernel']} with tile {fastest['tile']} in {fastest['dtype']}."
    )
    return finish(figure, look, "Tile size effects: a tiled matrix product by its tile", caption, data)


def _legend(axes: Any, look: Look) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [Patch(**look.bar(number), label=f"{dtype}, timed") for number, dtype in enumerate(DTYPES)]
    handles.append(Line2D([], [], color=look.text, linewidth=1.6, label="modelled"))
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.1, 1), frameon=False, handlelength=2.2)


def _key(row: dict[str, Any]) -> tuple[str, int, str]:
    return row["kernel"], row["tile"], row["dtype"]


def _tflops(row: dict[str, Any], us: float) -> float:
    return float(2 * row["m"] * row["n"] * row["k"] / us / 1e6)


def _short(rate: float) -> str:
    return f"{rate:.1f}" if rate >= 0.95 else f"{rate:.2f}"
