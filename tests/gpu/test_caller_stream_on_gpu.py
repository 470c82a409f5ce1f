"""The keyword `stream` on a GPU: the call is queued there, whatever the current stream is, and waits for nothing."""

from __future__ import annotations

import numpy
import pytest

import tilewright
from tests.gpu.gpu_libraries import Cupy
from tests.gpu.test_streams_on_gpu import SPIN_CYCLES, device, exact, integers, torch, ways

__all__ = ["device"]  # a fixture


class Borrowed:
    """Another library's stream, by CUDA Python's protocol."""

    def __init__(self, stream):
        self.address = stream.cuda_stream

    def __cuda_stream__(self):
        return 0, self.address


@pytest.mark.parametrize("given", [lambda stream: stream, lambda stream: stream.cuda_stream, Borrowed])
def test_a_stream_that_is_given(given):
    """The call is queued there, in order; nothing waits, and the caller's current stream stays what it was."""
    a, b = integers(96, 80), integers(80, 72)
    stream = torch.cuda.Stream()
    for multiply in ways(a, b):
        later = torch.zeros_like(a).copy_(a)
        multiply(later, b, stream=given(stream))
        doubled = multiply(later, b) + multiply(later, b)  # loads what is used below, for which the GPU is waited for
        later.zero_()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(SPIN_CYCLES)
            later.copy_(a)
        result = multiply(later, b, stream=given(stream))
        assert not stream.query(), "the call waited for its stream"
        assert torch.cuda.current_stream() == torch.cuda.default_stream()
        assert torch.cuda.default_stream().query()
        with torch.cuda.stream(stream):
            doubled = result + result
        stream.synchronize()
        assert torch.equal(doubled, exact(a, b) * 2)


def test_cuda_pythons_stream():
    """One of cuda.core's, which torch did not make; its result is that of torch's allocator."""
    core = pytest.importorskip("cuda.core", reason="cuda.core is not installed: pip install cuda-core")
    gpu = core.Device(0)
    gpu.set_current()
    stream = gpu.create_stream()
    a, b = integers(48, 40), integers(40, 56)
    torch.cuda.synchronize()
    for multiply in ways(a, b):
        result = multiply(a, b, stream=stream)
        stream.sync()
        assert torch.equal(result, exact(a, b))
        del result


@pytest.mark.parametrize("address", [0, 1, 2])
def test_default_streams_by_number(address):
    """The legacy one, by both of its numbers, waits for what is queued on it; the thread's own is right, too."""
    a, b = integers(48, 40), integers(40, 56)
    expected = exact(a, b)
    for multiply in ways(a, b):
        out = torch.zeros_like(expected)
        multiply(a, b, out=out, stream=address)
        torch.cuda.synchronize()
        out.zero_()
        torch.cuda._sleep(SPIN_CYCLES)
        assert multiply(a, b, out=out, stream=address) is out
        assert not torch.cuda.default_stream().query()
        torch.cuda.synchronize()
        assert torch.equal(out, expected)


def test_every_call_runs_on_the_stream_that_is_given():
    """What reads an operand that is filled late on that stream sees it filled."""
    a, b = integers(64, 64), integers(64, 64)
    stream = torch.cuda.Stream()
    for name in ("matmul", "reduced_matmul", "dot", "vecdot", "tensordot"):
        call = getattr(tilewright, name)
        expected = call(a, b)
        later = torch.zeros_like(a)
        call(later, b, stream=stream)
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(SPIN_CYCLES)
            later.copy_(a)
        result = call(later, b, stream=stream)
        assert not stream.query(), name
        stream.synchronize()
        assert torch.equal(result, expected), name


def test_a_graph_of_calls_with_a_stream():
    """The stream that is captured may be named by the calls inside."""
    a, b, out = integers(64, 48), integers(48, 56), integers(64, 56)
    stream = torch.cuda.Stream()
    for multiply in ways(a, b):
        multiply(a, b, out=out, stream=stream)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            multiply(a, b, out=out, stream=stream.cuda_stream)
        a.copy_(integers(64, 48))
        out.zero_()
        graph.replay()
        torch.cuda.synchronize()
        assert torch.equal(out, exact(a, b))


@pytest.mark.filterwarnings("ignore:The AccumulateGrad node:UserWarning")
def test_gradients_of_a_call_with_a_stream():
    """The backward pass runs on the forward pass's stream, and torch orders it with the caller's."""
    a, b = integers(24, 16).requires_grad_(), integers(16, 40).requires_grad_()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    result = tilewright.matmul(a, b, stream=stream)
    torch.cuda.current_stream().wait_stream(stream)
    result.sum().backward()
    torch.cuda.synchronize()
    ones = torch.ones(24, 40, device="cuda")
    assert torch.equal(a.grad, exact(ones, b.detach().mT))
    assert torch.equal(b.grad, exact(a.detach().mT, ones))


def test_what_is_refused_with_a_stream():
    """The host's arrays, and what is no stream."""
    a, stream = integers(8, 8), torch.cuda.Stream()
    with pytest.raises(tilewright.PlanError, match="on the host"):
        tilewright.matmul(a.cpu(), a.cpu(), stream=stream)
    with pytest.raises(tilewright.PlanError, match="of type Event"):
        tilewright.matmul(a, a, stream=torch.cuda.Event())


def test_a_stream_for_cupys_arrays():
    """CuPy's own, by its address or as it is: the call runs there, and CuPy's current stream stays."""
    cupy = Cupy().xp
    values = numpy.random.default_rng(0).integers(-3, 4, (256, 256))
    stream = cupy.cuda.Stream(non_blocking=True)
    a, filled = cupy.zeros((256, 256), "f4"), cupy.asarray(values.astype("f4"))
    plan = tilewright.plan(a, filled)
    ones = cupy.ones((2048, 2048), "f4")
    for multiply in (tilewright.matmul, plan):
        for given in (stream, stream.ptr):
            multiply(a, filled, stream=given)
            a[...] = 0
            cupy.cuda.Device().synchronize()
            with stream:
                for _ in range(200):
                    cupy.matmul(ones, ones)
                a[...] = filled
            c = multiply(a, filled, stream=given)
            assert not stream.done
            assert cupy.cuda.get_current_stream() == cupy.cuda.Stream.null
            stream.synchronize()
            numpy.testing.assert_array_equal(cupy.asnumpy(c), values @ values)
