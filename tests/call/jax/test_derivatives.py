"""Derivatives of every order in both directions, with jit and without, beside JAX's own."""

from __future__ import annotations

import numpy
import pytest

import tilewright
from tests.call.jax.jaxs_own import SHAPES, agree, drawn, pair

pytestmark = pytest.mark.slow  # JAX takes a second to import, and only `make test-all` installs it


@pytest.fixture(scope="module")
def jax():
    """The real library, with float64."""
    module = pytest.importorskip("jax", reason="JAX is not installed: make test-all brings it")
    with module.enable_x64(True):
        yield module


def derivatives(jax, multiply, along):
    """A function of A and B that takes derivatives of a function of their product in all of JAX's ways."""

    def of(a, b):
        return jax.numpy.sin(multiply(a, b))

    def total(a, b):
        return of(a, b).sum()

    def every(a, b):
        return {
            "jvp": jax.jvp(of, (a, b), along),
            "linearize": jax.linearize(of, a, b)[1](*along),
            "jacfwd": jax.jacfwd(of, (0, 1))(a, b),
            "jacrev": jax.jacrev(of, (0, 1))(a, b),
            "hessian": jax.hessian(total, (0, 1))(a, b),
            "grad of grad": jax.grad(lambda a, b: jax.grad(total)(a, b).sum(), (0, 1))(a, b),
            "grad of jvp": jax.grad(lambda a, b: jax.jvp(of, (a, b), along)[1].sum(), (0, 1))(a, b),
        }

    return every


@pytest.mark.parametrize(("name", "left", "right"), SHAPES)
def test_derivatives_of_every_order(jax, name, left, right):
    """Compiled."""
    along = drawn(jax, *left, seed=2), drawn(jax, *right, seed=3)
    ours, its = (jax.jit(derivatives(jax, multiply, along)) for multiply in pair(jax, name))
    a, b = drawn(jax, *left), drawn(jax, *right, seed=1)
    agree(jax, ours(a, b), its(a, b))


def test_derivatives_that_are_not_compiled(jax):
    """Arrays with values are multiplied by the public functions."""
    along = drawn(jax, 3, 4, seed=2), drawn(jax, 4, 2, seed=3)
    ours, its = (derivatives(jax, multiply, along) for multiply in pair(jax, "matmul"))
    a, b = drawn(jax, 3, 4), drawn(jax, 4, 2, seed=1)
    agree(jax, ours(a, b), its(a, b))


@pytest.mark.parametrize("activation", [None, "relu", "gelu", "silu"])
def test_forwards_through_an_epilogue(jax, activation):
    """Along each of A, B, c and bias, and along all of them."""
    inputs = [drawn(jax, 2, 3, 4), drawn(jax, 4, 5, seed=1), drawn(jax, 3, 1, seed=2), drawn(jax, 5, seed=3)]
    along = [drawn(jax, *each.shape, seed=4) for each in inputs]
    functions = {"relu": jax.nn.relu, "gelu": lambda x: jax.nn.gelu(x, approximate=False), "silu": jax.nn.silu}

    def mine(a, b, c, bias):
        return tilewright.matmul(a, b, alpha=0.5, beta=-2, c=c, bias=bias, activation=activation)

    def its(a, b, c, bias):
        return functions.get(activation, lambda x: x)(0.5 * a @ b - 2 * c + bias)

    for chosen in ([0], [1], [2], [3], [0, 1, 2, 3]):
        some = [each if at in chosen else 0 * each for at, each in enumerate(along)]
        one = jax.jvp(
            lambda *x, at=chosen: mine(*_mixed(inputs, x, at)), [inputs[i] for i in chosen], [along[i] for i in chosen]
        )
        agree(jax, one, jax.jvp(its, inputs, some))
    agree(jax, jax.jit(jax.jacfwd(mine, (0, 3)))(*inputs), jax.jacfwd(its, (0, 3))(*inputs))


def _mixed(inputs, some, at):
    """The inputs, those at these places replaced."""
    replaced = dict(zip(at, some, strict=True))
    return [replaced.get(place, each) for place, each in enumerate(inputs)]


def test_shares_of_16_bits_are_rounded_once(jax):
    """Both shares of a derivative are added in float32."""
    a, b, along_a, along_b = (drawn(jax, 16, 16, seed=seed, dtype="bfloat16") for seed in range(4))
    for multiply in (tilewright.matmul, jax.jit(tilewright.matmul)):
        value, found = jax.jvp(multiply, (a, b), (along_a, along_b))
        assert value.dtype == found.dtype == "bfloat16"
        wide = [numpy.asarray(each, "f8") for each in (a, b, along_a, along_b)]
        exact = (wide[2] @ wide[1] + wide[0] @ wide[3]).astype(a.dtype)
        apart = numpy.asarray(found).view("i2").astype(int) - exact.view("i2").astype(int)
        assert abs(apart).max() <= 1
        assert (apart == 0).mean() > 0.95


def test_types_of_two_kinds(jax):
    """Each derivative has its operand's type, forwards the product's."""
    a, b = drawn(jax, 3, 4, dtype="float32"), drawn(jax, 4, 2, seed=1)
    _, found = jax.jvp(jax.jit(tilewright.matmul), (a, b), (a, b))
    assert found.dtype == "float64"
    backwards = jax.linear_transpose(lambda x: tilewright.matmul(x, b), a)
    assert backwards(drawn(jax, 3, 2))[0].dtype == "float32"


def test_what_is_not_linear_is_not_transposed(jax):
    """In a sentence."""
    a = drawn(jax, 3, 3)
    with pytest.raises(NotImplementedError, match="with c, bias or activation is not linear"):
        jax.linear_transpose(lambda x: tilewright.matmul(x, a, bias=a[0]), a)(a)
