"""Boxes of tensors as rows and columns of matrices."""

from __future__ import annotations

import pytest

from tilewright.lab.pipeline.boxes import Box, Matrix, matrix_at, together

A = Matrix("A", "float16", 1 << 20, 2, (100, 256))
ROW = 512


def box(first, extents, sizes=(256, 100), strides=(2, ROW), address=A.address):
    """Return a box of A."""
    return Box(address, first, extents, sizes, strides)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (box((64, 0), (64, 100)), "A[0:100, 64:128]"),
        (box((192, 64), (64, 128)), "A[64:100, 192:256]"),
        (box((-8, 0), (64, 8)), "A[0:8, 0:56]"),
        (box((0, 1), (16, 2), (256, 12), (2, 8 * ROW), A.address + 2 * ROW), "A[10:19, 0:16]"),
        (box((0, 8, 1), (16, 4, 1), (256, 50, 2), (2, ROW, 50 * ROW)), "A[58:62, 0:16]"),
    ],
)
def test_what_a_box_covers(given, said):
    """Inside, at an edge, before the first column, every eighth row, in a batch."""
    region = given.region(A)
    assert region is not None
    assert A.said(region) == said


def test_a_box_outside_covers_nothing():
    """It arrives as zeros."""
    assert box((0, 100), (64, 64)).region(A) is None
    assert box((0, 64), (64, 64)).is_partly_outside
    assert not box((0, 0), (64, 64)).is_partly_outside


def test_parts_of_a_box_as_descriptors_name_them():
    """A row of 128 bytes has four steps of k; 64 rows are 8,192 bytes; a part may be wider than its box."""
    whole = box((64, 0), (64, 100))
    assert whole.part(32, 16, 64).region(A) == (0, 64, 80, 96)
    assert whole.part(64 * 128 + 96, 16, 64).region(A) == (64, 100, 112, 128)
    assert whole.part(16 * 128, 128, 16).region(A) == (16, 32, 64, 192)


def test_arrays_of_one_dimension_and_addresses():
    """Named by their elements; an address between arrays is of none."""
    x = Matrix("x", "float32", 4096, 4, (1000,))
    line = Box(4096 + 512, (0,), (128,), (128,), (4,))
    assert line.region(x) == (0, 1, 128, 256)
    assert x.said((0, 1, 128, 256)) == "x[128:256]"
    assert matrix_at((A, x), 4096) == 1
    assert matrix_at((A, x), A.address + A.nbytes) is None
    assert together([None, (0, 1, 0, 1), (4, 5, 2, 3)]) == (0, 5, 0, 3)
    assert together([None]) is None
