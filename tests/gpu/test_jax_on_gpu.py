"""JAX on a GPU: gradients, and what jax.jit compiles, which launches our kernels on XLA's stream without Python."""

from __future__ import annotations

import numpy
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed: pip install jax[cuda13]")

import tilewright  # noqa: E402  (JAX decides whether there is anything to test)


@pytest.fixture(scope="module", autouse=True)
def gpu():
    """JAX's first GPU."""
    try:
        return jax.devices("gpu")[0]
    except RuntimeError as error:
        pytest.skip(f"JAX has no GPU: {' '.join(str(error).split())}")


@pytest.fixture(scope="module")
def extra():
    """The compiled extra, without which JAX's compiled code cannot call us."""
    return pytest.importorskip("tilewright_native", reason="the compiled extra is not installed: pip install ./native")


def drawn(*shape, seed=0, dtype="float32"):
    """Small whole numbers, whose sums are exact."""
    return jax.numpy.asarray(numpy.random.default_rng(seed).integers(-3, 4, shape), dtype)


def exact(a, b):
    """The product by NumPy, in float64."""
    return numpy.asarray(a, "f8") @ numpy.asarray(b, "f8")


SIZES = [((5, 7), (7, 3)), ((64, 128), (128, 96)), ((257, 129), (129, 255)), ((3, 16, 8), (8, 24)), ((9,), (9, 4))]


@pytest.mark.usefixtures("extra")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize(("left", "right"), SIZES)
def test_compiled(left, right, dtype):
    """What comes before a product is done before it, and what follows after it; the same bits as outside of jax.jit."""
    a, b = drawn(*left, dtype=dtype), drawn(*right, seed=1, dtype=dtype)
    compiled = jax.jit(lambda a, b: tilewright.matmul(a + a, b, out_dtype="float32") - 1)
    for seed in range(3):
        a = drawn(*left, seed=seed, dtype=dtype)
        result = compiled(a, b)
        numpy.testing.assert_array_equal(numpy.asarray(result, "f8"), 2 * exact(a, b) - 1)
        assert result.devices() == a.devices()


@pytest.mark.usefixtures("extra")
def test_an_epilogue_compiled():
    """C, bias and activation in the kernel."""
    a, b, c, bias = drawn(33, 20), drawn(20, 17, seed=1), drawn(33, 17, seed=2), drawn(17, seed=3)
    result = jax.jit(lambda *x: tilewright.matmul(*x[:2], beta=2, c=x[2], bias=x[3], activation="relu"))(a, b, c, bias)
    expected = numpy.maximum(exact(a, b) + 2 * numpy.asarray(c) + numpy.asarray(bias), 0)
    numpy.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("compiled", [False, True])
def test_gradients(compiled, request):
    """Of all three, with jit and without, beside JAX's own."""
    if compiled:
        request.getfixturevalue("extra")

    def loss(a, b):
        reduced = tilewright.reduced_matmul(a, b)
        hidden = tilewright.matmul(a, b, activation="relu")
        return (reduced * reduced).sum() + hidden.sum() + tilewright.dot(a[0], b[:, 1])

    def same(a, b):
        reduced = (a[0::2] + a[1::2]) @ (b[:, 0::2] + b[:, 1::2])
        return (reduced * reduced).sum() + jax.nn.relu(a @ b).sum() + a[0] @ b[:, 1]

    a, b = drawn(6, 5), drawn(5, 8, seed=1)
    gradient = jax.grad(loss, (0, 1))
    with jax.default_matmul_precision("highest"):
        expected = jax.grad(same, (0, 1))(a, b)
    for mine, its in zip((jax.jit(gradient) if compiled else gradient)(a, b), expected, strict=True):
        numpy.testing.assert_array_equal(mine, its)


@pytest.mark.usefixtures("extra")
def test_vmap_and_a_loop():
    """Inside of vmap and of a compiled loop."""
    a, b = drawn(3, 8, 4), drawn(4, 5, seed=1)
    numpy.testing.assert_array_equal(jax.jit(jax.vmap(tilewright.matmul, (0, None)))(a, b), exact(a, b))
    square = drawn(8, 8) % 2
    looped = jax.jit(lambda x: jax.lax.fori_loop(0, 5, lambda _, y: tilewright.matmul(y, square) % 7, x))(square)
    expected = numpy.asarray(square, "f8")
    for _ in range(5):
        expected = expected @ numpy.asarray(square, "f8") % 7
    numpy.testing.assert_array_equal(looped, expected)
