"""float32 by 16-bit parts on a GPU: precisions, layouts, epilogues, batches, hard numbers, the same bits each time."""

from __future__ import annotations

from random import Random, SystemRandom

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

import tilewright  # noqa: E402
from tests.gpu.torch_tensors import first_gpu  # noqa: E402
from tilewright.kernels.catalogue import find  # noqa: E402

SIDES = (1, 2, 63, 64, 65, 100, 127, 128, 129, 191, 192, 193, 257, 384, 511)
PRECISIONS = ("bf16x6", "fp16x3")
CASES = 24


@pytest.fixture(scope="module", autouse=True)
def device():
    """The first GPU, where it has the kernel."""
    gpu = first_gpu()
    refusal = find("matmul", "wgmma_split").chip_refusal("float32", gpu.capability)
    if refusal:
        pytest.skip(refusal)
    return gpu


def matrix(random, batch, rows, columns):
    """A view of a larger buffer: by rows or columns, at any offset, with gaps of NaN."""
    by_columns, gap, offset = random.random() < 0.4, random.choice((0, 0, 1, 4)), random.choice((0, 0, 1, 4))
    lines, width = (columns, rows) if by_columns else (rows, columns)
    buffer = torch.full((offset + batch * lines * (width + gap),), float("nan"), device="cuda")
    view = buffer[offset:].view(batch, lines, width + gap)[:, :, :width]
    view = view.transpose(1, 2) if by_columns else view
    return view.copy_(torch.randn(batch, rows, columns, device="cuda"))


PLACES = {"bf16x6": 8, "fp16x3": 12}
"""Units of 2^-24 of |A||B|. Of fp16x3, two parts that are rounded and a product of the lower ones that is left out are
three, and three sums that the tensor cores truncate are six: with k = 1 nothing averages them out."""


@pytest.mark.parametrize("precision", PRECISIONS)
def test_random_products(precision):
    """In every layout, with and without an epilogue: within a few last places of |A||B|, and twice the same bits."""
    seed = SystemRandom().randrange(2**32)
    random = Random(seed)
    torch.manual_seed(seed)
    for _ in range(CASES):
        batch, m, k, n = random.choice((1, 1, 3)), *(random.choice(SIDES) for _ in range(3))
        k = random.choice((k, k, 0, 4096 + k))
        a, b, c = matrix(random, batch, m, k), matrix(random, batch, k, n), matrix(random, batch, m, n)
        more = random.choice(({}, {"c": c, "beta": -2, "alpha": 0.5, "bias": torch.randn(n, device="cuda")}))
        result = tilewright.matmul(a, b, precision=precision, **more)

        exact, size = a.double() @ b.double(), a.double().abs() @ b.double().abs()
        if more:
            exact = 0.5 * exact - 2 * c + more["bias"]
            size = size + 2 * c.abs() + more["bias"].abs()
        assert ((result.double() - exact).abs() <= PLACES[precision] * 2.0**-24 * size).all(), seed
        assert torch.equal(result, tilewright.matmul(a, b, precision=precision, **more)), seed


@pytest.mark.parametrize("precision", PRECISIONS)
def test_hard_numbers(precision):
    """Infinities and NaN as IEEE 754 says, zero rows, huge and tiny numbers; bfloat16 parts give each number back."""
    a, b, identity = (torch.randn(1000, 1000, device="cuda"), torch.randn(1000, 1000, device="cuda"), torch.eye(1000))
    a[3, 5], a[400, 7], a[999, 999], a[5] = float("inf"), float("nan"), -float("inf"), 0
    exact, result = a.double() @ b.double(), tilewright.matmul(a, b, precision=precision)

    assert torch.equal(result.isnan(), exact.isnan())
    assert torch.equal(result[exact.isinf()].double(), exact[exact.isinf()])
    assert not result[5].any()
    for scale in (2.0**60, 2.0**-60):
        c, size = tilewright.matmul(b * scale, b * scale, precision=precision), b.double().abs() @ b.double().abs()
        assert ((c.double() / scale**2 - b.double() @ b.double()).abs() <= 2.0**-20 * size).all()
    if precision == "bf16x6":
        wide = torch.exp2(torch.rand(1000, 1000, device="cuda").double() * 276 - 149).float()
        assert torch.equal(tilewright.matmul(wide, identity.cuda(), precision=precision), wide)
