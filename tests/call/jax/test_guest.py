"""JAX's arrays of the CPU as JAX's own functions have them: weak types, devices, and no warnings of NumPy's."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy
import pytest

import tilewright

pytestmark = pytest.mark.slow  # JAX takes a second to import, and only `make test-all` installs it

TWO_DEVICES = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
os.environ["JAX_PLATFORMS"] = "cpu"
import jax, jax.numpy as jnp, tilewright
first, second = jax.devices()
a = jnp.ones((4, 4))
there = jax.device_put(a, second)
for name in ("matmul", "reduced_matmul", "dot", "vecdot", "tensordot"):
    multiply = getattr(tilewright, name)
    free = multiply(a, a)
    assert not free.committed and free.device == first, name
    assert (free + jax.device_put(free, second)).device == second, name
    for left, right in ((there, there), (a, there), (there, a)):
        result = multiply(left, right)
        assert result.committed and result.device == second, name
    try:
        multiply(jax.device_put(a, first), there)
    except tilewright.DtypeError as error:
        assert "committed to one device" in str(error), error
    else:
        raise AssertionError(f"{name} moved an array in silence")
assert tilewright.matmul(a, a, bias=there[0]).device == second
with jax.default_device(second):
    assert tilewright.matmul(a, a).device == first
"""


@pytest.fixture(scope="module")
def jax():
    """The real library."""
    return pytest.importorskip("jax", reason="JAX is not installed: make test-all brings it")


@pytest.mark.usefixtures("jax")
def test_devices():
    """Results belong where JAX's would, and arrays that are committed to two devices are refused."""
    done = subprocess.run([sys.executable, "-c", TWO_DEVICES], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("strong", ["bfloat16", "float16", "float32", "int32"])
@pytest.mark.parametrize("weak", [2.0, 2])
@pytest.mark.parametrize("name", ["matmul", "dot", "vecdot", "tensordot"])
def test_weak_types_promote_as_jaxs(jax, name, weak, strong, compiled):
    """A weakly typed array yields to a strong one, on either side."""
    jnp = jax.numpy
    a, b = jnp.ones((4, 4), strong), jnp.broadcast_to(jnp.asarray(weak), (4, 4))
    ours, its = getattr(tilewright, name), getattr(jnp, name)
    if compiled:
        ours = jax.jit(ours)
    for left, right in ((a, b), (b, a)):
        expected = its(left, right)
        result = ours(left, right)
        assert result.dtype == expected.dtype
        numpy.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("left", "right"), [(2.0, 3.0), (2, 3), (2.0, 3), (2, 3.0)])
@pytest.mark.parametrize("name", ["matmul", "dot", "vecdot", "tensordot"])
def test_results_of_weak_arrays_are_weak(jax, name, left, right, compiled):
    """Of A and B both, of one kind or of two: beside a strong array the result yields, as JAX's own."""
    jnp = jax.numpy
    a, b = (jnp.broadcast_to(jnp.asarray(number), (4, 4)) for number in (left, right))
    ours, its = getattr(tilewright, name), getattr(jnp, name)
    if compiled:
        ours = jax.jit(ours)
    result, expected = ours(a, b), its(a, b)
    assert result.weak_type
    assert expected.weak_type
    assert result.dtype == expected.dtype
    numpy.testing.assert_array_equal(result, expected)
    assert (result + jnp.ones((4, 4), "bfloat16")).dtype == (expected + jnp.ones((4, 4), "bfloat16")).dtype
    assert not ours(a, jnp.ones((4, 4))).weak_type
    assert result.committed == expected.committed


def test_weak_results_of_options(jax):
    """An epilogue's are weak if c and bias are, too; one that has a type asked for is not."""
    jnp = jax.numpy
    a = jnp.broadcast_to(jnp.asarray(2.0), (4, 4))
    strong = jnp.ones((4, 4))
    assert tilewright.matmul(a, a, c=a, beta=2, bias=a[0], activation="relu").weak_type
    numpy.testing.assert_array_equal(tilewright.matmul(a, a, c=a, beta=2, bias=a[0]), 16 + 4 + 2 + 0 * strong)
    assert not tilewright.matmul(a, a, c=strong, beta=2).weak_type
    assert not tilewright.matmul(a, a, bias=strong[0]).weak_type
    assert not tilewright.matmul(a, a, out_dtype="float32").weak_type
    assert tilewright.matmul(a, a, device="emulator", kernel="tiled").weak_type
    assert tilewright.reduced_matmul(a, a).weak_type
    assert jax.grad(lambda a: tilewright.matmul(a, a).sum())(a).weak_type
    assert jax.vmap(tilewright.matmul)(a[None], a[None]).weak_type


def test_gradients_of_a_weakly_typed_array(jax):
    """Each has its input's type."""
    jnp = jax.numpy
    a, b = jnp.ones((4, 4), "bfloat16"), jnp.broadcast_to(jnp.asarray(2.0), (4, 4))
    found = jax.grad(lambda a, b: tilewright.matmul(a, b).sum(), (0, 1))(a, b)
    expected = jax.grad(lambda a, b: jnp.matmul(a, b).sum(), (0, 1))(a, b)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        numpy.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("library", ["jax", "torch"])
def test_numpys_error_state_is_numpys(library):
    """What overflows or is invalid is so in silence, as in the library's own functions."""
    xp = pytest.importorskip("jax.numpy" if library == "jax" else "torch", reason=f"{library} is not installed")
    huge, infinite = xp.full((2, 2), 3e38), xp.full((2, 2), float("inf"))
    with warnings.catch_warnings(), numpy.errstate(all="raise"):
        warnings.simplefilter("error")
        for name in ("matmul", "reduced_matmul", "dot", "vecdot", "tensordot"):
            multiply = getattr(tilewright, name)
            assert xp.isinf(multiply(huge, huge)).all()
            assert xp.isnan(multiply(infinite, xp.zeros((2, 2)))).all()
        assert xp.isinf(tilewright.matmul(huge, xp.zeros((2, 2)), alpha=2, c=huge, beta=3)).all()


@pytest.mark.parametrize("library", ["jax", "torch"])
@pytest.mark.parametrize("name", ["matmul", "reduced_matmul", "dot", "vecdot", "tensordot"])
def test_none_beside_an_array(library, name):
    """A sentence says which of the two is missing."""
    xp = pytest.importorskip("jax.numpy" if library == "jax" else "torch", reason=f"{library} is not installed")
    a, multiply = xp.ones((4, 4)), getattr(tilewright, name)
    with pytest.raises(tilewright.DtypeError, match=f"B is None, and A is a {library}"):
        multiply(a, None)
    with pytest.raises(tilewright.DtypeError, match=f"A is None, and B is a {library}"):
        multiply(None, a)
