"""The epilogue on the host: activation(alpha A B + beta c + bias), in the type that it is promised in."""

from __future__ import annotations

import math
from typing import Any

import numpy
import pytest

import tilewright
from tilewright.call.epilogue import erf, gelu, relu, silu


def random(*shape, dtype="float64"):
    """Fresh random numbers."""
    return numpy.random.default_rng().standard_normal(shape).astype(dtype)


def test_erf_is_the_error_function():
    """To a few ulp of float64, at every size, and on the borders of its grid."""
    x = numpy.concatenate([random(20_000) * 2, numpy.linspace(-7, 7, 20_001), [0.0, 1e-300, 1e-8, 6.0, 5.998, 1e300]])

    numpy.testing.assert_allclose(erf(x), [math.erf(value) for value in x], rtol=4e-16, atol=0)
    numpy.testing.assert_array_equal(erf(numpy.array([numpy.inf, -numpy.inf])), [1, -1])
    assert numpy.isnan(erf(numpy.array([numpy.nan])))[0]
    assert numpy.signbit(erf(numpy.array([-0.0])))[0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.filterwarnings("ignore:overflow")
def test_activations(dtype):
    """As defined, in the type of what they are given; NaN stays NaN."""
    x = numpy.array([-3.0, -0.5, 0.0, 0.5, 3.0, numpy.nan], dtype)
    expected = {
        relu: [max(value, 0.0) for value in x[:-1]],
        gelu: [value * 0.5 * (1 + math.erf(value / math.sqrt(2))) for value in map(float, x[:-1])],
        silu: [value / (1 + math.exp(-value)) for value in map(float, x[:-1])],
    }
    for function, values in expected.items():
        result = function(x)

        assert result.dtype == dtype
        numpy.testing.assert_allclose(result[:-1], values, rtol=4 * numpy.finfo(dtype).eps, atol=numpy.finfo(dtype).eps)
        assert numpy.isnan(result[-1])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("activation", [None, "relu", "gelu", "silu"])
def test_the_formula(dtype, activation):
    """With c broadcast and a bias over the last dimension, for a batch."""
    a, b, c, bias = random(3, 5, 7), random(7, 4), random(5, 1), random(4)
    x = 0.5 * (a @ b) - 2 * c + bias
    expected = {None: lambda x: x, "relu": relu, "gelu": gelu, "silu": silu}[activation](x)

    given = [array.astype(dtype) for array in (a, b, c, bias)]
    result = tilewright.matmul(given[0], given[1], alpha=0.5, beta=-2, c=given[2], bias=given[3], activation=activation)

    assert (result.dtype, result.shape) == (dtype, (3, 5, 4))
    numpy.testing.assert_allclose(result, expected, rtol=1e-5 if dtype == "float32" else 1e-13, atol=1e-5)


@pytest.mark.parametrize(("a", "b", "c"), [((7,), (7, 4), (4,)), ((5, 7), (7,), (5,)), ((7,), (7,), ())])
def test_vectors(a, b, c):
    """The result has the dimensions that NumPy gives it; a bias belongs to B's columns, of which a vector has one."""
    left, right, added, bias = random(*a), random(*b), random(*c), random(4 if len(b) == 2 else 1)

    result = tilewright.matmul(left, right, c=added, beta=1, bias=bias)

    numpy.testing.assert_allclose(result, left @ right + added + (bias if len(b) == 2 else bias[0]))
    assert numpy.shape(result) == c


def test_float16_is_summed_in_float32_and_rounded_once():
    """Sums that float16 cannot hold on the way, and an epilogue before the only rounding."""
    a = numpy.full((1, 4096), 1.0, "float16")
    b = numpy.full((4096, 1), 1.0, "float16")
    b[0] = 0.5  # 4095.5 is no float16, and a sum that is rounded at every step stops at 2048
    huge = numpy.full((1, 4), 60_000, "float16")

    assert tilewright.matmul(a, b)[0, 0] == numpy.float16(4095.5)
    assert tilewright.matmul(a, b, out_dtype="float32")[0, 0] == numpy.float32(4095.5)
    assert tilewright.matmul(a, b, alpha=2.0**-12)[0, 0] == numpy.float16(4095.5 / 4096)
    assert tilewright.matmul(huge, huge.T, alpha=1e-9)[0, 0] == numpy.float16(numpy.float32(1e-9) * (4 * 60_000.0**2))
    assert numpy.isinf(tilewright.matmul(huge, huge.T)[0, 0])  # and no warning


def test_float16_gives_float16():
    """As NumPy does; a random product is the float64 one, rounded, within the error of sums in float32."""
    a, b = random(33, 65, dtype="float16"), random(65, 17, dtype="float16")
    out = numpy.zeros((33, 17), "float16")

    result = tilewright.matmul(a, b)
    assert tilewright.matmul(a, b, out=out) is out

    assert result.dtype == numpy.float16
    numpy.testing.assert_array_equal(out, result)
    exact = a.astype(float) @ b.astype(float)
    numpy.testing.assert_allclose(result, exact, rtol=2**-11, atol=1e-5)
    assert tilewright.matmul(a, b.astype("float32")).dtype == numpy.float32


def test_beta_0_leaves_c_unread():
    """NaN in c stays there."""
    nan = numpy.full((2, 2), numpy.nan)

    numpy.testing.assert_array_equal(tilewright.matmul(numpy.eye(2), numpy.eye(2), c=nan), numpy.eye(2))
    for dtype in ("float16", "float32", "float64"):
        eye = numpy.eye(2, dtype=dtype)
        for more in ({}, {"bias": numpy.zeros(2, dtype)}, {"activation": "relu"}, {"kernel": "sequential"}):
            if dtype == "float16" and "kernel" in more:
                continue  # which takes none
            how: dict[str, Any] = {"alpha": 2, "beta": 0, "c": nan.astype(dtype), **more}
            numpy.testing.assert_array_equal(tilewright.matmul(eye, eye, **how), 2 * eye)


@pytest.mark.parametrize(
    "how", [{}, {"alpha": 2}, {"kernel": "sequential"}, {"device": "emulator"}, {"invariant": True}]
)
def test_what_out_held_is_gone(how):
    """NaN among it, whatever computes, also where nothing is added up."""
    a, b = random(5, 6), random(6, 4)
    for left, right in ((a, b), (a[:, :0], b[:0])):
        out = numpy.full((5, 4), numpy.nan)
        options: dict[str, Any] = how
        assert tilewright.matmul(left, right, out=out, **options) is out
        numpy.testing.assert_allclose(out, how.get("alpha", 1) * (left @ right))


@pytest.mark.parametrize("step", [-6, -1, 1, 6])
def test_c_may_overlap_out(step):
    """A view some elements before or behind: as if the result were computed elsewhere."""
    a, b, memory = random(5, 6), random(6, 6), random(60)
    c, out = (memory[first : first + 30].reshape(5, 6) for first in (15 + step, 15))
    expected = a @ b + 3 * c
    assert tilewright.matmul(a, b, c=c, beta=3, out=out) is out
    numpy.testing.assert_allclose(out, expected)


def test_out_may_be_c_or_an_input():
    """The result lands in out as if it were computed elsewhere."""
    a, b, c = random(6, 6), random(6, 6), random(6, 6)
    expected = a @ b + 2 * c
    for which in range(3):
        given = [a.copy(), b.copy(), c.copy()]
        result = tilewright.matmul(given[0], given[1], c=given[2], beta=2, out=given[which])
        assert result is given[which]
        numpy.testing.assert_allclose(result, expected)


def test_an_epilogue_after_a_named_kernel():
    """The kernel computes A B where it was asked to; the epilogue follows on the host."""
    a, b, bias = random(5, 6), random(6, 4), random(4)

    result = tilewright.matmul(a, b, kernel="sequential", bias=bias, activation="relu")

    numpy.testing.assert_allclose(result, numpy.maximum(a @ b + bias, 0), rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"beta": 1}, tilewright.PlanError, "beta is 1 and scales c, but no c was given"),
        ({"alpha": None}, tilewright.PlanError, "alpha is None, and a real number"),
        ({"alpha": 10**400}, tilewright.PlanError, "alpha is of type int, and a real number"),
        ({"activation": numpy.ones(2)}, tilewright.PlanError, "activation is of type ndarray, and None, 'relu'"),
        ({"activation": "gelu_tanh"}, tilewright.PlanError, "'relu', 'gelu', 'silu' are accepted"),
        ({"c": numpy.ones((3, 3)), "beta": 1}, tilewright.ShapeError, r"c is \(3, 3\), which does not broadcast"),
        ({"c": numpy.ones((1, 2, 2)), "beta": 1}, tilewright.ShapeError, r"c is \(1, 2, 2\)"),
        ({"bias": numpy.ones(3)}, tilewright.ShapeError, r"bias is \(3,\), and \(2,\) is accepted"),
        ({"bias": numpy.ones((1, 2))}, tilewright.ShapeError, r"bias is \(1, 2\)"),
        ({"bias": numpy.ones(2, complex)}, tilewright.DtypeError, r"bias is \(2,\) complex128"),
        ({"out_dtype": "float32"}, tilewright.DtypeError, "out_dtype is float32, and float64 is accepted"),
        ({"out_dtype": "float31"}, tilewright.DtypeError, "'float31' of type str is no type"),
        ({"out": numpy.ones((2, 2), "f4"), "alpha": 2, "bias": numpy.ones(3)}, tilewright.ShapeError, "bias"),
        ({"out": numpy.ones((2, 3)), "alpha": 2}, tilewright.ShapeError, r"out is \(2, 3\)"),
        ({"kernel": "nonsense", "alpha": 2}, tilewright.UnknownKernelError, "nonsense"),
        ({"tile": "2", "alpha": 2}, tilewright.PlanError, "tile is '2'"),
        ({"device": "tpu", "alpha": 2}, tilewright.PlanError, "no device 'tpu'"),
    ],
)
def test_what_is_refused(options: dict[str, Any], error, sentence):
    """One sentence each, before anything runs."""
    with pytest.raises(error, match=sentence):
        tilewright.matmul(numpy.eye(2), numpy.eye(2), **options)


@pytest.mark.parametrize("dtype", ["int64", "complex128", "bool"])
def test_an_epilogue_is_for_real_floats(dtype):
    """Integers and complex numbers are multiplied as NumPy does it, and nothing more."""
    a = numpy.ones((2, 2), dtype)

    numpy.testing.assert_array_equal(tilewright.matmul(a, a, alpha=1, out_dtype=dtype), a @ a)
    with pytest.raises(tilewright.DtypeError, match="go with float16, bfloat16, float32, float64"):
        tilewright.matmul(a, a, alpha=2)


def test_kernels_of_the_seeds_take_no_16_bit():
    """Named kernels say so in the words of before, also with an epilogue."""
    a = numpy.ones((2, 2), "float16")
    for more in ({}, {"alpha": 2}):
        with pytest.raises(tilewright.DtypeError, match="matmul/sequential takes float32 and float64, but A is"):
            tilewright.matmul(a, a, kernel="sequential", **more)  # type: ignore[arg-type]
