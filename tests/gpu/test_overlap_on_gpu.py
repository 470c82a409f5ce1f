"""Kernels start while those before them end: products in a row, each of the one before, are as if each had waited."""

from __future__ import annotations

import pytest

import tilewright
from tests.gpu.torch_tensors import first_gpu, torch

IN_A_ROW = 60
CASES = [
    ("float16", (64, 64), "auto"),
    ("bfloat16", (512, 512), "auto"),
    ("float16", (511, 511), "auto"),
    ("bfloat16", (1023, 1023), "auto"),
    ("float16", (2048, 2048), "auto"),
    ("bfloat16", (300, 63, 63), "auto"),
    ("float16", (257, 257), "mma_sync"),
    ("bfloat16", (130, 130), "cuda_cores_16bit"),
    ("float32", (16, 16), "auto"),
    ("float32", (300, 300), "auto"),
    ("float64", (200, 200), "auto"),
]


@pytest.fixture(autouse=True, scope="module")
def device():
    """The first GPU."""
    return first_gpu()


def rotation(dtype, shape):
    """A matrix that moves each column to another place, with its sign turned: products with it are exact."""
    size = shape[-1]
    turned = torch.zeros(size, size, device="cuda", dtype=getattr(torch, dtype))
    order = torch.randperm(size, device="cuda")
    turned[torch.arange(size, device="cuda"), order] = -1
    return turned, order


def rotated(start, order, times):
    """What so many products with the rotation make of a matrix."""
    expected = start
    for _ in range(times):
        moved = torch.empty_like(expected)
        moved[..., order] = -expected
        expected = moved
    return expected


@pytest.mark.parametrize(("dtype", "shape", "kernel"), CASES)
def test_products_of_products(dtype, shape, kernel):
    """A block that did not wait would take what two products before left in the buffer."""
    turned, order = rotation(dtype, shape)
    start = torch.randn(shape, device="cuda").to(turned.dtype)
    expected = rotated(start, order, IN_A_ROW)
    buffers = [torch.full_like(start, torch.nan) for _ in range(2)]
    tilewright.matmul(start, turned, out=buffers[0], kernel=kernel)
    torch.cuda.synchronize()
    for _ in range(5):
        buffers[0].fill_(torch.nan)
        buffers[1].copy_(start)
        for step in range(IN_A_ROW):
            tilewright.matmul(buffers[(step + 1) % 2], turned, out=buffers[step % 2], kernel=kernel)
        assert torch.equal(buffers[(IN_A_ROW + 1) % 2], expected)


@pytest.mark.parametrize(
    ("dtype", "m", "k", "n"),
    [
        ("float16", 64, 64, 64),
        ("bfloat16", 255, 257, 253),
        ("float16", 64, 65536, 64),
        ("bfloat16", 1, 4096, 4096),
        ("float32", 100, 90, 80),
    ],
)
def test_among_the_kernels_of_others(dtype, m, k, n):
    """What torch's kernel writes just before is read, and what it overwrites just after has been read."""
    dtype = getattr(torch, dtype)
    sources = torch.randint(-2, 3, (IN_A_ROW, m, k), device="cuda").to(dtype)
    b = torch.randint(-2, 3, (k, n), device="cuda").to(dtype)
    expected = (sources.double() @ b.double()).to(dtype)
    a, results = torch.empty_like(sources[0]), torch.empty_like(expected)
    tilewright.matmul(a.fill_(0), b, out=results[0])
    torch.cuda.synchronize()
    for _ in range(3):
        results.fill_(torch.nan)
        for source, result in zip(sources, results, strict=True):
            a.copy_(source)
            tilewright.matmul(a, b, out=result)
            a.fill_(torch.nan)
        assert torch.equal(results, expected)


@pytest.mark.parametrize("size", [(64, 64, 64), (640, 256, 640), (2048, 128, 2048), (255, 257, 253)])
def test_what_the_epilogue_reads_is_waited_for(size):
    """C and bias, which torch's kernels write just before and overwrite just after; c also where it is the result."""
    m, k, n = size
    a, b = (torch.randint(-2, 3, shape, device="cuda").half() for shape in ((m, k), (k, n)))
    c_operands = torch.randint(-9, 10, (IN_A_ROW, m, n), device="cuda").half()
    biases = torch.randint(-9, 10, (IN_A_ROW, n), device="cuda").half()
    expected = ((a.double() @ b.double()) + c_operands.double() + biases[:, None].double()).half()
    c, bias, results = torch.empty_like(c_operands[0]), torch.empty_like(biases[0]), torch.empty_like(expected)
    tilewright.matmul(a, b, beta=1, c=c.fill_(0), bias=bias.fill_(0), out=results[0])
    tilewright.matmul(a, b, beta=1, c=results[0], bias=bias, out=results[0])
    torch.cuda.synchronize()
    for _ in range(3):
        results.fill_(torch.nan)
        for number, result in enumerate(results):
            bias.copy_(biases[number])
            if number % 2:
                result.copy_(c_operands[number])
                tilewright.matmul(a, b, beta=1, c=result, bias=bias, out=result)
            else:
                c.copy_(c_operands[number])
                tilewright.matmul(a, b, beta=1, c=c, bias=bias, out=result)
                c.fill_(torch.nan)
            bias.fill_(torch.nan)
        assert torch.equal(results, expected)


def test_in_a_graph_and_on_two_streams():
    """A graph keeps the order of what was captured; chains on two streams do not wait for each other's kernels."""
    turned, order = rotation("float16", (384, 384))
    start = torch.randn(384, 384, device="cuda", dtype=torch.float16)
    expected = rotated(start, order, IN_A_ROW)
    streams = [torch.cuda.Stream() for _ in range(2)]
    graphs, buffers = [], []
    for stream in streams:
        pair = [torch.full_like(start, torch.nan) for _ in range(2)]
        tilewright.matmul(start, turned, out=pair[0])
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            pair[1].copy_(start)
            for step in range(IN_A_ROW):
                tilewright.matmul(pair[(step + 1) % 2], turned, out=pair[step % 2])
        graphs.append(graph)
        buffers.append(pair)
    for _ in range(10):
        for stream, graph in zip(streams, graphs, strict=True):
            with torch.cuda.stream(stream):
                graph.replay()
    torch.cuda.synchronize()
    for pair in buffers:
        assert torch.equal(pair[(IN_A_ROW + 1) % 2], expected)
