"""kernels/matmul/small_batched.cu, forced upon small products of all kinds, also where the rules prefer another."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random, SystemRandom

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

from tests.gpu.fuzz_products import compile_all, executor  # noqa: E402  (it imports torch)
from tests.gpu.guarded_product import BITS, GuardedProduct  # noqa: E402
from tests.gpu.product_cases import ProductCase, random_case, random_variant  # noqa: E402
from tests.gpu.torch_product import prepared  # noqa: E402
from tilewright.choose.choice import choose_plan  # noqa: E402
from tilewright.choose.plan import Plan  # noqa: E402
from tilewright.kernels.batches import slices  # noqa: E402
from tilewright.kernels.facts import DeviceFacts  # noqa: E402
from tilewright.kernels.matmul.small_batched import LARGEST, refusal  # noqa: E402
from tilewright.launch.cuda.device import cuda_device  # noqa: E402
from tilewright.launch.machine import DeviceUnavailableError  # noqa: E402

CASES, PER_VARIANT = 600, 12
EDGES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 100, 120, 126, 127, 128)


@pytest.fixture(scope="module")
def device():
    """The first GPU, if it has cp.async and bfloat16."""
    try:
        found = cuda_device(0)
    except DeviceUnavailableError as unavailable:
        pytest.skip(str(unavailable))
    if found.capability < (8, 0):
        pytest.skip(f"the kernel takes bfloat16 from compute capability 8.0 on; this GPU has {found.capability}")
    torch.cuda.init()
    return found


def cases_of(seed: int, facts: DeviceFacts) -> Iterator[tuple[ProductCase, Plan]]:
    """Random small products that the kernel takes, in batches or alone."""
    random, found = Random(seed), 0
    while found < CASES:
        variant = random_variant(random, ("small_batched",))
        for _ in range(PER_VARIANT):
            m, k, n = (random.choice((random.choice(EDGES), random.randint(1, LARGEST))) for _ in range(3))
            case = random_case(random, variant, (m, k, n))
            product = case.multiplication()
            if any(refusal(part.part, facts, None) for part in slices(product)):
                continue
            found += 1
            yield case, choose_plan(product, facts, "small_batched")


def test_awkward_products_are_within_the_bound(device):
    """Sizes, strides, layouts, batches and epilogues by chance: nothing wrong, and nothing written outside C."""
    seed = SystemRandom().randrange(2**32)
    torch.manual_seed(seed)
    cases = list(cases_of(seed, device.facts))
    compile_all((plan for _, plan in cases), device.capability)
    execute = executor(device)

    for case, plan in cases:
        assert {launch.kernel for launch in plan.launches} == {"matmul/small_batched"}
        assert GuardedProduct(case, "cuda").run(plan, execute).wrong == "", (seed, case)


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
