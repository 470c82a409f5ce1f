"""Drawings of docs/kernels/ about Hopper's kernels: who works when, and on what."""

from __future__ import annotations

from benchmarks.pictures.diagram import Diagram

A, B, C, HELD = 0, 1, 2, 5
"""Colours: of A, B and C, as on the pages of `watch`, and of what is kept in place."""


def pipeline(*, dark: bool) -> str:
    """Who works when in matmul/wgmma."""
    told = (
        "One warpgroup loads tiles along k by TMA, stages ahead of the two that multiply. While these finish a tile "
        "of C and store it, operands of the next tile (orange) are being loaded."
    )
    picture = Diagram("matmul/wgmma: loading, multiplying and storing overlap", told, 256, dark=dark)
    left, unit = 98, 37
    for row, name in enumerate(("copy engine", "consumer 1", "consumer 2", "stores C")):
        picture.words((6, 38 + 46 * row), name, bold=True)
    for step in range(10):
        tile, block = divmod(step, 5)
        x = left + unit * step
        picture.box((x, 18), (unit - 3, 32), A if tile == 0 else B, f"k{block}")
        if step < 8:
            for row in (1, 2):
                picture.box((x + 2 * unit, 18 + 46 * row), (unit - 3, 32), A if tile == 0 else B, f"k{block}")
    picture.box((left + 7.4 * unit, 156), (unit * 1.6, 32), C, "tile 1")
    picture.arrow((left + 7 * unit - 2, 144), (left + 7.4 * unit, 168), C)
    for x in (left + 2 * unit - 2, left + 7 * unit - 2):
        picture.line((x, 10), (x, 148), dashed=True)
    picture.note((6, 210), told, characters=82)
    return picture.svg()


def stages(*, dark: bool) -> str:
    """The ring of stages in shared memory."""
    told = (
        "Each stage holds a tile of A and one of B. One barrier says that it is full, another that it is empty: the "
        "producer waits only for empty stages, consumers only for full ones."
    )
    picture = Diagram("The stages of matmul/wgmma", told, 190, dark=dark)
    picture.box((8, 44), (92, 40), None, "producer")
    picture.box((380, 18), (92, 36), HELD, "consumer 1")
    picture.box((380, 74), (92, 36), HELD, "consumer 2")
    for number in range(4):
        x = 132 + 56 * number
        is_full = number < 2
        picture.box((x, 22), (48, 38), A, f"A {number}", filled=0.3 if is_full else 0, dashed=not is_full)
        picture.box((x, 66), (48, 38), B, f"B {number}", filled=0.3 if is_full else 0, dashed=not is_full)
        picture.words((x + 24, 120), "full" if is_full else "empty", anchor="middle", colour=None, points=11)
    picture.arrow((100, 64), (130, 64))
    picture.arrow((354, 52), (379, 38))
    picture.arrow((354, 74), (379, 90))
    picture.note((8, 148), told)
    return picture.svg()


def tile_order(*, dark: bool) -> str:
    """In which order blocks take tiles of C."""
    told = (
        "Twelve blocks run at a time (shaded). Row by row they read 2 strips of A and all 8 of B; in groups of 4 tile "
        "rows, 4 of A and 3 of B. Strips that several of them read stay in the L2 cache."
    )
    picture = Diagram("Rasterization: the order of tiles", told, 244, dark=dark)
    for panel, (name, group) in enumerate((("row by row", 1), ("in groups of 4 rows", 4))):
        left = 10 + 236 * panel
        picture.words((left, 20), name, bold=True)
        for row in range(6):
            for column in range(8):
                rows = min(group, 6 - row // group * group)
                number = row // group * group * 8 + column * rows + row % group
                at_work = number < 12
                picture.box(
                    (left + 28 * column, 30 + 26 * row),
                    (26, 24),
                    C if at_work else None,
                    str(number),
                    filled=0.3 if at_work else 0,
                    points=10,
                )
    picture.note((10, 208), told)
    return picture.svg()


def small(*, dark: bool) -> str:
    """What a small product spends its time on."""
    told = (
        "In a product of a few microseconds the start dominates: each new instruction comes from DRAM, like the data. "
        "matmul/wgmma_small requests its tiles before anything else, and stores whole lines of C."
    )
    picture = Diagram("matmul/wgmma_small: loads come first", told, 178, dark=dark)
    rows = {
        "wgmma": (
            ("which tile, what for", 118, None),
            ("loading", 92, A),
            ("multiply", 66, HELD),
            ("stage, store C", 82, C),
        ),
        "wgmma_small": (("ask", 34, None), ("loading", 92, A), ("multiply", 66, HELD), ("store C", 58, C)),
    }
    for row, (name, parts) in enumerate(rows.items()):
        x = 106.0
        picture.words((8, 39 + 52 * row), name, bold=True)
        for text, width, colour in parts:
            picture.box((x, 18 + 52 * row), (width, 34), colour, text, points=10)
            x += width + 2
    picture.note((8, 130), told + " The lengths are not to scale.")
    return picture.svg()
