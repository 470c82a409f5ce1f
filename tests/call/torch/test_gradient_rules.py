"""The rules of gradients and tangents against finite differences, with NumPy in torch's place."""

from __future__ import annotations

from types import SimpleNamespace

import numpy
import pytest

from tests.call.torch import numpys_torch
from tests.call.torch.numpys_torch import Tensor, activated

STEP = 1e-6


@pytest.fixture
def rules(monkeypatch):
    """The rules, over NumPy's arrays."""
    return numpys_torch.install(monkeypatch)


def drawn(*shapes):
    """Random numbers of those shapes, in float64."""
    random = numpy.random.default_rng()
    return [None if shape is None else random.standard_normal(shape) for shape in shapes]


def context(operands, result=None, needs=None, **options):
    """What torch hands to a rule."""
    tensors = [None if x is None else Tensor(x) for x in operands]
    wanted = tuple(x is not None for x in operands) if needs is None else needs
    whole = {"alpha": 1.0, "beta": 0.0, "activation": None, "precision": "auto", **options}
    shape = None if result is None else (result.shape, result.dtype)
    return SimpleNamespace(saved_tensors=tensors, needs_input_grad=wanted, options=whole, result=shape)


def check_rules(function, operands, backward, tangent, **options):
    """Each operand's gradient and tangent are those that differences of the function give."""
    result = function(*operands)
    (weights,) = drawn(result.shape)
    found = backward(context(operands, **options), Tensor(weights))
    for place, operand in enumerate(operands):
        if operand is None:
            assert found[place] is None
            continue
        assert found[place].shape == operand.shape
        (direction,) = drawn(operand.shape)

        def moved(step, place=place, direction=direction):
            there = list(operands)
            there[place] = there[place] + step * direction
            return function(*there)

        change = (moved(STEP) - moved(-STEP)) / (2 * STEP)
        assert (found[place].values * direction).sum() == pytest.approx((weights * change).sum(), rel=1e-4, abs=1e-6)
        given = [Tensor(direction) if at == place else None for at in range(len(operands))]
        along = tangent(context(operands, result, **options), *given)
        numpy.testing.assert_allclose(along.values, change, rtol=1e-4, atol=1e-6)
    no_one = tuple(False for _ in operands)
    assert all(each is None for each in backward(context(operands, needs=no_one, **options), Tensor(weights)))


@pytest.mark.parametrize(
    "shapes",
    [
        ((5, 3), (3, 4), (5, 4), (4,)),
        ((5, 3), (3, 4), (4,), None),
        ((3,), (3, 4), None, (4,)),
        ((5, 3), (3,), (5,), (1,)),
        ((3,), (3,), (), None),
        ((2, 1, 5, 3), (4, 3, 6), (5, 1), (6,)),
        ((3, 5, 2), (2, 4), None, None),
        ((2,), (3, 2, 4), (3, 1), None),
    ],
)
@pytest.mark.parametrize("activation", [None, "relu", "gelu", "silu"])
def test_matmul(rules, shapes, activation):
    """Vectors, batches that are broadcast, c and bias, through an activation."""
    alpha, beta = -0.5, (0.0 if shapes[2] is None else 2.0)

    def function(a, b, c, bias):
        shift = 0 if bias is None else bias if b.ndim > 1 else bias[0]
        return numpy.asarray(activated(activation, alpha * (a @ b) + (0 if c is None else beta * c) + shift))

    options = {"alpha": alpha, "beta": beta, "activation": activation}
    check_rules(function, drawn(*shapes), rules.backward_of_matmul, rules.tangent_of_matmul, **options)


def test_c_without_beta_has_no_gradient(rules):
    """It is not read, and may hold anything."""
    operands = drawn((5, 3), (3, 4), (5, 4), None)
    operands[2][:] = numpy.nan
    found = rules.backward_of_matmul(context(operands, alpha=3.0), Tensor(numpy.ones((5, 4))))
    assert found[2] is None
    numpy.testing.assert_allclose(found[0].values, 3 * numpy.ones((5, 4)) @ operands[1].T)


@pytest.mark.parametrize(
    "shapes",
    [
        ((3,), (3,)),
        ((), (2, 3)),
        ((2, 3), ()),
        ((2, 3), (3, 4)),
        ((2, 4, 3), (5, 3, 4)),
        ((3,), (2, 3, 4)),
        ((2, 3), (3,)),
    ],
)
def test_dot(rules, shapes):
    """Axes as in numpy.dot."""

    def function(a, b):
        return numpy.asarray(numpy.dot(a, b))

    check_rules(function, drawn(*shapes), rules.backward_of_dot, rules.tangent_of_dot)


@pytest.mark.parametrize("shapes", [((4, 3), (3, 6)), ((2, 4, 3), (3, 6)), ((4, 3), (5, 3, 2))])
def test_reduced_matmul(rules, shapes):
    """Both rows of a pair have one gradient, and both columns."""

    def function(a, b):
        return numpys_torch.reduced_matmul(Tensor(a), Tensor(b)).values

    check_rules(function, drawn(*shapes), rules.backward_of_reduced_matmul, rules.tangent_of_reduced_matmul)


def test_complex_numbers(rules):
    """Conjugated, as torch has it."""
    random = numpy.random.default_rng(1)
    a, b, weights = (random.standard_normal((3, 3)) + 1j * random.standard_normal((3, 3)) for _ in range(3))
    found = rules.backward_of_matmul(context([a, b, None, None]), Tensor(weights))
    numpy.testing.assert_allclose(found[0].values, weights @ b.conj().T)
    numpy.testing.assert_allclose(found[1].values, a.conj().T @ weights)
    of_vectors = rules.backward_of_dot(context([a[0], b[0]]), Tensor(weights[0, 0]))
    numpy.testing.assert_allclose(of_vectors[0].values, weights[0, 0] * b[0].conj())
    numpy.testing.assert_allclose(of_vectors[1].values, weights[0, 0] * a[0].conj())


@pytest.mark.parametrize("wide", [False, True])
def test_sums_over_a_batch_in_16_bits_are_rounded_once(rules, wide):
    """Also where the result is float32, whose gradient is rounded to the operands' type first."""
    random = numpy.random.default_rng(5)
    a, b = random.standard_normal((30, 8, 9)).astype("f2"), random.standard_normal((9, 7)).astype("f2")
    weights = random.standard_normal((30, 8, 7)).astype("f4" if wide else "f2")
    found = rules.backward_of_matmul(context([a, b, None, None]), Tensor(weights))[1].values
    exact = numpy.einsum("bij,bik->jk", a.astype("f8"), weights.astype("f2").astype("f8"))
    assert found.dtype == numpy.float16
    assert (found != exact.astype("f2")).mean() < 0.02  # where float32's sum lies beside a tie


def test_tangents_in_16_bits_are_rounded_once(rules):
    """Two parts are added in float32."""
    random = numpy.random.default_rng(6)
    a, b, of_a, of_b = (random.standard_normal((16, 16)).astype("f2") for _ in range(4))
    exact = of_a.astype("f8") @ b.astype("f8") + a.astype("f8") @ of_b.astype("f8")
    for tangent in (rules.tangent_of_dot, lambda *given: rules.tangent_of_matmul(*given, None, None)):
        ctx = context([a, b], numpy.zeros((16, 16), "f2"))
        ctx.saved_tensors += [None, None] if tangent is not rules.tangent_of_dot else []
        found = tangent(ctx, Tensor(of_a), Tensor(of_b)).values
        assert found.dtype == numpy.float16
        assert (found != exact.astype("f2")).mean() < 0.02
