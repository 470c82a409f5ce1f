"""Products in 16-bit types on a GPU: exact where they can be, within the bound everywhere, the same bits every time."""

from __future__ import annotations

from random import Random, SystemRandom

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

from tests.gpu.fuzz_products import compile_all, executor, planned_cases  # noqa: E402  (they import torch)
from tests.gpu.guarded_product import BITS, GuardedProduct  # noqa: E402
from tests.gpu.torch_product import prepared  # noqa: E402
from tests.gpu.torch_tensors import first_gpu  # noqa: E402
from tilewright.kernels import TaughtKernel, kernels_of  # noqa: E402
from tilewright.kernels.problem import Epilogue  # noqa: E402
from tilewright.kernels.refusals import PlanError  # noqa: E402

IDEAS = [
    kernel.idea
    for kernel in [k for k in kernels_of("matmul") if not isinstance(k, TaughtKernel)]
    if "float16" in kernel.since
]
OF_SOME_SIZES = {"small_batched", "short_k", "matrix_vector", "wgmma_classes"}
"""Files of their own force them."""
KERNELS = ("auto", *(idea for idea in IDEAS if idea not in OF_SOME_SIZES))
DTYPES = (torch.float16, torch.bfloat16)
NEEDED_BYTES = 40 * 2**30
"""Free memory for the operands of more than 2^31 elements."""


@pytest.fixture(scope="module")
def device():
    """The first GPU, as torch has it."""
    return first_gpu()


def only_where_it_runs(device, kernel, dtype):
    """Skip a kernel that this GPU does not have for the type."""
    for known in [k for k in kernels_of("matmul") if not isinstance(k, TaughtKernel)]:
        refusal = known.chip_refusal(str(dtype).removeprefix("torch."), device.capability)
        if known.idea == kernel and refusal:
            pytest.skip(refusal)


def integers(*shape, dtype, most=3):
    """Small integers, so that sums are exact in float32."""
    return torch.randint(-most, most + 1, shape, device="cuda", dtype=torch.int32).to(dtype)


def test_random_products_are_within_the_bound(device):
    """A small sample of the fuzz, another one each time; tests/gpu/fuzz_products.py runs many thousands."""
    seed = SystemRandom().randrange(2**32)
    torch.manual_seed(seed)
    cases = planned_cases(seed, 300, device.facts, ("auto", "mma_sync", "mma_direct", "cuda_cores_16bit"))
    compile_all((plan for _, plan in cases), device.capability)
    execute = executor(device)

    for case, plan in cases:
        assert GuardedProduct(case, "cuda").run(plan, execute).wrong == "", (seed, case, plan.reasons)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(64, 64, 64), (257, 255, 259), (1, 8192, 300), (300, 4097, 1), (16, 1024, 2048)])
def test_small_integers_are_exact(device, kernel, dtype, sizes):
    """Every product and every sum is exact, and so is C, bit for bit; in the type of the inputs it is rounded once."""
    only_where_it_runs(device, kernel, dtype)
    m, k, n = sizes
    for out_dtype in (dtype, torch.float32):
        a, b = integers(m, k, dtype=dtype), integers(k, n, dtype=dtype)
        c = torch.full((m, n), float("nan"), dtype=out_dtype, device="cuda")
        prepared(device, a, b, c, kernel=kernel)()
        expected = (a.double() @ b.double()).to(out_dtype)
        bits = BITS[c.element_size()]
        assert torch.equal((c + 0).view(bits), (expected + 0).view(bits))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("odd", [False, True])
def test_nan_and_infinity_stay_in_their_row_and_column(device, kernel, odd):
    """What is wrong in A spoils its row of C alone, in B its column; nothing comes of the zeros past an edge."""
    only_where_it_runs(device, kernel, torch.bfloat16)
    m, k, n = (321, 131, 259) if odd else (320, 128, 256)
    a, b = integers(m, k, dtype=torch.bfloat16), integers(k, n, dtype=torch.bfloat16)
    a[m - 1, k - 1], a[5, 0], b[k - 1, n - 1] = float("nan"), float("inf"), float("nan")
    c = torch.zeros((m, n), dtype=torch.float32, device="cuda")
    prepared(device, a, b, c, kernel=kernel)()
    expected = a.double() @ b.double()

    assert torch.equal(torch.isnan(c), torch.isnan(expected))
    finite = torch.isfinite(expected)
    assert torch.equal(c[finite].double(), expected[finite])
    assert torch.equal(c[torch.isinf(expected)].double(), expected[torch.isinf(expected)])
    assert int(finite.sum()) == (m - 2) * (n - 1)


@pytest.mark.parametrize("kernel", KERNELS)
def test_what_is_not_asked_for_is_not_read(device, kernel):
    """With beta = 0 NaN in C is overwritten; rows and columns of zeros in A and B are zeros in C, not dust."""
    only_where_it_runs(device, kernel, torch.float16)
    a = torch.randn(200, 300, device="cuda", dtype=torch.float16)
    b = torch.randn(300, 100, device="cuda", dtype=torch.float16)
    a[17], b[:, 33] = 0, 0
    c = torch.full((200, 100), float("nan"), device="cuda", dtype=torch.float16)
    prepared(device, a, b, c, kernel=kernel, epilogue=Epilogue(alpha=0.5))()

    assert not torch.isnan(c).any()
    assert not c[17].any()
    assert not c[:, 33].any()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("sizes", [(64, 64, 64), (16, 512, 4096), (300, 40, 200), (2048, 64, 2040), (257, 255, 259)])
def test_a_bias_and_a_c_may_begin_anywhere(device, kernel, sizes):
    """Both are views that begin off 16 bytes, or on them: no load is wider than what lies there."""
    only_where_it_runs(device, kernel, torch.float16)
    m, k, n = sizes
    a, b = integers(m, k, dtype=torch.float16), integers(k, n, dtype=torch.float16)
    for first in (0, 1, 2, 5, 8):
        bias = integers(first + n, dtype=torch.float16)[first:]
        c_operand = integers(first + m * n, dtype=torch.float16)[first:].view(m, n)
        c = torch.full((m, n), float("nan"), dtype=torch.float16, device="cuda")
        epilogue = Epilogue(beta=1, bias=True)
        prepared(device, a, b, c, kernel=kernel, epilogue=epilogue, c_operand=c_operand, bias=bias)()

        assert torch.equal(c, (a.double() @ b.double() + c_operand.double() + bias.double()).half())


@pytest.mark.parametrize("kernel", KERNELS)
def test_an_empty_inner_size_gives_the_epilogue(device, kernel):
    """C is bias where k = 0, whatever it held."""
    only_where_it_runs(device, kernel, torch.float16)
    bias = torch.randn(33, device="cuda", dtype=torch.float16)
    a, b = (
        torch.empty(65, 0, device="cuda", dtype=torch.float16),
        torch.empty(0, 33, device="cuda", dtype=torch.float16),
    )
    c = torch.full((65, 33), float("nan"), device="cuda", dtype=torch.float16)
    prepared(device, a, b, c, kernel=kernel, epilogue=Epilogue(bias=True), bias=bias)()

    assert torch.equal(c, bias.expand(65, 33))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("sizes", [(64, 2**17, 64), (1000, 1000, 1000), (1023, 511, 1025), (4, 8192, 8192)])
def test_the_same_bits_every_time(device, kernel, sizes):
    """A thousand repeats on each of two streams at once, beside each other's memory traffic."""
    only_where_it_runs(device, kernel, torch.bfloat16)
    repeats = 100 if kernel == "cuda_cores_16bit" else 1000
    m, k, n = sizes
    streams = [torch.cuda.Stream(), torch.cuda.Stream()]
    a, b = (torch.randn(shape, device="cuda", dtype=torch.bfloat16) for shape in ((m, k), (k, n)))
    outputs = [torch.full((m, n), float("nan"), device="cuda", dtype=torch.float32) for _ in streams]
    multiply = [prepared(device, a, b, c, kernel=kernel) for c in outputs]
    multiply[0]()
    first = outputs[0].clone()
    different = [torch.zeros((), device="cuda", dtype=torch.int64) for _ in streams]
    torch.cuda.synchronize()
    for _ in range(repeats):
        for index, stream in enumerate(streams):
            with torch.cuda.stream(stream):
                outputs[index].fill_(float("nan"))
                multiply[index]()
                different[index] += (outputs[index].view(torch.int32) != first.view(torch.int32)).sum()
    torch.cuda.synchronize()

    assert [int(count) for count in different] == [0, 0]


def roomy():
    """Skip where the GPU has not the memory."""
    if torch.cuda.mem_get_info()[0] < NEEDED_BYTES:
        pytest.skip(f"operands of more than 2^31 elements need {NEEDED_BYTES // 2**30} GiB of free GPU memory")


def check_rows(a, b, c, rows):
    """Compare rows of C with the exact product of small integers."""
    expected = a[rows].double() @ b.double()
    assert torch.equal(c[rows].double(), expected.to(c.dtype).double())


@pytest.mark.parametrize("kernel", KERNELS)
def test_operands_of_more_than_2_31_elements(device, kernel):
    """A, and then C, with more elements than a 32-bit index has; the rows round 2^31 and the last ones."""
    only_where_it_runs(device, kernel, torch.float16)
    roomy()
    random = Random(1)
    m, k, n = 2**31 // 4096 + 37, 4096, 24
    a, b = integers(m, k, dtype=torch.float16), integers(k, n, dtype=torch.float16)
    c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.float32)
    prepared(device, a, b, c, kernel=kernel)()
    check_rows(a, b, c, [0, 1, 2**31 // k - 1, 2**31 // k, m - 1, *random.sample(range(m), 200)])

    del a, c
    m, k, n = 50_003, 17, 50_001
    a, b = integers(m, k, dtype=torch.float16), integers(k, n, dtype=torch.float16)
    c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.float16)
    prepared(device, a, b, c, kernel=kernel)()
    check_rows(a, b, c, [0, 1, 2**31 // n - 1, 2**31 // n, 2**31 // n + 1, m - 1, *random.sample(range(m), 50)])
    del a, b, c
    torch.cuda.empty_cache()


@pytest.mark.parametrize("kernel", KERNELS)
def test_offsets_beyond_2_31(device, kernel):
    """Small views of a large buffer: rows, columns and batches far apart, and a first element far behind the start."""
    only_where_it_runs(device, kernel, torch.bfloat16)
    roomy()
    large = torch.empty(2**32 + 2**24, device="cuda", dtype=torch.bfloat16)
    k, n = 136, 40
    b = integers(k, n, dtype=torch.bfloat16)
    views = {
        "rows": large.as_strided((32, k), (2**27 + 8, 1)),
        "odd rows": large.as_strided((32, k), (2**27 + 1, 1)),
        "columns": large.as_strided((32, k), (1, 2**24 + 8)),
        "first element": large.as_strided((32, k), (k, 1), 2**32 + 3),
    }
    for name, a in views.items():
        a.copy_(integers(32, k, dtype=torch.bfloat16))
        c = torch.full((32, n), float("nan"), device="cuda", dtype=torch.float32)
        if kernel == "mma_direct" and name == "columns":
            with pytest.raises(PlanError, match="counts inner indices in 32 bits"):
                prepared(device, a, b, c, kernel=kernel)
            continue
        prepared(device, a, b, c, kernel=kernel)()
        assert torch.equal(c.double(), a.double() @ b.double()), name

    batch = large.as_strided((2, 32, k), (2**31 + 8, k, 1))
    batch.copy_(integers(2, 32, k, dtype=torch.bfloat16))
    far_c = large.as_strided((2, 32, n), (2**31 + 8, n, 1), 2**20)
    prepared(device, batch, b, far_c, kernel=kernel)()
    assert torch.equal(far_c.double(), (batch.double() @ b.double()).to(torch.bfloat16).double())
    del large, views, batch, far_c, a
    torch.cuda.empty_cache()
