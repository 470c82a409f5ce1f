"""Blocks of float64 that stay, tiles that blocks share, operands that are copied first: forced upon small products."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random, SystemRandom
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

from tests.gpu.torch_tensors import first_gpu, is_right  # noqa: E402
from tilewright.kernels.batches import slices  # noqa: E402
from tilewright.kernels.launch import Launches  # noqa: E402
from tilewright.kernels.matmul import cuda_cores_float32, few_lines, mma_sync_float64  # noqa: E402
from tilewright.kernels.matmul.float_tile import Shares  # noqa: E402
from tilewright.kernels.operand import Operand  # noqa: E402
from tilewright.kernels.problem import Problem  # noqa: E402
from tilewright.launch.cuda.planned import PlannedRun  # noqa: E402

FLOAT32, FLOAT64 = cuda_cores_float32.KERNEL, mma_sync_float64.KERNEL
STAYING = [tile for tile in FLOAT64.tiles if tile.stays]
APART = next(tile for tile in FLOAT64.tiles if tile.apart)


@pytest.fixture(scope="module")
def device():
    """The first GPU that has the kernel of float64."""
    found = first_gpu()
    if found.capability < (8, 0):
        pytest.skip(f"float64 on the tensor cores is for compute capability 8.0 on; this GPU has {found.capability}")
    return found


def operand(tensor) -> Operand:
    """The tensor as an operand."""
    *batch, rows, columns = tensor.shape
    *steps, row, column = tensor.stride()
    return Operand(rows, columns, row, column, tuple(batch), tuple(steps), 16)


def check(device, a, b, c, launches: Launches, case: object) -> None:
    """Compare C with a product of torch's, run twice into NaN: it is right, and has the same bits."""
    run = PlannedRun(launches, device)
    workspace = torch.full((launches.workspace_bytes + 512,), 0xFF, dtype=torch.uint8, device="cuda")
    found = []
    for _ in range(2):
        c.fill_(float("nan"))
        addresses = [a.data_ptr(), b.data_ptr(), c.data_ptr(), 0, 0, workspace.data_ptr()]
        run.run(addresses, torch.cuda.current_stream().cuda_stream)
        found.append(c.clone())
    assert is_right(c, a, b), case
    assert torch.equal(*found), case


def drawn(random: Random, dtype, rows: int, columns: int, batch: tuple[int, ...] = ()):
    """A matrix of random numbers, of rows or of columns, whose lines may be longer than it."""
    is_turned = random.random() < 0.5
    lines, length = (columns, rows) if is_turned else (rows, columns)
    held = torch.randn((*batch, lines, length + random.choice((0, 0, 1, 2))), dtype=dtype, device="cuda")
    view = held[..., :length]
    return view.mT if is_turned else view


def products(dtype, count: int, rows: tuple[int, int], k: tuple[int, int], batches: bool) -> Iterator[tuple[Any, ...]]:
    """Yield A, B, a C of rows, the part that they are, and what to say of a failure."""
    seed = SystemRandom().randrange(2**32)
    random = Random(seed)
    torch.manual_seed(seed)
    for _ in range(count):
        m, n, inner = (random.randint(*each) for each in (rows, rows, k))
        batch = (random.randint(1, 9),) if batches else ()
        a, b = drawn(random, dtype, m, inner, batch), drawn(random, dtype, inner, n, batch)
        c = torch.empty((*batch, m, n + random.choice((0, 1, 2))), dtype=dtype, device="cuda")[..., :n]
        name = str(dtype).removeprefix("torch.")
        (part,) = slices(Problem(operand(a), operand(b), operand(c), name, name))
        yield a, b, c, part, (seed, m, inner, n, batch, a.stride(), b.stride(), c.stride())


@pytest.mark.parametrize("tile", STAYING, ids=lambda tile: f"{tile.block_m}x{tile.block_n}")
def test_blocks_that_stay(device, tile):
    """Three SMs' blocks take many tiles each, of any k from 1 on, odd sizes and batches among them."""
    few = replace(device.facts, sm_count=3)
    for a, b, c, part, case in products(torch.float64, 10, (20, 500), (1, 130), batches=True):
        if min(c.shape[-2:]) > 16:
            check(device, a, b, c, FLOAT64.divided(part, few, tile, Shares()), case)


@pytest.mark.parametrize("blocks", [3, 7, 20])
def test_tiles_that_blocks_share_apart(device, blocks):
    """The last tiles of C are another launch's, each of whose blocks has as many steps."""
    for a, b, c, part, case in products(torch.float64, 6, (300, 900), (17, 900), batches=False):
        tiles = APART.tiles(part.part)
        for whole in (1, tiles // 2, tiles - 1):
            check(device, a, b, c, FLOAT64.divided(part, device.facts, APART, Shares(whole=whole, blocks=blocks)), case)


def test_operands_that_are_copied_first(device):
    """As they lie, and turned; the rest of a copy's rows is zeros, which tiles may read."""
    for a, b, c, part, case in products(torch.float32, 6, (20, 400), (1, 300), batches=True):
        for copies in FLOAT32.copies(part):
            of_copies = replace(FLOAT32, padded=frozenset(copies.places))
            plan = copies.before(of_copies.divided(copies.part, device.facts, FLOAT32.tiles[2], Shares()))
            check(device, a, b, c, plan, (*case, copies.turned))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_row_times_a_matrix(device, dtype):
    """In each number of parts of k that is tried, beside rows and columns that begin anywhere."""
    seed = SystemRandom().randrange(2**32)
    random = Random(seed)
    for _ in range(10):
        k, n = random.randint(1, 5000), random.randint(1, 3000)
        a, b = drawn(random, dtype, 1, k), drawn(random, dtype, k, n)
        c = torch.empty((1, n), dtype=dtype, device="cuda")
        name = str(dtype).removeprefix("torch.")
        problem = Problem(operand(a), operand(b), operand(c), name, name)
        (part,) = slices(problem)
        for division in few_lines.divisions(problem, device.facts):
            check(device, a, b, c, few_lines.divided(part, division), (seed, k, n, b.stride(), division))
