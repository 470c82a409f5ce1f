"""kernels/matmul/wgmma.cu for transposed problems, which store columns, and for splits that take every eighth k."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random, SystemRandom

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

from tests.gpu.forced_tile import taken  # noqa: E402
from tests.gpu.fuzz_products import compile_all, executor  # noqa: E402  (it imports torch)
from tests.gpu.guarded_product import GuardedProduct  # noqa: E402
from tests.gpu.product_cases import EDGES, ProductCase, random_case, random_variant  # noqa: E402
from tests.gpu.torch_tensors import first_hopper  # noqa: E402
from tilewright.choose.sm90.k_classes import TILES as CLASS_TILES  # noqa: E402
from tilewright.choose.sm90.rule import described  # noqa: E402
from tilewright.choose.sm90.tiles import tile_table  # noqa: E402
from tilewright.kernels.launch import Launches  # noqa: E402
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile  # noqa: E402

TILES = (
    *(replace(tile, transposed_problem=True) for tile in tile_table().candidates),
    *(replace(tile, splits=splits) for tile in CLASS_TILES for splits in (1, 3)),
    *(replace(tile, transposed_problem=True) for tile in CLASS_TILES),
)
CASES, PER_VARIANT, MOST_TRIES = 24, 4, 2000


@pytest.fixture(scope="module")
def device():
    """The first GPU, if it is a Hopper."""
    return first_hopper()


def drawn(random: Random, tile: WgmmaTile) -> Iterator[ProductCase]:
    """Cases of one variant; a long k and one product for classes of k."""
    variant = random_variant(random, ("auto",))
    if not tile.k_classes:
        variant = replace(variant, spread=(8, 8, random.choice((1, 8))))
    else:
        layouts = random.choice(((True, False), (True, False), (False, False), (True, True)))
        variant = replace(variant, column_major=(*layouts, variant.column_major[2]), has_batch=False)
    for _ in range(4 * PER_VARIANT):
        m, n = (random.choice((random.choice(EDGES), random.randint(2, 300))) for _ in range(2))
        yield random_case(random, variant, (m, random.randint(512, 3000), n) if tile.k_classes else None)


def cases_of(tile: WgmmaTile, seed: int) -> Iterator[tuple[ProductCase, Launches]]:
    """Random products that the kernel takes with a tile."""
    random = Random(seed)
    return taken((drawn(random, tile) for _ in range(MOST_TRIES)), tile, count=CASES, per_variant=PER_VARIANT)


@pytest.mark.parametrize("tile", TILES, ids=described)
def test_awkward_products_are_within_the_bound(device, tile):
    """Sizes, layouts, strides and epilogues by chance: nothing wrong, and nothing written outside C."""
    seed = SystemRandom().randrange(2**32)
    torch.manual_seed(seed)
    cases = list(cases_of(tile, seed))
    compile_all((plan for _, plan in cases), device.capability)
    execute = executor(device)

    assert len(cases) == CASES
    for case, plan in cases:
        assert GuardedProduct(case, "cuda").run(plan, execute).wrong == "", (seed, case)
