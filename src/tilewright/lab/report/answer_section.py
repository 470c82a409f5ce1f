"""The answer: a summary, C itself, and its error against the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from tilewright.choose.quantities import duration, magnitude, three_digits
from tilewright.lab.report.markup import cards, facts, paragraph, sentences, table
from tilewright.lab.sweep.model import IN_WORDS
from tilewright.lab.sweep.result import in_digits

if TYPE_CHECKING:
    from tilewright.lab.report.contents import Answer, Array, Report

SHOWN = 6
"""Rows and columns of C that are printed."""
EDGE = 3


def summary(report: Report) -> str:
    """The most important results."""
    answer, winner = report.answer, report.sweep.winner
    found = [
        (
            "Is it right?",
            "yes" if report.passed else "no",
            f"worst element: error {magnitude(answer.verdict.error)}, bound {magnitude(answer.verdict.bound)}",
        ),
        *_loads_card(report),
        ("Best tile", str(winner.tile), f"on {report.chip.name} by the model: {in_digits(winner.us)} us"),
        (
            "Bound by",
            IN_WORDS[winner.modelled.bound],
            f"with tile {winner.tile}; {winner.occupancy.blocks_per_sm} blocks per SM",
        ),
    ]
    return cards(found)


def _loads_card(report: Report) -> list[tuple[str, str, str]]:
    loads = {kernel.name: kernel.run.counts.global_loads for kernel in report.kernels if kernel.run is not None}
    if len(loads) < 2 or min(loads.values()) == max(loads.values()):
        return []
    most = max(loads, key=loads.__getitem__)
    least = min(loads, key=lambda name: (loads[name], len(name)))
    tile = next(kernel.tile for kernel in report.kernels if kernel.name == least)
    with_tile = "" if tile is None else f" with tile {tile}"
    return [
        (
            "Loads saved",
            f"{loads[most] / loads[least]:.3g} times",
            f"{least}{with_tile} loads {loads[least]:,} elements, {most} {loads[most]:,}",
        )
    ]


def answer(report: Report, figures: dict[str, str]) -> str:
    """C, its error and how it was computed."""
    found, problem = report.answer, report.problem
    how = f"{found.run.plan.kernel.name} on the {found.run.plan.machine}"
    first = facts(
        {
            "Computes": problem.about.formula,
            "A": f"{_shape(problem.a_shape)} {problem.dtype}",
            "B": f"{_shape(problem.b_shape)} {problem.dtype}",
            "C": f"{_shape(problem.c_shape)} {problem.dtype}" if problem.c_shape else f"a scalar, {problem.dtype}",
            "From": report.given.description,
            "Operations": f"{problem.flops:,} floating-point operations",
            "Computed by": f"{how}, in {duration(found.run.kernel_seconds)} (wall clock, this processor), "
            f"{three_digits(problem.flops / found.run.kernel_seconds / 1e9)} GFLOP/s",
            **_statistics(found.c),
        }
    )
    notes = sentences([*report.given.notes, *_told(found)])
    figure = figures.get("closeness", "")
    return f'{_nearness(found)}<div class="beside"><div>{first}{notes}</div><div>{_values(found.c)}</div></div>{figure}'


def _nearness(found: Answer) -> str:
    verdict = found.verdict
    word = "right" if verdict.passed else "wrong"
    rows = "all elements" if found.rows_checked == found.rows else f"{found.rows_checked:,} of {found.rows:,} rows"
    text = f"C is {word}: {rows} compared with the product in float64. Bound: {verdict.rule}."
    if found.closeness.size:
        half, most = numpy.quantile(found.closeness, [0.5, 0.99])
        text += (
            f" Half of the elements are within {half:.2g} of their bound (1 would be the bound itself), 99 of 100 "
            f"within {most:.2g}, the worst at {found.closeness[-1]:.2g}. Largest error: "
            f"{magnitude(found.largest_error)}."
        )
    return paragraph(text, "right" if verdict.passed else "wrong")


def _told(found: Answer) -> list[str]:
    note = found.verdict.note
    told = [f"{note[0].upper()}{note[1:]}."] if note else []
    if found.is_its_own_reference:
        told.append(
            "The reference is in float64, as C is: their equality says little; the kernels add in other orders."
        )
    return told


def _statistics(c: Array) -> dict[str, str]:
    finite = c[numpy.isfinite(c)].astype(numpy.float64)
    if not finite.size or not c.ndim:
        return {}
    told = {"Elements of C": f"from {finite.min():.4g} to {finite.max():.4g}, mean {finite.mean():.4g}"}
    others = c.size - finite.size
    return told | ({"Not finite": f"{others:,} of {c.size:,} elements"} if others else {})


def _values(c: Array) -> str:
    if not c.ndim:
        return facts({"C": f"{c:.9g}"})
    rows, columns = (_ends(side) for side in c.shape)
    body = []
    for i in rows:
        cells = ["…" if j is None or i is None else f"{c[i, j]:.4g}" for j in columns]
        body.append(["…" if i is None else str(i), *cells])
    heads = ["", *("…" if j is None else str(j) for j in columns)]
    part = "C" if None not in (*rows, *columns) else "The corners of C"
    return table(part, heads, body)


def _ends(count: int) -> list[int | None]:
    if count <= SHOWN + 1:
        return list(range(count))
    return [*range(EDGE), None, *range(count - EDGE, count)]


def _shape(shape: tuple[int, ...]) -> str:
    return " x ".join(f"{side:,}" for side in shape)
