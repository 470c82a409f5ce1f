"""Tiles of float32 that blocks share in every way, products that are cut in two, and with a vector, on a GPU."""

from __future__ import annotations

from random import Random, SystemRandom

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

import tilewright  # noqa: E402
from tests.gpu.fuzz_products import compile_all, executor  # noqa: E402
from tests.gpu.guarded_product import GuardedProduct  # noqa: E402
from tests.gpu.product_cases import ProductCase, random_case, random_variant  # noqa: E402
from tests.gpu.torch_tensors import first_gpu, is_right  # noqa: E402
from tilewright.kernels.batches import slices  # noqa: E402
from tilewright.kernels.launch import Launches, ceil_divide  # noqa: E402
from tilewright.kernels.matmul import cuda_cores_float32  # noqa: E402
from tilewright.kernels.matmul.float_tile import Shares  # noqa: E402

KERNEL = cuda_cores_float32.KERNEL
SHARED = [tile for tile in KERNEL.tiles if tile.streams]
CASES, PER_VARIANT, MOST_BLOCKS = 150, 6, 132


@pytest.fixture(scope="module")
def device():
    """The first GPU, as torch has it."""
    return first_gpu()


def random_shares(random, tile, product):
    """Some tiles with a block each, and blocks that share the others: few, or several to a tile."""
    tiles = tile.tiles(product)
    whole = random.choice((0, 0, random.randrange(tiles)))
    steps = (tiles - whole) * ceil_divide(product.k, tile.block_k)
    return Shares(whole=whole, blocks=random.randint(1, min(MOST_BLOCKS, steps)))


def test_shared_tiles_are_within_the_bound(device):
    """Sizes, strides, batches and epilogues by chance; nothing is written outside, and a repeat has the same bits."""
    seed = SystemRandom().randrange(2**32)
    random = Random(seed)
    torch.manual_seed(seed)
    found: list[tuple[ProductCase, Launches]] = []
    while len(found) < CASES:
        variant = random_variant(random, ("cuda_cores_float32",), ("float32",))
        for _ in range(PER_VARIANT):
            sizes = random.randint(1, 900), random.randint(1, 3000), random.randint(17, 900)
            case = random_case(random, variant, sizes)
            (part,) = slices(case.multiplication())
            tile = random.choice(SHARED)
            found.append((case, KERNEL.divided(part, device.facts, tile, random_shares(random, tile, part.part))))
    compile_all((plan for _, plan in found), device.capability)
    execute = executor(device)
    for case, plan in found:
        product = GuardedProduct(case, "cuda")
        assert product.run(plan, execute).wrong == "", (seed, case, plan.reasons)
        if case.in_place:
            continue
        kept = product.c.bits()
        assert product.run(plan, execute).wrong == "", (seed, case, plan.reasons)
        assert torch.equal(product.c.bits(), kept), (seed, case, plan.reasons)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("sizes", [(4097, 130, 4099), (2051, 999, 3000), (1536, 1537, 1536), (5000, 77, 2049)])
def test_what_is_cut_in_two(device, dtype, sizes):  # noqa: ARG001  (a GPU is what it needs)
    """Whatever is chosen, with an epilogue or without."""
    m, k, n = sizes
    precision = "ieee" if dtype is torch.float32 else "auto"
    a, b = (torch.randn(shape, dtype=dtype, device="cuda") for shape in ((m, k), (k, n)))
    out = torch.full((m, n), float("nan"), dtype=dtype, device="cuda")
    added = torch.randn(m, n, dtype=dtype, device="cuda")
    tilewright.matmul(a, b, out, precision=precision)
    assert is_right(out, a, b)
    got = tilewright.matmul(a, b, c=added, beta=-2, precision=precision)
    assert torch.allclose(got, out - 2 * added, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_products_with_a_vector(device, dtype):  # noqa: ARG001  (a GPU is what it needs)
    """A matrix times a vector and the reverse, in both layouts, in batches, with views; a repeat has the same bits."""
    seed = SystemRandom().randrange(2**32)
    random = Random(seed)
    torch.manual_seed(seed)
    precision = "ieee" if dtype is torch.float32 else "auto"
    for _ in range(60):
        rows, k = random.choice((1, 7, 64, 500, 3000)), random.choice((1, 63, 64, 65, 1000, 4099))
        batch = random.choice(((), (), (3,), (2, 2)))
        matrix = torch.randn(*batch, rows, k + random.choice((0, 1)), dtype=dtype, device="cuda")[..., :k]
        matrix = matrix.contiguous() if random.random() < 0.3 else matrix
        vector = torch.randn(k, 1, dtype=dtype, device="cuda")
        a, b = random.choice(((matrix, vector), (vector.mT, matrix.mT), (matrix.mT.contiguous().mT, vector)))
        got = tilewright.matmul(a, b, precision=precision)
        case = (seed, tuple(a.shape), tuple(b.shape), a.stride(), b.stride())
        assert is_right(got, a, b), case
        assert torch.equal(tilewright.matmul(a, b, precision=precision), got), case
