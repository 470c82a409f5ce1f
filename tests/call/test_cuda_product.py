"""matmul of arrays on a GPU, with the emulator in the GPU's place: every layout and epilogue, and what is refused."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy
import pytest

import tilewright
from tests.arrays import emulated_gpu
from tests.arrays.emulated_gpu import STREAM, EmulatedArray
from tilewright.choose import PlanError
from tilewright.launch.cuda import device as cuda_device

SLOW = [pytest.param(dtype, marks=pytest.mark.slow) for dtype in ("bfloat16", "float64")]
DTYPES = ["float32", *SLOW, pytest.param("float16", marks=pytest.mark.slow)]
FORCED = {"float16": "cuda_cores_16bit", "bfloat16": "cuda_cores_16bit", "float32": "auto", "float64": "auto"}
"""Kernels that the emulator runs."""


@pytest.fixture
def gpu(monkeypatch):
    """An empty GPU."""
    yield emulated_gpu.install(monkeypatch)
    cuda_device.cuda_device.cache_clear()


def numbers(*shape, seed=0):
    """Small integers, so that sums are exact in every type."""
    return numpy.random.default_rng(seed + sum(shape)).integers(-3, 4, shape)


def multiply(a, b, **options):
    """The product by a kernel that the emulator runs."""
    dtype = a.dtype
    return tilewright.matmul(a, b, kernel=FORCED[dtype], **options)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("a_shape", "a_strides", "b_shape", "b_strides"),
    [
        pytest.param((5, 7), None, (7, 6), None, id="packed"),
        pytest.param((5, 7), (1, 5), (7, 6), (1, 7), id="columns-first"),
        pytest.param((5, 7), (30, 3), (7, 6), (-8, 1), id="sliced-and-reversed"),
        pytest.param((5, 7), (0, -2), (7, 6), (9, 0), id="repeated-rows-and-columns"),
        pytest.param((7,), (3,), (7, 6), None, id="vector-matrix"),
        pytest.param((5, 7), None, (7,), (-1,), id="matrix-vector"),
        pytest.param((7,), None, (7,), (2,), id="vectors"),
        pytest.param((3, 5, 7), None, (7, 6), None, id="one-B-for-a-batch"),
        pytest.param((2, 1, 5, 7), None, (3, 7, 6), None, id="batches-broadcast"),
        pytest.param((2, 3, 5, 7), (0, 35, 7, 1), (2, 3, 7, 6), (126, 42, 1, 7), id="batch-of-stride-0"),
        pytest.param((3, 5, 7), None, (7,), None, id="batch-times-vector"),
        pytest.param((7,), None, (3, 7, 6), None, id="vector-times-batch"),
        pytest.param((5, 0), None, (0, 6), None, id="inner-size-0"),
    ],
)
def test_layouts(gpu, dtype, a_shape, a_strides, b_shape, b_strides):
    """Whatever the strides, nothing is copied, and the result is NumPy's."""
    a, b = EmulatedArray(gpu, a_shape, dtype, a_strides), EmulatedArray(gpu, b_shape, dtype, b_strides)
    a.set(numpy.broadcast_to(numbers(*a_shape)[:1] if 0 in a.strides[-2:-1] else numbers(*a_shape), a_shape))
    b.set(numpy.broadcast_to(numbers(*b_shape)[:, :1] if 0 in b.strides[1:] else numbers(*b_shape), b_shape))

    c = multiply(a, b)

    numpy.testing.assert_array_equal(c.values, a.values @ b.values)
    assert (c.shape, c.dtype) == ((a.values @ b.values).shape, dtype)
    assert gpu.copies == 0
    assert gpu.streams == [STREAM]


def test_a_bias_may_begin_at_any_element_and_nowhere_else(gpu):
    """Off 16 bytes and off pairs of elements it is read as it lies; off an element's own size a GPU cannot read it."""
    a, b = gpu.array(numbers(5, 7), "float16"), gpu.array(numbers(7, 6), "float16")
    for offset in (1, 2, 3):
        bias = gpu.array(numbers(6), "float16", offset=offset)
        result = multiply(a, b, bias=bias)
        numpy.testing.assert_array_equal(result.values, a.values @ b.values + bias.values)
    bias.address += 1
    with pytest.raises(PlanError, match=r"^bias's address is a multiple of 1 bytes.* copy it to an aligned address\.$"):
        multiply(a, b, bias=bias)


@pytest.mark.parametrize(
    ("a_shape", "b_shape"),
    [((0, 4), (4, 3)), ((3, 4), (4, 0)), ((0, 2, 4), (4, 3)), ((0,), (0, 0)), ((0, 2, 0), (0, 3))],
)
def test_nothing_is_launched_for_an_empty_result(gpu, a_shape, b_shape):
    """The shape is right, and there is nothing to compute."""
    c = tilewright.matmul(EmulatedArray(gpu, a_shape, "float16"), EmulatedArray(gpu, b_shape, "float16"))

    assert c.shape == (numpy.zeros(a_shape) @ numpy.zeros(b_shape)).shape
    assert gpu.runs == []


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("activation", [None, "relu", "gelu", "silu"])
def test_epilogues(gpu, dtype, activation):
    """activation(alpha A B + beta c + bias), c broadcast, bias with a stride; as on the host, within one rounding."""
    a, b = gpu.array(numbers(3, 5, 7), dtype), gpu.array(numbers(7, 6), dtype)
    c, bias = gpu.array(numbers(5, 1), dtype), gpu.array(numbers(6), dtype, (-2,))

    result = multiply(a, b, alpha=0.25, beta=-2, c=c, bias=bias, activation=activation)

    expected = tilewright.matmul(
        a.values, b.values, alpha=0.25, beta=-2, c=c.values, bias=bias.values, activation=activation
    )
    rounding = {"float16": 2**-11, "bfloat16": 2**-8, "float32": 2**-22, "float64": 2**-50}[dtype]
    numpy.testing.assert_allclose(result.values, expected, rtol=rounding, atol=1e-7 if dtype != "float64" else 1e-15)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_result_in_float32_is_not_rounded(gpu, dtype):
    """1/3 of an odd number has no 16-bit value; c and bias are float32 then."""
    a, b = gpu.array(numbers(4, 9), dtype), gpu.array(numbers(9, 3), dtype)
    c, bias = gpu.array(numbers(4, 3) / 8192, "float32"), gpu.array(numbers(3), "float32")

    result = multiply(a, b, out_dtype="float32", c=c, beta=1, bias=bias)

    assert result.dtype == "float32"
    numpy.testing.assert_array_equal(result.values, a.values @ b.values + c.values + bias.values)


def test_beta_0_leaves_c_unread(gpu):
    """NaN in c stays there, as in BLAS."""
    a, nan = gpu.array(numbers(4, 4), "float32"), gpu.array(numpy.full((4, 4), numpy.nan), "float32")

    assert numpy.isfinite(multiply(a, a, c=nan, beta=0).values).all()
    for alpha in (2, 0.5, 0):
        numpy.testing.assert_array_equal(
            multiply(a, a, c=nan, beta=0, alpha=alpha).values, alpha * (a.values @ a.values)
        )


@pytest.mark.parametrize(
    ("strides", "offset"),
    [(None, 0), ((1, 5), 0), ((40, 3), 1), ((-9, -1), 3)],
    ids=["packed", "columns", "gaps", "back"],
)
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_out(gpu, dtype, strides, offset):
    """Written where it lies, nothing beside it, and returned itself."""
    a, b = gpu.array(numbers(5, 7), dtype), gpu.array(numbers(7, 6), dtype)
    out = EmulatedArray(gpu, (5, 6), dtype, strides, offset=offset)
    before = out.allocation.data.copy()

    assert multiply(a, b, out=out) is out

    numpy.testing.assert_array_equal(out.values, a.values @ b.values)
    out.bits[...] = numpy.frombuffer(b"\xff" * out.bits.itemsize, out.bits.dtype)[0]
    numpy.testing.assert_array_equal(out.allocation.data, before)
    assert gpu.copies == 0


@pytest.mark.parametrize("which", ["A", "B", "c"])
def test_out_may_be_an_input(gpu, which):
    """The input is read before it is written."""
    arrays = {name: gpu.array(numbers(6, 6, seed=seed), "float32") for seed, name in enumerate(("A", "B", "c"))}
    expected = arrays["A"].values @ arrays["B"].values + arrays["c"].values

    result = multiply(arrays["A"], arrays["B"], c=arrays["c"], beta=1, out=arrays[which])

    assert result is arrays[which]
    numpy.testing.assert_array_equal(result.values, expected)


def test_out_may_overlap_an_input(gpu):
    """A view that begins inside A: as if it were computed elsewhere."""
    a, b = gpu.array(numbers(6, 6), "float64"), gpu.array(numbers(6, 6, seed=1), "float64")
    expected = a.values @ b.values
    behind = EmulatedArray(gpu, (6, 6), "float64")
    behind.allocation, behind.address, behind.bits = a.allocation, a.address + 8, a.allocation.data[8:].view("f8")
    behind.bits = numpy.lib.stride_tricks.as_strided(behind.bits, (4, 4), (48, 8))
    behind.shape, behind.strides = (4, 4), (6, 1)
    narrow_a, narrow_b = a, b
    narrow_a.shape, narrow_b.shape = (4, 6), (6, 4)
    narrow_a.bits, narrow_b.bits = a.bits[:4], b.bits[:, :4]
    narrow_a.strides = narrow_b.strides = (6, 1)

    multiply(narrow_a, narrow_b, out=behind)

    numpy.testing.assert_array_equal(behind.values, expected[:4, :4])
    assert gpu.copies == 1


@pytest.mark.parametrize("step", [-8, -1, 1, 8])
def test_c_may_overlap_out(gpu, step):
    """A view some elements before or behind: as if the result were computed elsewhere, and copied once."""
    a, b, c = (
        gpu.array(numbers(4, 7), "float64"),
        gpu.array(numbers(7, 8), "float64"),
        gpu.array(numbers(8, 8), "float64"),
    )
    out = EmulatedArray(gpu, (4, 8), "float64")
    flat = c.allocation.data.view("f8")
    expected = a.values @ b.values - 2 * flat[16 : 16 + 32].reshape(4, 8)
    for array, first in ((c, 16), (out, 16 + step)):
        array.allocation, array.address = c.allocation, c.allocation.address + 8 * first
        array.shape, array.bits = (4, 8), flat[first : first + 32].reshape(4, 8)

    multiply(a, b, c=c, beta=-2, out=out)

    numpy.testing.assert_array_equal(out.values, expected)
    assert gpu.copies == 1


@pytest.mark.parametrize("strides", [(0, 1), (1, 1), (4, 0), (3, 1), (-2, -1)])
def test_out_with_two_elements_at_one_place(gpu, strides):
    """It cannot hold the result: refused before anything runs, by what is called and by what is planned."""
    a, b = gpu.array(numpy.ones((2, 3)), "float64"), gpu.array(numbers(3, 4), "float64")
    out = EmulatedArray(gpu, (2, 4), "float64", strides)
    for call in (tilewright.matmul, tilewright.plan):
        with pytest.raises(tilewright.ShapeError, match=r"out is \(2, 4\) float64 with strides \(.*share a place"):
            call(a, b, out=out)
    assert gpu.runs == []


def test_out_whose_rows_are_interleaved(gpu):
    """Each element has a place of its own, though no stride steps over all that the other reaches."""
    out = EmulatedArray(gpu, (2, 4), "float64", (3, 2))
    a, b = gpu.array(numbers(2, 3), "float64"), gpu.array(numbers(3, 4), "float64")
    multiply(a, b, out=out)
    numpy.testing.assert_array_equal(out.values, a.values @ b.values)


def test_plans_are_made_once_for_arrays_that_lie_alike(gpu):
    """The same layout runs the same plan; another alignment, stride, type or number is another plan."""
    a, b = gpu.array(numbers(4, 4), "float32"), gpu.array(numbers(4, 4), "float32")
    for _ in range(3):
        multiply(a, b)
    multiply(b, a)
    assert len(gpu.plans) == 1

    multiply(gpu.array(numbers(4, 4), "float32", offset=1), b)
    multiply(gpu.array(numbers(4, 4), "float32", (1, 4)), b)
    multiply(a, b, alpha=2)
    multiply(a, b, alpha=2.0)
    assert len(gpu.plans) == 4
    assert len(gpu.runs) == 8


def test_work_on_the_producers_stream_is_waited_for(gpu):
    """`__cuda_array_interface__` names a stream; the caller's waits for it by an event, and the host does not."""
    a = gpu.array(numbers(4, 4), "float32", stream=99)
    multiply(a, gpu.array(numbers(4, 4), "float32", stream=STREAM))

    assert gpu.driver.waits == [(STREAM, 99)]


@pytest.mark.parametrize("kernel", ["naive", "matmul/tiled", "strided"])
def test_the_seeds_kernels_by_name(gpu, kernel):
    """A product at a time, of packed matrices."""
    a, b = gpu.array(numbers(2, 1, 5, 7), "float64"), gpu.array(numbers(3, 7, 6), "float64")

    c = tilewright.matmul(a, b, kernel=kernel, tile=4)

    numpy.testing.assert_array_equal(c.values, a.values @ b.values)
    assert len(gpu.runs[0].launches) == (1 if kernel == "strided" else 6)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"b": (6, 6)}, r"A is \(5, 7\) float16 and B is \(6, 6\) float16: the inner sizes 7 and 6 differ"),
        ({"a": (2, 5, 7), "b": (3, 7, 6)}, "leading dimensions"),
        ({"a": ()}, "one or more dimensions"),
        ({"out": (6, 5)}, r"out is \(6, 5\) float16, but the result is \(5, 6\) float16"),
        ({"out": (1, 5, 6)}, "the shapes must be equal"),
        ({"c": (2, 5, 6), "beta": 1}, r"c is \(2, 5, 6\), which does not broadcast to the result's \(5, 6\)"),
        ({"bias": (5,)}, r"bias is \(5,\), and \(6,\) is accepted, an element for each column of B"),
        ({"bias": (1, 6)}, r"bias is \(1, 6\)"),
    ],
)
def test_shapes_that_do_not_fit(gpu, options, sentence):
    """Before anything runs; an error for those who catch ValueError and for those who catch RuntimeError."""
    arrays = {"a": (5, 7), "b": (7, 6)} | {name: value for name, value in options.items() if isinstance(value, tuple)}
    given: dict[str, Any] = {name: EmulatedArray(gpu, shape, "float16") for name, shape in arrays.items()}
    others: dict[str, Any] = {name: value for name, value in options.items() if not isinstance(value, tuple)}

    with pytest.raises(tilewright.ShapeError, match=sentence):
        tilewright.matmul(given.pop("a"), given.pop("b"), **given, **others)
    assert gpu.runs == []


@pytest.mark.parametrize(
    ("dtypes", "out_dtype", "sentence"),
    [
        ({"out": "float32"}, None, r"out is \(4, 4\) float32, and float16, the result's type"),
        ({"c": "float32"}, None, "c is .* float32, and float16, the result's type"),
        ({"c": "float16"}, "float32", "c is .* float16, and float32, the result's type"),
        ({}, "bfloat16", "out_dtype is bfloat16, and float16 or float32 is accepted"),
        ({}, "nonsense", "'nonsense' of type str is no type"),
        ({"a": "float64", "b": "float64"}, "float32", "out_dtype is float32, and float64 is accepted"),
    ],
)
def test_types_that_do_not_fit(gpu, dtypes, out_dtype, sentence):
    """Nothing is cast without being asked."""
    dtypes = {"a": "float16", "b": "float16"} | dtypes
    given: dict[str, Any] = {name: EmulatedArray(gpu, (4, 4), dtype) for name, dtype in dtypes.items()}

    with pytest.raises(tilewright.DtypeError, match=sentence):
        tilewright.matmul(given.pop("a"), given.pop("b"), out_dtype=out_dtype, **given)
    assert gpu.runs == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"device": "host"}, "device is 'auto' or 'gpu', not 'host'"),
        ({"device": "tpu"}, "There is no device 'tpu'"),
        ({"alpha": "2"}, "alpha is '2' of type str, and a real number"),
        ({"alpha": 1j}, "alpha is 1j of type complex"),
        ({"alpha": 10**400}, "alpha is of type int, and a real number"),
        ({"alpha": Decimal("nan"), "beta": Decimal("sNaN")}, "beta is of type Decimal"),
        ({"beta": numpy.ones(1)}, "beta is of type ndarray"),
        ({"beta": 2}, "beta is 2 and scales c, but no c was given"),
        ({"activation": "tanh"}, "activation is 'tanh' of type str, and None, 'relu', 'gelu', 'silu' are accepted"),
        ({"kernel": None}, "kernel is None"),
        ({"kernel": "nonsense"}, "nonsense"),
        ({"tile": (4,)}, r"tile is \(4,\), and one whole number, a pair"),
        ({"tile": "4"}, "tile is '4'"),
        ({"tile": 33}, "takes tiles from 1 to 32"),
        ({"tile": 64, "kernel": "strided"}, "takes tiles from 1 to 32"),
        ({"tile": (3, 5)}, "takes a whole number as its tile"),
        ({"tile": (32, 32), "kernel": "strided"}, "take a tile of one number"),
        ({"kernel": "tiled", "activation": "relu"}, "stores the sum as it is, without relu"),
    ],
)
def test_other_arguments_that_cannot_be(gpu, options, sentence):
    """One sentence each, before anything runs."""
    a = EmulatedArray(gpu, (4, 4), "float32")

    with pytest.raises((tilewright.PlanError, tilewright.UnknownKernelError), match=sentence):
        tilewright.matmul(a, a, **options)
    assert gpu.runs == []


def test_a_seeds_kernel_takes_packed_matrices_only(gpu):
    """A transposed view is refused with what would take it."""
    a = EmulatedArray(gpu, (4, 4), "float32", (1, 4))

    with pytest.raises(tilewright.PlanError, match=r"takes packed row-major matrices, and A has the strides \(1, 4\)"):
        tilewright.matmul(a, a, kernel="tiled")


def test_read_only_masked_and_torn_arrays(gpu):
    """A read-only out, a mask, strides that are no whole elements."""
    a = EmulatedArray(gpu, (4, 4), "float32")
    with pytest.raises(ValueError, match=r"out is \(4, 4\) float32 and read-only"):
        tilewright.matmul(a, a, out=EmulatedArray(gpu, (4, 4), "float32", read_only=True))

    class Changed:
        def __init__(self, **changes):
            self.__cuda_array_interface__ = a.__cuda_array_interface__ | changes

    with pytest.raises(tilewright.DtypeError, match="mask would be lost"):
        tilewright.matmul(a, Changed(mask=a))
    with pytest.raises(tilewright.DtypeError, match="no whole elements"):
        tilewright.matmul(a, Changed(strides=(18, 4)))
    with pytest.raises(tilewright.DtypeError, match=r"B is .* >f4"):
        tilewright.matmul(a, Changed(typestr=">f4"))
    assert gpu.runs == []


def test_kinds_and_places_are_not_mixed(gpu):
    """Nothing is copied to or from a GPU without being asked."""
    a = EmulatedArray(gpu, (4, 4), "float32")

    with pytest.raises(tilewright.DtypeError, match=r"A is a .*EmulatedArray on a GPU and B is a numpy ndarray"):
        tilewright.matmul(a, numpy.ones((4, 4), "f4"))
    with pytest.raises(TypeError, match=r"A is a list and c is a .*EmulatedArray on a GPU"):
        tilewright.matmul([[1.0]], [[1.0]], c=a, beta=1)
    assert gpu.runs == []


def test_two_gpus_are_not_mixed(gpu):
    """All arrays of a call are on one device."""
    a, b = EmulatedArray(gpu, (4, 4), "float32"), EmulatedArray(gpu, (4, 4), "float32")
    gpu.driver.ordinals[b.address] = 1

    with pytest.raises(tilewright.DtypeError, match="must be on one device, but A is on GPU 0, B is on GPU 1"):
        tilewright.matmul(a, b)


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_explain_gives_the_launches_and_why(gpu, dtype):
    """For arrays on a GPU the plan is the GPU's; nothing runs."""
    a = EmulatedArray(gpu, (2, 64, 32), dtype)

    plan: Any = tilewright.explain(a, EmulatedArray(gpu, (32, 48), dtype))

    assert len(plan.launches) == 1
    assert plan.reasons
    assert all(reason in str(plan) for reason in plan.reasons)
    assert f"{plan.launches[0].kernel} " in str(plan)
    assert gpu.runs == []
