"""Draws one moment of a block: A, B, C in global memory, the tiles in shared memory, each thread with its sum.

B is above C and A to its left, so that an element of C is where its row of A and its column of B meet. A cell that is
read has a ring, and one that is written a filled frame and a corner, so that the two differ without colours. As on the
page, the colour is the array's: A and its tile blue, B and its tile orange, C and the threads green.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from tilewright.choose.printable import printable_line
from tilewright.lab.plots.look import Look
from tilewright.lab.trace.subject import line_said
from tilewright.lab.watch.pictures.layout import (
    FOOT_HEIGHT,
    HEADING,
    INDEX,
    MARGIN,
    THREADS_AND_SUMS,
    TITLE_HEIGHT,
    Layout,
    Place,
    font,
)
from tilewright.lab.watch.pictures.replay import (
    ADD,
    ARRIVE,
    ATOMIC,
    EXIT,
    GIVE,
    LOAD,
    OPEN,
    STORE,
    WAIT,
    Cell,
    Moment,
    Value,
)

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw


MOST_DOTS = 16
INDEX_TEXT = 12
"""In pixels: on a page of 600 pixels it is to be 11 at least."""
HUES = {"A": 0, "B": 1, "C": 2}
"""The colours of the look, by array."""


class Painter:
    """Draws the moments of one trace, all at the same size."""

    def __init__(
        self,
        document: dict[str, Any],
        tiles: dict[int, dict[int, set[int]]],
        look: Look,
        scale: int = 1,
        *,
        has_padding: bool = False,
    ) -> None:
        self.document, self.tiles, self.look, self.scale = document, tiles, look, scale
        self.has_padding = has_padding
        self.arrays = document["arrays"]
        self.layout = Layout(document)
        shared = [number for number, array in enumerate(self.arrays) if array["space"] == "shared"]
        of_tiles = {number: min(place, 1) for place, number in enumerate(shared)}
        self.hues = {
            number: look.colours[of_tiles.get(number, HUES.get(array["name"], 2))]
            for number, array in enumerate(self.arrays)
        }

    def draw(self, moment: Moment) -> Image:
        """Return the picture of a moment."""
        from PIL import Image, ImageDraw

        image = Image.new(
            "RGB", (self.layout.width * self.scale, self.layout.height * self.scale), self.look.background
        )
        pen = ImageDraw.Draw(image)
        self._title(pen, moment)
        if self.layout.has_legend:
            self._legend(pen)
        for number in self.layout.places:
            self._array(pen, number, moment)
        self._threads(pen, moment)
        self._foot(pen, moment)
        return image

    def _title(self, pen: ImageDraw, moment: Moment) -> None:
        kernel, tile = self.document["kernel"]["name"], self.document["problem"]["tile"]
        block, grid = self.document["blocks"][0]["block"], self.document["launch"]["grid"]
        self._text(pen, MARGIN, 12, kernel if tile is None else f"{kernel}, tile {tile}", 17, bold=True)
        where = f"block ({block[0]}, {block[1]}) of a {grid[0]} x {grid[1]} grid"
        phases = max(self.tiles, default=0) + 1
        if phases > 1:
            where += f"; phase {moment.phase} ({phases} phases, from 0)"
        self._text(pen, MARGIN, 37, where, 13, colour=self.look.faint)

    def _legend(self, pen: ImageDraw) -> None:
        """Draw the legend in the empty corner above A."""
        look, x, y = self.look, MARGIN, TITLE_HEIGHT + HEADING
        loaded = "tiles of this phase" if len(self.tiles) > 1 else "loaded by the block"
        names = ["read now", "written now", loaded, "waits", *["outside: 0"][: self.has_padding]]
        for number, text in enumerate(names):
            top = y + 21 * number
            box = (x, top, x + 16, top + 16)
            if number == 0:
                self._box(pen, box, outline=look.text, width=3, round_by=6)
            elif number == 1:
                self._box(pen, box, fill=look.text)
                pen.polygon(self._scaled([(x + 8, top), (x + 16, top), (x + 16, top + 8)]), fill=look.background)
            elif number == 2:
                self._box(pen, box, outline=look.faint, width=3)
            elif number == 3:
                self._bars(pen, x + 4, top + 3)
            else:
                self._stripes(pen, x, top, 16)
            self._text(pen, x + 23, top + 8, text, 12, anchor="lm", colour=look.faint)

    def _stripes(self, pen: ImageDraw, left: int, top: int, side: int) -> None:
        for offset in range(6, 2 * side, 7):
            ends = [
                (left + min(offset, side), top + max(0, offset - side)),
                (left + max(0, offset - side), top + min(offset, side)),
            ]
            pen.line(self._scaled(ends), fill=self.look.faint, width=self.scale)

    def _bars(self, pen: ImageDraw, x: int, y: int) -> None:
        for left in (x, x + 5):
            self._box(pen, (left, y, left + 3, y + 9), fill=self.look.text)

    def _array(self, pen: ImageDraw, number: int, moment: Moment) -> None:
        place, array = self.layout.places[number], self.arrays[number]
        is_shared = array["space"] == "shared"
        name = f"{array['name']} (shared)" if is_shared else array["name"]
        self._text(pen, place.x, place.y - INDEX - 20, name, 13, bold=True)
        for index, value in enumerate(moment.values[number]):
            self._cell(pen, place.cell(index, self.layout.side), value, (number, index), moment)
        for row in range(place.rows):
            middle = place.y + row * self.layout.side + self.layout.side // 2
            first = row if len(array["shape"]) > 1 else row * place.columns
            self._text(pen, place.x - 6, middle, str(first), INDEX_TEXT, anchor="rm", colour=self.look.faint)
        for column in range(place.columns):
            middle = place.x + column * self.layout.side + self.layout.side // 2
            self._text(pen, middle, place.y - 3, str(column), INDEX_TEXT, anchor="mb", colour=self.look.faint)
        loaded = self.tiles.get(moment.phase, {}).get(number)
        if loaded and not is_shared:
            self._frame(pen, place, loaded, self.hues[number])

    def _cell(self, pen: ImageDraw, box: tuple[int, int, int, int], value: Value, cell: Cell, moment: Moment) -> None:
        look, is_read, is_written = self.look, cell in moment.reads, cell in moment.writes
        left, top, right, bottom = box
        hue = self.hues[cell[0]]
        fill = hue if is_written else look.background
        self._box(pen, box, fill=fill, outline=look.grid, width=1)
        if cell in moment.padding and not is_written:
            self._stripes(pen, left, top, self.layout.side)
            middle = (left + right) // 2, (top + bottom) // 2
            self._box(pen, (middle[0] - 6, middle[1] - 8, middle[0] + 6, middle[1] + 8), fill=look.background)
        if is_read:
            self._box(pen, (left + 3, top + 3, right - 3, bottom - 3), outline=hue, width=3, round_by=8)
        if is_written:
            ink = look.background
            corner = self._scaled([(right - 10, top + 1), (right - 1, top + 1), (right - 1, top + 10)])
            pen.polygon(corner, fill=ink)
        colour = look.background if is_written else look.text
        text = shown(value)
        size = 14 if self.layout.side >= 30 else 11 if len(text) < 3 else 9
        self._text(
            pen,
            (left + right) // 2,
            (top + bottom) // 2,
            text,
            size,
            anchor="mm",
            colour=colour,
            bold=is_read or is_written,
        )

    def _frame(self, pen: ImageDraw, place: Place, elements: set[int], hue: str) -> None:
        rows, columns = {e // place.columns for e in elements}, {e % place.columns for e in elements}
        left, top = place.x + min(columns) * self.layout.side, place.y + min(rows) * self.layout.side
        right, bottom = place.x + (max(columns) + 1) * self.layout.side, place.y + (max(rows) + 1) * self.layout.side
        self._box(pen, (left - 1, top - 1, right + 1, bottom + 1), outline=hue, width=3)

    def _threads(self, pen: ImageDraw, moment: Moment) -> None:
        place, look = self.layout.thread_place, self.look
        has_sums = bool(self.document["sums"])
        self._text(pen, place.x, place.y - INDEX - 20, THREADS_AND_SUMS if has_sums else "threads", 13, bold=True)
        for thread in range(prod(self.document["launch"]["block"])):
            box = place.cell(thread, self.layout.side)
            left, top, right, bottom = box
            adds = moment.kind == ADD and thread in moment.at_work
            self._box(pen, box, fill=look.colours[2] if adds else look.background, outline=look.faint, width=1)
            if thread in moment.at_work and not adds and moment.kind not in (WAIT, OPEN):
                self._box(pen, (left + 2, top + 2, right - 2, bottom - 2), outline=look.colours[2], width=2, round_by=6)
            if thread in moment.waiting:
                self._bars(pen, right - 12, top + 5)
            colour = look.background if adds else look.text
            text = shown(moment.sums.get(thread, 0 if has_sums else None))
            self._text(pen, (left + right) // 2, (top + bottom) // 2, text, 14, anchor="mm", colour=colour, bold=adds)

    def _foot(self, pen: ImageDraw, moment: Moment) -> None:
        top = self.layout.height - FOOT_HEIGHT + 16
        self._text(pen, MARGIN, top, self._sentence(moment), 14, bold=True)
        source = self.document["kernel"]["source"].splitlines()
        if 1 <= moment.line <= len(source):
            line = f"{line_said(self.document, moment.line)}:  {source[moment.line - 1].strip()}"
            room = (self.layout.width - 2 * MARGIN) // 8
            self._text(pen, MARGIN, top + 22, line if len(line) <= room else f"{line[: room - 3]}...", 12, mono=True)
        self._score(pen, top + 46, self.document["kernel"]["name"].partition("/")[2], moment.loads, moment.planned)
        if moment.loads_beside is not None:
            beside = self.document["beside"]["kernel"].partition("/")[2]
            self._score(pen, top + 66, beside, moment.loads_beside, moment.planned_beside)
            self._text(pen, MARGIN, top + 88, saving(self.document, moment.planned, moment.planned_beside), INDEX_TEXT)

    def _score(self, pen: ImageDraw, top: int, name: str, done: int, planned: int) -> None:
        """Draw the loads of the first thread as dots that fill, while there are few, and as a number."""
        self._text(pen, MARGIN, top, f"loads by thread (0, 0), {name}:", 13)
        x = MARGIN + int(font(13).getlength(f"loads by thread (0, 0), {name}: "))
        for number in range(planned if planned <= MOST_DOTS else 0):
            self._dot(pen, x + 8, top + 9, is_full=number < done)
            x += 15
        self._text(pen, x + 8, top, f"{done} of {planned}", 13, bold=True)

    def _dot(self, pen: ImageDraw, x: int, y: int, *, is_full: bool) -> None:
        box = tuple(edge * self.scale for edge in (x - 5, y - 5, x + 5, y + 5))
        pen.ellipse(box, fill=self.look.text if is_full else None, outline=self.look.text, width=2 * self.scale)

    def _sentence(self, moment: Moment) -> str:
        """Return what happens, in words."""
        is_one = len(moment.at_work) == 1
        threads = "1 thread" if is_one else f"{len(moment.at_work)} threads"
        ending = "s" if is_one else ""
        if moment.array is not None:
            array = self.arrays[moment.array]
            where = f"{array['name']} in {array['space']} memory"
            verb = {LOAD: f"load{ending} from", STORE: f"store{ending} to", ATOMIC: f"update{ending}"}[moment.kind]
            return f"{threads} {verb} {where}"
        words = {
            ADD: f"{threads} {'multiplies and adds' if is_one else 'multiply and add'}",
            WAIT: f"{threads} wait{ending} at the barrier",
            ARRIVE: f"{threads} arrive{ending} at the barrier and go{'es' if is_one else ''} on",
            OPEN: "everyone is there: the barrier lets them go on",
            EXIT: f"{threads} end{ending}",
            GIVE: f"{threads} get{ending} numbers from each other's registers",
        }
        return words.get(moment.kind, moment.kind)

    def _text(
        self,
        pen: ImageDraw,
        x: int,
        y: int,
        text: str,
        size: int,
        *,
        anchor: str = "la",
        colour: str = "",
        bold: bool = False,
        mono: bool = False,
    ) -> None:
        found = font(size * self.scale, bold=bold, mono=mono)
        pen.text(
            (x * self.scale, y * self.scale),
            printable_line(text),
            font=found,
            fill=colour or self.look.text,
            anchor=anchor,
        )

    def _box(
        self,
        pen: ImageDraw,
        box: tuple[int, int, int, int],
        *,
        fill: str | None = None,
        outline: str | None = None,
        width: int = 1,
        round_by: int = 0,
    ) -> None:
        scaled = tuple(edge * self.scale for edge in box)
        radius, thick = round_by * self.scale, width * self.scale
        pen.rounded_rectangle(scaled, radius, fill=fill, outline=outline, width=thick)

    def _scaled(self, points: list[tuple[int, int]]) -> list[tuple[int, int]]:
        return [(x * self.scale, y * self.scale) for x, y in points]


def shown(value: Value) -> str:
    """Return a value, shortened to fit a cell."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e5 else f"{value:.3g}"


def saving(document: dict[str, Any], own: int, beside: int) -> str:
    """Return what tiles save of a thread's loads in the end, and what a tile of 16 would: as on the page."""
    has_tiles = any(array["space"] == "shared" for array in document["arrays"])
    tiled, plain = (own, beside) if has_tiles else (beside, own)
    if tiled == plain:
        return "As many as without tiles."
    said = f"In the end {tiled} instead of {plain}: {100 * tiled / plain:.0f} %."
    of_sixteen = " With a tile of 16, and large matrices, 1/16."
    return said + of_sixteen if has_tiles and document["problem"]["tile"] not in (None, 16) else said
