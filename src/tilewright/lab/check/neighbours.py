"""What kernels compute of an element and its neighbours, as data: stencils, filters, steps of diffusion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy
from numpy.typing import NDArray

Array = NDArray[Any]
Places = tuple[tuple[int, ...], ...]
_LINE: Places = ((-1,), (1,))
_CROSS: Places = ((0, 1), (0, -1), (1, 0), (-1, 0))
_BOX: Places = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
_BORDERS = {
    "zeros": ("", "zeros outside"),
    "copied": ("_edges_copied", "the edges as they were"),
    "repeated": ("_edges_repeated", "the edges repeated outside"),
}


@dataclass(frozen=True)
class Neighbours:
    """A sum of an element and of those at some places beside it, each times a number.

    own, around: these numbers. is_step: what is added to the element is that sum times a factor, the kernel's argument.
    border: `zeros` outside, the edge `copied` to the result or `repeated` outside; `counted`: a mean of those inside.
    """

    name: str
    said: str
    places: Places
    own: float
    around: float
    is_step: bool = False
    border: str = "zeros"

    @property
    def is_of_matrix(self) -> bool:
        """Whether the elements lie in a plane."""
        return len(self.places[0]) == 2

    def result(self, factor: float, a: Array, _: Array) -> Array:
        """Return the result for A."""
        found = self.own * a + self.around * self._sum(a)
        if self.border == "counted":
            found = (a + self._sum(a)) / (1 + self._sum(numpy.ones_like(a)))
        if self.is_step:
            found = a + factor * found
        if self.border == "copied":
            inside = tuple(slice(1, -1) for _ in a.shape)
            found, within = a.copy(), found[inside]
            found[inside] = within
        return numpy.asarray(found)

    def _sum(self, a: Array) -> Array:
        around = numpy.pad(a, 1, mode="edge" if self.border == "repeated" else "constant")
        spans = [tuple(slice(1 + d, 1 + d + n) for d, n in zip(each, a.shape, strict=True)) for each in self.places]
        return numpy.asarray(sum(around[span] for span in spans))


_PLAIN = (
    Neighbours("mean_of_three", "the mean of each element and its two neighbours", _LINE, 1 / 3, 1 / 3),
    Neighbours("sum_of_three", "the sum of each element and its two neighbours", _LINE, 1, 1),
    Neighbours("smoothed", "a quarter, a half and a quarter of three elements", _LINE, 1 / 2, 1 / 4),
    Neighbours("mean_of_two", "the mean of the two neighbours", _LINE, 0, 1 / 2),
    Neighbours("line_step", "a step of diffusion in a line", _LINE, -2, 1, is_step=True),
    Neighbours("mean_of_five", "the mean of each element and its four neighbours", _CROSS, 1 / 5, 1 / 5),
    Neighbours("mean_of_four", "the mean of the four neighbours", _CROSS, 0, 1 / 4),
    Neighbours("laplacian", "the sum of the four neighbours less four times the element", _CROSS, -4, 1),
    Neighbours("plane_step", "a step of diffusion in a plane", _CROSS, -4, 1, is_step=True),
    Neighbours("mean_of_nine", "the mean of 3 x 3 elements", _BOX, 1 / 9, 1 / 9),
    Neighbours("sum_of_nine", "the sum of 3 x 3 elements", _BOX, 1, 1),
)


def with_borders() -> Iterator[Neighbours]:
    """Yield each with every border; a mean also of those elements that there are."""
    for each in _PLAIN:
        for border, (suffix, outside) in _BORDERS.items():
            yield replace(each, name=f"{each.name}{suffix}", said=f"{each.said}, with {outside}", border=border)
        if each.own == each.around != 1:
            said = f"{each.said}, of those that there are"
            yield replace(each, name=f"{each.name}_inside", said=said, border="counted")
