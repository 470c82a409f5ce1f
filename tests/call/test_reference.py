"""The reference and its bound: right results pass, wrong ones do not, NaN and Inf stand where they belong."""

import numpy
import pytest

from tilewright.call.reference import as_tf32, check, check_seed_004, reference
from tilewright.launch.host import reduced_matmul

DTYPES = ["float32", "float64"]


def operands(dtype, m=12, n=10, k=30):
    """Random A and B."""
    generator = numpy.random.default_rng()
    return [generator.standard_normal(shape).astype(dtype) for shape in ((m, k), (k, n))]


@pytest.mark.parametrize(
    ("value", "rounded"),
    [
        (1 + 2**-10, 1 + 2**-10),
        (1 + 2**-11, 1),
        (1 + 3 * 2**-11, 1 + 2**-9),
        (1 + 2**-11 + 2**-23, 1 + 2**-10),
        (1 + 2**-11 - 2**-23, 1),
        (-(1 + 3 * 2**-11), -(1 + 2**-9)),
        (2 - 2**-23, 2),
        (2047 * 2.0**117, 2047 * 2.0**117),
        (numpy.finfo("f4").max, numpy.inf),
        (numpy.inf, numpy.inf),
        (-numpy.inf, -numpy.inf),
    ],
)
def test_tf32_has_11_bits(value, rounded):
    """Rounded to the nearest, ties to even; what rounds beyond float32's range is infinite."""
    assert as_tf32(numpy.array([value], "f4")) == numpy.array([rounded], "f4")
    assert numpy.isnan(as_tf32(numpy.array([numpy.nan], "f4"))).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_right_results_pass(dtype):
    """NumPy's own results keep the bounds of all three operations."""
    a, b = operands(dtype)

    assert check("matmul", a, b, a @ b).passed
    assert check("reduced_matmul", a, b, reduced_matmul(a, b)).passed
    assert check("dot", a[0], b[:, 0].copy(), numpy.asarray(a[0] @ b[:, 0])).passed


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operation", ["matmul", "reduced_matmul"])
def test_one_wrong_element_fails(operation, dtype):
    """An error of a few bounds in one element is seen, and it is the one that is shown."""
    a, b = operands(dtype)
    c = a @ b if operation == "matmul" else reduced_matmul(a, b)
    right = check(operation, a, b, c)
    c[2, 3] += 40 * right.bound

    wrong = check(operation, a, b, c)

    assert not wrong.passed
    assert wrong.error > wrong.bound


def test_an_element_that_is_off_by_one_product_fails():
    """A kernel that drops the last term of the sum does not hide within the bound, not even in float32."""
    a, b = operands("float32", k=64)

    assert not check("matmul", a, b, a[:, :-1] @ b[:-1]).passed


def test_the_bound_is_gamma_k():
    """One element, by hand: A, B all ones, k = 100, in float32."""
    a, b = numpy.ones((1, 100), "f4"), numpy.ones((100, 1), "f4")
    gamma = 100 * 2**-24 / (1 - 100 * 2**-24)

    verdict = check("matmul", a, b, a @ b)

    assert verdict.bound == pytest.approx(gamma * 100, rel=1e-6)
    assert verdict.error == 0


def test_unwritten_elements_fail():
    """C is poisoned with NaN before a kernel runs; what it leaves is no result."""
    a, b = operands("float32")
    c = a @ b
    c[-1, -1] = numpy.nan

    assert not check("matmul", a, b, c).passed


@pytest.mark.parametrize("dtype", DTYPES)
def test_nan_and_infinity_must_stand_where_ieee_puts_them(dtype):
    """The right pattern passes with a note; Inf in the place of NaN, or of -Inf, fails."""
    a, b = operands(dtype)
    a[1, 2], b[3, 4], a[5, 3] = numpy.nan, numpy.inf, 0
    with numpy.errstate(invalid="ignore"):
        c = numpy.einsum("ik,kj->ij", a, b)

    right = check("matmul", a, b, c)
    assert right.passed
    assert "NaN or Inf" in right.note
    for place, value in (((1, 0), numpy.inf), ((0, 4), -c[0, 4]), ((5, 4), 1.0), ((0, 0), numpy.nan)):
        wrong = c.copy()
        wrong[place] = value
        assert not check("matmul", a, b, wrong).passed


def test_overflow_is_no_failure():
    """float32 products beyond its range become Inf, which is right; a wrong finite value is not."""
    a, b = numpy.full((2, 2), 3e38, "f4"), numpy.full((2, 2), 2, "f4")
    with numpy.errstate(over="ignore"):
        c = a @ b

    right = check("matmul", a, b, c)
    assert right.passed
    assert "range of float32" in right.note
    c[0, 0] = 1.0
    assert not check("matmul", a, b, c).passed


def test_tiny_products_may_underflow():
    """Products below the smallest subnormal number vanish, which the bound allows."""
    a, b = numpy.full((1, 5), 1e-30, "f4"), numpy.full((5, 1), 1e-30, "f4")

    assert check("matmul", a, b, a @ b).passed


def test_four_products_and_one_differ_where_an_input_is_infinite():
    """Inf * 2 - Inf is NaN when multiplied out, and Inf * (2 - 1) is Inf when added first."""
    a = numpy.array([[numpy.inf], [1.0]])
    b = numpy.array([[2.0, -1.0]])

    assert numpy.isposinf(reference("reduced_matmul", a, b)).all()
    assert numpy.isnan(reference("reduced_matmul", a, b, multiplied_out=True)).all()


@pytest.mark.parametrize(("operation", "value"), [("matmul", 124.0), ("dot", 124.0), ("reduced_matmul", 496.0)])
def test_seed_004_has_its_own_tolerance(operation, value):
    """Every element within 1e-5 of 2K (8K reduced), and not one beyond."""
    c = numpy.full(() if operation == "dot" else (4, 4), value)

    assert check_seed_004(operation, c + 0.9e-5, 62).passed
    assert not check_seed_004(operation, c + 1.1e-5, 62).passed
    assert "seed 004" in check_seed_004(operation, c, 62).rule


def test_an_empty_result_is_right():
    """There is nothing to be wrong."""
    assert check("matmul", numpy.ones((0, 3)), numpy.ones((3, 2)), numpy.ones((0, 2))).passed
