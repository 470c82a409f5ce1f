"""The drawings of docs/kernels/: one idea of a fast kernel each. `make pictures` writes them, a test compares them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.pictures.diagram import Diagram
from benchmarks.pictures.hopper_diagrams import pipeline, small, stages, tile_order

FOLDER = Path(__file__).parents[2] / "docs" / "kernels" / "pictures"
A, B, C, BAD, HELD = 0, 1, 2, 3, 5
"""Colours: of A, B and C, as on the pages of `watch`; of what is thrown away; and of what is kept in place."""


def row_classes(*, dark: bool) -> str:
    """Which rows of an A of an odd width begin alike."""
    told = (
        "A with 13 elements in a row; lines mark 16-byte boundaries, every 8 elements. Rows are unaligned, but rows "
        "0 and 8 by the same shift, and so are 1 and 9. A tile takes rows 1, 9, 17, ... from the boundary before "
        "them on; elements before the row (crossed) become 0."
    )
    picture = Diagram("Every eighth row has the same alignment", told, 330, dark=dark)
    left, unit, high = 60, 11.4, 22
    for line in range(4):
        x = left + 8 * unit * line
        picture.line((x, 14), (x, 20 + high * 10), dashed=True)
        picture.words((x, 11), f"{16 * line} B", anchor="middle", colour=None, points=10)
    for row in range(10):
        start = 13 * row % 8
        y = 18 + high * row
        is_taken = row in (1, 9)
        picture.words((8, y + 13), f"row {row}", points=11, bold=is_taken)
        if is_taken:
            picture.box((left, y), (start * unit, high - 5), BAD, "x" * start, filled=0.1, dashed=True, points=10)
        colour = A if is_taken else C if row in (0, 8) else None
        picture.box((left + start * unit, y), (13 * unit, high - 5), colour, filled=0.3 if is_taken else 0.1)
        picture.words((left + 25 * unit, y + 13), f"{start} past a line", colour=None, points=11)
    picture.note((8, 262), told)
    return picture.svg()


def repack(*, dark: bool) -> str:
    """How eight elements are taken out of two aligned vectors."""
    told = (
        "A thread loads the two aligned 16-byte vectors that hold its eight elements (4 to 11), shifts the elements "
        "into place in registers, and stores one aligned vector. Its neighbour's first load is this one's second: "
        "L1 has it."
    )
    picture = Diagram("matmul/repack: two aligned vectors become one", told, 216, dark=dark)
    unit = 29
    for index in range(16):
        x = 8 + unit * index
        inside = 3 <= index < 11
        picture.box((x, 30), (unit - 2, 30), A if inside else None, str(index + 1), filled=0.3 if inside else 0)
    for piece in range(2):
        picture.words((8 + unit * 8 * piece, 22), f"aligned vector {piece + 1}, 16 bytes", colour=None, points=11)
    picture.line((8 + unit * 8 - 1, 14), (8 + unit * 8 - 1, 68))
    for index in range(8):
        x = 8 + unit * (index + 4)
        picture.box((x, 112), (unit - 2, 30), C, str(index + 4), filled=0.3)
        picture.arrow((8 + unit * (index + 3) + unit / 2, 63), (x + unit / 2 - 1, 110))
    picture.words((8, 131), "repacked row", colour=None, points=11)
    picture.note((8, 170), told)
    return picture.svg()


def splitk_reduce(*, dark: bool) -> str:
    """A long inner size, split."""
    told = (
        "A short and wide A times a tall and narrow B gives few tiles of C. The inner size is split among blocks; "
        "each stores its partial sums, and they are added in a fixed order, so that the bits are the same "
        "every time."
    )
    picture = Diagram("matmul/splitk_reduce: partial sums of a split inner size", told, 236, dark=dark)
    for part in range(4):
        number = f"split {part + 1}"
        picture.box((26 + 56 * part, 14), (54, 36), A, number, filled=0.12 + 0.08 * part, points=11)
        picture.box((290, 14 + 34 * part), (46, 32), B, str(part + 1), filled=0.12 + 0.08 * part, points=11)
        picture.box((362, 14 + 34 * part), (46, 32), HELD, "sums", filled=0.16, points=11)
        picture.arrow((337, 30 + 34 * part), (361, 30 + 34 * part))
        picture.arrow((409, 30 + 34 * part), (430, 30 + 34 * part))
    picture.words((8, 37), "A", bold=True)
    picture.words((274, 35), "B", bold=True)
    picture.box((432, 14), (40, 134), C, "C", filled=0.2)
    picture.words((472, 164), "1 + 2 + 3 + 4, in this order", anchor="end", colour=None, points=11)
    picture.note((8, 186), told)
    return picture.svg()


def small_batched(*, dark: bool) -> str:
    """How a small matrix of an odd size gets to shared memory."""
    told = (
        "Rows of 7 elements begin at unaligned addresses, but the matrix is one contiguous span: it is loaded in "
        "aligned 16-byte vectors and unpacked into aligned rows within shared memory, where that is cheap. C is "
        "stored the same way."
    )
    picture = Diagram("matmul/small_batched: a matrix as one contiguous span", told, 250, dark=dark)
    unit = 16
    picture.words((8, 14), "in memory: rows follow each other", colour=None, points=11)
    for index in range(28):
        picture.box((8 + unit * index, 22), (unit - 1, 24), (A, B, C, HELD)[index // 7], str(index // 7), points=10)
    for piece in range(5):
        picture.line((8 + unit * 8 * piece - 0.5, 16), (8 + unit * 8 * piece - 0.5, 62), dashed=True)
    picture.words((8, 74), "aligned vectors of 8 elements", colour=None, points=11)
    picture.arrow((232, 66), (232, 92))
    picture.words((8, 106), "in shared memory: each row is aligned", colour=None, points=11)
    for row in range(4):
        for column in range(8):
            is_gap = column == 7
            picture.box(
                (8 + unit * (column + 14 * (row % 2)), 114 + 28 * (row // 2)),
                (unit - 1, 24),
                None if is_gap else (A, B, C, HELD)[row],
                "" if is_gap else str(row),
                filled=0 if is_gap else 0.16,
                dashed=is_gap,
                points=10,
            )
    picture.note((8, 196), told)
    return picture.svg()


def fragments(*, dark: bool) -> str:
    """What warps and their instructions take of a tile."""
    told = (
        "Eight warps share a tile of C. A warp computes 16 x 8 elements of its part at a time: one mma.sync "
        "multiplies 16 x 16 elements of A by 16 x 8 of B. Meanwhile cp.async loads the next tiles."
    )
    picture = Diagram("matmul/mma_sync: block, warp, instruction", told, 256, dark=dark)
    picture.words((8, 16), "tile of C, 128 x 128", bold=True)
    for row in range(2):
        for column in range(4):
            is_first = row == column == 0
            picture.box(
                (8 + 46 * column, 26 + 76 * row),
                (44, 74),
                C if is_first else None,
                f"warp {4 * row + column}",
                filled=0.3 if is_first else 0.05,
                points=10,
            )
    picture.words((238, 16), "warp 0, 64 x 32", bold=True)
    for row in range(4):
        for column in range(4):
            is_first = row == column == 0
            colour, filled = (B, 0.4) if is_first else (C, 0.12)
            picture.box((238 + 27 * column, 26 + 38 * row), (25, 36), colour, filled=filled)
    picture.words((366, 16), "mma.sync", bold=True)
    picture.box((366, 62), (42, 42), A, "A 16²", points=10)
    picture.box((412, 26), (24, 32), B, "B", points=10)
    picture.box((412, 62), (24, 42), C, "C", points=10)
    picture.words((366, 122), "16 x 8 sums", colour=None, points=11)
    picture.words((366, 137), "in float32", colour=None, points=11)
    picture.note((8, 206), told)
    return picture.svg()


DRAWN = {
    "wgmma-pipeline": pipeline,
    "wgmma-stages": stages,
    "tile-order": tile_order,
    "wgmma-small": small,
    "row-classes": row_classes,
    "repack": repack,
    "splitk-reduce": splitk_reduce,
    "mma-sync": fragments,
    "small-batched": small_batched,
}


def diagrams() -> Iterator[tuple[str, Callable[[], str]]]:
    """The files' names, and what draws them."""
    for name, draw in DRAWN.items():
        yield f"{name}-light.svg", partial(draw, dark=False)
        yield f"{name}-dark.svg", partial(draw, dark=True)


def main() -> None:
    """Write all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, draw in diagrams():
        (FOLDER / name).write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
