"""The short way to record gradients: what it computes, and when it is not taken. Nothing of the host is remembered."""

from __future__ import annotations

import pytest

import tilewright
from tests.call.torch.test_operators import drawn, torch
from tilewright.arrays.torch_modes import is_watched
from tilewright.call.door import Call
from tilewright.call.repeated_product import OPTIONS

__all__ = ["torch"]  # a fixture

pytestmark = [
    pytest.mark.slow,  # torch alone takes seconds to import, and only `make test-all` installs it
    # What torch itself uses for its forward mode and its traces.
    pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning"),
]

PLAIN = dict(zip(OPTIONS, (None, 1, 0, None, "auto", None, "auto", "auto"), strict=True))


def recorded(a, b, c=None, bias=None, **options):
    """The product by the short way, whatever device the tensors are on."""
    from tilewright.call.torch.recorded import Recorded

    return Recorded.apply(a, b, c, bias, tuple({**PLAIN, **options}.values()))


@pytest.mark.parametrize(
    ("shapes", "options"),
    [
        pytest.param([(5, 3), (3, 4)], {}, id="matrices"),
        pytest.param([(2, 1, 5, 3), (4, 3, 6)], {}, id="broadcast batches"),
        pytest.param([(3,), (3, 4)], {}, id="a vector"),
        pytest.param([(5, 3), (3, 4), (5, 4), (4,)], {"alpha": 0.5, "beta": -2.0}, id="an epilogue"),
        pytest.param([(5, 3), (3, 4), None, (4,)], {"activation": "gelu"}, id="an activation"),
    ],
)
def test_gradients_and_their_gradients(torch, shapes, options):
    """As torch's own numerical check finds them, of first and second order."""
    given = [None if shape is None else drawn(torch, *shape) for shape in shapes]
    present = [tensor for tensor in given if tensor is not None]

    def product(*chosen):
        left = list(chosen)
        return recorded(*(None if tensor is None else left.pop(0) for tensor in given), **options)

    assert torch.autograd.gradcheck(product, present)
    assert torch.autograd.gradgradcheck(product, present)


def test_bits_are_those_of_the_operator(torch):
    """The same functions compute both."""
    a, b = (torch.randn(17, 17, dtype=torch.bfloat16, requires_grad=True) for _ in range(2))
    found = torch.autograd.grad(recorded(a, b).sum(), (a, b))
    expected = torch.autograd.grad(tilewright.matmul(a, b).sum(), (a, b))

    assert all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))


def test_a_gradient_is_rounded_once(torch):
    """Of one product by the product itself, of a broadcast one after its sum in float32: small integers are exact."""
    a, b, weights = (
        torch.randint(-4, 5, shape).bfloat16().requires_grad_() for shape in ((3, 9, 5), (5, 7), (3, 9, 7))
    )
    of_a, of_b = torch.autograd.grad((recorded(a, b) * weights.detach()).sum(), (a, b))

    assert torch.equal(of_a, torch.einsum("bmn,kn->bmk", weights.double(), b.double()).bfloat16())
    assert torch.equal(of_b, torch.einsum("bmk,bmn->kn", a.double(), weights.double()).bfloat16())


def test_it_is_not_taken_on_the_host_nor_without_gradients(torch):
    """There the calls that follow are as short."""
    from tilewright.call.torch.recorded import record

    call = Call(tilewright.matmul, "matmul", drawn(torch, 3, 3), drawn(torch, 3, 3), PLAIN)

    assert record(call) is NotImplemented
    with torch.no_grad():
        assert record(call) is NotImplemented


def test_whoever_looks_on_sees_an_operator(torch):
    """Modes, transforms, tangents and traces."""
    from torch.utils.flop_counter import FlopCounterMode

    assert not is_watched()
    with torch.autograd.forward_ad.dual_level():
        assert is_watched()
    with FlopCounterMode(display=False):
        assert is_watched()
    seen = []

    def looked_on(x):
        seen.append(is_watched())
        return x + 1

    torch.func.vmap(looked_on)(torch.zeros(2))
    torch.jit.trace(looked_on, torch.zeros(2), check_trace=False)
    assert len(seen) >= 2
    assert all(seen)
    assert not is_watched()
