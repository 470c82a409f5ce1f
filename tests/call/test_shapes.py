"""Shapes of results are NumPy's for arrays of any extents, and what NumPy refuses is refused in a sentence."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.arrays.errors import DtypeError, ShapeError
from tilewright.call.shapes import broadcast, check_shapes, dot_shape, tensordot_shape, vecdot_shape

SHAPES = st.lists(st.integers(0, 3), max_size=4).map(tuple)
AXES = st.one_of(
    st.integers(-2, 5),
    st.tuples(st.integers(-5, 4), st.integers(-5, 4)),
    st.tuples(st.lists(st.integers(-4, 3), max_size=3), st.lists(st.integers(-4, 3), max_size=3)),
)


def zeros(*shapes: tuple[int, ...]) -> Any:
    """Arrays of these shapes."""
    return [numpy.zeros(shape, "f4") for shape in shapes]


def result_of(function: Any, *arguments: Any, **options: Any) -> tuple[int, ...] | None:
    """The result's shape by NumPy; None for what it refuses."""
    try:
        shape: tuple[int, ...] = numpy.shape(function(*arguments, **options))
    except (ValueError, IndexError):
        return None
    return shape


def same(ours: Any, *arguments: Any) -> tuple[int, ...] | None:
    """The shape by a function of ours; None for what it refuses."""
    try:
        found: tuple[int, ...] = ours(*arguments)
    except (ShapeError, ValueError):
        return None
    return found


@given(SHAPES, SHAPES)
def test_matrix_products(a, b):
    """With all that NumPy broadcasts."""
    assert same(check_shapes, "matmul", *zeros(a, b)) == result_of(numpy.matmul, *zeros(a, b))


@given(SHAPES, SHAPES)
def test_dot_products(a, b):
    """NumPy's dot, and between two vectors alone where kernels compute it."""
    assert same(dot_shape, *zeros(a, b)) == result_of(numpy.dot, *zeros(a, b))
    of_vectors = result_of(numpy.dot, *zeros(a, b)) if len(a) == len(b) == 1 else None
    assert same(check_shapes, "dot", *zeros(a, b)) == of_vectors


@given(SHAPES, SHAPES)
def test_reduced_products(a, b):
    """Of matrices with an even number of rows of A and of columns of B."""
    expected = None
    if min(len(a), len(b)) >= 2 and a[-2] % 2 == b[-1] % 2 == 0:
        left, right = (*a[:-2], a[-2] // 2, a[-1]), (*b[:-1], b[-1] // 2)
        expected = result_of(numpy.matmul, *zeros(left, right))
    assert same(check_shapes, "reduced_matmul", *zeros(a, b)) == expected


@given(SHAPES, SHAPES, st.integers(-5, 4))
def test_products_of_vectors_along_an_axis(a, b, axis):
    """As numpy.vecdot, which needs the axis in both before it broadcasts the others."""
    try:
        moved = [numpy.moveaxis(each, axis, -1) for each in zeros(a, b)]
        expected = numpy.einsum("...i,...i->...", *moved).shape if a[axis] == b[axis] else None
    except (ValueError, IndexError):
        expected = None
    found = same(vecdot_shape, *zeros(a, b), axis)

    assert (None if found is None else found[2]) == expected
    if found is not None:
        assert found[:2] == (axis % len(a), axis % len(b))


@given(SHAPES, SHAPES, AXES)
def test_contractions(a, b, axes):
    """As numpy.tensordot, but that a count beyond the dimensions, and an axis twice, are refused."""
    left, right = zeros(a, b)
    try:
        found = tensordot_shape(left, right, axes)
    except ShapeError:
        first, second = axes if isinstance(axes, tuple) else ([], [])
        lists = [[each] if isinstance(each, int) else each for each in (first, second)]
        twice = any(
            len({at % max(len(x), 1) for at in each}) < len(each) for each, x in zip(lists, (a, b), strict=True)
        )
        beyond = isinstance(axes, int) and axes > min(len(a), len(b))
        assert twice or beyond or result_of(numpy.tensordot, *zeros(a, b), axes=axes) is None
    else:
        assert found.shape == result_of(numpy.tensordot, *zeros(a, b), axes=axes)
        assert [a[axis] for axis in found.a_axes] == [b[axis] for axis in found.b_axes]
        assert all(0 <= axis < len(a) for axis in found.a_axes)
        assert all(0 <= axis < len(b) for axis in found.b_axes)


@given(SHAPES, SHAPES)
def test_broadcasting(a, b):
    """As numpy.broadcast_shapes."""
    assert same(broadcast, a, b) == result_of(lambda: numpy.empty(numpy.broadcast_shapes(a, b)))


@pytest.mark.parametrize(
    ("check", "a", "b", "more", "said"),
    [
        (
            check_shapes,
            (2, 2),
            (2,),
            ("dot",),
            "dot takes two vectors, but A is (2, 2) float32 and B is (2,) float32; mat",
        ),
        (
            check_shapes,
            (3,),
            (2,),
            ("dot",),
            "dot takes two vectors of the same length, but A is (3,) float32 and B is (2",
        ),
        (
            check_shapes,
            (3,),
            (3, 2),
            ("reduced_matmul",),
            "reduced_matmul takes matrices A (m, k) and B (k, n), but A is",
        ),
        (
            check_shapes,
            (),
            (3, 2),
            ("matmul",),
            "matmul takes arrays of one or more dimensions, but A is () float32 and",
        ),
        (check_shapes, (3, 2), (3, 2), ("matmul",), "the inner sizes 2 and 3 differ."),
        (check_shapes, (3, 2), (3,), ("matmul",), "the inner sizes 2 and 3 differ."),
        (
            check_shapes,
            (2, 3, 2),
            (3, 2, 3),
            ("matmul",),
            "matmul broadcasts the leading dimensions, but A is (2, 3, 2)",
        ),
        (check_shapes, (3, 2), (2, 2), ("reduced_matmul",), "must be even"),
        (dot_shape, (3, 2), (4, 3, 2), (), "the sizes 2 and 3 differ."),
        (dot_shape, (3, 2), (3,), (), "the sizes 2 and 3 differ."),
        (vecdot_shape, (), (3,), (-1,), "vecdot takes arrays of one or more dimensions, but A is () float32"),
        (
            vecdot_shape,
            (2, 3),
            (3,),
            (0,),
            "vecdot sums over axis 0 of both, but A is (2, 3) float32 and B is (3,) float32: ",
        ),
        (
            vecdot_shape,
            (2, 3),
            (3,),
            (1,),
            "axis is 1, which A and B do not both have: A is (2, 3) float32 and B is (3,)",
        ),
        (vecdot_shape, (2, 3), (3,), (-2,), "axis is -2, which A and B do not both have"),
        (
            vecdot_shape,
            (2, 3),
            (4, 3),
            (-1,),
            "vecdot broadcasts all axes but one, but A is (2, 3) float32 and B is (4, 3)",
        ),
        (tensordot_shape, (2, 3), (3,), (2,), "axes names axis 1 of B, which has 1: A is (2, 3) float32"),
        (
            tensordot_shape,
            (2, 3),
            (3,),
            (((0, 0), (0, 0)),),
            "axes names an axis of A twice: (0, 0); A is (2, 3) float32",
        ),
        (
            tensordot_shape,
            (2, 3),
            (2, 2),
            (((0, 1), (0, -2)),),
            "axes names an axis of B twice: (0, 0); A is (2, 3) float",
        ),
        (
            tensordot_shape,
            (2, 3),
            (3,),
            (((0, 1), 0),),
            "axes names 2 axes of A and 1 of B, and as many of each are accep",
        ),
        (
            tensordot_shape,
            (2, 3),
            (3,),
            ((0, 0),),
            "tensordot sums over axes (0,) of A and (0,) of B, whose sizes differ: A",
        ),
    ],
)
def test_what_does_not_fit(check, a, b, more, said):
    """Both shapes, and what differs."""
    arrays = zeros(a, b)
    with pytest.raises(ShapeError) as refused:
        check(*more, *arrays) if check is check_shapes else check(*arrays, *more)
    assert said in str(refused.value)


@pytest.mark.parametrize("axes", ["01", 1.5, None, ([0], ["0"]), numpy.zeros(3), (0, 1, 2)])
def test_axes_that_are_no_whole_numbers(axes):
    """A text of two letters is no pair."""
    a, b = zeros((2, 3), (3, 2))
    with pytest.raises(DtypeError, match=r"^axes is .*, and whole numbers are accepted\.$"):
        tensordot_shape(a, b, axes)


def test_axes_as_arrays():
    """A pair of axes may be an array, as may a count."""
    a, b = zeros((2, 3, 4), (4, 3))
    assert tensordot_shape(a, b, numpy.array([[1, 2], [1, 0]])).shape == (2,)
    assert tensordot_shape(a, b, numpy.array(1)).shape == (2, 3, 3)
    assert vecdot_shape(a, a, numpy.int64(-1))[2] == (2, 3)
