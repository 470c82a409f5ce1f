"""Arrays on a GPU of a library that is not known, which become torch's or CuPy's over the same memory; no GPU here."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

import tilewright
from tests.arrays import emulated_gpu
from tests.arrays.emulated_gpu import STREAM, EmulatedArray
from tilewright.arrays import foreign as foreign_arrays
from tilewright.arrays import memory as cuda_memory
from tilewright.arrays.places import CUDA, CUPY
from tilewright.call import cuda_product
from tilewright.launch.cuda import device as cuda_device


@pytest.fixture
def gpu(monkeypatch):
    """An emulated GPU."""
    yield emulated_gpu.install(monkeypatch)
    cuda_device.cuda_device.cache_clear()


@pytest.fixture
def torch(monkeypatch):
    """What of torch takes arrays over; `seen` are their interfaces."""
    seen: list[dict[str, Any]] = []

    class Tensor:
        def __init__(self, shown):
            self.shown = shown
            seen.append(shown.__cuda_array_interface__)

        def view(self, dtype):
            return "viewed as", dtype, self

        def flip(self, axes):
            return "flipped", axes, self

    module = SimpleNamespace(as_tensor=Tensor, from_dlpack=lambda given: ("shared", given), bfloat16="bf16", seen=seen)
    monkeypatch.setitem(sys.modules, "torch", module)
    monkeypatch.setattr(cuda_memory, "find_spec", lambda _: None)
    return module


CALLS = [
    (tilewright.vecdot, (3, 4), (3, 4), lambda a, b: (a * b).sum(-1)),
    (tilewright.vecdot, (4,), (4,), lambda a, b: (a * b).sum()),
    (tilewright.tensordot, (2, 3, 4), (3, 4, 5), lambda a, b: numpy.tensordot(a, b, 2)),
    (tilewright.dot, (3, 4), (4, 5), numpy.dot),
    (tilewright.dot, (2, 3, 4), (5, 4, 2), numpy.dot),
    (tilewright.dot, (4,), (4,), numpy.dot),
]


@pytest.mark.parametrize(("function", "left", "right", "same"), CALLS)
def test_all_functions_take_them(gpu, monkeypatch, function, left, right, same):
    """What the lender makes of them comes out; `out` is written in its own memory and returned itself."""
    monkeypatch.setattr(foreign_arrays, "borrowed", lambda array, _name: array.bits)
    monkeypatch.setattr(foreign_arrays, "lender_of", lambda _: CUPY)
    a, b = (gpu.array(numpy.random.default_rng(1).integers(-3, 4, shape), "float64") for shape in (left, right))
    expected = same(a.values, b.values)
    numpy.testing.assert_array_equal(function(a, b), expected)
    if function is tilewright.tensordot:
        return
    out = EmulatedArray(gpu, numpy.shape(expected), "float64")
    assert function(a, b, out) is out
    numpy.testing.assert_array_equal(out.values, expected)
    out.read_only = True
    with pytest.raises(ValueError, match="out is a EmulatedArray that is read-only"):
        function(a, b, out)


def test_matmul_of_types_without_a_kernel(gpu, monkeypatch):
    """Whole numbers, and two types: by the lender; what a kernel multiplies is read where it lies."""
    taken = []

    def borrowed(array, name):
        taken.append(name)
        return array.bits if array.dtype == "int32" else array

    def in_one_type(a, b, library):
        return (a, b) if library == CUDA or a.dtype == b.dtype else (gpu.array(a.values, b.dtype), b)

    monkeypatch.setattr(foreign_arrays, "borrowed", borrowed)
    monkeypatch.setattr(foreign_arrays, "lender_of", lambda _: CUPY)
    monkeypatch.setattr(cuda_product, "borrowed", borrowed)
    monkeypatch.setattr(cuda_product, "in_one_type", in_one_type)
    a, b = gpu.array([[1, 2], [3, 4]], "int32"), gpu.array([[1, 0], [1, 1]], "int32")
    assert tilewright.matmul(a, b).tolist() == [[3, 2], [7, 4]]
    assert tilewright.reduced_matmul(a, b).tolist() == [[16]]
    c = gpu.array([[1, 0], [0, 1]], "float64")
    result = tilewright.matmul(gpu.array([[1, 2], [3, 4]], "float32"), c, c=c, beta=1)
    assert (result.dtype, result.values.tolist()) == ("float64", [[2, 2], [3, 5]])
    assert taken == ["A", "B", "A", "B", "c", "A", "B"]
    assert len(gpu.runs) == 1
    numpy.testing.assert_array_equal(tilewright.matmul(c, c).values, c.values)
    with pytest.raises(tilewright.DtypeError, match="out is"):
        tilewright.matmul(c, c, out=EmulatedArray(gpu, (2, 2), "float32"))
    assert len(taken) == 7


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_reduced_matmul_reads_them_where_they_lie(gpu, dtype):
    """Batches broadcast, any strides, a result of its own and `out`; nothing is copied."""
    a, b = EmulatedArray(gpu, (2, 4, 5), dtype, (20, 1, 4)), EmulatedArray(gpu, (5, 6), dtype, (-13, 2))
    random = numpy.random.default_rng(1)
    for each in (a, b):
        each.set(random.integers(-3, 4, each.shape))
    expected = (a.values[:, 0::2] + a.values[:, 1::2]) @ (b.values[:, 0::2] + b.values[:, 1::2])

    result = tilewright.reduced_matmul(a, b, kernel="pair_sums" if dtype != "float16" else "auto")

    assert (result.dtype, result.shape) == (dtype, (2, 2, 3))
    numpy.testing.assert_array_equal(result.values, expected)
    out = EmulatedArray(gpu, (2, 2, 3), dtype, (1, 2, 4))
    assert tilewright.reduced_matmul(a, b, out) is out
    numpy.testing.assert_array_equal(out.values, expected)
    assert gpu.copies == 0


def test_by_interface(gpu, torch):
    """Shape, strides and address as they are; the stream that writes it is waited for, and its owner kept."""
    array = EmulatedArray(gpu, (2, 3), "float32", (1, 2), stream=9, read_only=True)
    tensor = foreign_arrays.borrowed(array, "A")
    (shown,) = torch.seen
    assert tensor.shown.owner is array
    assert (shown["shape"], shown["strides"], shown["typestr"]) == ((2, 3), (4, 8), "<f4")
    assert shown["data"] == (array.address, False)  # torch refuses to take over what may not be written
    assert gpu.driver.waits == [(STREAM, 9)]


def test_what_torch_has_no_words_for(gpu, torch):
    """bfloat16 comes as its bits; negative strides are turned around, from the lowest address; a mask is refused."""
    how, dtype, _ = foreign_arrays.borrowed(EmulatedArray(gpu, (2, 2), "bfloat16"), "A")
    assert (how, dtype, torch.seen[-1]["typestr"]) == ("viewed as", "bf16", "<i2")

    backwards = EmulatedArray(gpu, (2, 3), "float64", (-3, 1))
    how, axes, _ = foreign_arrays.borrowed(backwards, "A")
    assert (how, axes) == ("flipped", [0])
    assert torch.seen[-1]["strides"] == (24, 8)
    assert torch.seen[-1]["data"][0] == backwards.address - 24
    with pytest.raises(tilewright.DtypeError, match=r"out has strides of .* negative"):
        foreign_arrays.borrowed(backwards, "out")
    masked = SimpleNamespace(__cuda_array_interface__={**backwards.__cuda_array_interface__, "mask": backwards})
    with pytest.raises(tilewright.DtypeError, match="B is a masked array"):
        foreign_arrays.borrowed(masked, "B")


def test_by_dlpack(torch, monkeypatch):
    """The lender takes it over itself; what it says of what it cannot is in the sentence."""
    shared = SimpleNamespace(__dlpack__=None, __dlpack_device__=lambda: (2, 0))
    assert foreign_arrays.borrowed(shared, "A") == ("shared", shared)

    def refuse(_given):
        raise BufferError("it is\nnot to be had")

    monkeypatch.setattr(torch, "from_dlpack", refuse)
    with pytest.raises(
        tilewright.DtypeError, match="A is a SimpleNamespace that torch cannot take over: it is not to be had"
    ):
        foreign_arrays.borrowed(shared, "A")


@pytest.mark.parametrize("is_read_only", [True, False])
@pytest.mark.parametrize("has_interface", [True, False])
def test_whether_an_output_may_be_written(monkeypatch, is_read_only, has_interface):
    """Its interface says so, or what it exports to the stream of its device."""
    asked: Any = []
    shared = SimpleNamespace(stream=lambda device: ("stream of", device))
    monkeypatch.setattr(foreign_arrays, "memory", lambda name: shared if name == CUDA else None)
    monkeypatch.setattr(foreign_arrays, "is_read_only", lambda *given: bool(asked.append(given)) or is_read_only)
    out = SimpleNamespace(__dlpack_device__=lambda: (2, 5))
    if has_interface:
        out.__cuda_array_interface__ = {"data": (4096, is_read_only)}

    if is_read_only:
        with pytest.raises(ValueError, match="out is a SimpleNamespace that is read-only"):
            foreign_arrays.check_writable(out)
    else:
        foreign_arrays.check_writable(out)

    assert asked == ([] if has_interface else [(out, ("stream of", 5))])


def test_memory_of_an_unknown_library(monkeypatch):
    """Arrays are described by their interface, or by DLPack with the stream of their device; the rest is lent."""
    asked: Any = []
    names = ("empty", "stream", "copy", "packed", "result")
    lender: Any = SimpleNamespace(**{name: (lambda *given, name=name: (name, *given)) for name in names})
    memory = cuda_memory.ForeignMemory(lender)
    monkeypatch.setattr(cuda_memory, "from_interface", lambda *given: asked.append(("interface", *given)))
    monkeypatch.setattr(cuda_memory, "from_dlpack", lambda *given: asked.append(("dlpack", *given)))
    shown, shared = SimpleNamespace(__cuda_array_interface__={}), SimpleNamespace(__dlpack_device__=lambda: (2, 7))

    memory.describe(shown, "A")
    memory.describe(shared, "B")

    assert asked == [("interface", shown, "A"), ("dlpack", shared, "B", ("stream", 7))]
    assert [getattr(memory, name) for name in names] == [getattr(lender, name) for name in names]


def test_what_cupy_takes_over(monkeypatch):
    """As it is shown; the bits of bfloat16 with their type."""
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed: make test-all brings it")
    module = SimpleNamespace(asarray=lambda shown: SimpleNamespace(shown=shown, view=lambda dtype: (dtype, shown)))
    monkeypatch.setitem(sys.modules, "cupy", module)
    shown: Any = SimpleNamespace()

    assert foreign_arrays._taken_over(shown, CUPY, is_bfloat16=False).shown is shown
    assert foreign_arrays._taken_over(shown, CUPY, is_bfloat16=True) == (ml_dtypes.bfloat16, shown)
