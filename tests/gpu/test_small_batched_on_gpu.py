"""kernels/matmul/small_batched.cu, forced upon small products of all kinds, also where the rules prefer another."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

from tests.gpu.forced_kernel import check_within_the_bound  # noqa: E402  (it imports torch)
from tests.gpu.guarded_product import BITS  # noqa: E402
from tests.gpu.torch_product import prepared  # noqa: E402
from tests.gpu.torch_tensors import first_with_bfloat16  # noqa: E402
from tilewright.kernels.matmul.small_batched import LARGEST  # noqa: E402

EDGES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 100, 120, 126, 127, 128)


@pytest.fixture(scope="module")
def device():
    """The first GPU, if it has bfloat16."""
    return first_with_bfloat16()


def sizes(random):
    """m, k and n."""
    m, k, n = (random.choice((random.choice(EDGES), random.randint(1, LARGEST))) for _ in range(3))
    return m, k, n


def test_awkward_products_are_within_the_bound(device):
    """Sizes, strides, layouts, batches and epilogues by chance."""
    check_within_the_bound(device, "small_batched", sizes)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("sizes", [(2000, 127, 63, 127), (5000, 31, 33, 29), (1500, 128, 128, 128), (70_000, 3, 5, 7)])
def test_large_batches_are_exact(device, dtype, sizes):
    """Each block takes many products in turn; small integers have exact sums, also beside NaN in the next product."""
    batch, m, k, n = sizes
    a, b = (
        torch.randint(-3, 4, shape, device="cuda", dtype=torch.int32).to(dtype)
        for shape in ((batch, m, k), (batch, k, n))
    )
    a[1::3] = float("nan")
    c = torch.full((batch, m, n), 7, dtype=dtype, device="cuda")
    prepared(device, a, b, c, kernel="small_batched")()
    expected = torch.bmm(a.float(), b.float()).to(dtype)

    assert torch.isnan(c[1::3]).all()
    for begin in (0, 2):
        bits = BITS[c.element_size()]
        assert torch.equal((c[begin::3] + 0).view(bits), (expected[begin::3] + 0).view(bits))


def test_the_same_bits_every_time(device):
    """A hundred repeats."""
    a, b = (torch.randn(shape, device="cuda", dtype=torch.bfloat16) for shape in ((1024, 127, 63), (1024, 63, 127)))
    c = torch.empty((1024, 127, 127), device="cuda", dtype=torch.float32)
    multiply = prepared(device, a, b, c, kernel="small_batched")
    multiply()
    first = c.clone()
    different = torch.zeros((), device="cuda", dtype=torch.int64)
    for _ in range(100):
        c.fill_(float("nan"))
        multiply()
        different += (c.view(torch.int32) != first.view(torch.int32)).sum()

    assert int(different) == 0
