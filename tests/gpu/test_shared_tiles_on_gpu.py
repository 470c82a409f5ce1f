"""kernels/matmul/wgmma.cu with tiles that clusters share, and with tiles of every width, on a GPU."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random, SystemRandom

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

from tests.gpu.forced_tile import taken  # noqa: E402
from tests.gpu.fuzz_products import compile_all, executor  # noqa: E402  (it imports torch)
from tests.gpu.guarded_product import GuardedProduct  # noqa: E402
from tests.gpu.product_cases import ProductCase, random_case, random_variant  # noqa: E402
from tests.gpu.torch_tensors import first_hopper  # noqa: E402
from tilewright.choose.sm90.rule import described  # noqa: E402
from tilewright.kernels.launch import Launches  # noqa: E402
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile  # noqa: E402

WIDE = (
    WgmmaTile(128, 256, 4, cluster_m=2),
    WgmmaTile(256, 136, 3, cluster_n=2),
    WgmmaTile(192, 176, 3, consumers=3),
    WgmmaTile(128, 112, 5, cluster_m=2),
    WgmmaTile(64, 168, 5, consumers=1),
    WgmmaTile(64, 88, 6, consumers=1, cluster_n=2),
    WgmmaTile(64, 128, 3, consumers=1, blocks_per_sm=2),
)
TILES = tuple(
    replace(tile, stream_k=stream_k, transposed_problem=transposed)
    for tile in WIDE
    for stream_k in (False, True)
    for transposed in (False, True)
)
CASES, PER_VARIANT, MOST_TRIES, MOST_PRODUCTS = 16, 4, 400, 3e9


@pytest.fixture(scope="module")
def device():
    """The first GPU, if it is a Hopper."""
    return first_hopper()


def size(random: Random, most: int) -> int:
    """A size by chance, small ones as likely as large ones, half of them multiples of 8."""
    found = int(2 ** random.uniform(3, most.bit_length()))
    return found // 8 * 8 if random.random() < 0.5 else found


def drawn(random: Random) -> Iterator[ProductCase]:
    """Cases of one variant, from less than a tile to some waves of them."""
    variant = random_variant(random, ("auto",))
    variant = replace(variant, spread=(8, 8, random.choice((1, 8, 8))))
    for _ in range(4 * PER_VARIANT):
        m, k, n = size(random, 4000), size(random, 4000), size(random, 4000)
        if m * k * n < MOST_PRODUCTS:
            yield random_case(random, variant, (m, k, n))


def cases_of(tile: WgmmaTile, seed: int) -> Iterator[tuple[ProductCase, Launches]]:
    """Random products that the kernel takes with a tile; of one that is shared, those where it is."""
    random = Random(seed)
    return taken((drawn(random) for _ in range(MOST_TRIES)), tile, count=CASES, per_variant=PER_VARIANT)


@pytest.mark.parametrize("tile", TILES, ids=lambda tile: f"{described(tile)}{', shared' if tile.stream_k else ''}")
def test_products_are_within_the_bound_and_repeat(device, tile):
    """Nothing is wrong, nothing written outside C, and a second run has the same bits."""
    seed = SystemRandom().randrange(2**32)
    torch.manual_seed(seed)
    cases = list(cases_of(tile, seed))
    compile_all((plan for _, plan in cases), device.capability)
    execute = executor(device)

    assert len(cases) == CASES, seed
    for case, plan in cases:
        product = GuardedProduct(case, "cuda")
        assert product.run(plan, execute).wrong == "", (seed, case, plan.reasons)
        if not case.in_place:
            kept = product.c.bits()
            assert product.run(plan, execute).wrong == "", (seed, case, plan.reasons)
            assert torch.equal(product.c.bits(), kept), (seed, case, plan.reasons)
