"""`jax.vmap` of products, of their derivatives and of their epilogues: one batched product."""

from __future__ import annotations

import pytest

import tilewright
from tests.call.jax.jaxs_own import SHAPES, agree, drawn, pair

pytestmark = pytest.mark.slow  # JAX takes a second to import, and only `make test-all` installs it
AXES = ((0, None), (None, 0), (0, 0), (-1, 0))


@pytest.fixture(scope="module")
def jax():
    """The real library, with float64."""
    module = pytest.importorskip("jax", reason="JAX is not installed: make test-all brings it")
    with module.enable_x64(True):
        yield module


def stacked(jax, array, axis):
    """Three times the array, each time other numbers, along a new axis."""
    return array if axis is None else jax.numpy.stack([array, 2 * array, 1 - array], axis)


def products_in(jaxpr) -> int:
    """How many products of ours there are in what JAX traced, those of loops included."""
    inside = [each for equation in jaxpr.eqns for each in _jaxprs(equation)]
    own = [equation for equation in jaxpr.eqns if equation.primitive.name == "tilewright_product"]
    return len(own) + sum(products_in(each) for each in inside)


def _jaxprs(equation):
    found = [each for each in equation.params.values() if hasattr(each, "jaxpr")]
    return [each.jaxpr for each in found] if equation.primitive.name != "tilewright_product" else []


@pytest.mark.parametrize(("name", "left", "right"), SHAPES)
def test_any_axis_of_either(jax, name, left, right):
    """One product, in JAX's numbers, also with gradients, and as one after another of a batch of batches."""
    ours, its = pair(jax, name)
    for axes in AXES:
        a = stacked(jax, drawn(jax, *left), axes[0])
        b = stacked(jax, drawn(jax, *right, seed=1), axes[1])
        agree(jax, jax.vmap(ours, axes)(a, b), jax.vmap(its, axes)(a, b))
        if axes[0] == 0:
            gradients = [jax.grad(lambda a, b, f=f: jax.numpy.sin(f(a, b)).sum(), (0, 1)) for f in (ours, its)]
            agree(jax, *(jax.jit(jax.vmap(gradient, axes))(a, b) for gradient in gradients))
        traced = jax.make_jaxpr(jax.vmap(ours, axes))(a, b).jaxpr
        assert products_in(traced) == (0 if () in (left, right) else 1)
        assert "scan" not in str(traced)
    twice = jax.vmap(jax.vmap(ours, (0, None)), (None, 0))
    a, b = stacked(jax, drawn(jax, *left), 0), stacked(jax, drawn(jax, *right, seed=1), 0)
    agree(jax, jax.jit(twice)(a, b), jax.vmap(jax.vmap(its, (0, None)), (None, 0))(a, b))


@pytest.mark.parametrize("which", [(0,), (1,), (2,), (3,), (0, 2), (0, 3), (1, 2, 3), (0, 1, 2)])
@pytest.mark.parametrize(("left", "right"), [((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((2, 3, 4), (2, 4, 5))])
def test_epilogues(jax, which, left, right):
    """C operands and a bias that are mapped or not."""
    result = (drawn(jax, *left) @ drawn(jax, *right)).shape
    shapes = left, right, result, right[-1:] if len(right) > 1 else (1,)
    axes = tuple(0 if at in which else None for at in range(4))
    given = [stacked(jax, drawn(jax, *shape, seed=at), axes[at]) for at, shape in enumerate(shapes)]

    def ours(a, b, c, bias):
        return tilewright.matmul(a, b, c=c, beta=-2, bias=bias, alpha=0.5, activation="silu")

    def its(a, b, c, bias):
        return jax.nn.silu(0.5 * a @ b - 2 * c + (bias if b.ndim > 1 else bias[0]))

    agree(jax, jax.jit(jax.vmap(ours, axes))(*given), jax.vmap(its, axes)(*given))


def test_a_row_of_a_c_operand(jax):
    """One that broadcasts, and 16-bit results, which are rounded after the epilogue."""
    a, b, c = drawn(jax, 3, 2, 4), drawn(jax, 4, 5, seed=1), drawn(jax, 5, seed=2)
    found = jax.vmap(lambda a: tilewright.matmul(a, b, c=c, beta=1))(a)
    agree(jax, found, a @ b + c)
    a, b, bias = (drawn(jax, *shape, dtype="bfloat16") for shape in ((3, 2, 4), (4, 5), (3, 5)))
    found = jax.jit(jax.vmap(lambda a, bias: tilewright.matmul(a, b, bias=bias)))(a, bias)
    wide = a.astype("float32") @ b.astype("float32") + bias.astype("float32")[:, None]
    agree(jax, found, wide.astype("bfloat16"), 1e-2)


def test_a_kernel_by_its_name(jax):
    """Runs for each of a batch, of dot as of matmul."""
    a, b = drawn(jax, 3, 4, dtype="float32"), drawn(jax, 3, 4, seed=1, dtype="float32")
    found = jax.jit(jax.vmap(lambda x, y: tilewright.dot(x, y, kernel="numpy")))(a, b)
    agree(jax, found, (a * b).sum(-1), 1e-5)
