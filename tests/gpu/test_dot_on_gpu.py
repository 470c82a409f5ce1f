"""dot and vecdot on a GPU: any length, stride and type beside sums in float64, the same bits in every call."""

from __future__ import annotations

from math import fsum
from random import Random, SystemRandom

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

import tilewright  # noqa: E402
from tests.gpu.torch_tensors import first_gpu  # noqa: E402
from tilewright.kernels.kernel import LEAST_CAPABILITY  # noqa: E402

LENGTHS = (0, 1, 2, 31, 32, 33, 127, 1000, 1021, 4099, 16_384, 65_537, 300_007, 2**20 + 1)
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
INTEGERS = (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64)


@pytest.fixture(scope="module", autouse=True)
def device():
    """The first GPU, as torch has it."""
    found = first_gpu()
    if found.capability < LEAST_CAPABILITY:
        pytest.skip("The chip is older than the kernel.")
    return found


def vectors(random, k, dtype, batch=()):
    """Vectors of positive numbers, or small integers, with gaps and an offset in a buffer of NaN (or 77)."""
    step, offset = random.choice((1, 1, 1, 2, 3)), random.choice((0, 0, 1, 2, 3, 7))
    fill = float("nan") if dtype.is_floating_point else 77
    buffer = torch.full((*batch, offset + k * step + 1), fill, dtype=dtype, device="cuda")
    view = buffer[..., offset : offset + k * step : step]
    if dtype.is_floating_point:
        view.copy_(torch.rand((*batch, k), device="cuda") + 0.5)
    else:
        view.copy_(torch.randint(-4 if dtype.is_signed else 0, 5, (*batch, k), device="cuda"))
    return view


def is_rounded(result, expected):
    """Whether results are the expected ones (in float64) to the type's precision: 1 to 2 units in the last place."""
    apart = (result.double() - expected).abs() <= torch.finfo(result.dtype).eps * expected.abs()
    return bool((apart | (result == expected.to(result.dtype))).all())


def exact(a, b):
    """Products of vectors along the last axis, added in 64 bits of mantissa, as float64 on the GPU."""
    a, b = (each.double().cpu().numpy().astype(np.longdouble) for each in (a, b))
    return torch.from_numpy((a * b).sum(-1).astype(np.float64)).cuda()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_any_length(dtype):
    """As exact sums, to the type's precision; the same bits in every call."""
    seed = SystemRandom().randrange(2**32)
    random = Random(seed)
    torch.manual_seed(seed)
    for k in LENGTHS:
        a, b = vectors(random, k, dtype), vectors(random, k, dtype)
        result = tilewright.dot(a, b)
        expected = torch.tensor(fsum((a.double() * b.double()).tolist()), dtype=torch.float64, device="cuda")
        assert (result.shape, result.dtype) == ((), dtype)
        assert is_rounded(result, expected), f"{k} elements, seed {seed}"
        assert all(torch.equal(result, tilewright.dot(a, b)) for _ in range(3))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers(dtype):
    """Exact, modulo the type's range or in a wider one."""
    random = Random(1)
    for k in LENGTHS:
        a, b = vectors(random, k, dtype), vectors(random, k, dtype)
        expected = (a.long() * b.long()).sum()
        assert torch.equal(tilewright.dot(a, b), expected.to(dtype))
        assert torch.equal(tilewright.dot(a, b, dtype=torch.int64), expected)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_batches(dtype):
    """Rows, columns, broadcast vectors; many short ones and a few long ones."""
    seed = SystemRandom().randrange(2**32)
    random = Random(seed)
    torch.manual_seed(seed)
    for products, k in ((1, 5), (3, 100_003), (40, 1000), (1000, 33), (70_000, 7), (300, 5000), (2000, 0), (33, 65)):
        a, b = vectors(random, k, dtype, (products,)), vectors(random, k, dtype, (products,))
        expected = exact(a, b)
        assert is_rounded(tilewright.vecdot(a, b), expected), f"{products} x {k}, seed {seed}"
        assert is_rounded(tilewright.vecdot(a.T, b.T, axis=0), expected)
        columns = a.T.contiguous(), b.T.contiguous()
        assert is_rounded(tilewright.vecdot(*columns, axis=0), expected), f"columns, {products} x {k}, seed {seed}"
        assert is_rounded(tilewright.vecdot(a[:1], b), exact(a[:1], b))
        out = torch.full((products, 2), float("nan"), dtype=dtype, device="cuda")
        assert tilewright.vecdot(a, b, out[:, 1]).data_ptr() == out[:, 1].data_ptr()
        assert is_rounded(out[:, 1], expected)
        assert out[:, 0].isnan().all()


def test_the_same_bits_on_streams_and_in_graphs():
    """Launches at the same time do not meet in a workspace; a graph's runs do not find each other's sums."""
    a, b = (torch.randn(2**22 + 3, device="cuda") for _ in range(2))
    first = tilewright.dot(a, b).clone()
    streams = [torch.cuda.Stream() for _ in range(4)]
    torch.cuda.synchronize()
    found = []
    for turn in range(200):
        with torch.cuda.stream(streams[turn % 4]):
            found.append(tilewright.dot(a, b))
    torch.cuda.synchronize()
    assert all(torch.equal(first, each) for each in found)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = tilewright.dot(a, b)
    for _ in range(20):
        captured.fill_(float("nan"))
        graph.replay()
        assert torch.equal(first, captured)


def test_more_than_2_to_the_31_elements():
    """Indices have 64 bits."""
    if torch.cuda.mem_get_info()[0] < 5 * 2**30:
        pytest.skip("The GPU has less than 5 GiB left.")
    ones = torch.ones(2**31 + 5, dtype=torch.float16, device="cuda")
    assert float(tilewright.dot(ones, ones, dtype=torch.float64)) == 2**31 + 5


def test_dot2_keeps_what_float64_rounds_away():
    """Sums that cancel to far below a unit in the last place of their terms."""
    a, b = (torch.rand(2**20 + 1, dtype=torch.float64, device="cuda") for _ in range(2))
    a[2**19 : 2**20], b[2**19 : 2**20] = -a[: 2**19], b[: 2**19]
    a[-1] = b[-1] = 1e-12
    assert float(tilewright.dot(a, b)) == pytest.approx(1e-24, rel=1e-2)


def test_gradients_come_through():
    """By matmul's operator, which takes the same kernel."""
    a, b = (torch.randn(5, 1000, dtype=torch.float64, device="cuda", requires_grad=True) for _ in range(2))
    tilewright.vecdot(a, b).sum().backward()
    torch.testing.assert_close(a.grad, b.detach())
