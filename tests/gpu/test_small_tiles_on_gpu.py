"""kernels/matmul/wgmma_small.cu, forced upon products that the rules might give to another kernel."""

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
from tilewright.choose.sm90.tiles import tile_table  # noqa: E402
from tilewright.kernels.launch import Launches  # noqa: E402
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile  # noqa: E402

TILES = dict.fromkeys(
    replace(tile, transposed_problem=transposed_problem)
    for tile in (
        *tile_table().small,
        *(row.tile for row in tile_table().measured if row.tile.small),
        WgmmaTile(64, 128, 2, 1, cluster_m=2, small=True),
        WgmmaTile(128, 64, 3, 1, cluster_n=2, small=True),
        WgmmaTile(128, 192, 2, 2, cluster_m=2, cluster_n=2, small=True),
        *(WgmmaTile(64, width, 4, 1, splits=splits, small=True) for width in (8, 24, 64) for splits in (1, 2, 8)),
        *(WgmmaTile(128, 16, 3, 2, block_k=128, splits=splits, small=True) for splits in (1, 4)),
        *(WgmmaTile(64, width, 3, 1, blocks_per_sm=2, small=True, persistent=True) for width in (8, 24, 64)),
        WgmmaTile(128, 48, 4, block_k=128, small=True, persistent=True),
    )
    for transposed_problem in (False, True)
)
CASES, PER_VARIANT, MOST_TRIES = 30, 4, 100_000


@pytest.fixture(scope="module")
def device():
    """The first GPU, if it is a Hopper."""
    return first_hopper()


def drawn(random: Random) -> Iterator[ProductCase]:
    """Cases of one variant: strides of 16 bytes, rows of C too, all else as it comes."""
    variant = replace(random_variant(random, ("auto",)), spread=(8, 8, 8))
    for _ in range(10 * PER_VARIANT):
        yield random_case(random, variant)


def cases_of(tile: WgmmaTile, seed: int) -> Iterator[tuple[ProductCase, Launches]]:
    """Random products that the kernel takes with a tile."""
    random = Random(seed)
    return taken((drawn(random) for _ in range(MOST_TRIES)), tile, count=CASES, per_variant=PER_VARIANT)


@pytest.mark.parametrize("tile", TILES, ids=described)
def test_awkward_products_are_within_the_bound(device, tile):
    """Sizes, layouts, batches and epilogues by chance: nothing wrong, and nothing written outside C."""
    seed = SystemRandom().randrange(2**32)
    torch.manual_seed(seed)
    cases = list(cases_of(tile, seed))
    compile_all((plan for _, plan in cases), device.capability)
    execute = executor(device)

    assert len(cases) == CASES
    for case, plan in cases:
        assert plan.launches[-1].kernel == "matmul/wgmma_small"
        assert GuardedProduct(case, "cuda").run(plan, execute).wrong == "", (seed, case)
