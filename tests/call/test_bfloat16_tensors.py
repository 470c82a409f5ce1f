"""bfloat16 tensors of the host: torch's own product where it loses nothing, float32's elsewhere; both are right."""

from __future__ import annotations

import pytest

import tilewright
from tilewright.call import bfloat16_tensors

pytestmark = pytest.mark.slow  # torch alone takes seconds to import, and only `make test-all` installs it


@pytest.fixture(scope="module")
def torch():
    """The real library, for the CPU."""
    return pytest.importorskip("torch", reason="torch is not installed: make test-all brings it")


@pytest.fixture
def by_torch(monkeypatch):
    """Whether the last product was torch's own, on a processor with instructions for bfloat16."""
    taken: list[bool] = []
    multiply = bfloat16_tensors.product

    def product(a, b):
        found = multiply(a, b)
        taken.append(found is not None)
        return found

    monkeypatch.setattr(bfloat16_tensors, "_multiplies_in_float32", lambda _: True)
    monkeypatch.setattr(bfloat16_tensors, "product", product)
    return taken


def check(torch, a, b):
    """The product is within its rounding and float32's sums of the exact one."""
    result = tilewright.matmul(a, b)
    exact, sizes = a.double() @ b.double(), a.double().abs() @ b.double().abs()
    bound = exact.abs() * 2.0**-8 + sizes * a.shape[-1] * 2.0**-24 + 2.0**-134  # half of bfloat16's least subnormal
    assert result.dtype == torch.bfloat16
    assert ((result.double() - exact).abs() <= bound).all()


@pytest.mark.parametrize("shape", [(16, 16, 16), (65, 130, 33), (128, 512, 96)])
def test_ordinary_numbers_go_to_torch(torch, by_torch, shape):
    """With zeros of both signs, transposed and with strides."""
    m, k, n = shape
    a, b = torch.randn(m, k).bfloat16(), torch.randn(2 * n, k).bfloat16()[::2].T
    check(torch, a, b)
    a[:, 3], a[2] = 0.0, -0.0
    check(torch, a, b)
    assert by_torch == [True, True]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("zeros", [False, True])
def test_small_numbers_do_not(torch, by_torch, side, sign, zeros):
    """2^-56 is the least that goes to torch: below it a product may be subnormal, which torch's kernels take for 0."""
    operands = [torch.full((16, 16), 2.0**-10).bfloat16() for _ in range(2)]
    if zeros:
        operands[side][0], operands[side][1] = 0.0, -0.0
    operands[side][3, 5] = sign * 2.0**-56
    check(torch, *operands)
    check(torch, *(each.T for each in operands))
    assert by_torch == [True, True]
    operands[side][3, 5] = sign * 2.0**-56 * (1 - 2.0**-8)
    check(torch, *operands)
    check(torch, *(each.T for each in operands))
    assert by_torch == [True, True, False, False]


def test_subnormal_numbers_and_results_are_kept(torch, by_torch):
    """Neither operands nor results of a product are flushed to 0."""
    identity = torch.eye(32).bfloat16()
    tiny = torch.full((32, 32), 2.0**-130).bfloat16()
    assert torch.equal(tilewright.matmul(identity, tiny), tiny)
    assert torch.equal(tilewright.matmul(tiny, identity), tiny)
    halves = torch.full((32, 32), 2.0**-66).bfloat16()
    assert torch.equal(tilewright.matmul(identity * 2.0**-65, halves), torch.full((32, 32), 2.0**-131).bfloat16())
    assert by_torch == [False, False, False]


def test_the_least_numbers_that_go_to_torch_multiply_exactly(torch, by_torch):
    """Products of 2^-56 and sums that cancel to 2^-126 are normal numbers."""
    a = torch.full((16, 16), 2.0**-56).bfloat16()
    a[:, ::2] *= -(1 + 2.0**-7)
    b = torch.zeros(16, 16).bfloat16()
    b[:2] = 2.0**-56
    result = tilewright.matmul(a, b)
    assert torch.equal(result.double(), a.double() @ b.double())
    assert by_torch == [True]


def test_what_else_goes_elsewhere(torch, by_torch):
    """Vectors, few rows, other types, gradients, autocast, and shapes that do not fit."""
    a = torch.randn(16, 16).bfloat16()
    tilewright.matmul(a[0], a)
    tilewright.matmul(a[:15], a)
    tilewright.matmul(a, a.float())
    tilewright.matmul(a[None], a)
    recorded = a.clone().requires_grad_()
    assert tilewright.matmul(recorded, a).requires_grad
    with torch.autocast("cpu", torch.float16):
        assert tilewright.matmul(a, a).dtype == torch.bfloat16
    with pytest.raises(tilewright.ShapeError):
        tilewright.matmul(a[:, :15], a)
    assert not any(by_torch)
    with torch.no_grad():
        tilewright.matmul(recorded, a)
    assert by_torch[-1]
