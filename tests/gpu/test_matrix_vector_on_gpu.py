"""kernels/matmul/matrix_vector.cu, forced upon products with a vector, also where others are faster."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

from tests.gpu.forced_kernel import check_within_the_bound  # noqa: E402  (it imports torch)
from tests.gpu.torch_product import prepared  # noqa: E402
from tests.gpu.torch_tensors import first_with_bfloat16  # noqa: E402

EDGES = (1, 2, 3, 7, 8, 9, 31, 63, 64, 65, 255, 257, 2047, 2048, 2049, 5000)


@pytest.fixture(scope="module")
def device():
    """The first GPU, if it has bfloat16."""
    return first_with_bfloat16()


def sizes(random):
    """m, k and n, one of the outer ones 1."""
    long, k = (random.choice((random.choice(EDGES), random.randint(1, 3000))) for _ in range(2))
    return random.choice(((1, k, long), (long, k, 1)))


def test_awkward_products_are_within_the_bound(device):
    """Sizes, strides, layouts, batches and epilogues by chance."""
    check_within_the_bound(device, "matrix_vector", sizes, also="dot/two_stage")


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("sizes", [(1, 61), (70_001, 129), (5, 70_001), (4099, 8191), (8192, 8192)])
@pytest.mark.parametrize("is_row", [False, True])
def test_large_results_are_exact(device, dtype, sizes, is_row):
    """Small integers have exact sums, and results are rounded once."""
    m, k = sizes
    a, b = (torch.randint(-2, 3, shape, device="cuda", dtype=torch.int32).to(dtype) for shape in ((m, k), (k, 1)))
    c = torch.full((m, 1), float("nan"), dtype=dtype, device="cuda")
    arguments = (b.T, a.T, c.T) if is_row else (a, b, c)
    prepared(device, *arguments, kernel="matrix_vector")()

    assert torch.equal(c, (a.double() @ b.double()).to(dtype))


def test_more_than_2_to_the_31_elements(device):
    """Rows are found by 64 bits."""
    m, k = 2**18 + 3, 2**13 + 1
    if torch.cuda.mem_get_info()[0] < 12 * 2**30:
        pytest.skip("the matrix and its reference take 9 GB")
    a, b = (
        torch.ones((m, k), dtype=torch.float16, device="cuda"),
        torch.zeros((k, 1), dtype=torch.float16, device="cuda"),
    )
    b[-1], a[-1, -1] = 1, 3
    c = torch.full((m, 1), float("nan"), dtype=torch.float16, device="cuda")
    prepared(device, a, b, c, kernel="matrix_vector")()

    assert c[:-1].eq(1).all()
    assert c[-1] == 3
