"""The style of all plots: light or dark, large or small, readable without colour; files are reproducible.

Series differ by marker, hatch and a direct label before they differ by colour. A caption below each plot says where its
numbers are from, and the SVG carries title, caption and numbers as text for screen readers.
"""

from __future__ import annotations

import io
import json
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilewright.choose import PlanError
from tilewright.choose.printable import escape, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


SALT = "tilewright"
MARKERS = ("o", "s", "^", "D", "v", "P")
FORMATS = ("svg", "png")
PNG_DOTS_PER_INCH = 160
MOST_DECADES = 99
"""Of an axis: more than any has, so that each gets its tick."""
SHIPPED = Path(__file__).with_name("results")
REPOSITORY = Path(__file__).parents[4] / "benchmarks" / "results"


class PlotError(PlanError):
    """A plot cannot be drawn: there is no Matplotlib, no such plot, or no result to draw it from."""


@dataclass(frozen=True)
class Look:
    """Colours and sizes. dark: for a dark page. small: as wide as a phone."""

    dark: bool = False
    small: bool = False

    @property
    def background(self) -> str:
        """Behind everything."""
        return "#14171c" if self.dark else "#ffffff"

    @property
    def text(self) -> str:
        """Titles, numbers and axes."""
        return "#e8eaed" if self.dark else "#1b1f24"

    @property
    def faint(self) -> str:
        """Captions and what stands in the background."""
        return "#a9b1bb" if self.dark else "#57606a"

    @property
    def grid(self) -> str:
        """Grid lines."""
        return "#333a44" if self.dark else "#dfe3e8"

    @property
    def colours(self) -> tuple[str, ...]:
        """Of series, distinct for the colour-blind, too; each also has a marker or a hatch."""
        if self.dark:
            return ("#6cb6ff", "#f0a35e", "#7fd1ae", "#e58fb1", "#d9c75f", "#b7a5f0")
        return ("#1f5fa8", "#b35400", "#1b7a56", "#9c2c63", "#6f6100", "#5b45a8")

    def bar(self, number: int) -> dict[str, Any]:
        """How the bars of a series look: filled, then hatched in two ways."""
        colour = self.colours[number]
        hatch = ("", "////", "xxx")[number]
        return {"facecolor": colour if not hatch else "none", "edgecolor": colour, "hatch": hatch, "linewidth": 1.2}

    @property
    def width_inches(self) -> float:
        """400 pixels of a page, or 820."""
        return 4.17 if self.small else 8.54

    @property
    def font_points(self) -> float:
        """Of most text."""
        return 8.0 if self.small else 9.5

    @property
    def characters(self) -> int:
        """That fit in a line of the caption."""
        return 72 if self.small else 138


@dataclass(frozen=True)
class Drawing:
    """A figure with what it shows in words. data: its numbers, a line each; caption: where they are from."""

    figure: Figure
    title: str
    caption: str
    data: tuple[str, ...]


@contextmanager
def drawing_in(look: Look) -> Iterator[None]:
    """Draw with a look: text in one font, nothing that depends on the user's settings.

    Raises:
        PlotError: Matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        raise PlotError(
            'Plots are drawn by Matplotlib, which is not installed: pip install "tilewright[plots]".'
        ) from error
    settings = {
        "figure.facecolor": look.background,
        "axes.facecolor": look.background,
        "savefig.facecolor": look.background,
        "axes.edgecolor": look.faint,
        "axes.labelcolor": look.text,
        "axes.titlecolor": look.text,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.titlesize": look.font_points + 0.5,
        "axes.titlelocation": "left",
        "axes.titleweight": "bold",
        "text.color": look.text,
        "xtick.color": look.text,
        "ytick.color": look.text,
        "grid.color": look.grid,
        "grid.linewidth": 0.8,
        "hatch.linewidth": 0.8,
        "legend.edgecolor": "none",
        "legend.facecolor": look.background,  # so that no grid line strikes its words through
        "legend.framealpha": 1.0,
        "font.size": look.font_points,
        "lines.markersize": 5 if look.small else 6.5,
        "svg.hashsalt": SALT,
        "svg.fonttype": "path",
    }
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(settings)  # type: ignore[arg-type]  # names are checked by Matplotlib
        yield


def new_figure(
    look: Look, height_inches: float, panels: int = 1, widths: Sequence[float] | None = None
) -> tuple[Figure, list[Axes]]:
    """Return an empty figure with panels beside each other or, in a small one, below each other.

    widths: of panels beside each other, in parts; None: equal ones.
    """
    from matplotlib.figure import Figure

    rows, columns = (panels, 1) if look.small else (1, panels)
    height = height_inches * rows if look.small else height_inches
    figure = Figure(figsize=(look.width_inches, height))
    grid = figure.add_gridspec(rows, columns, width_ratios=None if look.small else widths)
    return figure, [figure.add_subplot(grid[number]) for number in range(panels)]


def decade_ticks(axes: Axes, *names: str) -> None:
    """Make axes, "x" or "y", logarithmic: a number at every power of 10, and short ticks between.

    Matplotlib by itself leaves powers out where it finds little room, and readers then miscount the factors.
    """
    from matplotlib.ticker import LogFormatterMathtext, LogLocator, NullFormatter

    for name in names:
        axis = axes.xaxis if name == "x" else axes.yaxis
        axes.set(**{f"{name}scale": "log"})
        axis.set_major_locator(LogLocator(numticks=MOST_DECADES))
        axis.set_major_formatter(LogFormatterMathtext())
        axis.set_minor_locator(LogLocator(subs=range(2, 10), numticks=MOST_DECADES))
        axis.set_minor_formatter(NullFormatter())


def finish(figure: Figure, look: Look, title: str, caption: str, data: Sequence[str]) -> Drawing:
    """Put the title above and the caption below, and leave the panels what remains."""
    points = look.font_points
    height_points = 72 * figure.get_figheight()
    title, caption = printable(title), printable(caption)
    title_lines = textwrap.wrap(title, look.characters * 3 // 4 - 8)
    caption_lines = textwrap.wrap(caption, look.characters)
    above = (len(title_lines) * (points + 3) * 1.3 + 8) / height_points
    below = (len(caption_lines) * (points - 1.5) * 1.35 + 10) / height_points
    figure.text(0.012, 1 - 5 / height_points, "\n".join(title_lines), va="top", fontsize=points + 3, fontweight="bold")
    figure.text(
        0.012,
        5 / height_points,
        "\n".join(caption_lines),
        va="bottom",
        fontsize=points - 1.5,
        color=look.faint,
        linespacing=1.3,
    )
    figure.tight_layout(rect=(0.005, below, 0.995, 1 - above), pad=0.4, w_pad=2.0, h_pad=1.5)
    return Drawing(figure, title, caption, tuple(data))


def as_bytes(drawing: Drawing, kind: str) -> bytes:
    """Return a drawing as an SVG or a PNG, the same bytes each time with the same Matplotlib."""
    file = io.BytesIO()
    if kind == "png":
        drawing.figure.savefig(file, format="png", dpi=PNG_DOTS_PER_INCH, metadata={"Title": drawing.title})
        return file.getvalue()
    drawing.figure.savefig(file, format="svg", metadata={"Date": None})
    text = file.getvalue().decode()
    head, mark, rest = text.partition("<svg ")
    opening, close, body = rest.partition(">")
    words = f"{drawing.caption}\n" + "\n".join(drawing.data)
    described = f"\n <title>{escape(drawing.title)}</title>\n <desc>{escape(words)}</desc>"
    lines = f'{head}{mark}{opening} role="img"{close}{described}{body}'
    return ("\n".join(line.rstrip() for line in lines.splitlines()) + "\n").encode()


def label_end(axes: Axes, x: float, y: float, text: str, colour: str, *, above: float = 0) -> None:
    """Write the name of a series at its last point, in place of a legend. above: points to move it up."""
    axes.annotate(
        text, (x, y), xytext=(6, above), textcoords="offset points", va="center", color=colour, annotation_clip=False
    )


def in_short(value: float) -> str:
    """Three digits and a prefix, as in "67.1 M" and "1.05 G"."""
    for size, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= 0.9995 * size:
            return f"{value / size:.3g} {prefix}"
    return f"{value:.3g}"


def result(name: str, folder: Path | None = None) -> dict[str, Any]:
    """Return a raw result by its file's name without ".json".

    Raises:
        PlotError: there is no such file.
    """
    for place in (folder,) if folder is not None else (SHIPPED, REPOSITORY):
        path = place / f"{name}.json"
        if path.is_file():
            read: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return read
    where = SHIPPED if folder is None else folder
    raise PlotError(
        f"This plot is drawn from {name}.json, and {where} has no such file; --results names another folder."
    )


def exists(name: str, folder: Path | None = None) -> bool:
    """Say whether a result is there."""
    try:
        result(name, folder)
    except PlotError:
        return False
    return True


def device_and_date(measured: dict[str, Any]) -> str:
    """Return where and when, as in "NVIDIA H200, 2026-11-21"."""
    environment = measured["environment"]
    return f"{environment['device'] or environment['processor']}, {measured['date']}"
