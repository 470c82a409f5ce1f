"""reduced_matmul on a GPU: any sizes, strides and type beside sums in float64, guards, the same bits in every call."""

from __future__ import annotations

from random import Random, SystemRandom

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

import tilewright  # noqa: E402
from tests.gpu.torch_tensors import first_gpu  # noqa: E402
from tilewright.kernels.kernel import LEAST_CAPABILITY  # noqa: E402

DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
KERNELS = ("auto", "pair_sums", "fused")
GUARD = 64


@pytest.fixture(scope="module", autouse=True)
def device():
    """The first GPU, as torch has it."""
    found = first_gpu()
    if found.capability < LEAST_CAPABILITY:
        pytest.skip("The chip is older than the kernels.")
    return found


def placed(random, rows, columns, dtype):
    """A matrix by rows, by columns or with gaps both ways, at some offset in a buffer of NaN with guards; and it."""
    gap, offset, kind = random.choice((0, 0, 1, 8)), random.choice((0, 0, 1, 3, 8)), random.randrange(5)
    strides = (columns + gap, 1) if kind < 3 else (1, rows + gap) if kind == 3 else (3 * columns + gap, 3)
    size = max(rows, 1) * strides[0] + max(columns, 1) * strides[1] + 1
    buffer = torch.full((2 * GUARD + offset + size,), float("nan"), dtype=dtype, device="cuda")
    return torch.as_strided(buffer, (rows, columns), strides, GUARD + offset), buffer


def operand(random, rows, columns, dtype):
    """Random numbers, placed."""
    view, buffer = placed(random, rows, columns, dtype)
    view.copy_(torch.randn((rows, columns), device="cuda", dtype=torch.float64))
    return view, buffer


def is_within_bound(c, a, b):
    """Whether it is the product of pair sums, each rounded once to the type, added in float32 or float64."""
    unit = torch.finfo(c.dtype).eps / 2
    single = max(torch.finfo(torch.float64).eps, min(unit, 2.0**-24))
    a, b = a.double(), b.double()
    sums_a, sums_b = a[0::2] + a[1::2], b[:, 0::2] + b[:, 1::2]
    expected, terms = sums_a @ sums_b, sums_a.abs() @ sums_b.abs()
    bound = (2 * unit + unit**2 + (a.shape[1] + 16) * single) * terms + unit * expected.abs() + 2.0**-24
    return bool(((c.double() - expected).abs() <= bound).all())


def sizes(random):
    """Small, thin, deep and middling ones."""
    most = random.choice(((40, 40, 40), (600, 600, 600), (4, 3000, 3000), (3000, 600, 6), (30, 20_000, 30)))
    rows, inner, columns = (random.randint(1, each) for each in most)
    return 2 * rows, inner, 2 * columns


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_random_products_are_within_the_bound(dtype, kernel):
    """Any placement; nothing outside C is written, inputs are left alone, and every call gives the same bits."""
    seed = SystemRandom().randrange(2**32)
    random = Random(seed)
    torch.manual_seed(seed)
    for _ in range(25):
        m, k, n = sizes(random)
        (a, in_a), (b, in_b) = operand(random, m, k, dtype), operand(random, k, n, dtype)
        c, in_c = placed(random, m // 2, n // 2, dtype)
        before = [each.clone() for each in (in_a, in_b)]
        said = f"{m} x {k} x {n}, seed {seed}"
        first = None
        for _ in range(3):
            in_c.fill_(float("nan"))
            assert tilewright.reduced_matmul(a, b, c, kernel=kernel).data_ptr() == c.data_ptr()
            assert is_within_bound(c, a, b), said
            first = c.clone() if first is None else first
            assert torch.equal(first, c), said
            c.fill_(float("nan"))
            assert in_c.isnan().all(), said
        for buffer, kept in zip((in_a, in_b), before, strict=True):
            assert torch.equal(buffer.nan_to_num(7), kept.nan_to_num(7)), said


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_same_bits_on_streams_and_in_graphs(kernel):
    """Splits of launches at the same time do not meet in a workspace; a graph's runs find no earlier run's sums."""
    a, b = torch.randn((30, 20_000), device="cuda"), torch.randn((20_000, 50), device="cuda")
    first = tilewright.reduced_matmul(a, b, kernel=kernel).clone()
    streams = [torch.cuda.Stream() for _ in range(4)]
    torch.cuda.synchronize()
    found = []
    for turn in range(200):
        with torch.cuda.stream(streams[turn % 4]):
            found.append(tilewright.reduced_matmul(a, b, kernel=kernel))
    torch.cuda.synchronize()
    assert all(torch.equal(first, each) for each in found)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = tilewright.reduced_matmul(a, b, kernel=kernel)
    for _ in range(20):
        captured.fill_(float("nan"))
        graph.replay()
        assert torch.equal(first, captured)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_batches(dtype):
    """Broadcast batches, and many small products."""
    for shape_a, shape_b in (((5, 1, 8, 7), (3, 7, 6)), ((500, 32, 33), (500, 33, 32))):
        a = torch.randint(-4, 5, shape_a, device="cuda").to(dtype)
        b = torch.randint(-4, 5, shape_b, device="cuda").to(dtype)
        wide = a.double(), b.double()
        expected = (wide[0][..., 0::2, :] + wide[0][..., 1::2, :]) @ (wide[1][..., 0::2] + wide[1][..., 1::2])
        assert torch.equal(tilewright.reduced_matmul(a, b), expected.to(dtype))
        assert torch.equal(tilewright.reduced_matmul(a, b, kernel="fused"), expected.to(dtype))
