"""dot and vecdot of tensors on a GPU: one launch, asked for once and again; the GPU's memory is the emulator's."""

from __future__ import annotations

import sys

import numpy
import pytest

import tilewright
from tests.arrays import emulated_gpu, fake_torch
from tests.arrays.fake_torch import Tensor
from tilewright.arrays.memory import ForeignMemory
from tilewright.arrays.torch import TorchMemory
from tilewright.call import asked, cuda_product, repeated_product
from tilewright.launch.cuda import device as cuda_device
from tilewright.launch.cuda import native


@pytest.fixture
def gpu(monkeypatch):
    """A GPU with torch's tensors in its memory, nothing remembered, and no compiled extra."""
    found = emulated_gpu.install(monkeypatch)
    monkeypatch.setattr(native, "extra", lambda: None)
    memories = {"torch": TorchMemory(), "cuda": ForeignMemory(TorchMemory())}
    monkeypatch.setattr(cuda_product, "memory", memories.get)
    monkeypatch.setattr(repeated_product, "_products", {})
    found.torch = fake_torch.install(monkeypatch, found)
    yield found
    native.reader.cache_clear()
    cuda_device.cuda_device.cache_clear()


@pytest.fixture
def checks(monkeypatch):
    """How often a call was looked at from the beginning."""
    seen = []
    check = asked.check_vectors

    def counted(*given):
        seen.append(given)
        return check(*given)

    monkeypatch.setattr(cuda_product, "check_vectors", counted)
    return seen


def numbers(*shape, seed=0):
    """Small integers, so that sums are exact."""
    return numpy.random.default_rng(seed).integers(-3, 4, shape)


def tensor(gpu, *shape, dtype="float32", seed=0, **options):
    """A tensor of small integers."""
    return Tensor(gpu.array(numbers(*shape, seed=seed), dtype, **options))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float64", "int32"])
def test_again(gpu, checks, dtype):
    """The second call is not looked at; its result is a tensor without dimensions, of its own, on the GPU."""
    for seed in range(3):
        a, b = tensor(gpu, 100, dtype=dtype, seed=seed), tensor(gpu, 100, dtype=dtype, seed=seed + 10)
        result = tilewright.dot(a, b)
        assert (result.shape, result.dtype) == ((), a.dtype)
        numpy.testing.assert_array_equal(result.values, a.values @ b.values)

    assert len(checks) == 1
    assert [plan.kernel.name for plan in gpu.runs] == ["dot/two_stage"] * 3
    assert all(len(plan.launches) == 1 for plan in gpu.runs)


def test_a_repeated_call_is_short(gpu):
    """A handful of functions, the key, two tensors and the launch: what a call of matmul takes."""
    a = tensor(gpu, 100)
    calls, seen = [], []

    def noted(frame, event, _):
        if event == "call":
            seen.append(frame.f_code.co_name)

    for operation in (tilewright.matmul, tilewright.dot, tilewright.vecdot):
        operation(a, a)
        seen.clear()
        sys.setprofile(noted)
        try:
            operation(a, a)
        finally:
            sys.setprofile(None)
        calls.append(len(seen[: seen.index("run") + 1]))

    assert calls[1] <= calls[0] + 2
    assert calls[2] <= calls[0] + 2


def test_vecdot(gpu, checks):
    """Any axis, broadcasts, strides; dot, vecdot and matmul of the same tensors do not answer for each other."""
    a, b = tensor(gpu, 3, 5, 4), tensor(gpu, 5, 4, seed=1)
    for _ in range(2):
        numpy.testing.assert_array_equal(tilewright.vecdot(a, b).values, (a.values * b.values).sum(-1))
        numpy.testing.assert_array_equal(tilewright.vecdot(a, b, axis=-2).values, (a.values * b.values).sum(-2))
    assert len(checks) == 2

    square, other = tensor(gpu, 4, 4), tensor(gpu, 4, 4, strides=(1, 4), seed=2)
    for _ in range(2):
        expected = square.values @ other.values
        numpy.testing.assert_array_equal(tilewright.matmul(square, other).values, expected)
        numpy.testing.assert_array_equal(tilewright.dot(square, other).values, expected)
        numpy.testing.assert_array_equal(
            tilewright.vecdot(square, other).values, (square.values * other.values).sum(-1)
        )


def test_out(gpu):
    """Written in place; an input that it overlaps is read first. A wrong one is refused before anything runs."""
    a, b, out = tensor(gpu, 6), tensor(gpu, 6, seed=1), tensor(gpu)
    for _ in range(2):
        assert tilewright.dot(a, b, out) is out
        assert out.values == a.values @ b.values
    rows = tensor(gpu, 4, 4)
    expected = (rows.values * rows.values).sum(0)
    first = tensor(gpu, 4)
    first.array.address, first.array.bits = rows.array.address, rows.array.bits[0]
    tilewright.vecdot(rows, rows, first, axis=0)
    numpy.testing.assert_array_equal(first.values, expected)

    ran = len(gpu.runs)
    with pytest.raises(tilewright.ShapeError, match=r"out is \(6,\) float32, but the result is \(\) float32"):
        tilewright.dot(a, b, tensor(gpu, 6))
    with pytest.raises(tilewright.DtypeError, match="float32, the result's type, is accepted"):
        tilewright.dot(a, b, tensor(gpu, dtype="float64"))
    assert len(gpu.runs) == ran


def test_a_wider_sum(gpu, checks):
    """`dtype` is the type of the result; another one than the inputs' own or a wider one is refused."""
    a = tensor(gpu, 100, dtype="bfloat16")
    for dtype in ("float32", "float64", "float32"):
        result = tilewright.dot(a, a, dtype=dtype)
        assert (result.dtype.name, float(result.values)) == (dtype, float(a.values @ a.values))
        assert tilewright.vecdot(a, a, dtype=dtype).dtype.name == dtype
    assert len(checks) == 4
    with pytest.raises(tilewright.DtypeError, match="dtype is float16, and sums in float32 or float64 are accepted"):
        tilewright.dot(tensor(gpu, 3), tensor(gpu, 3), dtype="float16")


def test_nothing_to_add(gpu):
    """Empty vectors give 0, and no products give nothing."""
    assert tilewright.dot(tensor(gpu, 0), tensor(gpu, 0)).values == 0
    numpy.testing.assert_array_equal(tilewright.vecdot(tensor(gpu, 3, 0), tensor(gpu, 3, 0)).values, [0, 0, 0])
    assert tilewright.vecdot(tensor(gpu, 0, 3), tensor(gpu, 0, 3)).shape == (0,)


def test_sums_on_the_host_have_wider_types_too():
    """NumPy's vectors are converted first."""
    ones = numpy.ones(300, "f4")
    small = numpy.full(300, 100, "i1")

    assert tilewright.dot(ones, ones, dtype="float64").dtype == "float64"
    assert tilewright.dot(small, small, dtype="int64") == 3_000_000
    assert tilewright.vecdot(small, small, dtype="int32") == 3_000_000
    with pytest.raises(tilewright.DtypeError, match="dtype is float32, and sums in int8 or"):
        tilewright.dot(small, small, dtype="float32")
    with pytest.raises(tilewright.ShapeError, match="dtype goes with two vectors"):
        tilewright.dot(numpy.eye(2), numpy.eye(2), dtype="float64")
