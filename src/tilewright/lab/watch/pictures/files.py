"""Renders a trace's document as a GIF or a PNG."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy

from tilewright.choose.printable import printable
from tilewright.lab.plots.look import Look, PlotError
from tilewright.lab.trace.document import FORMAT
from tilewright.lab.trace.subject import TraceError
from tilewright.lab.watch.pictures.drawing import Painter
from tilewright.lab.watch.pictures.layout import MOST_COLUMNS, font, grid_shape
from tilewright.lab.watch.pictures.replay import ADD, EXIT, OPEN, WAIT, Moment, moments, tiles_by_phase

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_FRAMES = 400
MILLISECONDS, LAST_MILLISECONDS = 700, 3500
SHORT_MILLISECONDS = 450
PNG_SCALE = 2
STILLS = 4
SHADES = 8
TRANSPARENT = 63


def gif_of(document: dict[str, Any], *, dark: bool = False) -> bytes:
    """Return an animation of the first recorded block, a frame for each step.

    Raises:
        PlotError: its matrices are too large or its steps too many, or Pillow is not installed.
    """
    played = _played(document)
    painter = _painter(document, played, dark=dark)
    shown = [moment for moment in played if moment.kind != EXIT]
    if len(shown) > MOST_FRAMES:
        raise PlotError(
            f"A GIF has at most {MOST_FRAMES} frames, and this block has {len(shown):,} steps; use smaller sizes, or "
            "--show-phases."
        )
    frames = _in_one_palette([painter.draw(moment) for moment in _with_last_counts(shown, played)], painter.look)
    durations = [SHORT_MILLISECONDS if moment.kind in (WAIT, OPEN) else MILLISECONDS for moment in shown]
    durations[-1] = LAST_MILLISECONDS
    file = io.BytesIO()
    frames[0].save(
        file,
        format="GIF",
        save_all=True,
        append_images=frames[1:],
        duration=durations,
        loop=0,
        optimize=False,
        disposal=1,
        transparency=TRANSPARENT,
        comment=described(document).encode(),
    )
    return file.getvalue()


def png_of(document: dict[str, Any], *, dark: bool = False) -> bytes:
    """Return stills of the first recorded block, two per phase: its tiles loaded, and its end.

    Raises:
        PlotError: its matrices are too large, or Pillow is not installed.
    """
    from PIL import Image as Pillow
    from PIL.PngImagePlugin import PngInfo

    played = _played(document)
    painter = _painter(document, played, dark=dark, scale=PNG_SCALE)
    stills = [painter.draw(moment) for moment in stills_of(played)]
    columns = 1 if len(stills) == 1 else 2
    width, height = stills[0].size
    rows = -(-len(stills) // columns)
    sheet = Pillow.new("RGB", (columns * width, rows * height), painter.look.background)
    for number, still in enumerate(stills):
        sheet.paste(still, (number % columns * width, number // columns * height))
    words = PngInfo()
    words.add_text("Description", described(document))
    file = io.BytesIO()
    sheet.save(file, format="PNG", optimize=True, pnginfo=words)
    return file.getvalue()


def _played(document: dict[str, Any]) -> list[Moment]:
    if document["format"] != FORMAT:
        raise PlotError("A pipeline is not drawn as a GIF or PNG: its page shows it (save it as .html).")
    try:
        return list(moments(document))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise TraceError("The trace is damaged: its steps do not follow from each other.") from error


def stills_of(played: Sequence[Moment]) -> list[Moment]:
    """Return the most telling moments of the first two phases: after the last load into a tile, and at the end."""
    chosen: list[Moment] = []
    for phase in sorted({moment.phase for moment in played}):
        steps = [moment for moment in played if moment.phase == phase]
        adds = [moment for moment in steps if moment.kind == ADD]
        before = [moment for moment in steps if moment.writes and (not adds or moment.step < adds[0].step)]
        chosen += [*before[-1:], *adds[-1:]]
    if len(chosen) > STILLS:
        chosen = [*chosen[: STILLS - 1], played[-2] if played[-1].kind == EXIT else played[-1]]
    return chosen or [played[-1]]


def described(document: dict[str, Any]) -> str:
    """Return a sentence on what a picture shows, and the program that drew it."""
    from PIL import __version__

    problem, kernel = document["problem"], document["kernel"]["name"]
    tile = "" if problem["tile"] is None else f", tile {problem['tile']}"
    known = {name: problem[name] for name in "mnk"} if problem["m"] is not None else problem.get("scalars", {})
    sizes = ", ".join(f"{name} = {value}" for name, value in known.items())
    first = document["blocks"][0]
    steps = f"{len(first['steps'])} steps of block {tuple(first['block'])}, as they were executed"
    return printable(f"{', '.join(filter(None, (f'{kernel}{tile}', sizes)))}: {steps}. Pillow {__version__}")


def _painter(document: dict[str, Any], played: Sequence[Moment], *, dark: bool, scale: int = 1) -> Painter:
    font(12)  # refuses where Pillow is missing
    for array in document["arrays"]:
        rows, columns = grid_shape(array["shape"])
        if max(rows, columns) > MOST_COLUMNS:
            raise PlotError(
                f"A picture shows arrays of at most {MOST_COLUMNS} x {MOST_COLUMNS} elements, and {array['name']} is "
                f"{rows} x {columns}; the page that `tilewright watch` writes shows larger ones."
            )
    has_padding = any(moment.padding for moment in played)
    return Painter(document, tiles_by_phase(document), Look(dark), scale, has_padding=has_padding)


def _with_last_counts(shown: Sequence[Moment], played: Sequence[Moment]) -> list[Moment]:
    """Return the frames, the last one with the final counts."""
    return [*shown[:-1], replace(shown[-1], loads=played[-1].loads, loads_beside=played[-1].loads_beside)]


def _in_one_palette(images: Sequence[Image], look: Look) -> list[Image]:
    """Reduce all frames to the look's colours and blends of them; unchanged pixels become transparent."""
    from PIL import Image as Pillow

    colours = _palette(look)
    model = Pillow.new("P", (1, 1))
    model.putpalette([part for colour in colours for part in colour])
    indices = [numpy.asarray(image.quantize(palette=model, dither=Pillow.Dither.NONE)) for image in images]
    frames = []
    for before, now in zip([None, *indices], indices, strict=False):
        shown = now if before is None else numpy.where(now == before, TRANSPARENT, now)
        frame = Pillow.fromarray(shown.astype(numpy.uint8), mode="P")
        frame.putpalette([part for colour in colours for part in colour])
        frames.append(frame)
    return frames


def _palette(look: Look) -> list[tuple[int, ...]]:
    """Return the look's colours, and blends of each with the background for the edges of letters."""
    background = _parts(look.background)
    found = [background, _parts(look.grid)]
    for colour in (look.text, look.faint, *look.colours[:3]):
        ends = zip(background, _parts(colour), strict=True)
        channels = [[round(low + (high - low) * step / SHADES) for step in range(1, SHADES + 1)] for low, high in ends]
        found += list(zip(*channels, strict=True))
    return found


def _parts(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))
