"""The plot of products drawn at random: how many times as fast as the faster rival each was, over its operations."""

from __future__ import annotations

from math import log10
from typing import Any

from benchmarks import record
from tilewright.lab.plots.look import (
    MARKERS,
    Drawing,
    Look,
    as_bytes,
    decade_ticks,
    device_and_date,
    drawing_in,
    finish,
    new_figure,
)

NAME = "random-products"
RESULT = record.RESULTS / "random_products_h200.json"
KINDS = ("multiples of 8", "even", "odd")
DTYPES = ("bfloat16", "float16")
TICKS = (0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 4.0)


def picture(*, dark: bool = False) -> bytes:
    """The SVG."""
    look = Look(dark)
    with drawing_in(look):
        return as_bytes(draw(look), "svg")


def draw(look: Look) -> Drawing:
    """Draw a panel for each kind of size: a dot is a product, a line the geometric mean, and 1 is as fast."""
    measured = record.read(RESULT)
    rows = measured["rows"]
    figure, panels = new_figure(look, 3.9, len(KINDS))
    data = []
    for number, (kind, axes) in enumerate(zip(KINDS, panels, strict=True)):
        of_kind = [row for row in rows if row["kind"] == kind]
        mean = measured["groups"][kind]["mean"]
        _dots(axes, look, of_kind)
        axes.axhline(1, color=look.text, linewidth=1.2)
        axes.axhline(mean, color=look.colours[2], linewidth=1.6, linestyle=(0, (5, 3)))
        axes.set_title(f"{kind}: mean {mean:.2f}")
        _scales(axes, rows)
        if number == 0:
            axes.set_ylabel("time of the faster rival / ours")
            axes.legend(loc="upper left", handletextpad=0.1)
        else:
            axes.tick_params(labelleft=False)
        data.append(f"{kind}: {len(of_kind)} products, geometric mean {mean:.2f}")
        data += [f"{_size(row)} {row['dtype']}: {row['ratio']:.2f}" for row in of_kind]
    caption = (
        f"Timed: {device_and_date(measured)}, seed {measured['seed']!r}, to which nothing was fitted. The rival is the "
        "faster of torch.matmul and padding by hand; above 1 tilewright is faster. Dashed: the geometric mean."
    )
    return finish(figure, look, "16-bit products drawn at random, beside the faster rival", caption, data)


def _dots(axes: Any, look: Look, rows: list[dict[str, Any]]) -> None:
    for number, dtype in enumerate(DTYPES):
        of_type = [row for row in rows if row["dtype"] == dtype]
        axes.plot(
            [row["flops"] for row in of_type],
            [row["ratio"] for row in of_type],
            MARKERS[number],
            linestyle="none",
            color=look.colours[number],
            markersize=4.5,
            alpha=0.8,
            label=dtype,
        )


def _scales(axes: Any, rows: list[dict[str, Any]]) -> None:
    from matplotlib.ticker import FuncFormatter, NullLocator

    decade_ticks(axes, "x")
    axes.xaxis.set_major_formatter(FuncFormatter(_every_third_decade))
    axes.set_yscale("log")
    axes.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes.yaxis.set_minor_locator(NullLocator())
    ratios = [row["ratio"] for row in rows]
    axes.set_ylim(0.9 * min(ratios), 1.1 * max(ratios))
    axes.set_xlim(0.5 * min(row["flops"] for row in rows), 2 * max(row["flops"] for row in rows))
    axes.set_xlabel("operations")
    axes.grid()


def _every_third_decade(value: float, _position: object) -> str:
    exponent = round(log10(value))
    return f"$10^{{{exponent}}}$" if exponent % 3 == 0 else ""


def _size(row: dict[str, Any]) -> str:
    batch = f"{row['batch']} of " if row["batch"] else ""
    return f"{batch}{row['rows']} x {row['inner']} x {row['columns']}"
