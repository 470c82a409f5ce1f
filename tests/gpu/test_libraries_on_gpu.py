"""Arrays on a GPU of torch, CuPy and JAX: each operation in each type, out of the same library, on its stream."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy
import pytest

import tilewright
from tests.gpu.gpu_libraries import NAMES, Cupy, Jax, Torch, opened
from tilewright.launch import DeviceUnavailableError
from tilewright.launch.cuda.device import cuda_device


@pytest.fixture(scope="module", autouse=True)
def gpu():
    """The first GPU; JAX leaves room on it for the others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        try:
            yield cuda_device(0)
        except DeviceUnavailableError as unavailable:
            pytest.skip(str(unavailable))


@pytest.fixture(params=NAMES, scope="module")
def library(request):
    """A library, with what the tests need of it."""
    with opened(request.param) as found:
        yield found


def numbers(*shape, low=-3):
    """Small integers, whose sums are exact in every type."""
    return numpy.random.default_rng(sum(shape)).integers(low, 4, shape).astype("f8")


def is_right(library, result, expected, dtype):
    """Of the library, on the GPU, of the type, and exact but for one rounding to it."""
    assert library.is_own(result)
    assert (library.name(result), tuple(result.shape)) == (dtype, expected.shape)
    numpy.testing.assert_array_equal(library.values(result), library.values(library.array(expected, dtype)))
    return True


OPERATIONS: list[tuple[str, Any, Any]] = [
    ("matmul", [(65, 70), (70, 33)], {}),
    ("matmul", [(64, 64), (64, 64)], {}),
    ("matmul", [(3, 1, 5, 16), (2, 16, 7)], {}),
    ("matmul", [(9,), (9, 5)], {}),
    ("matmul", [(5, 9), (9,)], {}),
    ("matmul", [(9,), (9,)], {}),
    ("matmul", [(3, 0), (0, 2)], {}),
    ("matmul", [(0, 3), (3, 2)], {}),
    ("dot", [(9,), (9,)], {}),
    ("dot", [(5, 9), (9, 3)], {}),
    ("dot", [(5, 9), (2, 9, 3)], {}),
    ("dot", [(), (2, 3)], {}),
    ("vecdot", [(5, 1, 9), (3, 9)], {}),
    ("vecdot", [(9, 4), (9, 4)], {"axis": 0}),
    ("vecdot", [(2, 0), (2, 0)], {}),
    ("tensordot", [(2, 3, 4), (3, 4, 5)], {}),
    ("tensordot", [(2, 3), (4,)], {"axes": 0}),
    ("tensordot", [(2, 3, 4), (4, 5, 3)], {"axes": ((1, -1), (2, 0))}),
]
OF_EACH_TYPE = [OPERATIONS[index] for index in (0, 2, 9, 12, 15)]


@pytest.mark.parametrize(
    ("dtype", "operation", "shapes", "options"),
    [("float32", *each) for each in OPERATIONS]
    + [(dtype, *each) for dtype in ("float16", "bfloat16", "float64") for each in OF_EACH_TYPE],
)
def test_operations(library, dtype, operation, shapes, options):
    """Each follows NumPy, and the result is the library's, where the inputs are."""
    a, b = (numbers(*shape) for shape in shapes)
    x, y = library.array(a, dtype), library.array(b, dtype)

    result = getattr(tilewright, operation)(x, y, **options)

    assert is_right(library, result, numpy.asarray(getattr(numpy, operation)(a, b, **options)), dtype)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_reduced_matmul(library, dtype):
    """Seed 003's, for a batch."""
    a, b = numbers(2, 6, 9), numbers(9, 8)

    result = tilewright.reduced_matmul(library.array(a, dtype), library.array(b, dtype))

    assert is_right(library, result, (a[:, 0::2] + a[:, 1::2]) @ (b[:, 0::2] + b[:, 1::2]), dtype)


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
@pytest.mark.parametrize("k", [8193, 100_003])
def test_long_vectors(library, dtype, k):
    """Added up in parts; the rest counts, too."""
    a, b = numpy.zeros(k), numpy.ones(k)
    a[::97] = 1
    a[-1] = 3

    for operation in (tilewright.dot, tilewright.vecdot):
        result = operation(library.array(a, dtype), library.array(b, dtype))
        assert is_right(library, result, numpy.asarray(a @ b), dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_explained(library, dtype):
    """All operations that have plans, of arrays of each library: launches, and what the library does before."""
    shapes: dict[str, list[tuple[tuple[int, ...], tuple[int, ...]]]] = {
        "dot": [((300,), (300,)), ((9000,), (9000,)), ((30, 40), (40,)), ((2, 3, 40), (5, 40, 4))],
        "reduced_matmul": [((30, 40), (40, 50)), ((2, 30, 40), (40, 50))],
        "matmul": [((30, 40), (40, 50))],
    }
    for operation, of_two in shapes.items():
        for left, right in of_two:
            a, b = (library.array(numpy.ones(shape), dtype) for shape in (left, right))
            assert tilewright.explain(a, b, operation=operation).launches
    wide = tilewright.explain(library.array(numpy.ones((4, 4)), dtype), library.array(numpy.ones((4, 4)), "float64"))
    assert wide.launches


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "complex64"])
def test_types_without_a_kernel(library, dtype):
    """As NumPy multiplies them: integers wrap, bool is whether any, complex is exact here."""
    a, b = numbers(2, 5, 7).astype(dtype), numbers(7, 4).astype(dtype)
    if dtype.startswith("complex"):
        a, b = a + 1j * a[..., ::-1], b - 2j * b
    x, y = library.array(a, dtype), library.array(b, dtype)

    assert is_right(library, tilewright.matmul(x, y), (a @ b).astype("c16" if a.dtype.kind == "c" else "f8"), dtype)
    assert is_right(library, tilewright.matmul(x[0, 0], y[:, 0]), numpy.asarray(a[0, 0] @ b[:, 0]), dtype)
    assert is_right(library, tilewright.vecdot(x, x), numpy.asarray(numpy.vecdot(a, a)), dtype)
    assert is_right(library, tilewright.tensordot(x, y, 1), numpy.asarray(numpy.tensordot(a, b, 1)), dtype)
    with pytest.raises(tilewright.DtypeError, match="alpha, beta, bias and activation go with float16"):
        tilewright.matmul(x, y, alpha=2)
    assert "No kernel multiplies" in str(tilewright.explain(x, y))


@pytest.mark.parametrize(
    ("a_dtype", "b_dtype", "expected"),
    [
        ("float16", "float32", "float32"),
        ("bfloat16", "float32", "float32"),
        ("float32", "complex64", "complex64"),
    ],
)
def test_two_types_are_promoted(library, a_dtype, b_dtype, expected):
    """As the library promotes them, in every operation."""
    a, b = numbers(4, 6), numbers(6, 4)
    x, y = library.array(a, a_dtype), library.array(b, b_dtype)

    for operation in (tilewright.matmul, tilewright.dot):
        assert is_right(library, operation(x, y), a @ b, expected)
    assert is_right(library, tilewright.vecdot(x.T, y), (a.T * b).sum(-1), expected)
    assert is_right(library, tilewright.matmul(x, y), a @ b, expected)  # again, and of copies made anew


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_views_and_out(library, dtype):
    """Transposed and sliced inputs; out is written and returned, with strides, and may be an input."""
    a, b = numbers(40, 30), numbers(40, 30)
    x, y = library.array(a, dtype), library.array(b, dtype)
    assert is_right(library, tilewright.matmul(x.T, y), a.T @ b, dtype)
    assert is_right(library, tilewright.matmul(x[::2, 1:], y[:29, ::3]), a[::2, 1:] @ b[:29, ::3], dtype)
    if isinstance(library, Jax):
        with pytest.raises(ValueError, match="read-only"):
            tilewright.matmul(x.T, y, out=y[:30, :30])
        return
    wide = library.array(numpy.zeros((30, 60)), dtype)
    for out in (wide[:, ::2], wide[:, :30], wide[:, 30:]):
        assert tilewright.matmul(x.T, y, out) is out
        numpy.testing.assert_array_equal(library.values(out), a.T @ b)
    square = library.array(a[:30], dtype)
    assert tilewright.matmul(square, square, out=square) is square
    numpy.testing.assert_array_equal(library.values(square), a[:30] @ a[:30])
    vectors = library.array(numpy.zeros(40), dtype)
    assert tilewright.vecdot(x, y, vectors) is vectors
    numpy.testing.assert_array_equal(library.values(vectors), (a * b).sum(-1))
    assert tilewright.reduced_matmul(x.T, y, wide[:15, :15]) is not None
    with pytest.raises(tilewright.ShapeError, match="out is"):
        tilewright.matmul(x.T, y, out=wide)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_epilogue(library, dtype):
    """c, bias and activation are of the library, too."""
    a, b, c, bias = numbers(20, 30), numbers(30, 10), numbers(20, 10), numbers(10)
    given = [library.array(each, dtype) for each in (a, b, c, bias)]

    result = tilewright.matmul(given[0], given[1], alpha=2, beta=-1, c=given[2], bias=given[3], activation="relu")

    assert is_right(library, result, numpy.maximum(2 * a @ b - c + bias, 0), dtype)


def test_many_calls_in_a_chain(library):
    """Each result is the next input, with fresh memory in between: what is read is what was written."""
    identity = numpy.roll(numpy.eye(96), 1, axis=0)
    x, shift = library.array(numbers(96, 96), "float32"), library.array(identity, "float32")
    expected = numbers(96, 96)
    for _ in range(100):
        x = tilewright.matmul(shift, x)
        noise = library.array(numpy.full((96, 96), numpy.nan), "float32")
        expected = numpy.roll(expected, 1, axis=0)
        del noise

    numpy.testing.assert_array_equal(library.values(x), expected)


def test_inputs_that_are_still_computed_and_results_that_are_used_at_once(library):
    """The library's own work before and after a call is in order with it, and nothing waits in between."""
    xp = library.xp
    a = library.array(numbers(1024, 1024), "float32")
    for _ in range(20):
        b = a
        for _ in range(10):
            b = b * 0.5 + b * 0.5
        c = tilewright.matmul(b, b)
        total = xp.sum(c - tilewright.matmul(a, a))
        del b, c
        assert float(total) == 0


def test_cupys_current_stream():
    """A product of CuPy's arrays runs on the stream that is CuPy's current one."""
    cupy = Cupy().xp
    stream = cupy.cuda.Stream(non_blocking=True)
    a, filled = cupy.zeros((256, 256), "f4"), cupy.asarray(numbers(256, 256).astype("f4"))
    tilewright.matmul(a, filled)
    cupy.cuda.Device().synchronize()
    ones = cupy.ones((2048, 2048), "f4")
    with stream:
        for _ in range(200):
            cupy.matmul(ones, ones)
        a[...] = filled
        c = tilewright.matmul(a, filled)
        assert not stream.done
    stream.synchronize()

    numpy.testing.assert_array_equal(cupy.asnumpy(c), numbers(256, 256) @ numbers(256, 256))


def test_a_cupy_out_of_another_type():
    """Cast to as NumPy casts, also from a type without a kernel; not where values would be lost."""
    cupy = Cupy().xp
    a = cupy.asarray(numbers(4, 4).astype("f4"))
    for given, out in (
        (a, cupy.zeros((4, 4), "f8")),
        (a, cupy.zeros((4, 4), "f2")),
        (a.astype("i4"), cupy.zeros((4, 4))),
    ):
        assert tilewright.matmul(given, given, out) is out
        numpy.testing.assert_array_equal(cupy.asnumpy(out), numbers(4, 4) @ numbers(4, 4))
    with pytest.raises(tilewright.DtypeError, match=r"out is \(4, 4\) int32, and float"):
        tilewright.matmul(a, a, out=cupy.ones((4, 4), "i4"))


def test_libraries_are_not_mixed():
    """Each pair is refused in a sentence that names both."""
    found: dict[str, Any] = {"torch": Torch(), "cupy": Cupy(), "jax": Jax()}
    arrays = {name: each.array(numbers(2, 2), "float32") for name, each in found.items()}
    arrays["numpy"] = numbers(2, 2).astype("f4")
    for name, a in arrays.items():
        for other, b in arrays.items():
            if name != other:
                with pytest.raises(tilewright.DtypeError, match=r"A is an? .* and B is an? .*; arrays of one kind"):
                    tilewright.matmul(a, b)


@pytest.mark.parametrize("name", ["cupy", "jax"])
def test_a_library_needs_no_torch(name):
    """Where torch cannot be imported, products of CuPy's and JAX's arrays are what they are elsewhere."""
    pytest.importorskip(name, reason=f"{name} is not installed")
    make = "import cupy as xp" if name == "cupy" else "import jax.numpy as xp"
    code = (
        "import sys\n"
        "class NoTorch:\n"
        "    def find_spec(name, path=None, target=None):\n"
        "        if name == 'torch': raise ImportError(name)\n"
        "sys.meta_path.insert(0, NoTorch)\n"
        f"{make}\n"
        "import tilewright\n"
        "a = xp.ones((64, 64), 'float32')\n"
        "for rows, inner, columns in ((64, 64, 64), (33, 31, 63)):\n"
        "    c = tilewright.matmul(a[:rows, :inner], a[:inner, :columns])\n"
        "    assert type(c) is type(a) and float(c.sum()) == rows * inner * columns, c\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_an_array_of_a_library_that_is_not_known():
    """By DLPack or `__cuda_array_interface__` alone: results of all operations are torch's where it is imported."""
    torch = Torch().xp

    class Shared:
        """What has DLPack and nothing else."""

        def __init__(self, tensor):
            self.tensor = tensor

        def __dlpack__(self, *, stream=None):
            return self.tensor.__dlpack__(stream=stream)

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

    a = torch.from_numpy(numbers(30, 20)).cuda()
    c = tilewright.matmul(Shared(a.T), Shared(a))

    assert isinstance(c, torch.Tensor)
    numpy.testing.assert_array_equal(c.cpu().numpy(), numbers(30, 20).T @ numbers(30, 20))

    class Shown:
        """What has `__cuda_array_interface__` and nothing else."""

        def __init__(self, tensor, **changes):
            self.tensor = tensor  # which keeps the memory
            self.__cuda_array_interface__ = dict(tensor.__cuda_array_interface__) | changes

    x = torch.from_numpy(numbers(4, 6)).cuda()
    y, exact = x + 1, numbers(4, 6)
    for kind in (Shared, Shown):
        pairs = [
            (tilewright.vecdot(kind(x), kind(y)), (exact * (exact + 1)).sum(1)),
            (tilewright.tensordot(kind(x), kind(y), 2), (exact * (exact + 1)).sum()),
            (tilewright.dot(kind(x), kind(y.T)), exact @ (exact + 1).T),
            (tilewright.dot(kind(x[0]), kind(y[0])), exact[0] @ (exact + 1)[0]),
            (tilewright.reduced_matmul(kind(x), kind(y.T)), tilewright.reduced_matmul(exact, (exact + 1).T)),
            (tilewright.matmul(kind(x.int()), kind(y.T.int())), exact @ (exact + 1).T),
            (tilewright.matmul(kind(x.float()), kind(y.T)), exact @ (exact + 1).T),
        ]
        for result, expected in pairs:
            assert isinstance(result, torch.Tensor)
            assert result.is_cuda
            numpy.testing.assert_array_equal(result.cpu().numpy(), expected)
        out = torch.zeros(4, dtype=x.dtype, device="cuda")
        shared = kind(out)
        assert tilewright.vecdot(kind(x), kind(y), shared) is shared
        numpy.testing.assert_array_equal(out.cpu().numpy(), (exact * (exact + 1)).sum(1))
    size, (rows, columns) = x.element_size(), x.shape
    upside_down = Shown(x, strides=(-columns * size, size), data=(x[rows - 1 :].data_ptr(), True))
    result = tilewright.vecdot(upside_down, Shown(x))
    numpy.testing.assert_array_equal(result.cpu().numpy(), (exact[::-1] * exact).sum(1))
    with pytest.raises(ValueError, match="read-only"):
        tilewright.dot(Shown(x), Shown(y.T), Shown(x @ y.T, data=(x.data_ptr(), True)))
