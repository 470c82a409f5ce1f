"""Usual launches of a kernel: how many threads, and which sides of C show more."""

from __future__ import annotations

import numpy
import pytest

from tilewright.lab.check.find.block_shapes import MOST_THREADS, block_shapes
from tilewright.lab.check.find.coverage import LARGE_SIDE, LARGEST_SIDE, Coverage, _is_too_wide
from tilewright.lab.check.find.launches import LINE_THREADS, guesses

NONE = numpy.zeros(0, int)


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
