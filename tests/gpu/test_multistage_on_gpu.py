"""The float32 and float64 kernels on a GPU: tiles, layouts, epilogues, splits, batches, the same bits each time."""

from __future__ import annotations

from random import Random, SystemRandom

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

import tilewright  # noqa: E402
from tests.gpu.torch_tensors import first_gpu, is_right  # noqa: E402
from tilewright.kernels.catalogue import find  # noqa: E402
from tilewright.kernels.matmul import cuda_cores_float32, mma_sync_float64  # noqa: E402

KERNELS = {torch.float32: cuda_cores_float32.KERNEL, torch.float64: mma_sync_float64.KERNEL}
SIDES = (1, 2, 3, 7, 16, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 200, 255, 256, 257, 384, 511)
TILES = [(dtype, (tile.block_m, tile.block_n)) for dtype, kernel in KERNELS.items() for tile in kernel.tiles]
CASES = 12


@pytest.fixture(scope="module")
def device():
    """The first GPU, as torch has it."""
    return first_gpu()


def skip_where_it_does_not_run(device, dtype):
    """Skip where the chip has no such kernel."""
    refusal = find(*KERNELS[dtype].name.split("/")).chip_refusal(KERNELS[dtype].dtype, device.capability)
    if refusal:
        pytest.skip(refusal)


def matrix(random, rows, columns, dtype, fill=None):
    """A view of a larger buffer: by rows or columns, at any offset, with gaps of NaN; and the buffer."""
    by_columns, gap, offset = random.random() < 0.4, random.choice((0, 0, 1, 2, 4)), random.choice((0, 0, 1, 2, 4))
    lines, width = (columns, rows) if by_columns else (rows, columns)
    buffer = torch.full((offset + max(lines, 1) * (width + gap),), float("nan"), dtype=dtype, device="cuda")
    view = buffer[offset:].view(max(lines, 1), width + gap)[:lines, :width]
    view = view.T if by_columns else view
    if fill is not None:
        view.copy_(fill)
    return view, buffer


@pytest.mark.parametrize(("dtype", "tile"), TILES, ids=str)
def test_every_tile_in_every_layout(device, dtype, tile):
    """Random sizes at the edges of tiles; what lies between the rows of C stays as it was; repeats are equal."""
    skip_where_it_does_not_run(device, dtype)
    seed = SystemRandom().randrange(2**32)
    random = Random(seed)
    torch.manual_seed(seed)
    for _ in range(CASES):
        m, k, n = (random.choice(SIDES) for _ in range(3))
        k = random.choice((k, k, 0, 5 * k, 4096 + k))
        a, _ = matrix(random, m, k, dtype, torch.randn(m, k, dtype=dtype, device="cuda"))
        b, _ = matrix(random, k, n, dtype, torch.randn(k, n, dtype=dtype, device="cuda"))
        out, buffer = matrix(random, m, n, dtype)
        kernel = KERNELS[dtype].name
        tilewright.matmul(a, b, out, kernel=kernel, tile=tile)
        case = (seed, m, k, n, a.stride(), b.stride(), out.stride())
        assert is_right(out, a, b), case
        kept = out.clone()
        assert torch.equal(tilewright.matmul(a, b, out, kernel=kernel, tile=tile), kept), case
        out.fill_(float("nan"))
        assert bool(buffer.isnan().all()), case


@pytest.mark.parametrize("dtype", KERNELS, ids=str)
def test_products_with_epilogues_and_batches(device, dtype):
    """What auto chooses, with alpha, beta, bias and an activation, of broadcast batches and few rows or columns."""
    skip_where_it_does_not_run(device, dtype)
    seed = SystemRandom().randrange(2**32)
    random = Random(seed)
    torch.manual_seed(seed)
    for _ in range(3 * CASES):
        m, k, n = (random.choice(SIDES) for _ in range(3))
        k = random.choice((k, k, 20_011))
        batch_a, batch_b = random.choice((((), ()), ((3,), ()), ((2, 1), (3,)), ((), (2, 2))))
        a = torch.randn(*batch_a, m, k, dtype=dtype, device="cuda")
        b = torch.randn(*batch_b, k, n, dtype=dtype, device="cuda")
        exact = a.double() @ b.double()
        c, bias = torch.randn_like(exact).to(dtype), torch.randn(n, dtype=dtype, device="cuda")
        options = random.choice(({}, {"bias": bias}, {"c": c, "beta": 0.5, "alpha": -2.0, "bias": bias}))
        activation = random.choice((None, "relu", "gelu", "silu"))
        got = tilewright.matmul(a, b, activation=activation, **options)
        exact = options.get("alpha", 1) * exact + (0.5 * c.double() if "c" in options else 0)
        exact = exact + (bias.double() if "bias" in options else 0)
        functional = torch.nn.functional
        exact = getattr(functional, activation)(exact) if activation else exact
        size = a.double().abs() @ b.double().abs()
        bound = torch.finfo(dtype).eps * ((k + 16) * 3 * size + 8 * (exact.abs() + c.abs() + 8))
        assert got.dtype == dtype, seed
        assert bool(((got.double() - exact).abs() <= bound).all()), (seed, m, k, n, batch_a, batch_b, activation)


@pytest.mark.parametrize("dtype", KERNELS, ids=str)
def test_integers_are_exact_and_nan_stays_in_its_row(device, dtype):
    """Small integers in any order of sums; a NaN in A reaches its row of C alone."""
    skip_where_it_does_not_run(device, dtype)
    for m, k, n in ((300, 70, 260), (64, 30_000, 64), (5, 4099, 1000), (1000, 999, 3)):
        a, b = (torch.randint(-3, 4, shape, device="cuda").to(dtype) for shape in ((m, k), (k, n)))
        assert torch.equal(tilewright.matmul(a, b).double(), a.double() @ b.double())
        a[m // 2, k // 2] = float("nan")
        got = tilewright.matmul(a, b)
        assert bool(got[m // 2].isnan().all())
        assert int(got.isnan().sum()) == n


def test_float64_on_tensor_cores_rounds_as_a_chain_of_fused_multiply_adds(device):
    """The same bits as matmul/strided, where k is one instruction's, or a few of them.

    Where k is contiguous in one of A and B alone, each eight of k are added in the order 0, 2, 4, 6, 1, 3, 5, 7.
    """
    skip_where_it_does_not_run(device, torch.float64)
    for k in (1, 4, 8, 16, 64):
        a, b = (torch.randn(shape, dtype=torch.float64, device="cuda") for shape in ((128, k), (k, 128)))
        order = [first + at for first in range(0, k, 8) for at in (0, 2, 4, 6, 1, 3, 5, 7) if first + at < k]
        in_pairs = tilewright.matmul(a[:, order].contiguous(), b[order].contiguous(), kernel="strided")
        assert torch.equal(tilewright.matmul(a, b, kernel="mma_sync_float64"), in_pairs), k
        by_columns = b.T.contiguous().T
        ours = tilewright.matmul(a, by_columns, kernel="mma_sync_float64")
        assert torch.equal(ours, tilewright.matmul(a, by_columns, kernel="strided")), k
