"""What reads torch's tensors in a hurry, over the real library: it takes plain tensors and lets all others pass by."""

from __future__ import annotations

import pytest

from tilewright.arrays import torch_modes as tensor_guards
from tilewright.arrays.torch_modes import dispatch_modes, forward_mode

pytestmark = pytest.mark.slow  # torch alone takes seconds to import, and only `make test-all` installs it


@pytest.fixture(scope="module")
def torch():
    """The real library, for the CPU."""
    return pytest.importorskip("torch", reason="torch is not installed: make test-all brings it")


def test_guards(torch):
    """This torch has them, and they refuse whatever a plan must not take."""
    a = torch.zeros(4, 6)
    guard = tensor_guards.guard_of(a)
    assert guard is not None
    assert guard(torch.ones(4, 6))
    assert guard(a)
    others = [
        a[:2],
        torch.zeros(6, 4).t(),
        a.double(),
        a.clone().requires_grad_(),
        torch.nn.Parameter(a.clone()),
        torch._neg_view(a),
        a.to("meta"),
        None,
        3.0,
    ]
    assert not any(guard(other) for other in others)
    with torch.inference_mode():
        assert not guard(torch.zeros(4, 6))


def test_a_guard_of_two_looks_at_both(torch):
    """Each beside its own."""
    a, b = torch.zeros(4, 6), torch.zeros(6)
    guard = tensor_guards.guard_of(a, b)
    assert guard is not None
    assert guard(torch.ones(4, 6), torch.ones(6))
    for others in ((a, a), (b, b), (b, a), (a, b[:5]), (a[:3], b), (a, b.double()), (a, None)):
        assert not guard(*others)


def test_guards_that_take_too_much_are_not_used(torch, monkeypatch):
    """A torch whose guards answer otherwise has none."""
    tensor_guards._works.cache_clear()
    monkeypatch.setattr(tensor_guards, "_made", lambda *_tensors: lambda *_others: True)
    assert tensor_guards.guard_of(torch.zeros(2)) is None
    tensor_guards._works.cache_clear()


def test_the_extra_reads_tensors_of_a_gpu_alone(torch):
    """Of the host's, and of what has no memory, it makes no keys, and raises nothing."""
    module = pytest.importorskip("tilewright_native", reason="the extra is not installed: make test-all builds it")
    from torch._subclasses.fake_tensor import FakeTensorMode

    reader = module.Reader(torch.Tensor, torch.nn.Parameter, torch.is_grad_enabled, forward_mode(), dispatch_modes())
    with FakeTensorMode():
        fake = torch.empty(3, device="cuda" if torch.cuda.is_available() else "cpu")
    plain = torch.zeros(3, 3)
    strange = [fake, plain, plain.to_sparse(), plain.to("meta"), plain.numpy(), 3, "text"]
    assert [reader.key_of((given, None), None) for given in strange] == [None] * len(strange)
    seen: list[object] = []

    def look(row):
        seen.append(reader.key_of((row,), None))
        return row

    torch.vmap(look)(plain)
    assert seen == [None]
    assert reader.key_of((None, None), "options") == reader.key_of((None, None), "options") is not None
    with torch.autograd.forward_ad.dual_level():
        assert reader.key_of((None, None), "options") is None
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False):
        assert reader.key_of((None, None), "options") is None
