"""How dot, vecdot, tensordot and reduced_matmul become matrix products on a GPU: the same steps on host arrays."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy
import pytest

import tilewright
from tilewright.call import dot, library_product, reduced_matmul, tensordot
from tilewright.call.contractions import LONG, PART, vectors_on_gpu

pytestmark = pytest.mark.slow  # torch and JAX take seconds to import, and only `make test-all` installs them


SCALED = [((), (2, 3)), ((3,), ()), ((2, 3), ()), ((4, 2, 3), ())]
DOTS = [*SCALED, ((5,), (5,)), ((2, 5), (5, 3)), ((4, 2, 5), (3, 5, 2)), ((5,), (3, 5, 2))]
PRODUCTS = [((4, 5), (5, 3)), ((2, 1, 4, 5), (3, 5, 2)), ((5,), (5, 2)), ((2, 5), (5,)), ((5,), (5,)), ((2, 0), (0, 3))]


@pytest.fixture(params=["torch", "jax.numpy"])
def xp(request) -> Any:
    """A library that has arrays on a GPU, too."""
    return import_module(request.param)


def library(xp):
    """Its name."""
    return xp.__name__.partition(".")[0]


def numbers(*shape):
    """Small integers in float32, whose sums are exact."""
    return numpy.random.default_rng(sum(shape)).integers(-3, 4, shape).astype("f4")


def equal(result, expected, dtype="float32"):
    """The values, the shape and the type."""
    assert str(result.dtype).rpartition(".")[2] == dtype
    assert tuple(result.shape) == numpy.shape(expected)
    numpy.testing.assert_array_equal(numpy.asarray(result), expected)
    return True


@pytest.mark.parametrize("k", [0, LONG, LONG + 1, 3 * PART])
def test_long_sums_are_made_of_parts(xp, k):
    """Whole parts, and a rest; every product counts once. 16-bit types are rounded once."""
    a, b = numbers(2, k), numbers(3, 1, k)
    x, y = xp.asarray(a), xp.asarray(b)

    assert equal(vectors_on_gpu(x, y, 1, 2, (3, 2), library(xp), None), (a * b).sum(-1))
    ones = numpy.ones(k, "f4")
    half = xp.asarray(ones).astype(xp.bfloat16) if library(xp) == "jax" else xp.asarray(ones).bfloat16()
    result = vectors_on_gpu(half, half, 0, 0, (), library(xp), None)
    rounded = (
        xp.asarray(numpy.float32(k)).astype(xp.bfloat16) if library(xp) == "jax" else xp.tensor(float(k)).bfloat16()
    )
    assert (result.dtype, float(result)) == (xp.bfloat16, float(rounded))


def test_dot(xp):
    """Numbers scale, matrices multiply, and beyond the axes that are left stand side by side."""
    for a_shape, b_shape in DOTS:
        a, b = numbers(*a_shape), numbers(*b_shape)
        assert equal(dot._on_gpu(xp.asarray(a), xp.asarray(b), None, library(xp)), numpy.dot(a, b))


def test_tensordot(xp):
    """Any axes, none, and sizes of 0."""
    for a_shape, b_shape, axes in (
        ((2, 3, 4), (4, 5, 3), ((1, 2), (2, 0))),
        ((2, 3), (4,), ((), ())),
        ((2, 0), (0, 3), ((1,), (0,))),
        ((0, 3), (3, 2), ((1,), (0,))),
        ((3, 4), (3, 4), ((0, 1), (0, 1))),
    ):
        a, b = numbers(*a_shape), numbers(*b_shape)
        assert equal(tensordot.contract_on_gpu(xp.asarray(a), xp.asarray(b), axes), numpy.tensordot(a, b, axes))


def test_reduced_matmul(xp):
    """Pairs are added first; those of 16-bit types in float32."""
    a, b = numbers(2, 4, 3), numbers(3, 6)
    expected = (a[:, 0::2] + a[:, 1::2]) @ (b[:, 0::2] + b[:, 1::2])
    assert equal(reduced_matmul._on_gpu(xp.asarray(a), xp.asarray(b), None, library(xp)), expected)

    tall = numpy.asarray([[2048.0], [1.0]], "f2")  # whose sum float16 does not have
    result = reduced_matmul._on_gpu(xp.asarray(tall), xp.asarray(numpy.ones((1, 2), "f2")), None, library(xp))
    assert equal(result, [[numpy.float16(4098)]], "float16")


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "int32", "int64"])
@pytest.mark.parametrize(("a_shape", "b_shape"), PRODUCTS)
def test_products_of_torchs_integers(monkeypatch, dtype, a_shape, b_shape):
    """Added up in parts of any size, they wrap as NumPy's do."""
    torch = import_module("torch")
    rng = numpy.random.default_rng()
    a, b = (rng.integers(0, 100, shape).astype(dtype) for shape in (a_shape, b_shape))
    for most in (2**26, 7):
        monkeypatch.setattr(library_product, "MOST_PRODUCTS", most)
        assert equal(library_product._sums(torch.from_numpy(a), torch.from_numpy(b)), a @ b, dtype)


def test_gradients():
    """Torch's tensors that record them go by way of matmul's operator, on the host, too; long sums and complex ones."""
    torch = import_module("torch")

    def drawn(*shape, dtype="float64"):
        return torch.randn(*shape, dtype=getattr(torch, dtype), requires_grad=True)

    gradcheck = torch.autograd.gradcheck
    assert gradcheck(tilewright.vecdot, (drawn(3, 1, 5), drawn(2, 5)))
    assert gradcheck(tilewright.vecdot, (drawn(3, dtype="complex128"), drawn(3, dtype="complex128")))
    assert gradcheck(lambda a, b: tilewright.tensordot(a, b, ((0, 2), (1, 0))), (drawn(2, 3, 4), drawn(4, 2, 3)))
    a = drawn(LONG + 1)
    tilewright.vecdot(a, a).backward()
    torch.testing.assert_close(a.grad, 2 * a.detach())
    with pytest.raises(tilewright.DtypeError, match="vecdot with out= records no gradients"):
        tilewright.vecdot(a, a, torch.zeros(()))


def test_torch_compile_reads_them_without_a_break():
    """Shapes and types are known without values."""
    torch = import_module("torch")
    a, b, c = torch.randn(3, 4, 5), torch.randn(4, 5), torch.randn(4, 5, 2)

    def both(a, b, c):
        return tilewright.vecdot(a, b).sum() + tilewright.tensordot(a, c, 2).sum()

    compiled = torch.compile(both, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(a, b, c), both(a, b, c))


def test_jax_traces_them():
    """Compiled on the CPU, with gradients; nothing can be written."""
    jax = import_module("jax")
    a, b, c = (jax.numpy.asarray(numbers(*shape)) for shape in ((3, 4, 5), (4, 5), (4, 5, 2)))

    for operation, operands in ((tilewright.vecdot, (a, b)), (lambda x, y: tilewright.tensordot(x, y, 2), (a, c))):
        assert equal(jax.jit(operation)(*operands), operation(*operands))
    gradient = jax.grad(lambda x: tilewright.vecdot(x, b).sum())(a)
    assert equal(gradient, numpy.broadcast_to(b, a.shape))
    with pytest.raises(ValueError, match="out is a jax Array, and these are read-only"):
        jax.jit(tilewright.vecdot)(a, b, jax.numpy.zeros((3, 4)))
