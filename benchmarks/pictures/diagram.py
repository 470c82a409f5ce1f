"""Drawings of boxes, arrows and words as SVG, in a light and a dark version: `kernel_diagrams.py` uses it.

They are 480 units wide, so that words stay readable on a phone, and say what they show in words, too.
"""

from __future__ import annotations

from html import escape
from textwrap import wrap

from tilewright.lab.plots.look import Look

WIDTH = 480
FONT = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"


class Diagram:
    """A drawing. Colours are numbers of `Look.colours`, or None for the colour of faint things."""

    def __init__(self, title: str, description: str, height: int, *, dark: bool) -> None:
        self._look = Look(dark)
        self._title, self._description, self._height = title, description, height
        self._parts: list[str] = []

    def colour(self, number: int | None) -> str:
        """The colour of a series."""
        return self._look.faint if number is None else self._look.colours[number]

    def box(
        self,
        at: tuple[float, float],
        size: tuple[float, float],
        colour: int | None = None,
        text: str = "",
        *,
        filled: float = 0.16,
        dashed: bool = False,
        points: float = 12,
    ) -> None:
        """A rectangle with words in its middle. filled: how much of its colour lies within its line."""
        (x, y), (width, height) = at, size
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="2" stroke="{self.colour(colour)}" '
            f'stroke-width="1.3" fill="{self.colour(colour)}" fill-opacity="{filled:g}"{dash}/>'
        )
        if text:
            self.words((x + width / 2, y + height / 2 + points * 0.35), text, anchor="middle", points=points)

    def words(
        self,
        at: tuple[float, float],
        text: str,
        *,
        anchor: str = "start",
        colour: int | None = -1,
        bold: bool = False,
        points: float = 12,
    ) -> None:
        """A line of text, its baseline at `at`. colour: -1 for the text's own."""
        ink = self._look.text if colour == -1 else self.colour(colour)
        weight = ' font-weight="600"' if bold else ""
        self._parts.append(
            f'<text x="{at[0]:g}" y="{at[1]:g}" text-anchor="{anchor}" font-size="{points:g}" fill="{ink}"{weight}>'
            f"{escape(text)}</text>"
        )

    def note(self, at: tuple[float, float], text: str, *, characters: int = 78) -> None:
        """Faint words in as many lines as they take."""
        for number, line in enumerate(wrap(text, characters)):
            self.words((at[0], at[1] + 15 * number), line, colour=None, points=11)

    def line(self, start: tuple[float, float], end: tuple[float, float], *, dashed: bool = False) -> None:
        """A thin line."""
        dash = ' stroke-dasharray="2 3"' if dashed else ""
        place = f'x1="{start[0]:g}" y1="{start[1]:g}" x2="{end[0]:g}" y2="{end[1]:g}"'
        self._parts.append(f'<line {place} stroke="{self._look.faint}"{dash}/>')

    def arrow(self, start: tuple[float, float], end: tuple[float, float], colour: int | None = None) -> None:
        """An arrow."""
        ink = self.colour(colour)
        (x, y), (dx, dy) = end, (end[0] - start[0], end[1] - start[1])
        length = (dx * dx + dy * dy) ** 0.5
        dx, dy = dx / length, dy / length
        left = (x - 8 * dx - 3.5 * dy, y - 8 * dy + 3.5 * dx)
        right = (x - 8 * dx + 3.5 * dy, y - 8 * dy - 3.5 * dx)
        self._parts.append(
            f'<path d="M{start[0]:g} {start[1]:g}L{x - 6 * dx:.1f} {y - 6 * dy:.1f}" stroke="{ink}" '
            f'stroke-width="1.4"/>'
            f'<path d="M{x:g} {y:g}L{left[0]:.1f} {left[1]:.1f}L{right[0]:.1f} {right[1]:.1f}Z" fill="{ink}"/>'
        )

    def svg(self) -> str:
        """The file."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self._height}" width="{WIDTH}" '
            f'height="{self._height}" role="img" font-family="{FONT}">'
        )
        told = f"<title>{escape(self._title)}</title>\n<desc>{escape(self._description)}</desc>"
        ground = f'<rect width="{WIDTH}" height="{self._height}" fill="{self._look.background}"/>'
        return "\n".join([head, told, ground, *self._parts, "</svg>", ""])
