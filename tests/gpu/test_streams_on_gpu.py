"""Calls on a GPU beside everything else of a program: streams, graphs, threads, contexts, forks, memory's lifetime."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

import tilewright  # noqa: E402  (torch decides whether there is anything to test)
from tests.gpu.torch_tensors import first_gpu  # noqa: E402
from tilewright.launch.cuda import native  # noqa: E402

DTYPES = (torch.float32, torch.bfloat16)
SPIN_CYCLES = 100_000_000
"""Some fifty milliseconds: long enough for a host to get well ahead of the GPU."""


@pytest.fixture(scope="module", autouse=True)
def device():
    """The first GPU, as torch has it."""
    return first_gpu()


def integers(*shape, dtype=torch.float32):
    """Small integers, so that sums are exact."""
    return torch.randint(-3, 4, shape, device="cuda", dtype=torch.int32).to(dtype)


def exact(a, b):
    """The product, rounded once."""
    return (a.double() @ b.double()).to(a.dtype)


def ways(a, b):
    """A call and a prepared plan."""
    return tilewright.matmul, tilewright.plan(a, b)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_callers_stream(dtype):
    """What is queued before a call on its stream is done before it, and what follows after it; nothing else waits."""
    a, b = integers(96, 80, dtype=dtype), integers(80, 72, dtype=dtype)
    stream = torch.cuda.Stream()
    for multiply in ways(a, b):
        later = torch.zeros_like(a).copy_(a)
        doubled = multiply(later, b) + multiply(later, b)  # loads what is used below, for which the GPU is waited for
        later.zero_()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(SPIN_CYCLES)
            later.copy_(a)
            result = multiply(later, b)
            doubled = result + result
        assert not stream.query(), "the call waited for its stream"
        assert torch.cuda.default_stream().query()
        stream.synchronize()
        assert torch.equal(doubled, exact(a, b) * 2)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_cuda_graph(dtype):
    """After a call to warm up it is captured, replayed with new numbers, and right; a result of its own, too."""
    a, b, out = integers(64, 48, dtype=dtype), integers(48, 56, dtype=dtype), integers(64, 56, dtype=dtype)
    for multiply in ways(a, b):
        multiply(a, b)
        multiply(a, b, out=out)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            multiply(a, b, out=out)
            result = multiply(a, b)
            total = out + result
        for _ in range(3):
            a.copy_(integers(64, 48, dtype=dtype))
            b.copy_(integers(48, 56, dtype=dtype))
            graph.replay()
            torch.cuda.synchronize()
            assert torch.equal(out, exact(a, b))
            assert torch.equal(total, out * 2)


def test_a_graph_of_a_product_with_working_memory():
    """An odd size in 16 bits repacks its operands into memory that the capture takes from the graph's own pool."""
    a, b = integers(257, 4097, dtype=torch.bfloat16), integers(4097, 513, dtype=torch.bfloat16)
    expected = exact(a, b)
    tilewright.matmul(a, b)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = tilewright.matmul(a, b)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(result, expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_many_threads_on_two_streams(dtype):
    """Sixteen threads, each with numbers of its own, on one of two streams, through the same plans: all right."""
    streams = [torch.cuda.Stream(), torch.cuda.Stream()]
    plan = tilewright.plan(integers(40, 24, dtype=dtype), integers(24, 32, dtype=dtype))
    inputs = [(integers(40, 24, dtype=dtype), integers(24, 32, dtype=dtype)) for _ in range(16)]
    expected = [exact(a, b) for a, b in inputs]
    torch.cuda.synchronize()
    start = threading.Barrier(16)

    def work(number):
        a, b = inputs[number]
        out = torch.empty_like(expected[number])
        wrong = torch.zeros((), device="cuda", dtype=torch.int64)
        start.wait()
        with torch.cuda.stream(streams[number % 2]):
            for turn in range(200):
                multiply = plan if turn % 2 else tilewright.matmul
                for result in (multiply(a, b), multiply(a, b, out=out)):
                    wrong += (result != expected[number]).sum()
        return wrong

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(work, range(16)))
    torch.cuda.synchronize()
    assert [int(wrong) for wrong in found] == [0] * 16


def test_inputs_may_be_dropped_at_once():
    """Operands whose last reference goes right after the call: their memory is not given to what would overwrite it."""
    b = integers(512, 512)
    plan = tilewright.plan(b, b)
    for multiply in (tilewright.matmul, plan):
        first = integers(512, 512)
        expected = exact(first, b)
        a = first.clone()
        torch.cuda.synchronize()
        torch.cuda._sleep(SPIN_CYCLES)
        result = multiply(a, b)
        del a
        junk = [torch.full((512, 512), float("nan"), device="cuda") for _ in range(8)]
        torch.cuda.synchronize()
        assert torch.equal(result, expected)
        del junk


def test_another_context_is_current(device):
    """The driver refuses a launch under another context than the GPU's primary one, and under none; ours come right."""
    a, b = integers(16, 16), integers(16, 16)
    expected = exact(a, b)
    out = torch.zeros_like(expected)
    plan = tilewright.plan(a, b)
    tilewright.matmul(a, b, out=out)
    torch.cuda.synchronize()
    driver = device.driver
    status, other = driver.cuCtxCreate(None, 0, 0)
    assert not status
    try:
        for multiply in (tilewright.matmul, plan):
            driver.cuCtxSetCurrent(other)
            multiply(a, b, out=out)
            assert int(driver.cuCtxGetCurrent()[1]) == int(other)
    finally:
        driver.cuCtxSetCurrent(device.context_handle)
        driver.cuCtxDestroy(other)
    torch.cuda.synchronize()
    assert torch.equal(out, expected)
    out.zero_()
    torch.cuda.synchronize()
    thread = threading.Thread(target=lambda: plan(a, b, out=out))
    thread.start()
    thread.join()
    torch.cuda.synchronize()
    assert torch.equal(out, expected)


FORKS = """
import os, sys
import torch, tilewright
first = sys.argv[1] == "parent"
a = None
if first:
    a = torch.ones(8, 8, device="cuda")
    plan = tilewright.plan(a, a)
    tilewright.matmul(a, a); plan(a, a)
child = os.fork()
if child == 0:
    if first:
        for call in (tilewright.matmul, plan):
            try:
                call(a, a)
            except tilewright.DeviceUnavailableError as error:
                assert "spawn" in str(error), error
            else:
                os._exit(3)
    else:
        a = torch.ones(8, 8, device="cuda")
        assert tilewright.matmul(a, a).sum().item() == 512
        assert tilewright.plan(a, a)(a, a).sum().item() == 512
    os._exit(0)
_, status = os.waitpid(child, 0)
assert status == 0, status
if first:
    assert tilewright.matmul(a, a).sum().item() == 512
"""


@pytest.mark.parametrize("who", ["parent", "child"])
@pytest.mark.parametrize("switch", ["0", "1"])
def test_forks(who, switch):
    """A child that inherits a context is told so by call and by plan; one that never touched the GPU uses it."""
    environment = {**os.environ, native.SWITCH: switch}
    done = subprocess.run(
        [sys.executable, "-c", FORKS, who], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("dtype", DTYPES)
def test_with_and_without_the_extra_the_bits_are_the_same(dtype, monkeypatch):
    """Products with an epilogue, odd sizes and batches, through both ways of launching."""
    pytest.importorskip("tilewright_native", reason="the compiled extra is not installed: pip install ./native")
    cases = [((5, 33, 65), (65, 31)), ((257, 129), (129, 255)), ((16, 16), (16, 16)), ((300,), (300, 7))]
    results: dict[str, list[Any]] = {}
    for switch in ("0", "1"):
        monkeypatch.setenv(native.SWITCH, switch)
        native.extra.cache_clear()
        native.reader.cache_clear()
        torch.manual_seed(1)
        results[switch] = []
        for left, right in cases:
            a, b = torch.randn(left, device="cuda").to(dtype), torch.randn(right, device="cuda").to(dtype)
            bias = torch.randn(right[-1], device="cuda").to(dtype)
            plan = tilewright.plan(a, b, bias=bias, activation="gelu")
            for _ in range(2):
                results[switch] += [tilewright.matmul(a, b, bias=bias, activation="gelu"), plan(a, b, bias=bias)]
    native.extra.cache_clear()
    native.reader.cache_clear()
    assert all(torch.equal(one, other) for one, other in zip(results["0"], results["1"], strict=True))
