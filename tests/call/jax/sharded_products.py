"""Products of arrays on four devices of the host, each compiled function asked for what XLA made of it.

test_sharded.py runs this in a process of its own, as JAX makes devices when it starts.
"""

from __future__ import annotations

import itertools
import os
import re
import sys

os.environ |= {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}

import jax
import numpy
from jax import numpy as jnp
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import tilewright

MESH = Mesh(numpy.array(jax.devices()).reshape(2, 2), ("x", "y"))
COLLECTIVE = re.compile(r"\b(all-gather|all-reduce|all-to-all|collective-permute|reduce-scatter)\b")
GATHERS = {"all-gather", "all-to-all", "collective-permute"}
AXES = (None, "x", "y", ("x", "y"))
RANDOM = numpy.random.default_rng(1)


def numbers(*shape: int, dtype: str = "float32"):
    """Random normal numbers of JAX's, on one device."""
    return jnp.asarray(RANDOM.standard_normal(shape), dtype)


def lying(array, *spec):
    """The array with its dimensions over these axes."""
    return jax.device_put(array, NamedSharding(MESH, P(*spec)))


def collectives(function, *arrays):
    """What devices send each other in the compiled function."""
    return set(COLLECTIVE.findall(jax.jit(function).lower(*arrays).compile().as_text()))


def agrees(found, expected, tolerance=1e-5):
    """Within rounding, in type and shape."""
    assert found.dtype == expected.dtype
    numpy.testing.assert_allclose(
        numpy.asarray(found, "f8"), numpy.asarray(expected, "f8"), rtol=tolerance, atol=tolerance * 10
    )


def axes_of(spec) -> set[str]:
    """The mesh axes of a specification."""
    entries = (each for each in spec if each is not None)
    return {axis for each in entries for axis in ((each,) if isinstance(each, str) else each)}


def every_sharding() -> None:
    """Numbers, and C sharded over the axes of rows and columns wherever these are not both on one."""
    a, b = numbers(8, 16), numbers(16, 12)
    for name in ("matmul", "reduced_matmul", "dot"):
        function = getattr(tilewright, name)
        expected = function(a, b)
        for m, k, n in itertools.product(AXES[:3], repeat=3):
            left_spec = (m, k if k != m else None)
            right_spec = (k if k != n else None, n)
            left, right = lying(a, *left_spec), lying(b, *right_spec)
            found = jax.jit(function)(left, right)
            agrees(found, expected)
            sent = collectives(function, left, right)
            if len({m, n} - {None}) == len([each for each in (m, n) if each]) and k not in {m, n} - {None}:
                assert tuple(found.sharding.spec) + (None,) * (2 - len(found.sharding.spec)) == (m, n), (name, m, k, n)
                assert not sent & GATHERS, (name, m, k, n, sent)
                assert ("all-reduce" in sent) == (k is not None), (name, m, k, n, sent)
        agrees(function(lying(a, "x"), lying(b, None, "y")), expected)  # without jit


def no_more_than_jax_sends() -> None:
    """Of what jnp.matmul sends for the same arrays."""
    a, b = numbers(8, 16), numbers(16, 12)
    for left_spec, right_spec in ((("x", None), ()), ((), (None, "y")), (("x", "y"), ("y", None)), ((("x", "y"),), ())):
        left, right = lying(a, *left_spec), lying(b, *right_spec)
        assert collectives(tilewright.matmul, left, right) == collectives(jnp.matmul, left, right)
        of_ours, of_jaxs = (jax.jit(multiply)(left, right).sharding for multiply in (tilewright.matmul, jnp.matmul))
        assert of_ours.is_equivalent_to(of_jaxs, 2), (left_spec, right_spec, of_ours, of_jaxs)


def epilogues() -> None:
    """Summands are added before the activation, and c and bias once."""
    for dtype, tolerance in (("float32", 1e-5), ("bfloat16", 1e-2)):
        a, b, c, bias = (numbers(*shape, dtype=dtype) for shape in ((8, 16), (16, 12), (8, 12), (12,)))
        for left_spec, right_spec, c_of in itertools.product(
            (("x", None), (None, "x"), ("x", "y")), ((None, "y"), ("x", None)), (c, c[:1], c[0], None)
        ):
            options = {"alpha": 2, "activation": "gelu"} | ({} if c_of is None else {"beta": 3})

            def ours(a, b, c, bias, options=options):
                return tilewright.matmul(a, b, c=c, bias=bias, **options)

            expected = ours(a, b, c_of, bias)
            found = jax.jit(ours)(
                lying(a, *left_spec), lying(b, *right_spec), None if c_of is None else lying(c_of), lying(bias, "y")
            )
            agrees(found, expected, tolerance)


def sums_are_rounded_once() -> None:
    """16-bit summands of an inner dimension over four devices are added in float32."""
    a, b = numbers(8, 512, dtype="bfloat16"), numbers(512, 8, dtype="bfloat16")
    exact = (numpy.asarray(a, "f8") @ numpy.asarray(b, "f8")).astype(jnp.bfloat16)
    found = jax.jit(tilewright.matmul)(lying(a, None, ("x", "y")), lying(b, ("x", "y")))
    apart = numpy.asarray(found).view("i2").astype(int) - exact.view("i2").astype(int)
    assert abs(apart).max() <= 1


def batches_vectors_and_gradients() -> None:
    """Batches stay sharded, vectors too, extents that do not divide are whole, and gradients are right."""
    a, b = numbers(4, 6, 8), numbers(4, 8, 10)
    expected = jnp.matmul(a, b)
    for left, right, spec in (
        (lying(a, "x"), lying(b, "x"), P("x", None, None)),
        (lying(a, "x", "y"), lying(b[:1]), P("x", "y", None)),
        (lying(a), lying(b[0], None, "y"), P(None, None, "y")),
    ):
        found = jax.jit(tilewright.matmul)(left, right)
        agrees(found, jnp.matmul(left, right))
        assert tuple(found.sharding.spec) + (None,) * (3 - len(found.sharding.spec)) == tuple(spec)
        assert not collectives(tilewright.matmul, left, right) & GATHERS
    agrees(jax.jit(jax.vmap(tilewright.matmul))(lying(a, "x"), lying(b, "x")), expected)
    assert not collectives(jax.vmap(tilewright.matmul), lying(a, "x"), lying(b, "x"))
    agrees(jax.jit(jax.vmap(tilewright.matmul, (0, None)))(lying(a, "x"), lying(b[0])), jnp.matmul(a, b[0]))
    x, y = numbers(16), numbers(16)
    agrees(jax.jit(tilewright.dot)(lying(x, "x"), lying(y, "x")), jnp.dot(x, y))
    agrees(jax.jit(tilewright.matmul)(lying(a[0], None, "x"), lying(x[:8], "x")), a[0] @ x[:8])
    odd = jax.jit(lambda a, b: tilewright.matmul(a[:, :3, :7], b[:, :7, :5]))(lying(a, "x"), lying(b, "x"))
    agrees(odd, jnp.matmul(a[:, :3, :7], b[:, :7, :5]))

    def loss(multiply):
        return jax.jit(jax.grad(lambda a, b: (multiply(a, b) ** 2).sum(), (0, 1)))

    for left_spec, right_spec in ((("x", None), (None, "y")), ((None, "x"), ("x", None)), (("x", "y"), ("y", None))):
        arrays = lying(a[0], *left_spec), lying(b[0], *right_spec)
        for found, right in zip(loss(tilewright.matmul)(*arrays), loss(jnp.matmul)(*arrays), strict=True):
            agrees(found, right, 1e-4)


def named_kernels_and_refusals() -> None:
    """A kernel asked for by name runs as it did; what does not fit is refused while JAX traces."""
    a, b = numbers(8, 16), numbers(16, 12)
    agrees(
        jax.jit(lambda a, b: tilewright.matmul(a, b, kernel="sequential"))(lying(a, "x"), lying(b)), jnp.matmul(a, b)
    )
    for call, error, said in (
        (lambda: jax.jit(tilewright.matmul)(lying(a, "x"), lying(a)), tilewright.ShapeError, "inner sizes 16 and 8"),
        (lambda: tilewright.matmul(lying(a, "x"), lying(a)), tilewright.ShapeError, "inner sizes 16 and 8"),
        (
            lambda: tilewright.matmul(lying(a, "x"), b, kernel="sequential"),
            tilewright.DtypeError,
            "spread over 4 devices",
        ),
    ):
        raised: Exception | None = None
        try:
            call()
        except error as one:
            raised = one
        assert said in str(raised), (said, raised)


def older_partitioner() -> None:
    """XLA's own, which JAX takes without Shardy."""
    jax.config.update("jax_use_shardy_partitioner", val=False)
    jax.clear_caches()
    a, b = numbers(8, 16), numbers(16, 12)
    for left_spec, right_spec in ((("x", None), (None, "y")), ((None, "x"), ("x", None)), ((), ())):
        found = jax.jit(tilewright.matmul)(lying(a, *left_spec), lying(b, *right_spec))
        agrees(found, jnp.matmul(a, b))


WORKS = {
    work.__name__: work
    for work in (
        *(every_sharding, no_more_than_jax_sends, epilogues, sums_are_rounded_once),
        *(batches_vectors_and_gradients, named_kernels_and_refusals, older_partitioner),
    )
}

if __name__ == "__main__":
    WORKS[sys.argv[1]]()
