"""What records calls of ours: torch.jit.trace, torch.fx, and torch.compile with `out=`. None may keep a constant."""

from __future__ import annotations

import io

import pytest

import tilewright

pytestmark = pytest.mark.slow  # torch alone takes seconds to import, and only `make test-all` installs it

NAMES = ("matmul", "reduced_matmul", "dot", "vecdot", "tensordot")


@pytest.fixture(scope="module")
def torch():
    """The real library, for the CPU."""
    return pytest.importorskip("torch", reason="torch is not installed: make test-all brings it")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("records", [False, True], ids=["plain", "gradients"])
@pytest.mark.parametrize("name", NAMES)
def test_a_traced_function_multiplies_what_it_is_given(torch, name, records):
    """Twice the argument is twice the result, also with gradients: the graph has an operator."""
    function = getattr(tilewright, name)
    a, b = torch.randn(4, 4), torch.randn(4, 4)

    traced = torch.jit.trace(lambda x: function(x, b), (a.requires_grad_(records),))

    other = torch.randn(4, 4, requires_grad=records)
    assert "tilewright::matmul" in str(traced.graph) or f"tilewright::{name}" in str(traced.graph)
    torch.testing.assert_close(traced(other), function(other.detach(), b))
    assert traced(other).requires_grad == records


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_extents_are_no_constants(torch):
    """A traced function takes other numbers of rows, as with torch's own functions."""
    a, b = torch.randn(3, 4), torch.randn(4, 5)
    for function in (tilewright.matmul, tilewright.dot, lambda x, y: tilewright.tensordot(x, y, 1)):
        traced = torch.jit.trace(function, (a, b))
        more = torch.randn(7, 4)
        torch.testing.assert_close(traced(more, b), more @ b)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_traced_epilogue_is_saved_and_loaded(torch):
    """The file names the operator, which is there once tilewright is imported."""
    a, b, bias = torch.randn(3, 4), torch.randn(4, 5), torch.randn(5)
    traced = torch.jit.trace(lambda x: tilewright.matmul(x, b, alpha=2, bias=bias, activation="gelu"), (a,))
    file = io.BytesIO()
    torch.jit.save(traced, file)

    loaded = torch.jit.load(io.BytesIO(file.getvalue()))

    torch.testing.assert_close(loaded(-a), torch.nn.functional.gelu(2 * -a @ b + bias))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_plan_and_out_are_traced(torch):
    """A plan records matmul's operator; `out=` records the copy into it."""
    a, b = torch.randn(3, 4), torch.randn(4, 5)
    plan = tilewright.plan(a, b)
    for function in (lambda x: plan(x, b), lambda x: tilewright.matmul(x, b, out=torch.zeros(3, 5))):
        traced = torch.jit.trace(function, (a,))
        torch.testing.assert_close(traced(2 * a), 2 * a @ b)


@pytest.mark.parametrize("name", NAMES)
def test_symbolic_tracing_sees_a_call(torch, name):
    """torch.fx's proxies are no tensors, and are asked all the same."""
    function = getattr(tilewright, name)
    a, b = torch.randn(4, 4), torch.randn(4, 4)

    def called(x, y):
        return function(x, y)

    traced = torch.fx.symbolic_trace(called)

    assert [node.target for node in traced.graph.nodes if node.op == "call_function"] == [function]
    torch.testing.assert_close(traced(a, b), function(a, b))


def test_symbolic_tracing_of_options(torch):
    """Options and other arrays are in the graph, whether proxies or not."""
    b, bias = torch.randn(4, 5), torch.randn(5)
    traced = torch.fx.symbolic_trace(lambda x, y: tilewright.matmul(x, b, alpha=2, bias=y))
    a = torch.randn(3, 4)
    torch.testing.assert_close(traced(a, bias), 2 * a @ b + bias)


@pytest.mark.parametrize("name", ["matmul", "dot", "vecdot"])
def test_out_in_one_compiled_graph(torch, name):
    """Without a break, and returned as it is."""
    function = getattr(tilewright, name)
    a, b = torch.randn(4, 4), torch.randn(4, 4)
    expected = function(a, b)
    out = torch.zeros_like(expected)

    compiled = torch.compile(lambda x, y, into: function(x, y, out=into), backend="aot_eager", fullgraph=True)

    torch.testing.assert_close(compiled(a, b, out), expected)
    torch.testing.assert_close(out, expected)


def test_out_that_overlaps_in_compiled_code(torch):
    """A itself takes the result, which is computed before it is copied."""
    a, b = torch.randn(4, 4), torch.randn(4, 4)
    expected = a @ b
    torch.compile(lambda x, y: tilewright.matmul(x, y, out=x), backend="aot_eager", fullgraph=True)(a, b)
    torch.testing.assert_close(a, expected)


def test_out_without_values(torch):
    """Of the meta device, whose shape and type are checked as others' are."""
    a, b = torch.empty(3, 4, device="meta"), torch.empty(4, 5, device="meta")
    out = torch.empty(3, 5, device="meta")
    assert tilewright.matmul(a, b, out=out) is out
    with pytest.raises(tilewright.ShapeError, match=r"out is \(5, 3\) .*the result is \(3, 5\)"):
        tilewright.matmul(a, b, out=out.mT)
    with pytest.raises(tilewright.DtypeError, match=r"float64, and float32, the result's type"):
        tilewright.matmul(a, b, out=out.double())
