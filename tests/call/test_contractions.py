"""How dot, vecdot, tensordot and reduced_matmul become matrix products on a GPU: the same steps on host arrays."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy
import pytest

import tilewright
from tilewright.call import dot, library_product, tensordot, vecdot
from tilewright.call.contractions import vectors_on_gpu

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


OPTIONS = (None, 1, 0, None, "vecdot", None, "auto", "auto")


@pytest.mark.parametrize("k", [0, 1, 8193])
def test_products_of_vectors(xp, k):
    """The axes summed over lie anywhere, the others broadcast; a sum may be wider than the vectors."""
    a, b = numbers(2, k), numbers(k, 3, 1)
    x, y = xp.asarray(a), xp.asarray(b)

    expected = (a * numpy.moveaxis(b, 0, -1)).sum(-1)
    assert equal(vectors_on_gpu(x, y, (1, 0), (3, 2), library(xp), None, OPTIONS), expected)
    half = x.astype(xp.float16) if library(xp) == "jax" else x.half()
    wide = vectors_on_gpu(half, half, (1, 1), (2,), library(xp), None, ("float32", *OPTIONS[1:]))
    assert equal(wide, (a * a).sum(-1))


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
    """In types that no kernel multiplies the library adds the pairs, and multiplies their sums."""
    a, b = numbers(2, 4, 3), numbers(3, 6)
    expected = (a[:, 0::2] + a[:, 1::2]) @ (b[:, 0::2] + b[:, 1::2])
    rows, columns = library_product.pair_sums(xp.asarray(a), xp.asarray(b))
    assert equal(xp.matmul(rows, columns), expected)


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
    a = drawn(8193)
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


@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize("dtype", ["float64", "complex128", "int32"])
def test_vecdot_of_a_numpy_that_has_none(monkeypatch, axis, dtype):
    """By rows times columns, as NumPy 1 computes it: A is conjugated, and other axes broadcast."""
    generator = numpy.random.default_rng(3)
    a, b = (generator.integers(-9, 9, (4, 4, 4)).astype(dtype) for _ in "AB")
    a = a + 1j * a[::-1] if dtype == "complex128" else a
    expected = (numpy.conj(a) * b).sum(axis)
    monkeypatch.delattr(numpy, "vecdot", raising=False)
    assert (vecdot._on_numpy(a, b, axis) == expected).all()
    assert (vecdot._on_numpy(a, b[:1, :1, :], -1) == (numpy.conj(a) * b[:1, :1, :]).sum(-1)).all()
    assert vecdot._on_numpy(a[0, 0], b[0, 0], axis=-1).shape == ()
