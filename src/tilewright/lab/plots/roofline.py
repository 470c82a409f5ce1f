"""A chip's roofline with the matrix products on it: what the roof allows without caches, and what was timed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tilewright.choose import DeviceFacts, PlanError, Roofline, find_chip
from tilewright.choose import roofline as roofline_of
from tilewright.choose.occupancy.roofline import rate
from tilewright.lab.plots.look import MARKERS, Drawing, Look, decade_ticks, device_and_date, finish, new_figure, result

NAME = "roofline"
WHAT = "a chip's roofline with naive and tiled products on it: what the roof allows, and on an H200 what was timed"
KERNELS: tuple[tuple[str, int], ...] = (
    ("matmul/naive", 16),
    ("matmul/tiled", 2),
    ("matmul/tiled", 4),
    ("matmul/tiled", 8),
    ("matmul/tiled", 16),
    ("matmul/tiled", 32),
)
SIZE = (2048, 2048, 2048)
TIMED = "tile_sweep_h200"


def draw(look: Look, results: Path | None = None, chip: str = "h200") -> Drawing:
    """Draw the roof, each kernel's place on it as a ring and, where it was timed, its rate as a filled marker."""
    facts = find_chip(chip)
    answers = dict(_answers(facts))
    once = roofline_of("matmul/naive", facts, tile=16, size=SIZE).each_once
    assert once is not None
    timed, measured = _timed(facts, results)
    figure, (axes,) = new_figure(look, 4.6)
    any_answer = next(iter(answers.values()))
    peak, bandwidth = any_answer.peak_gflops, any_answer.bandwidth_gb_per_s
    left, right = 0.1, max(4 * any_answer.ridge_flops_per_byte, 3 * once.flops_per_byte)
    limits = (left, right, left * bandwidth / 4, (30 if look.small else 12) * peak)
    data = _roof(axes, look, any_answer, limits, (once.flops_per_byte, ".0f"))
    for (kernel, tile), answer in answers.items():
        number = 0 if kernel == "matmul/naive" else 1
        colour, marker = look.colours[1 - number], MARKERS[number]
        x, roof = answer.flops_per_byte, answer.attainable_gflops
        axes.plot(x, roof, marker, color=colour, markerfacecolor=look.background, markeredgewidth=1.6, markersize=8)
        name = "naive" if number == 0 else str(tile) if look.small else f"tile {tile}"
        says = f"{kernel}, tile {tile}: {x:.4g} FLOP per byte loaded, the roof allows {rate(roof)} GFLOP/s"
        gflops = timed.get((kernel, tile))
        if gflops is not None:
            axes.plot([x, x], [roof, gflops], color=colour, linewidth=1, linestyle=(0, (1, 2)))
            axes.plot(x, gflops, marker, color=colour, markersize=8)
            says += f", timed {rate(gflops)}"
        is_above = gflops is not None and gflops > roof
        axes.annotate(
            name,
            (x, max(roof, gflops or 0) if is_above else roof),
            xytext=(0, 7) if is_above else (-6, 6),
            textcoords="offset points",
            ha="center" if is_above else "right",
            color=colour,
        )
        data.append(says)
    _legend(axes, look, f"roof: {rate(bandwidth)} GB/s, {rate(peak)} GFLOP/s", is_timed=bool(timed))
    caption = (
        "Line and rings: modelled from data sheets, as if every load came from memory "
        f"({facts.name}, float32). Dotted: if caches let each element of {SIZE[0]:,} x {SIZE[1]:,} matrices move once."
    )
    if measured is not None:
        caption += (
            f" Filled: timed, {device_and_date(measured)}, {SIZE[0]:,}^3, cold L2 cache. Above the roof are kernels "
            "whose loads caches answer."
        )
    return finish(figure, look, f"Roofline of {facts.name}, and matrix products under it", caption, data)


def _roof(
    axes: Any, look: Look, answer: Roofline, limits: tuple[float, float, float, float], each_once: tuple[float, str]
) -> list[str]:
    """Draw a chip's roof within the limits of both axes; return its numbers.

    each_once: FLOP per byte if each element moved once, which caches could do at best, and its format.
    """
    left, right, lowest, highest = limits
    peak, ridge, bandwidth = answer.peak_gflops, answer.ridge_flops_per_byte, answer.bandwidth_gb_per_s
    once, digits = each_once
    axes.plot([left, ridge, right], [left * bandwidth, peak, peak], color=look.text, linewidth=2, zorder=1)
    axes.axvline(once, color=look.faint, linewidth=1, linestyle=(0, (2, 3)))
    axes.annotate(
        f"each element once:\n{once:{digits}} FLOP per byte",
        (once, 1.3 * lowest),
        xytext=(-4, 0),
        textcoords="offset points",
        ha="right",
        color=look.faint,
    )
    decade_ticks(axes, "x", "y")
    axes.set_xlim(left, right)
    axes.set_ylim(lowest, highest)
    axes.set_xlabel("FLOP per byte that threads load and store")
    axes.set_ylabel("GFLOP/s")
    axes.grid()
    return [f"roof: {rate(bandwidth)} GB/s, peak {rate(peak)} GFLOP/s, ridge at {ridge:.4g} FLOP per byte"]


def _answers(facts: DeviceFacts) -> Iterator[tuple[tuple[str, int], Roofline]]:
    """The kernels on the roof, without tiles whose blocks the chip cannot hold."""
    for number, (kernel, tile) in enumerate(KERNELS):
        try:
            yield (kernel, tile), roofline_of(kernel, facts, tile=tile)
        except PlanError:
            if number == 0:  # naive blocks fit every chip: this one has no roofline
                raise


def _timed(facts: DeviceFacts, results: Path | None) -> tuple[dict[tuple[str, int], float], dict[str, Any] | None]:
    """GFLOP/s by kernel and tile, where they were timed on this chip."""
    if facts != find_chip("h200"):
        return {}, None
    measured = result(TIMED, results)
    rates = {
        (row["kernel"], row["tile"]): 2 * row["m"] * row["n"] * row["k"] / row["median_us"] / 1e3
        for row in measured["rows"]
        if row["dtype"] == "float32"
    }
    return rates, measured


def _legend(axes: Any, look: Look, roof: str, *, is_timed: bool) -> None:
    from matplotlib.lines import Line2D

    ring: dict[str, Any] = {"markerfacecolor": look.background, "markeredgewidth": 1.6}
    handles = [
        Line2D([], [], color=look.text, linewidth=2, label=roof),
        Line2D([], [], linestyle="none", marker=MARKERS[0], color=look.colours[1], label="naive, by the roof", **ring),
        Line2D(
            [],
            [],
            linestyle="none",
            marker=MARKERS[1],
            color=look.colours[0],
            label="tiled, with its tile, by the roof",
            **ring,
        ),
    ]
    if is_timed:
        handles.append(Line2D([], [], linestyle="none", marker=MARKERS[1], color=look.faint, label="filled: timed"))
    axes.legend(handles=handles, loc="upper left")


def draw_kernels(
    look: Look, answers: Sequence[Roofline], measured: Sequence[tuple[str, float]] = (), where: str = ""
) -> Drawing:
    """Draw the roof, a ring for each kernel and, where it was timed, its rate as a filled marker.

    answers: of one chip, type and size. measured: kernel and GFLOP/s; where: the GPU that timed.
    """
    figure, (axes,) = new_figure(look, 3.9)
    any_answer, rates = answers[0], dict(measured)
    once = any_answer.each_once
    assert once is not None
    peak, bandwidth = any_answer.peak_gflops, any_answer.bandwidth_gb_per_s
    points = _points(answers)
    left = min(0.1, min(points) / 2)
    right = 4 * max(any_answer.ridge_flops_per_byte, once.flops_per_byte, *points)
    limits = (left, right, min([left * bandwidth, *rates.values()]) / 3, 6 * peak)
    data = _roof(axes, look, any_answer, limits, (once.flops_per_byte, ".3g"))
    for number, (x, (names, roof)) in enumerate(points.items()):
        colour, marker = look.colours[number % 6], MARKERS[number % 6]
        axes.plot(x, roof, marker, color=colour, markerfacecolor=look.background, markeredgewidth=1.6, markersize=8)
        axes.annotate(
            "\n".join(names),
            (x, roof),
            xytext=(8, -4),
            textcoords="offset points",
            va="top",
            color=colour,
            bbox={"facecolor": look.background, "edgecolor": "none", "pad": 1},
        )
        for name in names:
            says = f"{name}: {x:.4g} FLOP per byte loaded, the roof allows {rate(roof)} GFLOP/s"
            if name in rates:
                axes.plot(x, rates[name], marker, color=colour, markersize=8)
                says += f", timed {rate(rates[name])}"
            data.append(says)
    m, n, k = any_answer.sizes or (0, 0, 0)
    caption = (
        f"Line and rings: modelled from data sheets ({any_answer.device.name}, {any_answer.dtype}: "
        f"{rate(bandwidth)} GB/s, {rate(peak)} GFLOP/s), as if every load of every thread came from "
        f"memory. Dotted: if caches let each element of m = {m:,}, n = {n:,}, k = {k:,} move once."
    )
    if rates:
        caption += f" Filled: timed on {where}. Above the roof are kernels whose loads caches answer."
    return finish(figure, look, f"What {any_answer.device.name} allows these kernels", caption, data)


def _points(answers: Sequence[Roofline]) -> dict[float, tuple[list[str], float]]:
    """The kernels by their place: those that load alike stand together."""
    points: dict[float, tuple[list[str], float]] = {}
    for answer in sorted(answers, key=lambda each: each.flops_per_byte):
        name = str(answer.kernel).rpartition("/")[2]
        names, _ = points.setdefault(answer.flops_per_byte, ([], answer.attainable_gflops))
        names.append(name if answer.tile is None else f"{name}, tile {answer.tile}")
    return points
