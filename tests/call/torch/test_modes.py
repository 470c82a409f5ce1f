"""Torch's switches around a call on the CPU: deterministic algorithms, and autocast."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

import tilewright
from tests.call.torch.test_operators import torch

__all__ = ["torch"]  # a fixture

pytestmark = pytest.mark.slow  # torch alone takes seconds to import, and only `make test-all` installs it

SHAPES = ((6, 8, 4), (96, 130, 70))
"""m, k and n."""


@contextmanager
def deterministic(torch):
    """Torch refuses algorithms that may not repeat themselves, and fills new tensors with NaN."""
    before = torch.are_deterministic_algorithms_enabled(), torch.utils.deterministic.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = True
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before[0])
        torch.utils.deterministic.fill_uninitialized_memory = before[1]


def operands(torch, shape, dtype):
    """A (m, k) and B (k, n) of small whole numbers, whose sums are exact in float32."""
    m, k, n = shape
    drawn = torch.Generator().manual_seed(m)
    return [torch.randint(-3, 4, extents, generator=drawn).to(dtype) for extents in ((m, k), (k, n))]


def results(torch, a, b):
    """All our functions of A and B; and the gradients of some of them."""
    left, right = (array.clone().requires_grad_() for array in (a, b))
    out = torch.full((a.shape[0], b.shape[1]), float("nan"), dtype=a.dtype)
    c, bias = torch.ones_like(out), torch.ones(b.shape[1], dtype=a.dtype)
    loss = tilewright.matmul(left, right, bias=bias, activation="relu").sum() + tilewright.dot(left[0], right[:, 0])
    return [
        tilewright.matmul(a, b),
        tilewright.matmul(a, b, out=out),
        tilewright.matmul(a, b, alpha=2, beta=-1, c=c),
        tilewright.matmul(a.expand(3, *a.shape), b),
        tilewright.matmul(a, b, kernel="numpy"),
        tilewright.reduced_matmul(a, b),
        tilewright.dot(a, b),
        tilewright.vecdot(a, b.T[:1]),
        tilewright.tensordot(a, b, axes=1),
        tilewright.plan(a, b)(a, b),
        *torch.autograd.grad(loss, (left, right)),
    ]


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_deterministic_algorithms_change_nothing(torch, shape, dtype):
    """Nothing is refused, the bits are the same, and of memory that torch fills with NaN none is left."""
    a, b = operands(torch, shape, getattr(torch, dtype))
    expected = results(torch, a, b)
    with deterministic(torch):
        assert torch.empty(3).isnan().all()
        found, again = results(torch, a, b), results(torch, a, b)
    for number, (one, other, repeated) in enumerate(zip(expected, found, again, strict=True)):
        assert torch.equal(one, other), number
        assert torch.equal(one, repeated), number


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_autocast_changes_no_types(torch, shape, dtype):
    """Where torch's own product of float32 becomes one of bfloat16, ours stays what it is, gradients included."""
    a, b = operands(torch, shape, getattr(torch, dtype))
    expected = results(torch, a, b)
    with torch.autocast("cpu", torch.bfloat16):
        found = results(torch, a, b)
        assert dtype != "float32" or torch.matmul(a, b).dtype == torch.bfloat16
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        assert one.dtype == other.dtype, number
        assert torch.equal(one, other), number


@pytest.mark.parametrize("shape", SHAPES)
def test_autocast_in_compiled_code(torch, shape):
    """In one graph, with gradients."""
    a, b = operands(torch, shape, torch.float32)
    weight = b.clone().requires_grad_()

    @torch.compile(backend="aot_eager", fullgraph=True)
    def multiply(x, y):
        with torch.autocast("cpu", torch.bfloat16):
            return tilewright.matmul(x, y)

    result = multiply(a, weight)
    assert result.dtype == torch.float32
    assert torch.equal(result, a @ b)
    result.sum().backward()
    torch.testing.assert_close(weight.grad, a.T @ torch.ones_like(result))
