"""Usual launches of a kernel: how many threads, and which sides of C show more."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy
import pytest

from tilewright.lab.check.find import coverage
from tilewright.lab.check.find.block_shapes import MOST_THREADS, block_shapes
from tilewright.lab.check.find.coverage import (
    LARGE_SIDE,
    LARGEST_SIDE,
    Coverage,
    _grids,
    _is_too_wide,
    _shared_formula,
)
from tilewright.lab.check.find.described_launch import dim3s_in
from tilewright.lab.check.find.launches import LINE_THREADS, guesses

NONE = numpy.zeros(0, int)
WIDE = 12


def threads_of(extents, numbers, *, uses_block=False):
    """The threads of the guesses for a kernel of one line of them, in order."""
    indices = {"threadIdx.x", "blockIdx.x", *(["blockDim.x"] if uses_block else [])}
    found = guesses("dot", extents, indices, numbers)
    assert found
    return list(dict.fromkeys(guess.block for guess in found))


def test_a_line_has_as_many_threads_as_the_file_says():
    """A shared array's extent first, then numbers in the kernel; else, or where it asks for the block's, the usual."""
    usual = threads_of([], [])
    assert threads_of([], [3, 7]) == usual
    assert usual == [str(LINE_THREADS)]
    assert threads_of([], [512]) == ["512"]
    assert threads_of([(128,)], [512]) == ["128"]
    assert threads_of([], [512], uses_block=True) == usual


@pytest.mark.parametrize(
    ("parts", "side", "expected"),
    [
        pytest.param((numpy.arange(16), NONE, NONE), LARGE_SIDE, True, id="one block writes all"),
        pytest.param((numpy.arange(16), NONE, NONE), LARGEST_SIDE, False, id="and did so at a larger side"),
        pytest.param((numpy.arange(6), NONE, NONE), LARGEST_SIDE, True, id="it writes a part"),
        pytest.param((numpy.arange(6), numpy.arange(6, 9), numpy.arange(9, 12)), LARGE_SIDE, False, id="all write"),
        pytest.param((NONE, NONE, NONE), LARGE_SIDE, False, id="nobody writes"),
    ],
)
def test_when_a_larger_result_shows_more(parts, side, expected):
    """Where a neighbour of the first block writes nothing."""
    assert _is_too_wide(Coverage(0, 4, parts, is_once=True), side) is expected


def test_blocks_of_three_axes_have_no_more_threads_than_a_chip_allows():
    """Those with as many threads as the launch bounds say come first."""
    indices = {"threadIdx.x", "threadIdx.y", "threadIdx.z"}
    for numbers in ([4, 8, 16], [16, 32], [32, 64]):
        counts = [x * y * z for x, y, z in block_shapes(indices, [], numbers)]
        assert counts
        assert all(1 < count <= MOST_THREADS for count in counts)
        bound = counts[-1]
        assert next(x * y * z for x, y, z in block_shapes(indices, [], numbers, bound)) == bound


def test_a_warp_is_no_block_where_another_number_may_be():
    """`threadIdx.x / 32` beside 256 threads."""
    assert [x for x, _, _ in block_shapes({"threadIdx.x"}, [], [32, 256, 2])][:2] == [256, 32]
    assert block_shapes({"threadIdx.x"}, [], [32, 2])[0] == (32, 1, 1)


def part(rows, columns):
    """The elements of a part of C, which has rows of WIDE."""
    return numpy.unique([WIDE * row + column for row in rows for column in columns])


ALL = range(WIDE)
FIRST = part(range(3), range(4))
RIGHT, BELOW = part(range(3), range(4, 8)), part(range(3, 6), range(4))
EVERY = part(ALL, ALL)
LINE, ROWS, COLUMNS = part([0], range(8)), part(range(4), ALL), part(ALL, range(4))
DOWN = numpy.unique([WIDE * (at % WIDE) + at // WIDE for at in range(8)])
FURTHER_DOWN = numpy.unique([WIDE * (at % WIDE) + at // WIDE for at in range(8, 16)])


@pytest.mark.parametrize(
    ("first", "right", "below", "grids"),
    [
        pytest.param(FIRST, RIGHT, BELOW, ["ceil(cols/4),ceil(rows/3)"], id="x counts columns"),
        pytest.param(FIRST, BELOW, RIGHT, ["ceil(rows/3),ceil(cols/4)"], id="x counts rows"),
        pytest.param(part([0], [0]), part([0], [1]), part([1], [0]), ["cols,rows"], id="an element"),
        pytest.param(FIRST, RIGHT, part(range(6, 9), range(4)), [], id="holes between rows"),
        pytest.param(FIRST, part(range(3), range(3, 7)), BELOW, [], id="columns overlap"),
        pytest.param(RIGHT, FIRST, BELOW, [], id="the first is not at the beginning"),
        pytest.param(EVERY, NONE, NONE, ["ceil(rows/6)", "ceil(cols/6)", "1"], id="one block was enough"),
        pytest.param(EVERY, NONE, EVERY, ["ceil(rows/6)", "ceil(cols/6)", "1"], id="of one axis"),
        pytest.param(EVERY, EVERY, EVERY, ["1"], id="each block writes all"),
        pytest.param(part([0], ALL), NONE, part([0], ALL), ["ceil(rows*cols/6)"], id="a vector"),
        pytest.param(part([0], ALL), part([0], ALL), part([0], ALL), [], id="each block writes the vector"),
        pytest.param(
            LINE, part([0], range(8, 12)), LINE, ["ceil(rows*cols/8)", "ceil(cols/8)*rows"], id="elements in a row"
        ),
        pytest.param(DOWN, FURTHER_DOWN, DOWN, ["ceil(rows*cols/8)"], id="elements in a column"),
        pytest.param(ROWS, part(range(4, 8), ALL), ROWS, ["ceil(rows/4)"], id="whole rows"),
        pytest.param(ROWS, ROWS, part(range(4, 8), ALL), ["1,ceil(rows/4)"], id="whole rows by y"),
        pytest.param(ROWS, part(range(4, 8), ALL), NONE, ["ceil(rows/4),ceil(cols/6)"], id="y counts columns"),
        pytest.param(ROWS, NONE, part(range(4, 8), ALL), ["ceil(cols/6),ceil(rows/4)"], id="x counts columns in lines"),
        pytest.param(COLUMNS, part(ALL, range(4, 8)), COLUMNS, ["ceil(cols/4)"], id="whole columns"),
        pytest.param(COLUMNS, part(ALL, range(4, 8)), NONE, ["ceil(cols/4)"], id="whole columns, y idle"),
        pytest.param(COLUMNS, COLUMNS, part(ALL, range(4, 8)), ["1,ceil(cols/4)"], id="whole columns by y"),
        pytest.param(FIRST, RIGHT, FIRST, ["ceil(rows/3)*ceil(cols/4)"], id="tiles in a row"),
        pytest.param(FIRST, BELOW, FIRST, ["ceil(rows/3)*ceil(cols/4)"], id="tiles in a column"),
        pytest.param(NONE, RIGHT, BELOW, [], id="the first writes nothing"),
    ],
)
def test_grids_under_which_blocks_cover_the_result(first, right, below, grids):
    """Read off what blocks (0, 0), (1, 0) and (0, 1) write, of 6 threads each."""
    seen = Coverage(0, WIDE, (first, right, below), is_once=True)

    assert list(_grids(seen, WIDE, "rows", "cols", (3, 2, 1))) == grids


@pytest.mark.parametrize(
    ("of_sides", "formula"),
    [({8: 512, 16: 512}, "512"), ({8: 32, 16: 64}, "4*inner"), ({8: 160, 16: 192}, "4*inner+128"), ({8: 512}, "512")],
)
def test_dynamic_memory_that_grows(monkeypatch, of_sides, formula):
    """Seen at two sizes; where the second cannot be launched, the first says all."""
    seen: dict[int, Any] = {
        side: Coverage(0, side, (NONE, NONE, NONE), is_once=True, shared_bytes=count)
        for side, count in of_sides.items()
    }
    monkeypatch.setattr(coverage, "see", lambda _probe, _block, side: seen.get(side))
    probes: list[Any] = [SimpleNamespace(is_dynamic=is_dynamic) for is_dynamic in (True, False)]
    assert [_shared_formula(probe, (16, 1, 1), seen[8]) for probe in probes] == [formula, "0"]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("block dim3(128), grid dim3(rows, 2)", [("block", "(128)"), ("grid", "(rows, 2)")]),
        ("block: (16, 16), grid: (m + 127) / 128", [("block", "(16, 16)"), ("grid", "((m + 127) / 128)")]),
        ("dim3 block(32, 8); rows of (n + 1) / 2", [("block", "(32, 8)")]),
    ],
)
def test_launches_in_a_comments_words(said, found):
    """With the type between name and sides, and a quotient for the only side of a grid."""
    assert dim3s_in(said) == found
