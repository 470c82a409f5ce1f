"""The report's figures: SVG within the page, in the page's colours, one for a wide and one for a narrow window."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from tilewright.choose import Roofline
from tilewright.choose.printable import escape
from tilewright.lab.plots import closeness, roofline
from tilewright.lab.plots import sweep as sweep_plot
from tilewright.lab.plots.look import Drawing, Look, as_bytes, drawing_in

if TYPE_CHECKING:
    from tilewright.lab.report.contents import Report

FEW_ELEMENTS = 16
_ID = re.compile(r'(\bid="|href="#|url\(#)')
_SIZE = re.compile(r' (?:width|height)="[^"]*pt"')


def figures_of(report: Report) -> dict[str, str]:
    """Return the figures by name as HTML; `closeness` is missing where it would say nothing.

    Raises:
        PlotError: Matplotlib is not installed.
    """
    drawn = {
        "roofline": _figure("roofline", lambda look: _roofline(look, report)),
        "sweep": _figure("sweep", lambda look: sweep_plot.draw(look, report.sweep)),
    }
    answer = report.answer
    if answer.closeness.size >= FEW_ELEMENTS and not answer.is_its_own_reference:
        what = f"{answer.closeness.size:,} elements of C"
        drawn["closeness"] = _figure("closeness", lambda look: closeness.draw(look, answer.closeness, what))
    return drawn


def colours_css() -> str:
    """Return the colours of plots as properties of the page: they change with it, and are light on paper."""
    return "\n".join(
        f"{selector} {{ {_properties(Look(dark))} }}{end}"
        for selector, dark, end in (
            (":root", False, ""),
            ('@media screen { :root[data-theme="dark"]', True, " }"),
            ('@media screen and (prefers-color-scheme: dark) { :root[data-theme="auto"]', True, " }"),
        )
    )


def _roofline(look: Look, report: Report) -> Drawing:
    answers: list[Roofline] = [kernel.roofline for kernel in report.kernels if kernel.roofline is not None]
    rates = []
    for kernel in report.kernels:
        if kernel.on_gpu is not None:
            name = kernel.name.rpartition("/")[2] + ("" if kernel.tile is None else f", tile {kernel.tile}")
            rates.append((name, report.problem.flops / kernel.on_gpu.kernel_seconds / 1e9))
    return roofline.draw_kernels(look, answers, rates, report.gpu or "")


def _figure(name: str, draw: Callable[[Look], Drawing]) -> str:
    """Draw twice, wide and narrow. Colours of a light page are replaced by the page's own properties."""
    parts = []
    for small in (False, True):
        look = Look(small=small)
        with drawing_in(look):
            drawing = draw(look)
            picture = as_bytes(drawing, "svg").decode()
        width = "narrow" if small else "wide"
        parts.append(f'<div class="{width}">{_inline(picture, f"{name}-{width}-", look)}</div>')
    numbers = "".join(f"<li>{escape(line)}</li>" for line in drawing.data)
    return f"<figure>{''.join(parts)}</figure><details><summary>Its numbers</summary><ul>{numbers}</ul></details>"


def _inline(picture: str, prefix: str, look: Look) -> str:
    picture = picture[picture.index("<svg ") :]
    opening, close, body = picture.partition(">")
    body = body[: body.index("<metadata>")] + body[body.index("</metadata>") + len("</metadata>") :]
    picture = _ID.sub(rf"\g<1>{prefix}", _SIZE.sub("", opening) + close + body)
    for name, colour in _named(look).items():
        picture = picture.replace(colour, f"var(--{name})")
    return picture


def _properties(look: Look) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in {**_named(look), "plot-ground": "var(--panel)"}.items())


def _named(look: Look) -> dict[str, str]:
    named = {"plot-ground": look.background, "plot-text": look.text, "plot-faint": look.faint, "plot-grid": look.grid}
    return named | {f"plot-{number}": colour for number, colour in enumerate(look.colours)}
