"""kernels/matmul/short_k.cu, forced upon products of all kinds whose k is short, also where others are faster."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random, SystemRandom

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

from tests.gpu.fuzz_products import compile_all, executor  # noqa: E402  (it imports torch)
from tests.gpu.guarded_product import GuardedProduct  # noqa: E402
from tests.gpu.product_cases import ProductCase, random_case, random_variant  # noqa: E402
from tests.gpu.torch_product import prepared  # noqa: E402
from tilewright.choose.choice import choose_plan  # noqa: E402
from tilewright.choose.plan import Plan  # noqa: E402
from tilewright.kernels.batches import slices  # noqa: E402
from tilewright.kernels.facts import DeviceFacts  # noqa: E402
from tilewright.kernels.matmul.short_k import LONGEST, refusal  # noqa: E402
from tilewright.launch.cuda.device import cuda_device  # noqa: E402
from tilewright.launch.machine import DeviceUnavailableError  # noqa: E402

CASES, PER_VARIANT = 600, 12
EDGES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 255, 256, 257, 1000, 2049)
LARGEST = 1500


@pytest.fixture(scope="module")
def device():
    """The first GPU, if it has bfloat16."""
    try:
        found = cuda_device(0)
    except DeviceUnavailableError as unavailable:
        pytest.skip(str(unavailable))
    if found.capability < (8, 0):
        pytest.skip(f"the kernel takes bfloat16 from compute capability 8.0 on; this GPU has {found.capability}")
    torch.cuda.init()
    return found


def cases_of(seed: int, facts: DeviceFacts) -> Iterator[tuple[ProductCase, Plan]]:
    """Random products that the kernel takes, in batches or alone."""
    random, found = Random(seed), 0
    while found < CASES:
        variant = random_variant(random, ("short_k",))
        for _ in range(PER_VARIANT):
            m, n = (random.choice((random.choice(EDGES), random.randint(1, LARGEST))) for _ in range(2))
            k = random.randint(1, LONGEST)
            case = random_case(random, variant, (m, k, n))
            product = case.multiplication()
            if any(refusal(part.part, facts, None) for part in slices(product)):
                continue
            found += 1
            yield case, choose_plan(product, facts, "short_k")


def test_awkward_products_are_within_the_bound(device):
    """Sizes, strides, layouts, batches and epilogues by chance: nothing wrong, and nothing written outside C."""
    seed = SystemRandom().randrange(2**32)
    torch.manual_seed(seed)
    cases = list(cases_of(seed, device.facts))
    compile_all((plan for _, plan in cases), device.capability)
    execute = executor(device)

    for case, plan in cases:
        assert {launch.kernel for launch in plan.launches} == {"matmul/short_k"}
        assert GuardedProduct(case, "cuda").run(plan, execute).wrong == "", (seed, case)


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
