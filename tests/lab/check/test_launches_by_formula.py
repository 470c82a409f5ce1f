"""Launches as formulas: smaller grids, the tile that a grid tells of, and the usual guesses."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tilewright.lab.check.find.launches import (
    FormulaLaunch,
    LaunchError,
    SmallerGrid,
    grids_of_kind,
    guesses,
    in_words_of,
    tile_of,
)
from tilewright.lab.check.find.roles import Roles
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.run.execution import Geometry
from tilewright.lab.check.sizes import Sizes

MATMUL = Roles("matmul", ("A", "B", "C", "rows", "inner", "cols"))
SIZES = Sizes(100, 50, 70)
THREADS = {"threadIdx.x", "blockIdx.x"}


def launch(block: str, grid: str, **more: Any) -> FormulaLaunch:
    """A launch by formulas."""
    return FormulaLaunch(block, grid, **more)


def test_at_sizes():
    """Each formula has its value; constants of the file are known; what has no value is refused."""
    given = launch("TILE,8", "ceil(cols/TILE),ceil(rows/8),3", shared_bytes="4*TILE*inner", constants=(("TILE", 16),))
    assert given.at(MATMUL, SIZES) == Geometry((5, 13, 3), (16, 8, 1), 4 * 16 * 50)
    with pytest.raises(LaunchError):
        launch("WIDTH", "1").at(MATMUL, SIZES)
    with pytest.raises(LaunchError, match="at 100 x 50 times 50 x 70 is known to the file's own launch alone"):
        given.number("n / 2", MATMUL, SIZES)


def test_what_is_said():
    """The options that give it; shared memory only where there is some."""
    assert launch("8", "rows").said == '--block 8 --grid "rows"'
    assert launch("8", "rows", shared_bytes="64").said == '--block 8 --grid "rows" --shared-bytes 64'


@pytest.mark.parametrize(
    ("grid", "axes", "most", "smaller"),
    [
        ("1,2,3", (0, 1, 2), 2, (1, 1, 2)),
        ("1,2,4", (0, 1, 2), 2, (1, 1, 1)),
        ("5,6,7", (0, 1, 2), 2, (1, 2, 2)),
        ("100,100,100", (0,), 2, (2, 100, 100)),
        ("100,100,100", (1, 2), 2, (100, 2, 2)),
        ("100,8,9", (0, 1, 2), 40, (33, 2, 3)),
        ("100,100,100", (), 2, (100, 100, 100)),
    ],
)
def test_a_smaller_grid(grid, axes, most, smaller):
    """A third of the blocks, at most so many, along its axes; two of three products. A guess as the first launch is."""
    whole = launch("8", grid, is_guess=True)
    rule = SmallerGrid(whole, axes, most)
    assert rule.at(MATMUL, SIZES).grid == smaller
    assert rule.is_guess
    assert not SmallerGrid(launch("8", grid), axes).is_guess
    assert rule.said == f"{whole.said}, with a smaller grid"


@pytest.mark.parametrize(
    ("block", "grid", "extents", "tile"),
    [
        ("16,16", "ceil(cols/16),ceil(rows/16)", [], 16),
        ("16,16", "ceil(cols/32),ceil(rows/64)", [], 64),
        ("16,16", "ceil(cols/32),ceil(rows/64)", [(128, 8)], 128),
        ("16,16", "ceil(cols/32),ceil(rows/64)", [(2, 8, 16)], 64),
        ("16,16", "ceil(cols/256),ceil(rows/8)", [], 256),
        ("16,16", "ceil(cols/257),ceil(rows/8)", [], 8),
        ("16,16", "4,4", [], 16),
        ("16,16", "4,4", [(32, 33)], 32),
        ("16,16", "4,4", [(32,)], 16),
        ("256", "ceil(rows*cols/256)", [], 16),
        ("256", "ceil(cols/64),ceil(rows/64)", [], 64),
        ("256", "ceil(cols/16),ceil(rows/16)", [], 16),
        ("256", "ceil(cols/8),ceil(rows/64)", [], 64),
        ("256", "ceil(cols/8),ceil(rows/16)", [], 16),
        ("64", "ceil(cols/64),rows", [], 16),
        ("16,16", "min(16, ceil(cols/24)),min(16, ceil(rows/24))", [], 24),
    ],
)
def test_the_tile(block, grid, extents, tile):
    """The rows or columns that add one block, as far as they are a tile's; a shared array's side; or 16."""
    assert tile_of(launch(block, grid), MATMUL, extents) == tile


def test_tiles_of_other_operations():
    """Of vectors the elements of a block, or 256; of pairs of rows the pairs."""
    dot = Roles("dot", ("A", "B", "C", "inner"))
    reduced = Roles("reduced_matmul", ("A", "B", "C", "rows", "inner", "cols"))
    assert tile_of(launch("128", "ceil(inner/512)"), dot, [(64, 64)]) == 512
    assert tile_of(launch("128", "7"), dot, [(64, 64)]) == 256
    assert tile_of(launch("16,16", "ceil(cols/32),ceil(rows/32)"), reduced, []) == 16
    assert tile_of(launch("16,16", "WIDTH"), MATMUL, []) == 16


def of_lines(*threads: str) -> list[tuple[str, str]]:
    """Blocks of so many threads: one for as many elements, and one alone."""
    return [(count, grid) for count in threads for grid in (f"ceil(inner/{count})", "1")]


@pytest.mark.parametrize(
    ("operation", "extents", "indices", "numbers", "found"),
    [
        ("matmul", [], set(), [], [("1", "1")]),
        ("matmul", [], {"blockIdx.x"}, [], [("1", "1"), ("1", "rows"), ("1", "cols,rows")]),
        ("dot", [], THREADS, [], of_lines("256")),
        ("dot", [], THREADS, [64, 128], of_lines("64", "128")),
        ("dot", [(32,)], {*THREADS, "blockDim.x"}, [], of_lines("256", "32")),
        ("dot", [(33,)], {*THREADS, "blockDim.x"}, [], of_lines("33")),
        ("dot", [(1025,)], THREADS, [], of_lines("256")),
        (
            "matmul", [], {*THREADS, "threadIdx.y"}, [1, 32, 8, 4],
            [
                ("32,32", "ceil(cols/32),ceil(rows/32)"), ("32,32", "ceil(rows/32),ceil(cols/32)"),
                ("8,8", "ceil(cols/8),ceil(rows/8)"), ("8,8", "ceil(rows/8),ceil(cols/8)"),
            ],
        ),
        (
            "reduced_matmul", [(33, 8)], THREADS, [],
            [("16,16", "ceil(cols/2/16),ceil(rows/2/16)"), ("16,16", "ceil(rows/2/16),ceil(cols/2/16)")],
        ),
        ("matmul", [], {*THREADS, "blockIdx.y"}, [64], [("64", "ceil(cols/64),rows"), ("64", "ceil(rows/64),cols")]),
        ("matmul", [], THREADS, [64], [("64", "ceil(rows*cols/64)"), ("64", "rows"), ("64", "cols"), ("64", "1")]),
    ],
)  # fmt: skip
def test_usual_launches(operation, extents, indices, numbers, found):
    """By the words that the kernel uses, its shared arrays and its numbers."""
    made = guesses(operation, extents, indices, numbers)
    assert [(each.block, each.grid) for each in made] == found
    assert all(each.is_guess and not each.covers for each in made)


def kind(name: str, a: str, c: str, **more: Any) -> Any:
    """A kind with sides of A and C, such as "rows cols"."""
    return SimpleNamespace(
        **{"name": name, "a": a.split(), "c": c.split(), "is_of_lines": False, "is_by_rows": False} | more
    )


VECTORS = next(name for name, each in KINDS.items() if each.sides == ("inner",) and not each.c)


@pytest.mark.parametrize(
    ("of", "block", "extents", "grids"),
    [
        (kind(VECTORS, "inner", ""), (8, 4, 1), [], ["ceil(inner/32)", "1", "ceil(inner/64)", "ceil(inner/128)"]),
        (
            kind("", "rows cols", "rows"), (64, 2, 1), [],
            ["ceil(rows/128)", "ceil(rows/64)", "ceil(rows/4)", "ceil(rows/2)", "rows", "1"],
        ),
        (kind("", "rows cols", "rows"), (16, 1, 1), [], ["ceil(rows/16)", "rows", "1"]),
        (
            kind("", "rows cols", "rows cols", is_by_rows=True), (64, 2, 1), [],
            ["rows", "ceil(rows/4)", "ceil(rows/2)", "ceil(rows/128)"],
        ),
        (
            kind("", "rows cols", "cols rows"), (32, 8, 1), [(16, 17), (9,)],
            [
                "ceil(cols/16),ceil(rows/16)", "ceil(rows/16),ceil(cols/16)",
                "ceil(cols/32),ceil(rows/8)", "ceil(rows/32),ceil(cols/8)", "ceil(rows*cols/256)",
            ],
        ),
    ],
)  # fmt: skip
def test_usual_grids_of_other_kinds(of, block, extents, grids):
    """Blocks, warps or threads count the elements of the result."""
    assert list(grids_of_kind(of, block, extents)) == grids


def test_a_grid_in_a_kinds_words():
    """C's rows and columns are its own sizes."""
    assert in_words_of(kind("", "", "inner cols"), "ceil(cols/8),rows*rows") == "ceil(cols/8),inner*inner"


@pytest.mark.parametrize(
    ("grid", "tile"),
    [("ceil(rows/64)*ceil(cols/64)", 64), ("ceil(rows/32)*ceil(cols/16)", 32), ("ceil(rows*cols/64)", 16)],
)
def test_tiles_counted_along_one_axis(grid, tile):
    """A line of blocks that walks over tiles is tested with several of them; elements in a line are no tiles."""
    roles = Roles("matmul", ("A", "B", "C", "rows", "cols", "inner"))
    assert tile_of(FormulaLaunch("256,1,1", grid), roles, []) == tile
