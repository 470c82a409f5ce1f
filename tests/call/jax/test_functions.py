"""Our products inside of JAX's transformations, on the CPU: gradients, jit, vmap; nothing goes there in silence."""

from __future__ import annotations

import numpy
import pytest

import tilewright

pytestmark = pytest.mark.slow  # JAX takes a second to import, and only `make test-all` installs it


@pytest.fixture(scope="module")
def jax():
    """The real library, with float64."""
    module = pytest.importorskip("jax", reason="JAX is not installed: make test-all brings it")
    with module.enable_x64(True):
        yield module


def drawn(jax, *shape, seed=0, dtype="float64"):
    """Random numbers."""
    return jax.numpy.asarray(numpy.random.default_rng(seed).standard_normal(shape), dtype)


SHAPES = [
    ((3, 4), (4, 5)),
    ((4,), (4, 5)),
    ((3, 4), (4,)),
    ((4,), (4,)),
    ((3, 4), (2, 4, 5)),
    ((2, 1, 3, 4), (5, 4, 2)),
    ((2, 3, 4), (4,)),
]


@pytest.mark.parametrize(("left", "right", "compiled"), [*((*shapes, True) for shapes in SHAPES), (*SHAPES[4], False)])
def test_gradients_of_matmul(jax, left, right, compiled):
    """JAX's own, with jit and without."""
    a, b = drawn(jax, *left), drawn(jax, *right, seed=1)
    weight = drawn(jax, *(a @ b).shape, seed=2)

    def mine(a, b):
        return (tilewright.matmul(a, b) * weight).sum()

    def its(a, b):
        return (jax.numpy.matmul(a, b) * weight).sum()

    gradient = jax.grad(mine, (0, 1))
    found = (jax.jit(gradient) if compiled else gradient)(a, b)
    for one, other in zip(found, jax.grad(its, (0, 1))(a, b), strict=True):
        numpy.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("activation", ["relu", "gelu", "silu"])
def test_gradients_of_an_epilogue(jax, activation):
    """Of A, B, c and bias; and their gradients' gradients."""
    inputs = drawn(jax, 2, 3, 4), drawn(jax, 4, 5, seed=1), drawn(jax, 3, 1, seed=2), drawn(jax, 5, seed=3)
    functions = {"relu": jax.nn.relu, "gelu": lambda x: jax.nn.gelu(x, approximate=False), "silu": jax.nn.silu}

    def mine(a, b, c, bias):
        return tilewright.matmul(a, b, alpha=0.5, beta=-2, c=c, bias=bias, activation=activation).sum()

    def its(a, b, c, bias):
        return functions.get(activation, lambda x: x)(0.5 * a @ b - 2 * c + bias).sum()

    for one, other in zip(jax.grad(mine, range(4))(*inputs), jax.grad(its, range(4))(*inputs), strict=True):
        numpy.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)
    own, theirs = (jax.grad(lambda a, f=f: jax.grad(f)(a, *inputs[1:]).sum())(inputs[0]) for f in (mine, its))
    numpy.testing.assert_allclose(own, theirs, rtol=1e-10, atol=1e-12)


def test_gradients_of_reduced_matmul_and_dot(jax):
    """Beside the same written in JAX."""
    a, b = drawn(jax, 2, 4, 3), drawn(jax, 3, 6, seed=1)

    def reduced(a, b):
        return (a[..., 0::2, :] + a[..., 1::2, :]) @ (b[..., 0::2] + b[..., 1::2])

    cases = [
        (tilewright.reduced_matmul, reduced, a, b),
        (tilewright.dot, jax.numpy.dot, a, b),
        (tilewright.dot, jax.numpy.dot, a, drawn(jax, 5, 3, 2)),
        (tilewright.dot, jax.numpy.dot, a[0, 0], b[:, 0]),
        (tilewright.dot, jax.numpy.dot, a, b[:, 0]),
    ]
    for mine, its, left, right in cases:
        found, expected = (
            jax.jit(jax.value_and_grad(lambda x, y, f=f: jax.numpy.sin(f(x, y)).sum(), (0, 1)))(left, right)
            for f in (mine, its)
        )
        jax.tree.map(
            lambda one, other: numpy.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12), found, expected
        )


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_compiled_is_what_is_computed_without(jax, dtype):
    """The same type, and the same numbers but for the order of float32's sums; also with a result in float32."""
    a, b = drawn(jax, 5, 7, dtype=dtype), drawn(jax, 7, 3, seed=1, dtype=dtype)
    for options in ({}, {"alpha": 2}, {"activation": "gelu"}, {"out_dtype": "float32"}):
        plain = tilewright.matmul(a, b, **options)
        compiled = jax.jit(lambda a, b, options=options: tilewright.matmul(a, b, **options))(a, b)
        assert isinstance(compiled, jax.Array)
        assert (compiled.dtype, compiled.shape) == (plain.dtype, plain.shape)
        last = 2.0**-21 if plain.dtype == "float32" else 0
        numpy.testing.assert_allclose(numpy.asarray(compiled, "f4"), numpy.asarray(plain, "f4"), rtol=last, atol=last)


def test_gradients_keep_their_types(jax):
    """Each is of the type of what it is the gradient of."""
    a, b = drawn(jax, 4, 8, dtype="bfloat16"), drawn(jax, 8, 4, seed=1, dtype="bfloat16")
    found = jax.grad(lambda a, b: tilewright.matmul(a, b, out_dtype="float32").sum(), (0, 1))(a, b)
    assert [gradient.dtype for gradient in found] == ["bfloat16", "bfloat16"]
    a, b = drawn(jax, 4, 8, dtype="float32"), drawn(jax, 8, 4, dtype="float64")
    found = jax.grad(lambda a, b: tilewright.matmul(a, b).sum(), (0, 1))(a, b)
    assert [gradient.dtype for gradient in found] == ["float32", "float64"]


def test_what_jax_does_with_compiled_products(jax):
    """It counts their operations, multiplies batches at once, and exports them, as its own."""
    a, b = drawn(jax, 6, 4, 5, dtype="float32"), drawn(jax, 6, 5, 3, seed=1, dtype="float32")
    for ours, its, left, right in (
        (tilewright.matmul, jax.numpy.matmul, a[0], b[0]),
        (tilewright.dot, jax.numpy.dot, a, b[0]),
        (jax.vmap(tilewright.matmul), jax.vmap(jax.numpy.matmul), a, b),
        (jax.vmap(tilewright.matmul, (0, None)), jax.vmap(jax.numpy.matmul, (0, None)), a, b[0]),
    ):
        costs = [jax.jit(f).lower(left, right).compile().cost_analysis()["flops"] for f in (ours, its)]
        assert costs[0] == costs[1] == 2 * left.size * 3
        exported = jax.export.export(jax.jit(ours))(left, right)
        numpy.testing.assert_allclose(exported.call(left, right), its(left, right), rtol=1e-5, atol=1e-5)
        assert "while" not in jax.jit(ours).lower(left, right).as_text()


def test_vmap(jax):
    """Of matrices and of vectors."""
    a, b = drawn(jax, 3, 4, 5), drawn(jax, 5, 2, seed=1)
    numpy.testing.assert_allclose(jax.vmap(tilewright.matmul, (0, None))(a, b), a @ b)
    numpy.testing.assert_allclose(jax.vmap(lambda row: tilewright.matmul(row, b))(a[0]), a[0] @ b)


def test_what_is_refused(jax):
    """While JAX traces, in a sentence."""
    a, b = drawn(jax, 3, 4), drawn(jax, 4, 5)
    with pytest.raises(tilewright.ShapeError, match="inner sizes"):
        jax.jit(tilewright.matmul)(a, a)
    with pytest.raises(tilewright.PlanError, match="activation"):
        jax.jit(lambda a, b: tilewright.matmul(a, b, activation="tanh"))(a, b)
    with pytest.raises(ValueError, match="out is given"):
        jax.jit(lambda a, b: tilewright.matmul(a, b, numpy.empty((3, 5))))(a, b)
    refused = [
        ({"bias": jax.numpy.ones(4)}, tilewright.ShapeError, "bias is"),
        ({"c": jax.numpy.ones(4), "beta": 2}, tilewright.ShapeError, "c is"),
        ({"out_dtype": "float16"}, tilewright.DtypeError, "out_dtype is float16, and float64 is accepted"),
        ({"kernel": "none"}, tilewright.UnknownKernelError, "no kernel 'none'"),
        ({"kernel": 3}, tilewright.PlanError, "kernel is 3"),
        ({"device": "none"}, tilewright.PlanError, "no device 'none'"),
        ({"tile": "x"}, tilewright.PlanError, "tile is 'x'"),
    ]
    for options, error, words in refused:
        with pytest.raises(error, match=words):
            jax.jit(lambda a, b, options=options: tilewright.matmul(a, b, **options))(a, b)


def test_integers_have_no_epilogue(jax):
    """Which JAX's own product, compiled for a GPU, would leave away."""
    a = drawn(jax, 3, 3).astype("int32")
    for options in ({"alpha": 2}, {"bias": a[0]}, {"activation": "relu"}):
        with pytest.raises(tilewright.DtypeError, match="go with float16"):
            jax.jit(lambda a, options=options: tilewright.matmul(a, a, **options))(a)


def test_numpys_arrays_are_constants(jax):
    """In gradients, compiled or not: B, c and bias, of whole numbers as well."""
    a = drawn(jax, 2, 3)
    b, c, bias = (
        numpy.arange(12.0, dtype="float32").reshape(3, 4),
        numpy.ones((2, 4), "int32"),
        numpy.ones(4, "float32"),
    )

    def loss(x):
        return tilewright.matmul(x, b, c=c, beta=2, bias=bias, activation="relu").sum()

    def same(x):
        return jax.nn.relu(x @ b + 2 * c + bias).sum()

    numpy.testing.assert_allclose(jax.jit(loss)(a), same(a), rtol=1e-6)
    for compiled in (lambda f: f, jax.jit):
        numpy.testing.assert_allclose(compiled(jax.grad(loss))(a), jax.grad(same)(a), rtol=1e-6)


def test_types_are_jaxs_to_promote(jax):
    """Compiled as not: float16 with bfloat16, for which NumPy has a rule of its own."""
    a, b = drawn(jax, 2, 3).astype("float16"), drawn(jax, 3, 4).astype("bfloat16")
    for name, right in (("matmul", b), ("dot", b), ("vecdot", b.T[:2])):
        function = getattr(tilewright, name)
        outside, inside = function(a, right), jax.jit(function)(a, right)
        assert outside.dtype == inside.dtype == "float32"
        numpy.testing.assert_array_equal(inside, outside)


def test_a_number_scales(jax):
    """One of Python's changes no type, compiled or not."""
    a = drawn(jax, 2, 3).astype("float16")
    for scaled in (tilewright.dot(2.0, a), jax.jit(lambda x: tilewright.dot(x, 2.0))(a)):
        assert scaled.dtype == "float16"
        numpy.testing.assert_array_equal(scaled, 2 * a)
