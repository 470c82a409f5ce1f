"""float32 and float64 where tiles gain nothing, on a GPU: few rows or columns, a short k, copies of odd operands."""

from __future__ import annotations

from random import Random, SystemRandom

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

import tilewright  # noqa: E402
from tests.gpu.test_multistage_on_gpu import matrix  # noqa: E402
from tests.gpu.torch_tensors import first_gpu, is_right  # noqa: E402

pytestmark = pytest.mark.usefixtures("device")
DTYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
CASES = 60
LINES, LENGTHS = (1, 2, 3, 4), (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 25, 31, 32)
SIDES = (1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 257, 1000, 2049, 4099)


@pytest.fixture(scope="module")
def device():
    """The first GPU, as torch has it."""
    return first_gpu()


def sizes(random, kernel):
    """m, k and n of a product that a kernel takes."""
    if kernel == "outer_products":
        return random.choice(SIDES), random.choice(LENGTHS), random.choice(SIDES)
    lines, other = random.choice(LINES), random.choice(SIDES)
    m, n = random.choice(((lines, other), (other, lines)))
    return m, random.choice((1, 7, 8, 33, 256, 1000, 20_011)), n


@DTYPES
@pytest.mark.parametrize("kernel", ["few_lines", "outer_products"])
def test_awkward_products(dtype, kernel):
    """Views at any offset with gaps of NaN; what lies between the rows of C stays as it was; repeats are equal."""
    seed = SystemRandom().randrange(2**32)
    random = Random(seed)
    torch.manual_seed(seed)
    for _ in range(CASES):
        m, k, n = sizes(random, kernel)
        a, _ = matrix(random, m, k, dtype, torch.randn(m, k, dtype=dtype, device="cuda"))
        b, _ = matrix(random, k, n, dtype, torch.randn(k, n, dtype=dtype, device="cuda"))
        out, buffer = matrix(random, m, n, dtype)
        tilewright.matmul(a, b, out, kernel=kernel)
        case = (seed, m, k, n, a.stride(), b.stride(), out.stride())
        assert is_right(out, a, b), case
        kept = out.clone()
        assert torch.equal(tilewright.matmul(a, b, out, kernel=kernel), kept), case
        out.fill_(float("nan"))
        assert bool(buffer.isnan().all()), case


@pytest.mark.parametrize("lines", [5, 6, 7, 8])
def test_up_to_eight_lines_beside_lines_along_k(lines):
    """In float32; the short lines side by side, along k, or off 16 bytes; small integers are exact, k in parts too."""
    for n in (1, 63, 64, 65, 1000, 4099):
        for k in (2, 31, 33, 256, 20_011):
            held = torch.randint(-3, 4, (k * lines + 1,), device="cuda").float()
            b = torch.randint(-3, 4, (n, k), device="cuda").float().T
            ways = (held[:-1].view(lines, k), held[:-1].view(k, lines).T, held[1:].view(k, lines).T)
            for a in ways if n > lines else ():
                assert torch.equal(tilewright.matmul(a, b, kernel="few_lines"), a @ b), (k, n, a.stride())
                turned = tilewright.matmul(b.T, a.T, kernel="few_lines")
                assert torch.equal(turned, b.T @ a.T), (k, n, a.stride())


@DTYPES
def test_what_auto_chooses_for_them(dtype):
    """With the epilogue and batches; small integers are exact in any order of sums."""
    for m, k, n in ((2, 3001, 50_257), (7149, 1, 689), (3, 20_011, 257), (50_001, 333, 1), (4097, 31, 65)):
        a, b = (torch.randint(-3, 4, shape, device="cuda").to(dtype) for shape in ((3, m, k), (k, n)))
        c, bias = (torch.randint(-3, 4, shape, device="cuda").to(dtype) for shape in ((3, m, n), (n,)))
        exact = a.double() @ b.double()
        assert torch.equal(tilewright.matmul(a, b).double(), exact)
        got = tilewright.matmul(a, b, c=c, beta=2.0, alpha=-1.0, bias=bias, activation="relu")
        assert torch.equal(got.double(), (2 * c.double() - exact + bias.double()).clamp_min(0))


@DTYPES
@pytest.mark.parametrize("sizes", [(4097, 4095, 4099), (2047, 2049, 8191), (333, 7777, 2222), (8191, 1025, 4099)])
def test_large_odd_products(dtype, sizes):
    """Copied into aligned rows or not, cut into parts or not: small integers are exact, whatever the workspace held."""
    m, k, n = sizes
    for by_columns in ((False, False), (True, False), (False, True)):
        a, b = (torch.randint(-3, 4, shape, device="cuda").to(dtype) for shape in ((m, k), (k, n)))
        a, b = (each.T.contiguous().T if across else each for each, across in zip((a, b), by_columns, strict=True))
        poison = torch.full((2**28,), float("nan"), device="cuda")
        del poison
        assert torch.equal(tilewright.matmul(a, b), torch.matmul(a.double(), b.double()).to(dtype)), by_columns


@DTYPES
def test_more_than_2_to_the_31_elements(dtype):
    """Rows are found by 64 bits: of C by outer_products, of B by few_lines."""
    m, n = 2**16 + 1, 2**15 + 1
    if torch.cuda.mem_get_info()[0] < 80 * 2**30:
        pytest.skip("a result, its reference and what they differ by take up to 70 GB")
    a, b = (torch.randint(-3, 4, shape, device="cuda").to(dtype) for shape in ((m, 3), (3, n)))
    c = tilewright.matmul(a, b, kernel="outer_products")
    assert torch.equal(c, torch.matmul(a, b))
    rows = torch.randint(-1, 2, (2, m), device="cuda").to(dtype)
    assert torch.equal(tilewright.matmul(rows, c, kernel="few_lines"), (rows @ a) @ b)
