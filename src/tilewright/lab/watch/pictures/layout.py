"""The layout of a picture: B above C, A to its left, the tiles and the threads to the right."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilewright.lab.plots.look import PlotError

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

MOST_COLUMNS = 16
MARGIN, GAP, HEADING, INDEX = 18, 30, 22, 16
TITLE_HEIGHT, FOOT_HEIGHT = 62, 130
THREAD_WIDTH = 52
LEGEND_WIDTH, LEGEND_HEIGHT = 150, 100
THREADS_AND_SUMS = "threads and their sums"


@dataclass(frozen=True)
class Place:
    """The place of a grid of cells: its upper left corner, rows and columns, and the width of a cell."""

    x: int
    y: int
    rows: int
    columns: int
    width: int

    def cell(self, index: int, height: int) -> tuple[int, int, int, int]:
        """The box of a cell by its flat index."""
        row, column = divmod(index, self.columns)
        left, top = self.x + column * self.width, self.y + row * height
        return left, top, left + self.width, top + height


class Layout:
    """Places for the arrays of a document (by number), its threads and a legend; width and height of the picture.

    side: the height of a cell. grids: rows and columns of each array.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.arrays = document["arrays"]
        self.grids = [grid_shape(array["shape"]) for array in self.arrays]
        most = max((max(grid) for grid in self.grids), default=1)
        self.side = 38 if most <= 4 else 30 if most <= 8 else 24
        self.places: dict[int, Place] = {}
        self._lay_out()

    def _lay_out(self) -> None:
        shared = [number for number, array in enumerate(self.arrays) if array["space"] == "shared"]
        named = {array["name"]: number for number, array in enumerate(self.arrays) if array["space"] == "global"}
        side, top = self.side, TITLE_HEIGHT + HEADING + INDEX
        is_product = {"A", "B", "C"} <= named.keys() and all(
            len(self.arrays[named[name]]["shape"]) == 2 for name in "ABC"
        )
        self.has_legend = False
        x, y, bottom = MARGIN + INDEX, top, top
        if is_product:
            a, b, c = (self.grids[named[name]] for name in "ABC")
            second, below = x + a[1] * side + GAP + INDEX, top + b[0] * side + HEADING + INDEX
            second = max(second, MARGIN + LEGEND_WIDTH + GAP)
            self.has_legend = b[0] * side >= LEGEND_HEIGHT
            self._put(named["B"], second, top)
            self._put(named["A"], x, below)
            self._put(named["C"], second, below)
            right = second + max(b[1], c[1]) * side
            bottom = below + max(a[0], c[0]) * side
        else:
            right = x
            for number in named.values():
                rows, columns = self.grids[number]
                self._put(number, x, y)
                y += rows * side + HEADING + INDEX
                right, bottom = max(right, x + columns * side), y - HEADING - INDEX
        x, y = right + GAP + INDEX, top
        for number in shared:
            rows, columns = self.grids[number]
            self._put(number, x, y)
            y += rows * side + HEADING + INDEX
            right = max(right, x + columns * side)
            bottom = max(bottom, y - HEADING - INDEX)
        labels = [THREADS_AND_SUMS, *(f"{self.arrays[number]['name']} (shared)" for number in shared)]
        threads = self.document["launch"]["block"]
        columns = threads[0] if threads[1] * threads[2] > 1 else min(threads[0], 8)
        rows = -(-prod(threads) // columns)
        self.thread_place = Place(x, y, rows, columns, THREAD_WIDTH)
        named_width = max((int(font(13, bold=True).getlength(text)) for text in labels), default=0)
        self.width = max(right, x + columns * THREAD_WIDTH, x + named_width, 560) + MARGIN
        self.height = max(bottom, y + rows * self.side) + FOOT_HEIGHT

    def _put(self, number: int, x: int, y: int) -> None:
        rows, columns = self.grids[number]
        self.places[number] = Place(x, y, rows, columns, self.side)


def grid_shape(shape: list[int]) -> tuple[int, int]:
    """Return rows and columns of an array; a vector is wrapped into rows of MOST_COLUMNS."""
    if len(shape) >= 2:
        return prod(shape[:-1]), shape[-1]
    columns = max(1, min(prod(shape), MOST_COLUMNS))
    return -(-prod(shape) // columns), columns


@cache
def font(size: int, *, bold: bool = False, mono: bool = False) -> FreeTypeFont:
    """Return a font of a size in pixels: DejaVu, which comes with Matplotlib, the same on every machine.

    Raises:
        PlotError: Pillow or Matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from PIL import ImageFont
    except ModuleNotFoundError as error:
        if error.name not in ("matplotlib", "PIL"):
            raise
        raise PlotError('Pictures take Pillow and a font of Matplotlib: pip install "tilewright[plots]".') from error
    name = f"DejaVuSans{'Mono' if mono else ''}{'-Bold' if bold else ''}.ttf"
    return ImageFont.truetype(str(Path(mpl.get_data_path()) / "fonts" / "ttf" / name), size)
