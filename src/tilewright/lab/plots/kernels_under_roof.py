"""One problem's kernels under a chip's roof: where each stands by what its threads load, and what the roof allows."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.choose import Roofline
from tilewright.choose.occupancy.roofline import rate
from tilewright.lab.plots.look import MARKERS, Drawing, Look, finish, new_figure


def draw(
    look: Look, answers: Sequence[Roofline], measured: Sequence[tuple[str, float]] = (), where: str = ""
) -> Drawing:
    """Draw the roof, a ring for each kernel and, where it was timed, its rate as a filled marker.

    answers: of one chip, type and size. measured: kernel and GFLOP/s; where: the GPU that timed.
    """
    figure, (axes,) = new_figure(look, 3.9)
    any_answer, rates = answers[0], dict(measured)
    once = any_answer.each_once
    assert once is not None
    peak, ridge, bandwidth = any_answer.peak_gflops, any_answer.ridge_flops_per_byte, any_answer.bandwidth_gb_per_s
    points = _points(answers)
    left = min(0.1, min(points) / 2)
    right = 4 * max(ridge, once.flops_per_byte, *points)
    lowest = min([left * bandwidth, *rates.values()]) / 3
    axes.plot([left, ridge, right], [left * bandwidth, peak, peak], color=look.text, linewidth=2, zorder=1)
    axes.axvline(once.flops_per_byte, color=look.faint, linewidth=1, linestyle=(0, (2, 3)))
    axes.annotate(
        f"each element once:\n{once.flops_per_byte:.3g} FLOP per byte",
        (once.flops_per_byte, 1.3 * lowest),
        xytext=(-4, 0),
        textcoords="offset points",
        ha="right",
        color=look.faint,
    )
    data = [f"roof: {rate(bandwidth)} GB/s, peak {rate(peak)} GFLOP/s, ridge at {ridge:.4g} FLOP per byte"]
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
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(left, right)
    axes.set_ylim(lowest, 6 * peak)
    axes.set_xlabel("FLOP per byte that threads load and store")
    axes.set_ylabel("GFLOP/s")
    axes.grid()
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
