"""An `out` with more or longer leading axes than the result is filled with it, as NumPy's generalized ufuncs do."""

from __future__ import annotations

import numpy
import pytest

import tilewright

CASES = {
    "more axes": ((3, 4), (4, 2), (5, 3, 2)),
    "longer axes": ((1, 3, 4), (4, 2), (5, 3, 2)),
    "both": ((1, 3, 4), (2, 1, 4, 2), (6, 2, 7, 3, 2)),
    "row": ((4,), (4, 2), (3, 2)),
    "column": ((3, 4), (4,), (2, 3)),
    "vectors": ((4,), (4,), (2, 5)),
    "none": ((1, 3, 4), (4, 2), (0, 3, 2)),
}
REFUSED = {
    "rows": ((1, 4), (4, 2), (3, 2)),
    "columns": ((3, 4), (4, 1), (3, 2)),
    "shorter": ((5, 3, 4), (4, 2), (1, 3, 2)),
    "fewer axes": ((5, 3, 4), (4, 2), (3, 2)),
    "others": ((5, 3, 4), (4, 2), (6, 3, 2)),
    "no columns": ((3, 4), (4, 2), (3,)),
}


def operands(a, b, dtype):
    """Whole numbers, whose products are exact."""
    rng = numpy.random.default_rng(0)
    return (rng.integers(-4, 5, shape).astype(dtype) for shape in (a, b))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int32"])
@pytest.mark.parametrize("case", CASES)
def test_matmul(case, dtype):
    """Each type, by whichever way it is multiplied."""
    of_a, of_b, of_out = CASES[case]
    a, b = operands(of_a, of_b, dtype)
    out, expected = (numpy.full(of_out, 7, dtype) for _ in range(2))

    assert tilewright.matmul(a, b, out=out) is out
    numpy.matmul(a, b, out=expected)
    numpy.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_with_an_epilogue(dtype):
    """It is filled with the finished result."""
    a, b = operands((3, 4), (4, 2), dtype)
    out = numpy.full((5, 3, 2), 7, dtype)
    tilewright.matmul(a, b, out=out, alpha=2, bias=numpy.ones(2, dtype))
    numpy.testing.assert_array_equal(out, numpy.broadcast_to(2 * (a @ b) + 1, out.shape))


@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_vecdot(dtype):
    """Which has no axes of its own in the result."""
    a, b = operands((1, 3), (4, 1, 3), dtype)
    out = numpy.full((2, 4, 5), 7, dtype)
    assert tilewright.vecdot(a, b, out=out) is out
    numpy.testing.assert_array_equal(out, numpy.broadcast_to((a * b).sum(-1), out.shape))


@pytest.mark.parametrize("dtype", ["float64", "float16"])
@pytest.mark.parametrize("case", REFUSED)
def test_what_numpy_refuses(case, dtype):
    """The matrices' own axes, shorter ones and fewer."""
    of_a, of_b, of_out = REFUSED[case]
    a, b = operands(of_a, of_b, dtype)
    out = numpy.full(of_out, 7, dtype)
    with pytest.raises(ValueError, match=r"."):
        numpy.matmul(a, b, out=out)
    with pytest.raises(tilewright.ShapeError, match="non-broadcastable"):
        tilewright.matmul(a, b, out=out)
    assert (out == 7).all()


@pytest.mark.parametrize("function", [tilewright.dot, tilewright.reduced_matmul])
def test_functions_that_are_no_ufuncs(function):
    """`numpy.dot` fills no larger `out`, and the reduced product is as strict."""
    a, b = operands((2, 4), (4, 2), "float64")
    with pytest.raises(tilewright.ShapeError, match="the shapes must be equal"):
        function(a, b, out=numpy.zeros((5, *function(a, b).shape)))
