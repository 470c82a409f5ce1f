"""The thesis's figure 4.4: what the naive and the tiled reduced product load, and what L2 and DRAM read of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tilewright.lab.plots.look import Drawing, Look, device_and_date, exists, finish, in_short, new_figure, result

NAME = "loads-by-level"
WHAT = "the thesis's figure 4.4: global loads, L2 reads and DRAM reads, naive and tiled, from hardware counters"
LEVELS = {
    "global_load_requests": "global load\nrequests",
    "global_load_sectors": "global load\nsectors",
    "l2_reads": "L2 read\nsectors",
    "dram_reads": "DRAM read\nsectors",
}
MODELLED = ("l2_reads", "dram_reads")
PAIR = (("reduced_matmul/naive_p", None), ("reduced_matmul/tiled", 32))
NAMES = ("naive", "tiled, tile 32")
THESIS = "thesis_figures_h200"
CACHES, MODEL = "cache_counters_h200", "cache_model"
LABELS = ("reduced_matmul_naive_p 2048x2048x2048 float32", "reduced_matmul_tiled 2048x2048x2048 float32 tile 32")


def draw(look: Look, results: Path | None = None) -> Drawing:
    """Draw four levels on a logarithmic scale, with the factor between the two kernels above each."""
    size, counted, modelled, where = _readings(results)
    figure, (axes,) = new_figure(look, 4.4)
    data, width = [], 0.38
    for number, (name, counts) in enumerate(zip(NAMES, counted, strict=True)):
        for place, level in enumerate(LEVELS):
            x, value = place + (number - 0.5) * width, counts[level]
            axes.bar(x, value, 0.94 * width, **look.bar(number))
            axes.annotate(
                in_short(value).replace(" ", "\n" if look.small else " "),
                (x, value),
                xytext=(0, 8 if modelled is not None and 0.5 < modelled[number].get(level, 0) / value < 2 else 3),
                textcoords="offset points",
                ha="center",
                va="bottom",
                fontsize=look.font_points - 1.5,
                linespacing=0.95,
            )
            says = f"{name}: {value:,} {LEVELS[level].replace(chr(10), ' ')}"
            if modelled is not None and level in MODELLED:
                likely = modelled[number][level]
                low, high = (modelled[number].get(f"{level}_{end}", likely) for end in ("low", "high"))
                ends = [[likely - low], [high - likely]] if high > low else None
                axes.errorbar(
                    *(x, likely, ends),
                    fmt="D",
                    color=look.text,
                    markerfacecolor=look.background,
                    markersize=5,
                    capsize=3,
                    elinewidth=1,
                )
                says += f", {likely:,} modelled" + (f" ({low:,} to {high:,})" if ends else "")
            data.append(says)
    top = 30 * max(counts[level] for counts in counted for level in LEVELS)
    for place, level in enumerate(LEVELS):
        ratio = counted[0][level] / counted[1][level]
        text = "the same" if abs(ratio - 1) < 0.005 else f"{ratio:.3g}x"
        axes.text(place, 0.45 * top, text, ha="center", fontweight="bold")
        data.append(f"naive / tiled: {ratio:.4g} ({LEVELS[level].replace(chr(10), ' ')})")
    axes.set_yscale("log")
    axes.set_ylim(min(counts[level] for counts in counted for level in LEVELS) / 6, top)
    axes.set_xticks(range(len(LEVELS)), list(LEVELS.values()))
    axes.tick_params(axis="x", length=0)
    axes.set_ylabel("requests or sectors")
    axes.grid(axis="y")
    _legend(axes, look, has_model=modelled is not None)
    caption = (
        f"Bars: hardware counters (Nsight Compute), {where}, reduced products of {size:,} x {size:,} matrices in "
        "float32, cold caches. A request is a load of a warp, a sector 32 bytes. Above: naive / tiled."
    )
    if modelled is not None:
        caption += " Diamonds: modelled by the emulator's CacheObserver, with the interval of L2 reads."
    title = "Global loads, L2 reads and DRAM reads: naive and tiled"
    return finish(figure, look, title, caption, data)


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


def _legend(axes: Any, look: Look, *, has_model: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [Patch(**look.bar(number), label=name) for number, name in enumerate(NAMES)]
    if has_model:
        marker: dict[str, Any] = {
            "marker": "D",
            "linestyle": "none",
            "markerfacecolor": look.background,
            "markersize": 5,
        }
        handles.append(Line2D([], [], color=look.text, label="modelled", **marker))
    axes.legend(handles=handles, loc="upper right", frameon=False, bbox_to_anchor=(1, 0.9), handlelength=2.2)
