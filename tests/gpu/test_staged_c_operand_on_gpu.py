"""The C operand through the stages of wgmma.cu, on every tile, with a few waves of tiles so that stages go round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random, SystemRandom

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

from tests.gpu.fuzz_products import compile_all, executor  # noqa: E402  (it imports torch)
from tests.gpu.guarded_product import GuardedProduct  # noqa: E402
from tests.gpu.product_cases import ProductCase, random_case, random_variant  # noqa: E402
from tests.gpu.torch_tensors import first_hopper  # noqa: E402
from tilewright.choose.sm90.rule import described  # noqa: E402
from tilewright.choose.sm90.tiles import tile_table  # noqa: E402
from tilewright.kernels.batches import slices  # noqa: E402
from tilewright.kernels.launch import Launches  # noqa: E402
from tilewright.kernels.matmul.wgmma import part_launches  # noqa: E402
from tilewright.kernels.matmul.wgmma_tile import WgmmaTile  # noqa: E402
from tilewright.kernels.refusals import PlanError  # noqa: E402

TILES = dict.fromkeys(
    replace(tile, transposed_problem=transposed_problem)
    for tile in (*tile_table().candidates, WgmmaTile(128, 96, 2, cluster_m=2), WgmmaTile(256, 104, 2, cluster_n=2))
    for transposed_problem in (False, True)
)
SIZES = ((1500, 136, 1900), (300, 64, 9000), (129, 40, 264), (2000, 8, 300), (700, 1000, 700))
CASES_OF_SIZES, MOST_TRIES = 3, 100


@pytest.fixture(scope="module")
def device():
    """The first GPU, if it is a Hopper."""
    return first_hopper()


def planned(case: ProductCase, tile: WgmmaTile, sms: int) -> Launches | None:
    """The plan with this tile for so few SMs, or None where the C operand does not come through the stages."""
    parts = slices(case.multiplication())
    for stages in (tile.stages, tile.stages - 1):
        try:
            made = part_launches(parts[0], replace(tile, stages=stages), sms)
        except PlanError:
            continue
        if len(parts) == 1 and made.launches[-1].has("C_OPERAND_STAGED"):
            return Launches(made.launches, made.workspace_bytes, ())
    return None


def cases_of(tile: WgmmaTile, seed: int) -> Iterator[tuple[ProductCase, Launches]]:
    """Products whose c_operand the copy engine can address; with few SMs each of them has several tiles."""
    random = Random(seed)
    for sizes in SIZES:
        found = 0
        for _ in range(MOST_TRIES):
            spread = random.choice(((8, 8, 8), (1, 8, 8), (8, 1, 8)))
            drawn = replace(random_variant(random, ("wgmma",)), spread=spread, beta=random.choice((1.0, -0.3)))
            case = random_case(random, drawn, sizes)
            plan = planned(case, tile, random.choice((8, 132)))
            if plan is not None:
                yield case, plan
                found += 1
            if found == CASES_OF_SIZES:
                break
        assert found == CASES_OF_SIZES


@pytest.mark.parametrize("tile", TILES, ids=described)
def test_awkward_c_operands_are_within_the_bound(device, tile):
    """Along rows and along columns, broadcast along batches, C itself: nothing wrong, nothing written outside C."""
    seed = SystemRandom().randrange(2**32)
    torch.manual_seed(seed)
    cases = list(cases_of(tile, seed))
    compile_all((plan for _, plan in cases), device.capability)
    execute = executor(device)

    for case, plan in cases:
        assert GuardedProduct(case, "cuda").run(plan, execute).wrong == "", (seed, case, plan.launches[-1])
