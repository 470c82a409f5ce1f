"""matmul, reduced_matmul and dot agree with NumPy: values, types, views, batches, out, zero sizes, NaN and Inf."""

from collections.abc import Callable

import numpy
import pytest

import tilewright
from tests.call.machines import EVERYWHERE, PIPELINES, reduce_in_numpy


def misaligned(array):
    """The same values one byte off their alignment."""
    memory = numpy.empty(array.nbytes + 1, "u1")
    shifted = memory[1:].view(array.dtype).reshape(array.shape)
    shifted[...] = array
    return shifted


VIEWS: dict[str, Callable[[numpy.ndarray], numpy.ndarray]] = {
    "transposed": numpy.asfortranarray,
    "every other": lambda array: numpy.repeat(array, 2, axis=-1)[..., ::2],
    "backwards": lambda array: array[..., ::-1].copy()[..., ::-1],
    "foreign byte order": lambda array: array.astype(array.dtype.newbyteorder()),
    "misaligned": misaligned,
}


def normal(*shape, dtype="float64"):
    """Normally distributed numbers."""
    return numpy.random.default_rng().standard_normal(shape).astype(dtype)


def close(c, expected, dtype):
    """Equal up to the rounding of some dozens of operations, and of the type."""
    tolerance = 1e-4 if dtype == "float32" else 1e-12
    assert numpy.shape(c) == numpy.shape(expected)
    assert numpy.asarray(c).dtype == dtype
    numpy.testing.assert_allclose(c, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("how", EVERYWHERE)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [(1, 1, 1), (17, 5, 33), (1, 40, 16), (64, 64, 62)])
def test_matmul(how, dtype, size):
    """C is A B in the type of A and B."""
    m, n, k = size
    a, b = normal(m, k, dtype=dtype), normal(k, n, dtype=dtype)

    close(tilewright.matmul(a, b, **how), a @ b, dtype)


@pytest.mark.parametrize("how", EVERYWHERE)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [(2, 2, 1), (34, 10, 33), (64, 64, 64)])
def test_reduced_matmul(how, dtype, size):
    """C is the sum of the four products of row pairs and column pairs."""
    m, n, k = size
    a, b = normal(m, k, dtype=dtype), normal(k, n, dtype=dtype)

    close(tilewright.reduced_matmul(a, b, **how), reduce_in_numpy(a, b), dtype)


@pytest.mark.parametrize("how", EVERYWHERE)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("k", [1, 31, 2500])
def test_dot(how, dtype, k):
    """A scalar of the vectors' type; 2500 elements make several blocks, whose sums the host adds."""
    a, b = normal(k, dtype=dtype), normal(k, dtype=dtype)
    c = tilewright.dot(a, b, **how)

    assert isinstance(c, numpy.dtype(dtype).type)
    assert c == pytest.approx(float(a.astype("f8") @ b.astype("f8")), abs=1e-2 if dtype == "float32" else 1e-10)


@pytest.mark.parametrize("how", EVERYWHERE)
@pytest.mark.parametrize("view", VIEWS)
def test_views_are_read_as_they_are(how, view):
    """Strides, byte order and alignment change nothing, and the inputs are left alone."""
    a, b = normal(9, 7), normal(7, 5)
    seen_a, seen_b = VIEWS[view](a), VIEWS[view](b)

    close(tilewright.matmul(seen_a, seen_b, **how), a @ b, "float64")
    numpy.testing.assert_array_equal(seen_a, a)


@pytest.mark.parametrize("how", EVERYWHERE)
def test_a_mix_of_types_is_promoted(how):
    """float32 with float64 gives float64, as in NumPy."""
    a, b = normal(3, 4, dtype="float32"), normal(4, 2)

    close(tilewright.matmul(a, b, **how), a @ b, "float64")


@pytest.mark.parametrize("how", EVERYWHERE)
def test_nested_lists(how):
    """Lists of numbers are matrices too."""
    assert tilewright.matmul([[1.0, 2.0]], [[3.0], [4.0]], **how) == [[11.0]]


@pytest.mark.parametrize("how", EVERYWHERE)
@pytest.mark.parametrize(
    ("a_shape", "b_shape"),
    [((4,), (4, 3)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (5, 4, 2)), ((4,), (2, 4, 3))],
)
def test_vectors_and_batches(how, a_shape, b_shape):
    """One-dimensional operands and batches follow NumPy's rules."""
    a, b = normal(*a_shape), normal(*b_shape)

    close(tilewright.matmul(a, b, **how), a @ b, "float64")


@pytest.mark.parametrize("how", EVERYWHERE)
@pytest.mark.parametrize(
    ("a_shape", "b_shape"),
    [((0, 4), (4, 3)), ((3, 4), (4, 0)), ((3, 0), (0, 2)), ((0, 0), (0, 0)), ((0, 3, 4), (4, 2)), ((0,), (0, 3))],
)
def test_zero_sizes(how, a_shape, b_shape):
    """Empty matrices give empty ones, and an empty inner size gives zeros."""
    a, b = numpy.ones(a_shape, "f4"), numpy.ones(b_shape, "f4")

    close(tilewright.matmul(a, b, **how), a @ b, "float32")


@pytest.mark.parametrize("how", EVERYWHERE)
def test_zero_sizes_of_the_other_operations(how):
    """The same for the reduced product and the dot product."""
    close(tilewright.reduced_matmul(numpy.ones((4, 0)), numpy.ones((0, 2)), **how), numpy.zeros((2, 1)), "float64")
    close(tilewright.reduced_matmul(numpy.ones((0, 3)), numpy.ones((3, 2)), **how), numpy.zeros((0, 1)), "float64")
    assert tilewright.dot(numpy.ones(0), numpy.ones(0), **how) == 0


@pytest.mark.parametrize("how", EVERYWHERE)
def test_nan_and_infinity_spread_as_ieee_says(how):
    """NaN reaches its row, Inf its column, and Inf times 0 is NaN; nothing else changes."""
    a, b = numpy.ones((3, 4)), numpy.ones((4, 3))
    a[0, 1], b[2, 2], a[1, 2] = numpy.nan, numpy.inf, 0

    with numpy.errstate(invalid="ignore"):  # NumPy warns of Inf times 0
        c = tilewright.matmul(a, b, **how)

    expected = [[numpy.nan] * 3, [3, 3, numpy.nan], [4, 4, numpy.inf]]
    numpy.testing.assert_array_equal(c, expected)


@pytest.mark.parametrize("how", EVERYWHERE)
def test_two_vectors_give_a_scalar(how):
    """As in NumPy, no array of no dimensions."""
    assert numpy.isscalar(tilewright.matmul([1.0, 2.0], [3.0, 4.0], **how))


@pytest.mark.parametrize("how", EVERYWHERE)
@pytest.mark.parametrize("operation", ["matmul", "reduced_matmul"])
def test_out_may_be_an_input(how, operation):
    """The very object comes back, with the result that there would be without it."""
    a, b = normal(6, 6), normal(6, 6)
    expected = tilewright.matmul(a, b) if operation == "matmul" else tilewright.reduced_matmul(a, b)
    out = a if operation == "matmul" else a[1:4, ::2]

    c = getattr(tilewright, operation)(a, b, out=out, **how)

    assert c is out
    close(c, expected, "float64")


@pytest.mark.parametrize("how", EVERYWHERE)
def test_out_of_a_batch_may_be_an_input(how):
    """No matrix of the batch reads what another one wrote."""
    a, b = normal(2, 3, 3), normal(3, 3)
    expected = a @ b

    tilewright.matmul(a, b, out=a, **how)

    close(a, expected, "float64")


@pytest.mark.parametrize("how", EVERYWHERE)
def test_out_takes_a_cast_of_the_same_kind(how):
    """As with NumPy, float64 results go into a float32 array; a strided one does as well."""
    a, b = normal(3, 4), normal(4, 2)
    out = numpy.zeros((3, 4), "f4")[:, ::2]

    assert tilewright.matmul(a, b, out=out, **how) is out
    close(out, a @ b, "float32")


@pytest.mark.parametrize("how", EVERYWHERE)
def test_dot_takes_an_out_without_dimensions(how):
    """The dot product's result has the shape ()."""
    out = numpy.zeros(())

    assert tilewright.dot([1.0, 2.0], [3.0, 4.0], out=out, **how) is out
    assert out == 11


def test_the_host_takes_what_numpy_takes():
    """Integers, booleans and complex numbers on the host follow NumPy."""
    a, b = numpy.arange(6).reshape(2, 3), numpy.arange(12).reshape(3, 4)
    numpy.testing.assert_array_equal(tilewright.matmul(a, b), a @ b)
    assert tilewright.matmul(a > 2, b > 4).dtype == bool
    numpy.testing.assert_array_equal(tilewright.matmul(a * 1j, b), (a * 1j) @ b)


@pytest.mark.parametrize("how", PIPELINES)
def test_c_is_fresh(how):
    """Two calls give two arrays."""
    a, b = normal(3, 3), normal(3, 3)
    first, second = (tilewright.matmul(a, b, **how) for _ in range(2))

    assert not numpy.shares_memory(first, second)
