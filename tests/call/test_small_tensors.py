"""Small tensors of the host, which torch multiplies at once: which these are, and which are looked at."""

from __future__ import annotations

from contextlib import suppress

import pytest

import tilewright
from tilewright.call import matmul as module

pytestmark = pytest.mark.slow  # torch alone takes seconds to import, and only `make test-all` installs it


@pytest.fixture(scope="module")
def torch():
    """The real library, for the CPU."""
    return pytest.importorskip("torch", reason="torch is not installed: make test-all brings it")


@pytest.fixture
def looks(monkeypatch):
    """How many calls were looked at."""
    seen: list[object] = []
    multiply = module._looked_at

    def looked_at(*given):
        seen.append(given)
        return multiply(*given)

    monkeypatch.setattr(module, "_looked_at", looked_at)
    return seen


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("records", [False, True])
def test_torch_multiplies_them(torch, looks, dtype, records):
    """Of any strides, and records their gradients itself."""
    a = torch.randn(4, 3, dtype=getattr(torch, dtype)).T.requires_grad_(records)
    weight = torch.nn.Parameter(torch.randn(4, 6, dtype=a.dtype), requires_grad=records)

    result = tilewright.matmul(a, weight[:, ::2])

    assert not looks
    assert torch.equal(result, torch.matmul(a, weight[:, ::2]))
    assert result.requires_grad == records


@pytest.mark.parametrize("given", [{"alpha": 1}, {"kernel": "auto", "beta": 0}, {"c": None, "resume": False}])
def test_options_that_are_the_defaults(torch, looks, given):
    """As if they were left out."""
    a = torch.randn(4, 4)
    assert torch.equal(tilewright.matmul(a, a, **given), torch.matmul(a, a))
    assert not looks


@pytest.mark.filterwarnings(
    "ignore:The PyTorch API of nested tensors", "ignore:Sparse CSR tensor support"
)  # torch says so of the first in a process
@pytest.mark.parametrize(
    "given",
    [
        {"alpha": 2},
        {"alpha": True},
        {"kernel": "numpy"},
        {"bias": True},
        {"out": "a"},
        {"out": "overlapping"},
        {"out": "columns"},
        {"out": "other"},
        {"out": "half"},
        {"out": "parameter"},
        {"out": "sparse"},
        {"out": "compressed"},
        {"out": "nested"},
        {"out": "meta"},
        {"b": "vector"},
        {"b": "half"},
        {"b": "other"},
        {"b": "sparse"},
        {"b": "nested"},
        {"a": "sparse"},
        {"a": "nested"},
    ],
)
def test_others_are_looked_at(torch, looks, given):
    """Options, other types and layouts, and what does not fit."""
    whole = torch.randint(-9, 10, (12, 4)).float()  # sums are exact, in whatever order
    a, b = whole[:4], whole[8:]
    kinds = {"vector": a[0], "half": a.half(), "other": a[:3], "sparse": a.to_sparse(), "a": a}
    kinds |= {"overlapping": torch.as_strided(a, (4, 4), (4, 1), 4), "columns": torch.empty(4, 4).T}
    kinds |= {"compressed": a.to_sparse_csr(), "nested": torch.nested.nested_tensor([a, a]), "meta": a.to("meta")}
    kinds |= {"parameter": torch.nn.Parameter(torch.empty(4, 4))}
    given = {name: a[0] if name == "bias" else value for name, value in given.items()}
    given = {name: kinds.get(value, value) if name in {"a", "b", "out"} else value for name, value in given.items()}
    expected = a @ b
    with suppress(tilewright.ShapeError, tilewright.DtypeError):
        result = tilewright.matmul(**{"a": a, "b": b} | given)
        assert list(given) != ["out"] or (result is given["out"] and torch.equal(result, expected))
    assert looks


def test_out_is_written_by_torch(torch, looks):
    """A plain one beside A and B; the same object comes back, and what it held is not read."""
    memory = torch.full((3, 4, 4), float("nan"))
    a, b = memory[0].normal_(), memory[2].normal_()
    out = memory[1]
    assert tilewright.matmul(a, b, out=out) is out
    assert torch.equal(out, a @ b)
    assert not looks


def test_a_plans_tensors_go_to_torch_at_once(torch, monkeypatch):
    """Those that lie as planned; modes, tracing and precision are asked at each call."""
    a, b = torch.randn(4, 3), torch.randn(3, 5)
    multiply = tilewright.plan(a, b)
    monkeypatch.setattr("tilewright.call.prepared.matmul", lambda *_, **__: pytest.fail("it took matmul's way"))
    assert torch.equal(multiply(2 * a, b), 2 * a @ b)
    with pytest.raises(tilewright.PlanError, match="this plan is for"):
        multiply(a, torch.randn(5, 3).T)
    with pytest.raises(tilewright.PlanError, match="this plan is for"):
        multiply(a, b.numpy())
    monkeypatch.undo()
    with torch.autocast("cpu", torch.bfloat16):
        assert multiply(a, b).dtype == torch.float32
    traced = torch.jit.trace(lambda x, y: multiply(x, y) + 0, (a, b))
    torch.testing.assert_close(traced(2 * a, b), 2 * a @ b)
    weights = b.clone().requires_grad_()
    multiply(a, weights).sum().backward()
    torch.testing.assert_close(weights.grad, a.T @ torch.ones(4, 5))


def test_settings_of_torchs_change_nothing(torch, looks):
    """Autocast and lower precisions of float32 are torch's own product's; float64 has neither."""
    a = torch.randn(4, 4)
    with torch.autocast("cpu", torch.bfloat16):
        assert tilewright.matmul(a, a).dtype == torch.float32
    assert len(looks) == 1
    before = torch.get_float32_matmul_precision()
    try:
        for precision in ("medium", "high"):
            torch.set_float32_matmul_precision(precision)
            tilewright.matmul(a, a)
            tilewright.matmul(a.double(), a.double())
    finally:
        torch.set_float32_matmul_precision(before)
    assert len(looks) == 3
    tilewright.matmul(a, a)
    assert len(looks) == 3


def test_what_watches_sees_our_call(torch, looks):
    """Modes of both kinds, and transformations."""
    from torch.overrides import TorchFunctionMode

    seen = []

    class Watching(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, function, _types, arguments=(), options=None):
            seen.append(function)
            return function(*arguments, **(options or {}))

    a = torch.randn(4, 4)
    with Watching():
        tilewright.matmul(a, a)
    assert tilewright.matmul in seen
    torch.vmap(tilewright.matmul)(a.expand(2, 4, 4), a.expand(2, 4, 4))
    assert looks
