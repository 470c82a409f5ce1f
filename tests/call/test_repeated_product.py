"""Tensors on a GPU, asked for once and again: the second time nothing is checked, and all is as right as the first."""

from __future__ import annotations

import sys
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

import tilewright
from tests.arrays import emulated_gpu, fake_torch
from tests.arrays.emulated_gpu import STREAM, EmulatedArray
from tests.arrays.fake_torch import Tensor
from tests.launch import fake_driver
from tilewright.arrays.memory import ForeignMemory
from tilewright.arrays.torch import TorchMemory
from tilewright.call import asked, cuda_product, prepared, repeated_product
from tilewright.launch import DeviceUnavailableError, OutOfMemoryError
from tilewright.launch.cuda import device as cuda_device
from tilewright.launch.cuda import native

from . import compiled_calls


@pytest.fixture(
    params=["python", "guards", pytest.param("compiled", marks=pytest.mark.slow)]
)  # make test-all builds it
def gpu(monkeypatch, request):
    """A GPU with torch's tensors in its memory, and nothing remembered.

    Without the compiled extra, in plans also with guards as torch has them, and with the extra.
    """
    found = emulated_gpu.install(monkeypatch)
    if request.param == "compiled":
        module = pytest.importorskip("tilewright_native", reason="the extra is not installed: make test-all builds it")
        compiled_calls.install_driver(monkeypatch)
        monkeypatch.setattr(Tensor, "__dlpack_c_exchange_api__", compiled_calls.exchange_of(STREAM), raising=False)
        native.reader.cache_clear()
    if request.param == "guards":
        monkeypatch.setattr(prepared, "guard_of", guard_of)
    monkeypatch.setattr(native, "extra", lambda: module if request.param == "compiled" else None)
    memories = {"torch": TorchMemory(), "cuda": ForeignMemory(TorchMemory())}
    monkeypatch.setattr(cuda_product, "memory", memories.get)
    monkeypatch.setattr(repeated_product, "_products", {})
    found.torch = fake_torch.install(monkeypatch, found)
    yield found
    native.reader.cache_clear()
    cuda_device.cuda_device.cache_clear()


def guard_of(tensor):
    """What torch's guards do, but for alignment, which they do not know."""

    def lies(other):
        if not isinstance(other, Tensor):
            raise TypeError
        return other.shape, other.stride(), other.dtype, other.is_neg(), other.requires_grad

    expected = lies(tensor)
    return lambda other: lies(other) == expected


@pytest.fixture
def checks(monkeypatch):
    """How often a call was looked at from the beginning."""
    seen = []
    check = asked.check

    def counted(*given, **options):
        seen.append(given)
        return check(*given, **options)

    monkeypatch.setattr(cuda_product, "check", counted)
    return seen


def numbers(*shape, seed=0):
    """Small integers, so that sums are exact."""
    return numpy.random.default_rng(seed).integers(-3, 4, shape)


def tensor(gpu, *shape, dtype="float32", seed=0, **options):
    """A tensor of small integers."""
    return Tensor(gpu.array(numbers(*shape, seed=seed), dtype, **options))


def test_the_second_call_is_right_without_a_look(gpu, checks):
    """Other tensors that lie alike: their own addresses, and a result of its own."""
    results = []
    for seed in range(3):
        a, b = tensor(gpu, 5, 7, seed=seed), tensor(gpu, 7, 6, seed=seed + 10)
        c = tilewright.matmul(a, b)
        numpy.testing.assert_array_equal(c.values, a.values @ b.values)
        results.append(c)

    assert len(checks) == 1
    assert len({result.data_ptr() for result in results}) == 3
    assert [result.dtype for result in results] == [gpu.torch.float32] * 3
    assert gpu.streams == [STREAM] * 3


def test_an_epilogue_again(gpu, checks):
    """C and bias have addresses of their own, too."""
    for seed in range(2):
        a, b, c, bias = (tensor(gpu, *shape, seed=seed) for shape in ((4, 4), (4, 6), (4, 6), (6,)))
        result = tilewright.matmul(a, b, c=c, beta=2, bias=bias, activation="relu")
        expected = numpy.maximum(a.values @ b.values + 2 * c.values + bias.values, 0)
        numpy.testing.assert_array_equal(result.values, expected)
    a, nan = tensor(gpu, 4, 4), Tensor(gpu.array(numpy.full((4, 4), numpy.nan), "float32"))
    for _ in range(2):
        assert numpy.isfinite(tilewright.matmul(a, a, c=nan).values).all()

    assert len(checks) == 2


def test_anything_else_is_looked_at(gpu, checks):
    """Shape, strides, type, alignment, and every option make another product."""
    a, b = tensor(gpu, 4, 4), tensor(gpu, 4, 4, seed=1)
    calls: list[tuple[Tensor, Tensor, dict[str, Any]]] = [
        (a, b, {}),
        (tensor(gpu, 5, 4), b, {}),
        (Tensor(gpu.array(numbers(4, 4), "float32", (1, 4))), b, {}),
        (Tensor(gpu.array(numbers(4, 4), "float32", offset=1)), b, {}),
        (tensor(gpu, 4, 4, dtype="float64"), tensor(gpu, 4, 4, dtype="float64"), {}),
        (a, b, {"alpha": 2}),
        (a, b, {"kernel": "tiled"}),
        (a, b, {"tile": 4}),
        (a, b, {"activation": "relu"}),
        (a, b, {"out": tensor(gpu, 4, 4)}),
        (a, b, {"bias": tensor(gpu, 4)}),
    ]
    for left, right, options in calls * 2:
        result = tilewright.matmul(left, right, **options)
        if not {"alpha", "activation", "bias"} & set(options):
            numpy.testing.assert_array_equal(result.values, left.values @ right.values)

    assert len(checks) == len(calls)


def test_equal_numbers_are_one_option(gpu, checks):
    """Alpha and beta count by their value, whichever type it has and whichever was first; a tile's type counts, too."""
    a, c = tensor(gpu, 4, 4), tensor(gpu, 4, 4, seed=1)
    equal: list[Any] = [True, 1, 1.0, numpy.float32(1), numpy.True_, 1 + 0j, Decimal(1), Fraction(1)]
    for first in (0, 1):
        for alpha in equal[first:] + equal[:first]:
            result = tilewright.matmul(a, a, alpha=alpha, beta=alpha, c=c)
            numpy.testing.assert_array_equal(result.values, a.values @ a.values + c.values)
        repeated_product._products.clear()
    assert len(checks) == 2

    negative = [numpy.signbit(tilewright.matmul(a, a, alpha=zero).values).any() for zero in (-0.0, 0.0)]
    assert negative[0] == negative[1]

    wrong: Any
    for tile, wrong in ((4, 4.0), (1, True), (4, numpy.float64(4)), ((4, 4), (4.0, 4))):
        for _ in range(2):
            with pytest.raises(tilewright.PlanError, match="tile is"):
                tilewright.matmul(a, a, kernel="tiled", tile=wrong)
            if isinstance(tile, int):
                tilewright.matmul(a, a, kernel="tiled", tile=tile)


def test_an_option_that_is_no_key(gpu, checks):
    """A tile as a list: right, and looked at each time."""
    a = tensor(gpu, 4, 4, dtype="float16")
    options: dict[str, Any] = {"kernel": "cuda_cores_16bit", "tile": [64, 64]}
    for _ in range(2):
        numpy.testing.assert_array_equal(tilewright.matmul(a, a, **options).values, a.values @ a.values)
    assert len(checks) == 2


def test_out_again(gpu, checks):
    """Written in place; and where it turns out to touch an input, by way of a copy, as the first time."""
    a, b, out = tensor(gpu, 6, 6), tensor(gpu, 6, 6, seed=1), tensor(gpu, 6, 6)
    expected = a.values @ b.values
    for _ in range(2):
        assert tilewright.matmul(a, b, out=out) is out
        numpy.testing.assert_array_equal(out.values, expected)
    assert len(checks) == 1

    assert tilewright.matmul(a, b, out=a) is a
    numpy.testing.assert_array_equal(a.values, expected)
    assert len(checks) == 2


def test_c_may_be_out_without_a_copy(gpu, checks):
    """What writes an element has read c's there; one that is shifted goes by way of a copy."""
    a, b = tensor(gpu, 6, 6), tensor(gpu, 6, 6, seed=1)
    for seed in range(2):
        c = tensor(gpu, 6, 6, seed=seed)
        expected = a.values @ b.values + 2 * c.values
        before = gpu.torch.allocations
        assert tilewright.matmul(a, b, c=c, beta=2, out=c) is c
        numpy.testing.assert_array_equal(c.values, expected)
        assert gpu.torch.allocations == before
    assert len(checks) == 1

    other, shifted = tensor(gpu, 6, 6, seed=5), tensor(gpu, 6, 6)
    shifted.array.address = other.array.address + 4
    shifted.array.bits = numpy.lib.stride_tricks.as_strided(other.array.allocation.data.view("f4")[1:], (5, 6), (24, 4))
    shifted.array.shape = shifted.shape = (5, 6)
    other.array.bits, other.array.shape, other.shape = other.array.bits[:5], (5, 6), (5, 6)
    narrow = tensor(gpu, 5, 6)
    expected = narrow.values @ b.values + other.values
    for _ in range(2):
        before = gpu.torch.allocations
        tilewright.matmul(narrow, b, c=other, beta=1, out=shifted)
        assert gpu.torch.allocations == before + 1
        numpy.testing.assert_array_equal(shifted.values, expected)
        expected = narrow.values @ b.values + other.values


def test_what_is_refused_is_refused_again(gpu):
    """Nothing is remembered of a call that failed."""
    a = tensor(gpu, 4, 4)
    for _ in range(2):
        with pytest.raises(tilewright.ShapeError):
            tilewright.matmul(a, tensor(gpu, 5, 4))
        with pytest.raises(tilewright.PlanError, match="kernel is"):
            tilewright.matmul(a, a, kernel=["tiled"])  # type: ignore[arg-type]
        sparse = tensor(gpu, 4, 4)
        sparse.layout = "sparse_coo"
        with pytest.raises(tilewright.DtypeError, match="sparse"):
            tilewright.matmul(sparse, a)


def test_gradients(gpu, checks, monkeypatch):
    """A parameter is multiplied where no gradients are recorded, quickly.

    Where they are, it is by the short way to record them, and by torch's operator where that declines.
    """
    weight = gpu.torch.nn.Parameter(gpu.array(numbers(4, 4), "float32"), requires_grad=True)
    gpu.torch.grad = False
    for _ in range(2):
        tilewright.matmul(tensor(gpu, 4, 4), weight)
    assert len(checks) == 1

    gpu.torch.grad = True
    asked: list[Any] = []
    operators = SimpleNamespace(matmul_by_operator=lambda *tensors, **options: asked.append((tensors, options)))
    monkeypatch.setitem(sys.modules, "tilewright.call.torch.operators", operators)
    results: list[Any] = ["recorded", NotImplemented, NotImplemented]
    short = SimpleNamespace(record=lambda _: results.pop(0))
    monkeypatch.setitem(sys.modules, "tilewright.call.torch.recorded", short)
    a = tensor(gpu, 4, 4)
    assert tilewright.matmul(a, weight) == "recorded"
    tilewright.matmul(a, weight, alpha=2)
    tilewright.plan(a, weight.detach())(a, weight)
    assert [tensors for tensors, _ in asked] == [(a, weight, None, None, None)] * 2
    assert asked[0][1]["alpha"] == 2
    assert len(checks) == 2  # the second is the plan's


def test_a_tangent_of_forward_mode(gpu, checks, monkeypatch):
    """A tensor that has one goes to torch's operator, though its layout is known: the tangent would be lost."""
    a, b = tensor(gpu, 4, 4), tensor(gpu, 4, 4, seed=1)
    multiply = tilewright.plan(a, b)
    for _ in range(2):
        tilewright.matmul(a, b)
        multiply(a, b)
    assert len(checks) == 2  # the plan's, and that of the first call
    asked: list[Any] = []
    operators = SimpleNamespace(matmul_by_operator=lambda *tensors, **_: asked.append(tensors))
    monkeypatch.setitem(sys.modules, "tilewright.call.torch.operators", operators)
    a.tangent = tensor(gpu, 4, 4)
    gpu.torch.autograd.forward_ad._current_level = 0
    tilewright.matmul(a, b)
    multiply(a, b)
    assert [tensors[:2] for tensors in asked] == [(a, b)] * 2
    for product in (tilewright.matmul(b, b), multiply(b, b)):  # within the level, but no tangent
        numpy.testing.assert_array_equal(product.values, b.values @ b.values)
    gpu.torch.autograd.forward_ad._current_level = -1
    gpu.torch._C._is_fwd_grad_enabled = lambda: False
    numpy.testing.assert_array_equal(multiply(a, b).values, a.values @ b.values)
    assert len(asked) == 2


def test_a_mode_that_sees_operators(gpu, checks, monkeypatch):
    """Within one, calls go to torch's operator, though the layout is known: the mode would not see them."""
    a = tensor(gpu, 4, 4)
    multiply = tilewright.plan(a, a)
    for _ in range(2):
        tilewright.matmul(a, a)
        multiply(a, a)
    assert len(checks) == 2
    asked: list[Any] = []
    operators = SimpleNamespace(matmul_by_operator=lambda *tensors, **_: asked.append(tensors))
    monkeypatch.setitem(sys.modules, "tilewright.call.torch.operators", operators)
    gpu.torch.utils._python_dispatch._is_in_torch_dispatch_mode = True
    gpu.torch._C._len_torch_dispatch_stack = lambda: 1
    tilewright.matmul(a, a)
    multiply(a, a)
    assert len(asked) == 2


def test_a_tensor_that_stands_for_its_negative(gpu):
    """The imaginary part of a conjugate: its memory holds the opposite of what it says."""
    a = tensor(gpu, 4, 4)
    tilewright.matmul(a, a)
    a.negative = True

    numpy.testing.assert_array_equal(tilewright.matmul(a, a).values, a.values @ a.values)
    b = tensor(gpu, 4, 4, seed=1)
    numpy.testing.assert_array_equal(tilewright.matmul(a, b).values, -a.values @ b.values)


def test_out_that_stands_for_its_negative(gpu):
    """Its memory takes the opposite of the result."""
    a, b, out = tensor(gpu, 4, 4), tensor(gpu, 4, 4, seed=1), tensor(gpu, 4, 4)
    tilewright.matmul(a, b, out=out)
    out.negative = True
    assert tilewright.matmul(a, b, out=out) is out
    numpy.testing.assert_array_equal(out.values, -a.values @ b.values)


def test_a_bias_with_gaps_is_packed_each_time(gpu):
    """Kernels read a bias without gaps; the copy is the call's own."""
    a = tensor(gpu, 4, 4)
    for seed in range(2):
        bias = Tensor(gpu.array(numbers(4, seed=seed), "float32", (3,)))
        numpy.testing.assert_array_equal(tilewright.matmul(a, a, bias=bias).values, a.values @ a.values + bias.values)


def test_memory_that_is_not_there(gpu):
    """Torch's error becomes ours, with what was wanted."""
    a = tensor(gpu, 4, 4)
    gpu.torch.limit_elements = 0

    with pytest.raises(OutOfMemoryError, match="Allocating 64 bytes on GPU 0 failed: CUDA out of memory"):
        tilewright.matmul(a, a)
    gpu.torch.limit_elements = 10**6
    tilewright.matmul(a, a)
    gpu.torch.limit_elements = 0
    with pytest.raises(OutOfMemoryError, match="Allocating 64 bytes on GPU 0 failed"):
        tilewright.matmul(a, a)


def test_a_forked_child_is_told_before_torch_is_asked(gpu):
    """The first time and again."""
    a = tensor(gpu, 4, 4)
    tilewright.matmul(a, a)
    other = tensor(gpu, 4, 5)
    fake_driver.fork()
    before = gpu.torch.allocations

    for b in (other, a):
        with pytest.raises(DeviceUnavailableError, match="spawn"):
            tilewright.matmul(a, b)
    assert gpu.torch.allocations == before


def test_no_more_than_so_many_are_kept(gpu, monkeypatch):
    """A program with ever new shapes starts anew."""
    monkeypatch.setattr(repeated_product, "MOST_PRODUCTS_KEPT", 2)
    for k in range(1, 6):
        tilewright.matmul(tensor(gpu, 2, k), tensor(gpu, k, 2))
        assert len(repeated_product._products) <= 2


def test_arrays_of_others_are_looked_at_each_time(gpu):
    """They have no key."""
    array = EmulatedArray(gpu, (2, 2), "float32")

    assert repeated_product.key_of((array, array, None, None, None), ()) is None


def test_copies_in_another_type_are_not_taken_for_what_they_were_made_of(gpu, monkeypatch):
    """Two types are promoted by a copy: what is remembered of that product must not read the tensors themselves."""

    def converted(a, b, library):
        del library
        return (Tensor(gpu.array(a.values, b.array.dtype)), b) if a.dtype is not b.dtype else (a, b)

    monkeypatch.setattr(cuda_product, "in_one_type", converted)
    for seed in range(3):
        a, b = tensor(gpu, 4, 4, dtype="float16", seed=seed), tensor(gpu, 4, 4, seed=seed + 1)
        numpy.testing.assert_array_equal(tilewright.matmul(a, b).values, a.values @ b.values)
    assert not repeated_product._products


@pytest.mark.parametrize(
    ("gpu", "is_compiled"),
    [("python", False), pytest.param("compiled", True, marks=pytest.mark.slow)],
    indirect=["gpu"],
)
def test_the_extra_is_used_where_it_is(gpu, is_compiled):
    """A remembered product is launched by it, and in Python without it."""
    a, b = tensor(gpu, 4, 4), tensor(gpu, 4, 4, seed=1)
    tilewright.matmul(a, b)
    (known,) = repeated_product._products.values()
    assert (known._compiled is not None) == is_compiled
