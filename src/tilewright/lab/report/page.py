"""Writes a report as one HTML file, without a network and without a framework."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from tilewright import __version__
from tilewright.choose.printable import escape
from tilewright.lab.report.answer_section import answer, summary
from tilewright.lab.report.figures import colours_css, figures_of
from tilewright.lab.report.kernels_section import kernels, occupancy, roofline, sweep
from tilewright.lab.report.markup import paragraph
from tilewright.lab.watch.recording import Recording

if TYPE_CHECKING:
    from tilewright.lab.report.contents import Report

PARTS = Path(__file__).parent / "page"
WATCH_PARTS = Path(__file__).parents[1] / "watch" / "page"


def page_of(report: Report, *, made_by: str = "tilewright.lab.report", made_on: str = "") -> str:
    """Return the page. made_by: the command, as its readers can give it; made_on: a date.

    Raises:
        PlotError: Matplotlib is not installed.
    """
    figures = figures_of(report)
    chip = report.chip.name
    parts = {
        "answer": ("The answer", answer(report, figures)),
        "kernels": ("Each kernel", kernels(report)),
        "occupancy": (f"Occupancy on {chip}", occupancy(report)),
        "roofline": (f"Roofline of {chip}", roofline(report, figures)),
        "sweep": ("Which tile", sweep(report, figures)),
        "animation": ("A small block, step by step", _animation(report)),
    }
    problem = report.problem
    filled = {
        "title": escape(f"{problem}"),
        "heading": escape(problem.about.title[0].upper() + problem.about.title[1:]),
        "subtitle": escape(f"A {problem.a_shape}, B {problem.b_shape}, {problem.dtype}, {report.given.description}"),
        "style": colours_css()
        + "\n"
        + "\n".join(path.read_text(encoding="utf-8") for path in (WATCH_PARTS / "colours.css", PARTS / "report.css")),
        "script": (PARTS / "report.js").read_text(encoding="utf-8"),
        "summary": summary(report),
        "links": "".join(f'<li><a href="#{name}">{name.capitalize()}</a></li>' for name in parts),
        "sections": "".join(_section(name, title, body) for name, (title, body) in parts.items()),
        "made_by": escape(f"{made_by}{f', {made_on}' if made_on else ''}"),
        "made_with": escape(_made_with(report)),
        "generator": escape(f"tilewright {__version__}"),
    }
    pieces = (PARTS / "report.html").read_text(encoding="utf-8").split("{{")
    for number, piece in enumerate(pieces[1:], 1):
        name, _, rest = piece.partition("}}")
        pieces[number] = filled[name] + rest
    return "".join(pieces)


def _section(name: str, title: str, body: str) -> str:
    heading = f'<h2 id="{name}-title">{escape(title)}</h2>'
    return f'<section id="{name}" aria-labelledby="{name}-title">{heading}{body}</section>'


def _animation(report: Report) -> str:
    """A small block of the tiled kernel, played."""
    problem = report.trace["problem"]
    m, n, k = problem["m"], problem["n"], problem["k"]
    whole = (m, n, k) == report.problem.sizes
    part = "these matrices" if whole else "the first elements of A and B"
    if not report.shows_own:
        part = f"small whole numbers in place of {'A and B' if whole else part}, which are too long to be shown"
    text = (
        f"{report.trace['kernel']['name']} with tile {problem['tile']} multiplies {part}, m = {m}, n = {n}, k = {k}: "
        "recorded as it ran on the emulator. Space plays and pauses; the arrow keys step."
    )
    return paragraph(text) + _frame(report)


def _frame(report: Report) -> str:
    """The page of `watch` inside this one; this page's script can only set its colours."""
    inner = escape(Recording(report.trace).page())
    return f'<iframe id="watch" title="The kernel, step by step" sandbox="allow-scripts" srcdoc="{inner}"></iframe>'


def _made_with(report: Report) -> str:
    gpu = "no GPU was used" if report.gpu is None else f"GPU: {report.gpu}"
    return (
        f"tilewright {__version__}, Python {platform.python_version()}, NumPy {version('numpy')}, "
        f"{platform.machine()}, {os.cpu_count()} processors; {gpu}."
    )
