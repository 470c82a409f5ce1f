"""tilewright.matmul on a GPU beside other work: streams, memory's lifetime, threads, graphs, forks."""

from __future__ import annotations

import gc
import os
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

import tilewright  # noqa: E402
from tests.gpu.threads import at_once  # noqa: E402
from tests.gpu.torch_tensors import CYCLES, first_gpu, is_right, random  # noqa: E402
from tilewright.launch import DeviceUnavailableError, OutOfMemoryError  # noqa: E402

DTYPES = [torch.bfloat16, torch.float16, torch.float32, torch.float64]


@pytest.fixture(autouse=True, scope="module")
def device():
    """The first GPU."""
    return first_gpu()


def test_the_callers_stream():
    """The work is on torch's current stream: behind what is there, and not behind what is on others."""
    side = torch.cuda.Stream()
    a, b = torch.zeros(512, 512, dtype=torch.bfloat16, device="cuda"), random(512, 512)
    filled = random(512, 512)
    assert is_right(tilewright.matmul(filled, b), filled, b)
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(2 * CYCLES)
        a.copy_(filled)
        c = tilewright.matmul(a, b)
        after = torch.cuda.Event()
        after.record()
    other = tilewright.matmul(filled, b)
    torch.cuda.current_stream().synchronize()

    assert is_right(other, filled, b)
    assert not after.query()  # the side stream is still asleep, and nobody waited for it
    side.synchronize()
    assert is_right(c, filled, b)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_call_returns_before_the_work_is_done(dtype):
    """Whatever the layout, and also where the result is copied into out; a first call compiles and loads."""
    a, b, square = random(257, 300, dtype=dtype), random(300, 190, dtype=dtype), random(64, 64, dtype=dtype)
    into = square.clone()
    for turn in range(2):
        into.copy_(square)
        if turn:
            torch.cuda.synchronize()
            torch.cuda._sleep(CYCLES)
        first = tilewright.matmul(a, b)
        second = tilewright.matmul(a[1:], b[:, 1:])
        third = tilewright.matmul(into, square, out=into)
    after = torch.cuda.Event()
    after.record()

    assert not after.query()
    torch.cuda.synchronize()
    assert is_right(first, a, b)
    assert is_right(second, a[1:], b[:, 1:])
    assert is_right(third, square, square)


def test_memory_lives_as_long_as_the_work():
    """Inputs that nobody holds any more, and memory taken anew at once on two streams, change no result."""
    streams = [torch.cuda.Stream(), torch.cuda.Stream()]
    torch.cuda.synchronize()
    for turn in range(200):
        with torch.cuda.stream(streams[turn % 2]):
            torch.cuda._sleep(200_000)
            a, b = random(255, 257), random(257, 253)
            kept = a.clone(), b.clone()
            c = tilewright.matmul(a, b)
            del a, b
            if turn % 50 == 0:
                gc.collect()
            fillers = [torch.full((255, 257), float("nan"), dtype=torch.bfloat16, device="cuda") for _ in range(4)]
        with torch.cuda.stream(streams[1 - turn % 2]):
            fillers += [torch.full((257, 253), float("nan"), dtype=torch.bfloat16, device="cuda") for _ in range(4)]
        with torch.cuda.stream(streams[turn % 2]):
            right = is_right(c, *kept)
        assert right
        del fillers


def test_nothing_is_kept():
    """Memory is back where it was: results, working memory, copies."""
    a, b, square = random(1023, 1025), random(1025, 1021), random(64, 64)
    tilewright.matmul(a, b)
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    for _turn in range(20):
        tilewright.matmul(a, b, bias=b[0])
        tilewright.matmul(square, square, out=square)

    assert torch.cuda.memory_allocated() == before


def test_threads():
    """Eight threads, each on a stream and with shapes of its own, some shared."""
    wrong = []

    def work(number):
        with torch.cuda.stream(torch.cuda.Stream()):
            for turn in range(20):
                m, n, k = 64 + 8 * (number % 3), 65 + turn, 129
                a, b = random(m, k), random(k, n)
                if not is_right(tilewright.matmul(a, b), a, b):
                    wrong.append((number, turn))

    at_once(work, range(8))
    assert wrong == []


def test_capture_into_a_graph():
    """After a first call, a call can be captured, and replays with what is in the inputs then."""
    a, b = random(255, 257), random(257, 253)
    c = torch.empty(255, 253, dtype=torch.bfloat16, device="cuda")
    tilewright.matmul(a, b, out=c)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        tilewright.matmul(a, b, out=c)
    for _ in range(3):
        a.copy_(random(255, 257))
        c.fill_(float("nan"))
        graph.replay()
        torch.cuda.synchronize()
        assert is_right(c, a, b)


def test_too_large_a_result():
    """A sentence, and the next call is right."""
    tall, wide = random(2**22, 1), random(1, 2**20)
    with pytest.raises(OutOfMemoryError, match=r"Allocating 8,796,093,022,208 bytes on GPU 0 failed"):
        tilewright.matmul(tall, wide)
    a, b = random(64, 64), random(64, 64)

    assert is_right(tilewright.matmul(a, b), a, b)


@pytest.mark.filterwarnings("ignore:.*fork.*")
def test_a_forked_child_is_told_to_spawn():
    """A child that inherits the context gets a sentence, and still multiplies on the host."""
    a = random(64, 64)
    tilewright.matmul(a, a)
    torch.cuda.synchronize()
    child = os.fork()
    if child == 0:
        said = ""
        try:
            tilewright.matmul(a, a)
        except DeviceUnavailableError as error:
            said = str(error)
        on_host = float(tilewright.matmul([[2.0]], [[3.0]])[0, 0])
        os._exit(0 if "spawn" in said and on_host == 6 else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_child_forked_before_works():
    """Importing tilewright does not touch the GPU, so that a child may be the first to use it."""
    code = (
        "import os, torch, tilewright\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    a = torch.ones(8, 8, device='cuda', dtype=torch.bfloat16)\n"
        "    os._exit(0 if float(tilewright.matmul(a, a).sum()) == 512 else 1)\n"
        "raise SystemExit(os.waitpid(child, 0)[1] != 0)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
