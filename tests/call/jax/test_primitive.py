"""What JAX makes of a product as a primitive: exports with symbols for extents, and meshes."""

from __future__ import annotations

import numpy
import pytest

import tilewright
from tests.call.jax.jaxs_own import agree, drawn

pytestmark = pytest.mark.slow  # JAX takes a second to import, and only `make test-all` installs it


@pytest.fixture(scope="module")
def jax():
    """The real library."""
    return pytest.importorskip("jax", reason="JAX is not installed: make test-all brings it")


def exported(jax, function, *shapes):
    """The function, exported for arrays of float32 of these shapes, in which names are any extents."""
    scope = jax.export.SymbolicScope()
    given = [jax.ShapeDtypeStruct(jax.export.symbolic_shape(shape, scope=scope), "float32") for shape in shapes]
    return jax.export.export(jax.jit(function))(*given)


def test_exports_with_symbols(jax):
    """For all numbers that come, of all operations, with gradients and mapped."""

    def finished(a, b, c, bias):
        return tilewright.matmul(a, b, c=c, beta=2, bias=bias, activation="gelu")

    gradient = jax.grad(lambda a, b: (tilewright.matmul(a, b) ** 2).sum())
    cases = [
        (tilewright.matmul, ("m, k", "k, n"), ((3, 4), (4, 5))),
        (tilewright.matmul, ("b, m, 4", "1, 4, n"), ((2, 3, 4), (1, 4, 5))),
        (jax.vmap(tilewright.matmul), ("b, m, k", "b, k, n"), ((2, 3, 4), (2, 4, 5))),
        (tilewright.reduced_matmul, ("2*m, k", "k, 2*n"), ((4, 3), (3, 6))),
        (tilewright.dot, ("m, k", "b, k, n"), ((3, 4), (2, 4, 5))),
        (tilewright.vecdot, ("m, k", "m, k"), ((3, 4), (3, 4))),
        (finished, ("m, k", "k, n", "m, n", "n"), ((3, 4), (4, 5), (3, 5), (5,))),
        (gradient, ("m, k", "k, n"), ((3, 4), (4, 5))),
    ]
    for function, symbols, shapes in cases:
        arrays = [drawn(jax, *shape, seed=at, dtype="float32") for at, shape in enumerate(shapes)]
        agree(jax, exported(jax, function, *symbols).call(*arrays), function(*arrays), 1e-5)


def test_one_device_needs_no_look_inside(jax):
    """A product is traced a second time only where JAX may split it over devices."""
    arrays = [drawn(jax, *shape, seed=at, dtype="float32") for at, shape in enumerate(((3, 4), (4, 5)))]
    (equation,) = jax.make_jaxpr(tilewright.matmul)(*arrays).eqns

    assert (equation.params["body"] is None) == (jax.device_count() == 1)


def test_symbols_that_do_not_fit(jax):
    """In a sentence with the symbols."""
    refused = [
        (tilewright.matmul, ("m, k", "j, n"), tilewright.ShapeError, "inner sizes k and j differ"),
        (tilewright.matmul, ("b, m, 4", "c, 4, n"), tilewright.ShapeError, r"A is \(b, m, 4\).*do not fit"),
        (tilewright.reduced_matmul, ("m, k", "k, n"), tilewright.ShapeError, "must be even, not m = m, n = n"),
        (lambda a, b: tilewright.matmul(a, b, kernel="numpy"), ("m, k", "k, n"), tilewright.PlanError, "with numbers"),
    ]
    for function, symbols, error, words in refused:
        with pytest.raises(error, match=words):
            exported(jax, function, *symbols)


def test_gradients_inside_of_a_mesh(jax):
    """Of arrays that differ over its axes and of those that do not; also in explicit sharding's types."""
    a, b = drawn(jax, 4, 6, dtype="float32"), drawn(jax, 6, 3, seed=1, dtype="float32")
    spec = jax.sharding.PartitionSpec
    mesh = jax.sharding.Mesh(numpy.array(jax.devices()[:1]), "x")
    for name in ("matmul", "dot"):
        function = getattr(tilewright, name)
        over = jax.shard_map(function, mesh=mesh, in_specs=(spec("x"), spec()), out_specs=spec("x"))
        found = jax.jit(jax.grad(lambda a, b, f=over: (f(a, b) ** 2).sum(), (0, 1)))(a, b)
        agree(jax, found, jax.grad(lambda a, b: ((a @ b) ** 2).sum(), (0, 1))(a, b), 1e-5)
    explicit = jax.sharding.Mesh(mesh.devices, "x", axis_types=(jax.sharding.AxisType.Explicit,))
    rows = jax.device_put(a, jax.sharding.NamedSharding(explicit, spec("x")))
    columns = jax.device_put(b, jax.sharding.NamedSharding(explicit, spec()))
    found = jax.jit(tilewright.matmul)(rows, columns)
    assert jax.typeof(found) == jax.typeof(jax.jit(jax.numpy.matmul)(rows, columns))
    agree(jax, found, a @ b, 1e-5)
