"""kernels/matmul/wgmma_classes.cu, forced upon products of all kinds with few rows or columns."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

from tests.gpu.forced_kernel import check_within_the_bound  # noqa: E402  (it imports torch)
from tests.gpu.torch_product import prepared  # noqa: E402
from tests.gpu.torch_tensors import first_with_bfloat16  # noqa: E402
from tilewright.kernels.matmul.wgmma_classes import MOST_COLUMNS  # noqa: E402

EDGES = (8, 9, 15, 16, 17, 63, 64, 65, 120, 121, 127, 128, 129, 240, 511, 512, 513, 1023, 1025, 2049)
LARGEST = 4000


@pytest.fixture(scope="module")
def device():
    """The first GPU, if it is a Hopper chip."""
    found = first_with_bfloat16()
    if found.capability[0] != 9:
        pytest.skip("the kernel is Hopper's")
    return found


def sizes(random):
    """m, k and n, one of the outer ones small."""
    long, k = (random.choice((random.choice(EDGES), random.randint(1, LARGEST))) for _ in range(2))
    few = random.randint(1, MOST_COLUMNS)
    return random.choice(((few, k, long), (long, k, few)))


def test_awkward_products_are_within_the_bound(device):
    """Sizes, strides, layouts and epilogues by chance."""
    check_within_the_bound(device, "wgmma_classes", sizes, also="matmul/splitk_reduce")


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("sizes", [(1, 2047, 50_257), (16, 50_257, 1023), (5, 9, 300_001), (3, 100_003, 61)])
@pytest.mark.parametrize("lies_along_k", [False, True])
@pytest.mark.parametrize("is_transposed", [False, True])
def test_large_results_are_exact(device, dtype, sizes, lies_along_k, is_transposed):
    """Small integers have exact sums, and results are rounded once."""
    m, k, n = sizes
    a, b = (torch.randint(-1, 2, shape, device="cuda", dtype=torch.int32).to(dtype) for shape in ((m, k), (k, n)))
    b = b.T.contiguous().T if lies_along_k else b
    c = torch.full((m, n), float("nan"), dtype=dtype, device="cuda")
    prepared(device, *((b.T, a.T, c.T) if is_transposed else (a, b, c)), kernel="wgmma_classes")()

    assert torch.equal(c, (a.double() @ b.double()).to(dtype))


def test_nan_beside_the_rows_reaches_no_result(device):
    """What lies before and behind a row of a view is NaN."""
    whole = torch.full((512, 311), float("nan"), dtype=torch.float16, device="cuda")
    b = whole[:, :301]
    b.copy_(torch.randint(-1, 2, b.shape, device="cuda"))
    a = torch.randint(-1, 2, (7, 301), device="cuda").half()
    c = torch.full((7, 512), float("nan"), dtype=torch.float16, device="cuda")
    prepared(device, a, b.T, c, kernel="wgmma_classes")()

    assert torch.equal(c, (a.double() @ b.T.double()).half())


def test_more_than_2_to_the_31_elements(device):
    """Lines are found by 64 bits."""
    k, n = 2**16 + 1, 2**15 + 1
    if torch.cuda.mem_get_info()[0] < 12 * 2**30:
        pytest.skip("the matrix takes 4 GB, and its reference 8")
    b = torch.zeros((k, n), dtype=torch.float16, device="cuda")
    b[-1] = torch.arange(n, device="cuda") % 1000
    a = torch.ones((2, k), dtype=torch.float16, device="cuda")
    c = torch.full((2, n), float("nan"), dtype=torch.float16, device="cuda")
    prepared(device, a, b, c, kernel="wgmma_classes")()

    assert torch.equal(c, b[-1].expand(2, n))
