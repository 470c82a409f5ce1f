"""Partition rules of products: labels, mesh axes and factors of each array, without devices.

What compiled programs send between devices is in test_sharded.py.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytestmark = pytest.mark.slow  # JAX takes a second to import, and only `make test-all` installs it
jax: Any = pytest.importorskip("jax", reason="JAX is not installed: make test-all brings it")

from jax.experimental.custom_partitioning import ArrayMapping, CompoundFactor  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402

from tilewright.call.jax import sharded  # noqa: E402
from tilewright.call.jax.sharded import Sharded, axes_of, labels_of, sharding_rule  # noqa: E402

MESH = SimpleNamespace(shape={"x": 2, "y": 4, "z": 3})


def array(*shape: int, spec: Any = None) -> Any:
    """What has a shape, and a sharding."""
    return SimpleNamespace(shape=shape, sharding=SimpleNamespace(spec=P() if spec is None else spec))


@pytest.mark.parametrize(
    ("operation", "shapes", "labels"),
    [
        ("matmul", ((8, 6), (6, 4)), [("m", "k"), ("k", "n"), None, None]),
        ("matmul", ((8, 6), (6, 4), (8, 4), (4,)), [("m", "k"), ("k", "n"), ("m", "n"), ("n",)]),
        ("matmul", ((8, 6), (6, 4), (8, 1), None), [("m", "k"), ("k", "n"), ("m", None), None]),
        ("matmul", ((8, 6), (6, 4), (4,), (4,)), [("m", "k"), ("k", "n"), ("n",), ("n",)]),
        ("matmul", ((1, 6), (6, 4), (1, 4), None), [("m", "k"), ("k", "n"), (None, "n"), None]),
        ("matmul", ((8, 6), (6,), (8,), (1,)), [("m", "k"), ("k",), ("m",), (None,)]),
        ("matmul", ((6,), (6, 4), None, (4,)), [("k",), ("k", "n"), None, ("n",)]),
        (
            "matmul",
            ((3, 8, 6), (6, 4), (3, 8, 4), None),
            [("batch 0", "m", "k"), ("k", "n"), ("batch 0", "m", "n"), None],
        ),
        ("reduced_matmul", ((8, 6), (6, 4)), [("m", "k"), ("k", "n"), None, None]),
    ],
)
def test_labels(operation, shapes, labels):
    """Those of C's dimensions are shared by what broadcasts to it; a dimension of one element has none."""
    given = [None if shape is None else array(*shape) for shape in (*shapes, None, None)[:4]]
    assert list(labels_of(operation, given[0], given[1], given[2], given[3]).arrays) == labels


@pytest.mark.parametrize(
    ("operation", "a", "b", "of_c", "axes"),
    [
        ("matmul", array(8, 6, spec=P("x")), array(6, 4), P(), {"m": ("x",)}),
        ("matmul", array(8, 6), array(6, 4, spec=P(None, "y")), P(), {"n": ("y",)}),
        (
            "matmul",
            array(8, 6, spec=P("x", "z")),
            array(6, 4, spec=P("z", "y")),
            P(),
            {"m": ("x",), "k": ("z",), "n": ("y",)},
        ),
        ("matmul", array(8, 6, spec=P("x")), array(6, 4), P("y"), {"m": ("y",)}),
        ("matmul", array(8, 6, spec=P("x")), array(6, 4, spec=P(None, "x")), P(), {"m": ("x",)}),
        ("matmul", array(8, 6, spec=P(("x", "y"))), array(6, 4), P(), {"m": ("x", "y")}),
        ("matmul", array(12, 6, spec=P(("x", "y"))), array(6, 4), P(), {}),
        ("matmul", array(7, 6, spec=P("x", "x")), array(6, 4), P(), {"k": ("x",)}),
        ("matmul", array(8, 6, spec=P(None, "z")), array(6, 4), P(), {"k": ("z",)}),
        ("reduced_matmul", array(8, 6, spec=P("y")), array(6, 4), P(), {"m": ("y",)}),
        ("reduced_matmul", array(12, 6, spec=P("y")), array(6, 4), P(), {}),
        ("reduced_matmul", array(8, 6), array(6, 12, spec=P(None, "x")), P(), {"n": ("x",)}),
    ],
)
def test_mesh_axes(operation, a, b, of_c, axes):
    """C's own first; an axis shards one label, and only where every device gets as much."""
    assert axes_of(labels_of(operation, a, b, None, None), MESH, (a, b, None, None), of_c) == axes


def test_the_c_operand_does_not_decide():
    """The bias, and C's own placement, do not either where A and B have none: A, B and C alone are asked."""
    a, b, c = array(8, 6), array(6, 4), array(8, 4, spec=P("x"))
    labels = labels_of("matmul", a, b, c, None)
    assert axes_of(labels, MESH, (a, b, c, None), P()) == {}
    assert sharded._spec({"m": ("x",), "n": ("y", "z")}, ("m", None, "n", "k")) == P(("x",), None, ("y", "z"), None)


@pytest.mark.parametrize(
    ("operation", "beta", "shapes", "operands", "result", "sizes"),
    [
        ("matmul", 0, ((8, 6), (6, 4)), [("m", "k"), ("k", "n")], ("m", "n"), {}),
        ("matmul", 1, ((8, 6), (6, 4), (8, 4)), [("m", "k"), ("k", "n"), ("m", "n")], ("m", "n"), {}),
        ("matmul", 0, ((8, 6), (6, 4), (4,)), [("m", "k"), ("k", "n"), ("n",)], ("m", "n"), {}),
        ("matmul", 1, ((8, 6), (6, 4), (8, 4), (4,)), [("m", "k"), ("k", "n"), ("m", "n"), ("n",)], ("m", "n"), {}),
        ("matmul", 1, ((8, 6), (6, 4), (8, 1)), [("m", "k"), ("k", "n"), ("m", "one_3_1")], ("m", "n"), {}),
        (
            *("reduced_matmul", 0, ((8, 6), (6, 4))),
            [(CompoundFactor("m", "m_pair"), "k"), ("k", CompoundFactor("n", "n_pair"))],
            *(("m", "n"), {"m_pair": 2, "n_pair": 2}),
        ),
        (
            *("matmul", 0, ((3, 8, 6), (3, 6, 4))),
            [("batch_0", "m", "k"), ("batch_0", "k", "n")],
            *(("batch_0", "m", "n"), {}),
        ),
    ],
)
def test_rules_for_shardy(operation, beta, shapes, operands, result, sizes):
    """A factor for each label; of pairs two, of which the first one is C's. k is added up."""
    options = SimpleNamespace(operation=operation, numbers=SimpleNamespace(beta=beta))
    rule = sharding_rule(options, None, [array(*shape) for shape in shapes], None)

    assert list(rule.operand_mappings) == [ArrayMapping(*each) for each in operands]
    assert list(rule.result_mappings) == [ArrayMapping(*result)]
    assert rule.reduction_factors == ("k",)
    assert rule.factor_sizes == sizes


@pytest.mark.parametrize("over", [None, "z"])
def test_what_each_device_multiplies(monkeypatch, over):
    """Its part of C; where k is sharded its summand, which is added before the epilogue and then rounded."""
    calls: list[Any] = []

    def function(name: str) -> Any:
        def called(*given: Any) -> Any:
            calls.append((name, *given))
            return SimpleNamespace(astype=lambda dtype: (name, dtype))

        return called

    monkeypatch.setattr(sharded, "NamedSharding", lambda mesh, spec: (mesh, spec))
    monkeypatch.setattr(jax.lax, "psum", lambda total, axes: ("added", axes) if total is not None else None)
    rules = Sharded(function("whole"), function("local"), function("sums"), function("finished"))
    a, b, bias = array(8, 6, spec=P("x", over)), array(6, 4), array(4)
    result = SimpleNamespace(sharding=SimpleNamespace(spec=P(None, "y")), dtype="f4")
    options = SimpleNamespace(operation="matmul")
    mesh, multiply, of_c, of_arrays = rules._partition(options, MESH, (a, b, None, bias), result)

    k = None if over is None else (over,)
    assert (mesh, of_c) == (MESH, (MESH, P(("x",), ("y",))))
    assert of_arrays == ((MESH, P(("x",), k)), (MESH, P(k, ("y",))), None, (MESH, P(("y",))))
    found = multiply("A", "B", None, "bias")
    if over is None:
        assert calls == [("local", options, "A", "B", None, "bias")]
    else:
        assert calls == [("sums", options, "A", "B"), ("finished", options, ("added", ("z",)), None, "bias")]
        assert found == ("finished", "f4")
    assert rules._inferred(options, MESH, (a, b, None, bias), None) == (MESH, P(("x",), None))
