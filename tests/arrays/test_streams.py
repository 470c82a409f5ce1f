"""The keyword `stream`: which streams are taken, by which calls, for which arrays; and only for that call."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

import tilewright
from tests.arrays import emulated_gpu, fake_cupy, fake_jax, fake_torch
from tests.arrays.emulated_gpu import STREAM, EmulatedArray
from tilewright.arrays.cupy import CupyMemory
from tilewright.arrays.memory import ForeignMemory
from tilewright.arrays.torch import TorchMemory
from tilewright.call import cuda_product, repeated_product
from tilewright.launch.cuda import device as cuda_device
from tilewright.launch.cuda import native

ADDRESS = 0x5550


@pytest.fixture
def gpu(monkeypatch):
    """A GPU with torch's and CuPy's arrays, and nothing remembered."""
    found: Any = emulated_gpu.install(monkeypatch)
    monkeypatch.setattr(native, "extra", lambda: None)
    memories = {"torch": TorchMemory(), "cupy": CupyMemory(), "cuda": ForeignMemory(TorchMemory())}
    monkeypatch.setattr(cuda_product, "memory", memories.get)
    monkeypatch.setattr("tilewright.arrays.streams.memory", memories.get)
    monkeypatch.setattr(repeated_product, "_products", {})
    native.reader.cache_clear()
    found.torch, found.cupy = fake_torch.install(monkeypatch, found), fake_cupy.install(monkeypatch, found)
    yield found
    native.reader.cache_clear()
    cuda_device.cuda_device.cache_clear()


def tensor(gpu, *shape):
    """One of torch's, of small integers."""
    values = numpy.random.default_rng(sum(shape)).integers(-3, 4, shape)
    return fake_torch.Tensor(gpu.array(values, "float32"))


class Protocol:
    """What CUDA Python's streams say."""

    def __init__(self, version=0, address=ADDRESS):
        self.said = version, address

    def __cuda_stream__(self):
        return self.said


class Stream(SimpleNamespace):
    """A stream of a library that says where it is in a field."""


class Event(SimpleNamespace):
    """No stream, in spite of the field."""


@pytest.mark.parametrize(
    ("stream", "address"),
    [
        (ADDRESS, ADDRESS),
        (numpy.uint64(ADDRESS), ADDRESS),
        (0, 0),
        (1, 0),
        (2, 2),
        (Protocol(), ADDRESS),
        (Protocol(address=1), 0),
        (fake_torch.Stream(ADDRESS), ADDRESS),
        (fake_cupy.Stream(ADDRESS, 0), ADDRESS),
        (Stream(handle=ctypes.c_void_p(ADDRESS)), ADDRESS),
        (Stream(handle=ctypes.c_void_p(0)), 0),
        (Stream(handle=ADDRESS), ADDRESS),
    ],
)
def test_each_kind_of_stream(gpu, stream, address):
    """For torch's, CuPy's and another library's arrays; what is called before and after runs on the current stream."""
    cupys = [fake_cupy.Array(EmulatedArray(gpu, (4, 4), "float32").set(numpy.eye(4))) for _ in range(2)]
    foreign = [gpu.array(numpy.eye(4), "float32") for _ in range(2)]
    for a, b in ((tensor(gpu, 4, 4), tensor(gpu, 4, 4)), cupys, foreign):
        del gpu.streams[:]
        results = [tilewright.matmul(a, b, stream=given) for given in (None, stream, None, stream)]
        assert gpu.streams == [STREAM, address, STREAM, address]
        for result in results:
            numpy.testing.assert_array_equal(result.values, a.values @ b.values)
            assert type(result) is type(results[0])


def test_all_of_a_call_is_the_same_with_a_stream(gpu):
    """Epilogue, out and options go along, also where the call is repeated."""
    a, b, c, bias = tensor(gpu, 4, 5), tensor(gpu, 5, 6), tensor(gpu, 4, 6), tensor(gpu, 6)
    out = tensor(gpu, 4, 6)
    options = {"alpha": 2, "beta": 3, "c": c, "bias": bias, "activation": "relu"}
    for _ in range(2):
        assert tilewright.matmul(a, b, out, stream=ADDRESS, **options) is out
        expected = numpy.maximum(2 * a.values @ b.values + 3 * c.values + bias.values, 0)
        numpy.testing.assert_array_equal(out.values, expected)
    assert gpu.streams == [ADDRESS] * 2


def test_a_plans_call(gpu):
    """Each call has its own stream; the plan has none."""
    a, b = tensor(gpu, 4, 5), tensor(gpu, 5, 6)
    plan = tilewright.plan(a, b)
    out = tensor(gpu, 4, 6)
    plan(a, b)
    plan(a, b, stream=ADDRESS)
    assert plan(a, b, out=out, stream=fake_torch.Stream(8)) is out
    assert gpu.streams == [STREAM, ADDRESS, 8]
    numpy.testing.assert_array_equal(out.values, a.values @ b.values)
    with pytest.raises(tilewright.PlanError, match="stream is"):
        plan(a, b, stream="main")


def test_the_current_stream_comes_back_after_a_refusal(gpu):
    """An error inside of the call leaves nothing behind."""
    with pytest.raises(tilewright.ShapeError):
        tilewright.matmul(tensor(gpu, 4, 5), tensor(gpu, 4, 5), stream=ADDRESS)
    assert gpu.torch.stream == STREAM


CALLS = {name: getattr(tilewright, name) for name in ("matmul", "reduced_matmul", "dot", "vecdot", "tensordot")}


class ReachedError(Exception):
    """The call has come to its arrays."""


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_each_call_takes_it(gpu, call, monkeypatch):
    """The stream is current when a call looks at its arrays; the host's arrays, and what is no stream, are refused."""
    a = tensor(gpu, 4, 4)

    def place_of(**given):
        assert list(given) == ["A", "B", "out", "c", "bias"][: len(given)]
        raise ReachedError(gpu.torch.stream)

    for module in ("matmul", "reduced_matmul", "dot", "contractions"):
        monkeypatch.setattr(f"tilewright.call.{module}.place_of", place_of)
    with pytest.raises(ReachedError, match=f"^{ADDRESS}$"):
        call(a, a, stream=ADDRESS)
    with pytest.raises(ReachedError, match=f"^{STREAM}$"):
        call(a, a)
    with pytest.raises(tilewright.PlanError, match=r"stream is 'x' of type str, and a stream of torch"):
        call(a, a, stream="x")
    with pytest.raises(tilewright.PlanError, match="on the host, whose products run on no stream"):
        call(numpy.eye(4), numpy.eye(4), stream=ADDRESS)


@pytest.mark.parametrize(
    ("stream", "sentence"),
    [
        (True, "stream is True of type bool"),
        (2.0, "stream is 2.0 of type float"),
        (Event(handle=ADDRESS), "stream is of type Event"),
        (Stream(), "stream is of type Stream"),
        (-1, "stream is at -1, which is no address"),
        (3, "stream is at 3, which is no address"),
        (Protocol(version=1), r"stream says \(1, 21840\) by __cuda_stream__, and \(0, address"),
        (Protocol, "stream is of type type"),
        (Protocol(address="1"), "stream is of type Protocol"),
        (fake_torch.Stream(ADDRESS, 1), "stream is of GPU 1 and A is on GPU 0"),
        (fake_cupy.Stream(ADDRESS, 1), "stream is of GPU 1 and A is on GPU 0"),
    ],
)
def test_what_is_no_stream_of_that_gpu(gpu, stream, sentence):
    """One sentence, before anything runs."""
    with pytest.raises(tilewright.PlanError, match=sentence):
        tilewright.matmul(tensor(gpu, 4, 4), tensor(gpu, 4, 4), stream=stream)
    assert gpu.streams == []


def test_jax_shows_no_streams(gpu, monkeypatch):
    """Its arrays are refused with a stream, on a GPU as anywhere."""
    fake_jax.install(monkeypatch, gpu)
    a = fake_jax.Array(EmulatedArray(gpu, (4, 4), "float32").set(numpy.eye(4)))
    with pytest.raises(tilewright.PlanError, match="JAX's, which orders its work itself"):
        tilewright.matmul(a, a, stream=ADDRESS)


def test_code_that_is_compiled_has_none(gpu):
    """torch.compile would not see it."""
    gpu.torch.compiler.is_compiling = lambda: True
    with pytest.raises(tilewright.PlanError, match=r"code that torch\.compile reads"):
        tilewright.matmul(tensor(gpu, 4, 4), tensor(gpu, 4, 4), stream=ADDRESS)
