"""What processes of torch.distributed do in the tests of DTensors: each function here runs in every process."""

from __future__ import annotations

import itertools
from math import prod
from typing import Any

import numpy
import pytest
import torch
from torch import distributed as dist
from torch import multiprocessing
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor, init_device_mesh

import tilewright
from tilewright.call.torch.distributed import pieces

PLACEMENTS = (Shard(0), Shard(1), Replicate(), Partial())
SIZES = ((8, 12, 16), (7, 5, 3), (1, 9, 6), (33, 70, 20))


def run(work: str, processes: int, folder: Any, backend: str = "gloo") -> None:
    """Run a function of this file in so many new processes, which know each other through a file in the folder.

    With NCCL tensors are on GPUs, one for each process.
    """
    multiprocessing.spawn(_in_one, args=(work, processes, str(folder), backend), nprocs=processes)


def _in_one(rank: int, work: str, processes: int, folder: str, backend: str) -> None:
    torch.set_num_threads(1)
    if backend == "nccl":
        torch.cuda.set_device(rank)
        torch.set_default_device("cuda")
    dist.init_process_group(backend, init_method=f"file://{folder}/{work}", rank=rank, world_size=processes)
    pieces.LEAST_EXTENT, pieces.LEAST_ELEMENTS = 2, 1  # so that small matrices are cut, too
    torch.manual_seed(0)
    try:
        globals()[work]()
        dist.barrier()
    finally:
        dist.destroy_process_group()


def lying(whole: Any, mesh: Any, placements: Any) -> Any:
    """The DTensor of these values; pending sums are of different summands."""
    mesh_shape = tuple(mesh.shape)
    share = prod(
        2 * (place + 1) / (size * (size + 1))
        for size, place, placement in zip(mesh_shape, mesh.get_coordinate(), placements, strict=True)
        if placement.is_partial()
    )
    base = [Replicate() if placement.is_partial() else placement for placement in placements]
    there = distribute_tensor(whole, mesh, base)
    if share == 1 and base == list(placements):
        return there
    return DTensor.from_local(
        there.to_local() * share, mesh, placements, run_check=False, shape=whole.shape, stride=whole.stride()
    )


def line() -> Any:
    """All processes in a row."""
    return init_device_mesh(torch.get_default_device().type, (dist.get_world_size(),))


def pairs_of_placements() -> None:
    """Products and gradients in every pair, even and uneven shards, empty ones too."""
    mesh = line()
    for m, k, n in SIZES if mesh.size() < 4 else SIZES[1:3]:  # four processes take long on few cores
        a, b, g = (torch.randn(shape, dtype=torch.float64) for shape in ((m, k), (k, n), (m, n)))
        for of_a, of_b in itertools.product(PLACEMENTS, repeat=2):
            _agrees(mesh, (a, b, g), ([of_a], [of_b]))


def many_in_a_row() -> None:
    """Products that follow each other without a pause, of any sizes: none reads what an earlier one left."""
    mesh, draw = line(), numpy.random.default_rng(5)  # the same numbers in every process
    pairs = list(itertools.product(PLACEMENTS[:3], repeat=2))
    for _ in range(3):
        waiting = []
        for number in range(24):
            m, k, n = (int(size) for size in draw.integers(1, 200, 3))
            a, b = (torch.from_numpy(draw.integers(-3, 4, shape)).double() for shape in ((m, k), (k, n)))
            a, b = (each.to(torch.get_default_device()) for each in (a, b))
            left, right = (lying(each, mesh, [at]) for each, at in zip((a, b), pairs[number % len(pairs)], strict=True))
            waiting.append((tilewright.matmul(left, right), a @ b))
        for c, expected in waiting:
            torch.testing.assert_close(c.full_tensor(), expected, rtol=0, atol=0)


def large_ones() -> None:
    """Shards that outgrow the memory that processes share at first, and small ones again."""
    mesh = line()
    for m, k, n in ((64, 64, 64), (6000, 4100, 70), (5, 12001, 3001), (64, 64, 64)):
        a, b = (torch.randint(-2, 3, shape).double() for shape in ((m, k), (k, n)))
        dist.broadcast(a, 0)
        dist.broadcast(b, 0)
        for at in ((Shard(0), Shard(0)), (Shard(1), Shard(1)), (Shard(0), Shard(1)), (Shard(1), Replicate())):
            c = tilewright.matmul(*(lying(each, mesh, [one]) for each, one in zip((a, b), at, strict=True)))
            torch.testing.assert_close(c.full_tensor(), a @ b, rtol=0, atol=0)


def pairs_on_a_mesh_of_two_dimensions() -> None:
    """Every placement of A, and of B those that differ in kind, over 2 x 2 processes."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("rows", "columns"))
    a, b, g = (torch.randn(shape, dtype=torch.float64) for shape in ((9, 6), (6, 7), (9, 7)))
    for of_a in itertools.product(PLACEMENTS, repeat=2):
        for of_b in ((Shard(0), Shard(1)), (Shard(1), Shard(1)), (Replicate(), Shard(0)), (Partial(), Replicate())):
            _agrees(mesh, (a, b, g), (of_a, of_b))
    plan = tilewright.explain(lying(a, mesh, (Shard(0), Shard(1))), lying(b, mesh, (Shard(0), Shard(1))))
    assert plan.facts()["mesh"] == "rows 2 x columns 2"


def _agrees(mesh: Any, whole: Any, placements: Any) -> None:
    a, b, g = whole
    left, right = (lying(each, mesh, at).requires_grad_() for each, at in zip((a, b), placements, strict=True))
    c = tilewright.matmul(left, right)
    torch.testing.assert_close(c.full_tensor(), a @ b)
    plan = tilewright.explain(left, right)
    assert tuple(map(str, c.placements)) == tuple(map(str, _placements(plan)))
    (c * distribute_tensor(g, mesh, [Replicate()] * mesh.ndim)).sum().backward()
    torch.testing.assert_close(left.grad.full_tensor(), g @ b.mT)
    torch.testing.assert_close(right.grad.full_tensor(), a.mT @ g)


def _placements(plan: Any) -> Any:
    from tilewright.call.torch.distributed.placements import torchs

    return torchs(plan.sharding.c)


def epilogues() -> None:
    """With alpha, c, bias and activation in every pair, and their gradients."""
    mesh = line()
    m, k, n = 10, 7, 9
    a, b, c = (torch.randn(shape, dtype=torch.float64) for shape in ((m, k), (k, n), (m, n)))
    for of_a, of_b, activation in itertools.product(PLACEMENTS, PLACEMENTS, (None, "silu")):
        for addend, bias in ((c, c[0]), (c[0], c[1]), (c[:, :1], c[2])):
            whole = [each.clone().requires_grad_() for each in (a, b, addend, bias)]
            sums = 2 * whole[0] @ whole[1] + 3 * whole[2] + whole[3]
            expected = sums if activation is None else torch.nn.functional.silu(sums)
            expected.square().sum().backward()
            parts = [
                lying(each.detach(), mesh, [at]).requires_grad_()
                for each, at in zip(whole, (of_a, of_b, Shard(0), Replicate()), strict=True)
            ]
            options = {"alpha": 2, "beta": 3, "c": parts[2], "bias": parts[3], "activation": activation}
            found = tilewright.matmul(parts[0], parts[1], **options)
            torch.testing.assert_close(found.full_tensor(), expected.detach())
            found.square().sum().backward()
            for one, other in zip(parts, whole, strict=True):
                torch.testing.assert_close(one.grad.full_tensor(), other.grad)


def other_operations() -> None:
    """reduced_matmul with pairs that shards split and pairs that they do not, dot, vectors and batches."""
    mesh = line()
    for m, k, n in ((16, 6, 8), (10, 5, 6), (2, 3, 14)):
        a, b = torch.randn(m, k, dtype=torch.float64), torch.randn(k, n, dtype=torch.float64)
        g = torch.randn(m // 2, n // 2, dtype=torch.float64)
        for of_a, of_b in itertools.product(PLACEMENTS, repeat=2):
            left, right = lying(a, mesh, [of_a]).requires_grad_(), lying(b, mesh, [of_b]).requires_grad_()
            reduced = tilewright.reduced_matmul(left, right)
            torch.testing.assert_close(reduced.full_tensor(), (a[0::2] + a[1::2]) @ (b[:, 0::2] + b[:, 1::2]))
            (reduced * distribute_tensor(g, mesh, [Replicate()])).sum().backward()
            both = g.repeat_interleave(2, 0), g.repeat_interleave(2, 1)
            torch.testing.assert_close(left.grad.full_tensor(), both[0] @ (b[:, 0::2] + b[:, 1::2]).mT)
            torch.testing.assert_close(right.grad.full_tensor(), (a[0::2] + a[1::2]).mT @ both[1])
    shapes = (((7,), (7,)), ((3, 7), (7,)), ((3, 7), (5, 7, 4)), ((2, 3, 7), (7, 5)))
    for shape_of_a, shape_of_b in shapes:
        a, b = torch.randn(shape_of_a, dtype=torch.float64), torch.randn(shape_of_b, dtype=torch.float64)
        expected = torch.as_tensor(numpy.dot(a.cpu().numpy(), b.cpu().numpy())).to(a.device)
        for of_a, of_b in itertools.product(range(-1, a.ndim), range(-1, b.ndim)):
            at = [Replicate() if dimension < 0 else Shard(dimension) for dimension in (of_a, of_b)]
            found = tilewright.dot(lying(a, mesh, at[:1]), lying(b, mesh, at[1:]))
            torch.testing.assert_close(found.full_tensor(), expected)
    a, b = torch.randn(4, 6, 5, dtype=torch.float64), torch.randn(4, 5, 3, dtype=torch.float64)
    for of_a, of_b in itertools.product(range(-1, 3), repeat=2):
        at = [Replicate() if dimension < 0 else Shard(dimension) for dimension in (of_a, of_b)]
        for right in (b, b[:1], b[0]):
            if of_b >= right.ndim:
                continue
            found = tilewright.matmul(lying(a, mesh, at[:1]), lying(right, mesh, at[1:]))
            torch.testing.assert_close(found.full_tensor(), a @ right)


def types_and_bits() -> None:
    """16-bit types, complex numbers, and the same bits in every run."""
    mesh = line()
    for dtype in (torch.bfloat16, torch.float16, torch.complex64):
        a, b = torch.randn(40, 33, dtype=dtype), torch.randn(33, 24, dtype=dtype)
        for of_a, of_b in itertools.product(PLACEMENTS[:3], repeat=2):
            left, right = lying(a, mesh, [of_a]), lying(b, mesh, [of_b])
            found = [tilewright.matmul(left, right).to_local() for _ in range(3)]
            assert torch.equal(found[0], found[1])
            assert torch.equal(found[0], found[2])
            whole = tilewright.matmul(left, right)
            exact = a.to(torch.complex128) @ b.to(torch.complex128)
            error = (whole.full_tensor().to(torch.complex128) - exact).abs().max() / exact.abs().max()
            assert error < (1e-5 if dtype.is_complex else 0.02), (dtype, of_a, of_b, error)
    a, b, bias = torch.randn(40, 33).bfloat16(), torch.randn(33, 24).bfloat16(), torch.randn(24).bfloat16()
    parts = [lying(each, mesh, [at]) for each, at in ((a, Shard(1)), (b, Shard(0)), (bias, Replicate()))]
    found = tilewright.matmul(parts[0], parts[1], bias=parts[2])
    wide = (a.double() @ b.double() + bias.double()).bfloat16()
    apart = (found.full_tensor().view(torch.int16).int() - wide.view(torch.int16).int()).abs()
    assert apart.max() <= 1, "summands were rounded before they were added"


def refusals() -> None:
    """In one sentence each, in every process."""
    mesh = line()
    a, b = torch.randn(4, 6), torch.randn(6, 8)
    left, right = lying(a, mesh, [Shard(0)]), lying(b, mesh, [Shard(1)])
    for call, error, said in (
        (lambda: tilewright.matmul(left, b), tilewright.DtypeError, "A is a DTensor and B is a Tensor; "),
        (lambda: tilewright.matmul(a, right), tilewright.DtypeError, "B is a DTensor and A is a Tensor; "),
        (lambda: tilewright.matmul(left, left), tilewright.ShapeError, "the inner sizes 6 and 4 differ"),
        (lambda: tilewright.plan(left, right), tilewright.DtypeError, "planned at every call"),
        (lambda: tilewright.explain(left, b), tilewright.DtypeError, "A is a DTensor and B is a Tensor; "),
    ):
        with pytest.raises(error, match=said):
            call()


def others_of_torchs() -> None:
    """`out=`, torch.compile, vecdot and tensordot, and a product without gradients."""
    mesh = line()
    a, b = torch.randn(10, 6, dtype=torch.float64), torch.randn(6, 8, dtype=torch.float64)
    for of_a, of_b, of_out in itertools.product(PLACEMENTS[:3], repeat=3):
        left, right = lying(a, mesh, [of_a]), lying(b, mesh, [of_b])
        out = distribute_tensor(torch.zeros(10, 8, dtype=torch.float64), mesh, [of_out])
        assert tilewright.matmul(left, right, out=out) is out
        torch.testing.assert_close(out.full_tensor(), a @ b)
        torch.testing.assert_close(tilewright.tensordot(left, right, 1).full_tensor(), a @ b)
        torch.testing.assert_close(tilewright.vecdot(left, left).full_tensor(), (a * a).sum(-1))
    average = DTensor.from_local(a, mesh, [Partial("avg")], run_check=False)
    torch.testing.assert_close(tilewright.matmul(average, right).full_tensor(), a @ b)
    compiled = torch.compile(tilewright.matmul, backend="aot_eager", fullgraph=True)
    for of_a, of_b in ((Shard(0), Replicate()), (Shard(0), Shard(1)), (Shard(1), Shard(0))):
        found = compiled(lying(a, mesh, [of_a]), lying(b, mesh, [of_b]))
        torch.testing.assert_close(found.full_tensor(), a @ b)
