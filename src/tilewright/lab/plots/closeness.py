"""How near a result's elements are to their bounds: a histogram of |error| / bound."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.lab.plots.look import Drawing, Look, finish, new_figure

LOWEST_DECADE = -8


def draw(look: Look, closeness: NDArray[Any], what: str) -> Drawing:
    """Draw the share of elements by decade. closeness: |error| / bound of each; what: which elements, in words."""
    figure, (axes,) = new_figure(look, 2.3)
    exact = float((closeness == 0).mean())
    decades = numpy.arange(LOWEST_DECADE, 1)
    logarithms = numpy.log10(closeness[closeness > 0]).clip(LOWEST_DECADE, 0.999)
    counts = numpy.array([((logarithms >= decade) & (logarithms < decade + 1)).sum() for decade in decades])
    shares = numpy.concatenate([[exact], counts / closeness.size])
    places = numpy.arange(float(len(shares)))
    places[0] -= 0.4  # 0 has no place on a logarithmic axis, and stands apart
    for place, share in zip(places, shares, strict=True):
        if not share:
            continue
        axes.bar(place, share, width=0.92, **look.bar(1 if place == len(shares) - 1 else 0))
        text = f"{share:.0%}" if share >= 0.01 else f"{share:.1%}" if share >= 0.001 else "some"
        axes.annotate(text, (place, share), xytext=(0, 2), textcoords="offset points", ha="center")
    names = ["0", *(f"1e{decade}" for decade in decades[:-1]), "1"]
    # A decade's number stands where it begins, as on any logarithmic axis.
    axes.set_xticks([places[0], *(places[1:] - 0.5)], names)
    axes.set_xlim(-1.0, len(shares) - 0.4)
    axes.set_ylim(0, max(shares) * 1.25)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("|error| / bound; the last bar: 1 and more")
    data = [f"{name}: {share:.4%} of the elements" for name, share in zip(names, shares, strict=True) if share]
    caption = (
        f"Measured: {what}, against a float64 reference; bars are shares of them. From 1 on an element would be wrong; "
        "0 is equal to the reference."
    )
    return finish(figure, look, "How near the elements come to their bounds", caption, data)
