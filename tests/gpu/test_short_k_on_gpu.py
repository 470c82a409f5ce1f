"""kernels/matmul/short_k.cu, forced upon products of all kinds whose k is short, also where others are faster."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

from tests.gpu.forced_kernel import check_within_the_bound  # noqa: E402  (it imports torch)
from tests.gpu.torch_product import prepared  # noqa: E402
from tests.gpu.torch_tensors import first_with_bfloat16  # noqa: E402
from tilewright.kernels.matmul.short_k import LONGEST  # noqa: E402

EDGES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 255, 256, 257, 1000, 2049)
LARGEST = 1500


@pytest.fixture(scope="module")
def device():
    """The first GPU, if it has bfloat16."""
    return first_with_bfloat16()


def sizes(random):
    """m, k and n."""
    m, n = (random.choice((random.choice(EDGES), random.randint(1, LARGEST))) for _ in range(2))
    return m, random.randint(1, LONGEST), n


def test_awkward_products_are_within_the_bound(device):
    """Sizes, strides, layouts, batches and epilogues by chance."""
    check_within_the_bound(device, "short_k", sizes)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("sizes", [(8191, 61, 4099), (70_001, 3, 129), (64, 1, 70_001), (40_000, 16, 30_000)])
def test_large_results_are_exact(device, dtype, sizes):
    """Warps that walk down thousands of rows; small integers have exact sums."""
    m, k, n = sizes
    a, b = (torch.randint(-3, 4, shape, device="cuda", dtype=torch.int32).to(dtype) for shape in ((m, k), (k, n)))
    c = torch.full((m, n), float("nan"), dtype=dtype, device="cuda")
    prepared(device, a, b, c, kernel="short_k")()

    assert torch.equal(c, torch.matmul(a, b))


def test_more_than_2_to_the_31_results(device):
    """Rows are found by 64 bits."""
    m, n = 2**16 + 1, 2**15 + 1
    if torch.cuda.mem_get_info()[0] < 12 * 2**30:
        pytest.skip("the result and its reference take 9 GB")
    a, b = (torch.randint(-3, 4, shape, device="cuda", dtype=torch.int32).half() for shape in ((m, 3), (3, n)))
    c = torch.full((m, n), float("nan"), dtype=torch.float16, device="cuda")
    prepared(device, a, b, c, kernel="short_k")()

    assert torch.equal(c, torch.matmul(a, b))
