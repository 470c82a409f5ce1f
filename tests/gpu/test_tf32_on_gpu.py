"""tf32 products on a GPU: random shapes, layouts, batches and epilogues with a bound, rounding, the same bits."""

from __future__ import annotations

from random import Random, SystemRandom

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

import tilewright  # noqa: E402
from tests.gpu.torch_tensors import first_gpu  # noqa: E402
from tilewright.kernels.catalogue import find  # noqa: E402

SIDES = (1, 2, 3, 4, 8, 63, 64, 65, 100, 127, 128, 129, 191, 193, 256, 257, 384, 511, 1000)
PARTS, CASES = 6, 10
ROUNDING = 2.0**-11
"""The largest relative error of a number that is rounded to 11 significant bits, to the nearest."""


@pytest.fixture(scope="module", autouse=True)
def device():
    """The first GPU, where it has the kernel."""
    gpu = first_gpu()
    refusal = find("matmul", "wgmma").chip_refusal("float32", gpu.capability)
    if refusal:
        pytest.skip(refusal)
    return gpu


def as_tf32(values):
    """The nearest numbers of 11 significant bits, ties to even, in float64; of finite numbers."""
    bits = values.contiguous().view(torch.int32)
    return ((bits + 0xFFF + (bits >> 13 & 1)) & ~0x1FFF).view(torch.float32).double()


def poisoned(random, batch, rows, columns):
    """A view of NaN in a larger buffer of NaN: by rows or columns, at any offset, with gaps; and the buffer."""
    by_columns, gap, offset = random.random() < 0.5, random.choice((0, 0, 1, 4)), random.choice((0, 0, 1, 4))
    lines, width = (columns, rows) if by_columns else (rows, columns)
    buffer = torch.full((offset + batch * lines * (width + gap),), float("nan"), device="cuda")
    view = buffer[offset:].view(batch, lines, width + gap)[:, :, :width]
    return (view.transpose(1, 2) if by_columns else view), buffer


def matrix(random, batch, rows, columns):
    """Random normal numbers in such a view."""
    return poisoned(random, batch, rows, columns)[0].copy_(torch.randn(batch, rows, columns, device="cuda"))


@pytest.mark.parametrize("part", range(PARTS))
def test_random_products(part):
    """Within rounding and the sums' error, in every element of an output of NaN and in none beside it; twice the same.

    The bound that a truncating tensor core would break in thousands of elements is that of the rounded factors.
    """
    seed = f"{SystemRandom().randrange(2**32)} {part}"
    random = Random(seed)
    torch.manual_seed(random.randrange(2**32))
    for _ in range(CASES):
        batch, m, k, n = random.choice((1, 1, 3)), *(random.choice(SIDES) for _ in range(3))
        k = random.choice((k, k, 0, 4096 + k))
        kernel = random.choice(("auto", "wgmma", "wgmma"))
        a, b, c = matrix(random, batch, m, k), matrix(random, batch, k, n), matrix(random, batch, m, n)
        more = random.choice(({}, {"c": c, "beta": -2, "alpha": 0.5, "bias": torch.randn(n, device="cuda")}))
        out, buffer = poisoned(random, batch, m, n)
        result = tilewright.matmul(a, b, precision="tf32", kernel=kernel, out=out, **more)

        exact, size = a.double() @ b.double(), a.double().abs() @ b.double().abs()
        if kernel == "wgmma":
            exact = as_tf32(a) @ as_tf32(b)
        if more:
            exact = 0.5 * exact - 2 * c + more["bias"]
            size = size + 2 * c.abs() + more["bias"].abs()
        # Each of k / 8 steps cuts a sum off below its last bit.
        bound = ((k // 2 + 16) * 2.0**-24 + (0 if kernel == "wgmma" else 2.01 * ROUNDING)) * size
        assert ((result.double() - exact).abs() <= bound).all(), (seed, batch, m, k, n, kernel)
        assert int((~buffer.isnan()).sum()) == batch * m * n, (seed, batch, m, k, n, kernel)
        first = result.clone()
        assert torch.equal(first, tilewright.matmul(a, b, precision="tf32", kernel=kernel, out=out, **more)), seed


@pytest.mark.parametrize("turned", [False, True])
def test_rounding(turned):
    """Ties go to even, as the emulator has it; infinities, NaN and subnormal numbers stay; zero rows are zero."""
    tie = ROUNDING
    given = [1 + tie, 1 + 3 * tie, 1 + tie + 2.0**-23, 1 - tie / 2, -(1 + tie), 2.0**-130, 0.0]
    expected = [1, 1 + 4 * tie, 1 + 2 * tie, 1, -1, 2.0**-130, 0.0]
    infinite = float("inf")
    given += [3.4028234e38, infinite, -infinite, float("nan")]
    expected += [infinite, infinite, -infinite, float("nan")]
    a = torch.zeros(64, 64, device="cuda")
    a[: len(given), 0] = torch.tensor(given, device="cuda")
    b = torch.zeros(64, 64, device="cuda")
    b[0] = 1
    b[1:, :] = 0
    # An infinity times the zeros of B would be NaN: k is 1.
    a, b = a[:, :1].clone(), b[:1]
    product = tilewright.matmul(a, b, precision="tf32", kernel="wgmma")
    if turned:
        product = tilewright.matmul(b.T.contiguous(), a.T.contiguous(), precision="tf32", kernel="wgmma").T

    found, wanted = product[: len(given)], torch.tensor(expected, device="cuda")[:, None].expand(-1, 64)
    assert torch.equal(found.nan_to_num(nan=7), wanted.nan_to_num(nan=7))


def test_no_less_accurate_than_torchs():
    """Beside torch with allow_tf32 on the same numbers: the median error is at most its own."""
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = True
    try:
        a, b = torch.randn(2048, 2048, device="cuda"), torch.randn(2048, 2048, device="cuda")
        exact = a.double() @ b.double()
        ours = tilewright.matmul(a, b, precision="tf32").double()
        errors = [(found - exact).abs().median().item() for found in (ours, (a @ b).double())]
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before
    assert errors[0] <= 1.02 * errors[1]


def test_torchs_setting_is_not_read():
    """allow_tf32 lowers no product of ours, and without it tf32 stays tf32."""
    before = torch.backends.cuda.matmul.allow_tf32
    a, b = torch.randn(512, 512, device="cuda"), torch.randn(512, 512, device="cuda")
    try:
        results = []
        for allowed in (True, False):
            torch.backends.cuda.matmul.allow_tf32 = allowed
            results.append([tilewright.matmul(a, b, precision=precision) for precision in ("auto", "tf32")])
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before
    assert torch.equal(results[0][0], results[1][0])
    assert torch.equal(results[0][1], results[1][1])
    assert not torch.equal(results[0][0], results[0][1])


def test_gradients_and_compiled_products_have_it_too():
    """What autograd and torch.compile call multiplies with the product's precision."""
    a, b = (torch.randn(256, 256, device="cuda", requires_grad=True) for _ in range(2))
    ones = torch.ones(256, 256, device="cuda")
    tilewright.matmul(a, b, precision="tf32").backward(ones)
    assert torch.equal(a.grad, tilewright.matmul(ones, b.detach().T, precision="tf32"))
    assert torch.equal(b.grad, tilewright.matmul(a.detach().T, ones, precision="tf32"))
