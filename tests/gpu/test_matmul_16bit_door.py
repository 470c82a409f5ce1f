"""tilewright.matmul of arrays on a GPU: layouts, epilogues, `out`, and other libraries' arrays.

How exact the kernels are is tested beside, in test_products_on_gpu.py; streams, lifetimes, threads and forks in
test_matmul_lifetimes.py.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

import tilewright  # noqa: E402
from tests.gpu.torch_tensors import CYCLES, first_gpu, is_right, random  # noqa: E402

DTYPES = [torch.bfloat16, torch.float16, torch.float32, torch.float64]


@pytest.fixture(autouse=True, scope="module")
def device():
    """The first GPU, with what most tests run compiled for it."""
    found = first_gpu()
    compile_at_once()
    return found


def compile_at_once():
    """Run what most tests run from many threads: compiling takes a second or two each, and most of it is apart."""
    with ThreadPoolExecutor(16) as pool:
        begun = [pool.submit(laid_out, layout, dtype) for layout, dtype in product(LAYOUTS, DTYPES)]
        begun += [pool.submit(with_epilogue, *case, dtype) for case, dtype in product(EPILOGUES, DTYPES)]
    for each in begun:
        each.result()
    torch.cuda.synchronize()


def inside(*shape, dtype, first=0, steps=None):
    """A view that begins at an odd place of a larger buffer, with steps between its elements."""
    steps = steps or [1] * len(shape)
    whole = random(first + 1, *(extent * step + 3 for extent, step in zip(shape, steps, strict=True)), dtype=dtype)
    view = whole[first]
    for axis, (extent, step) in enumerate(zip(shape, steps, strict=True)):
        view = view.narrow(axis, 1, extent * step)[(slice(None),) * axis + (slice(None, None, step),)]
    return view


LAYOUTS = {
    "aligned": lambda t: (random(256, 128, dtype=t), random(128, 192, dtype=t)),
    "odd": lambda t: (random(257, 129, dtype=t), random(129, 191, dtype=t)),
    "transposed": lambda t: (random(128, 257, dtype=t).T, random(191, 128, dtype=t).T),
    "sliced": lambda t: (inside(65, 130, dtype=t, first=1), inside(130, 70, dtype=t, first=2)),
    "stepped": lambda t: (inside(65, 130, dtype=t, steps=[2, 3]), inside(130, 70, dtype=t, steps=[1, 2])),
    "one row repeated": lambda t: (random(1, 64, dtype=t).expand(100, 64), random(64, 1, dtype=t).expand(64, 96)),
    "vector on the left": lambda t: (random(333, dtype=t), random(333, 77, dtype=t)),
    "vector on the right": lambda t: (random(77, 333, dtype=t), random(333, dtype=t)),
    "two vectors": lambda t: (random(1000, dtype=t)[::2], random(500, dtype=t)),
    "batch": lambda t: (random(5, 40, 33, dtype=t), random(5, 33, 50, dtype=t)),
    "B for the whole batch": lambda t: (random(3, 2, 40, 64, dtype=t), random(64, 48, dtype=t)),
    "batches broadcast": lambda t: (random(3, 1, 40, 64, dtype=t), random(5, 64, 48, dtype=t)),
    "batch of stride 0": lambda t: (random(40, 64, dtype=t).expand(6, 40, 64), random(6, 64, 48, dtype=t)),
    "batch permuted": lambda t: (
        random(40, 6, 64, dtype=t).permute(1, 0, 2),
        random(64, 48, 6, dtype=t).permute(2, 0, 1),
    ),
    "three batch extents": lambda t: (random(2, 3, 4, 8, 24, dtype=t), random(2, 1, 4, 24, 16, dtype=t)),
    "one element": lambda t: (random(1, 1, dtype=t), random(1, 1, dtype=t)),
    "deep": lambda t: (random(3, 70_001, dtype=t), random(70_001, 5, dtype=t)),
}


def laid_out(layout, dtype):
    """The product of two tensors of a layout."""
    a, b = LAYOUTS[layout](dtype)
    return tilewright.matmul(a, b)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout, dtype):
    """Whatever the strides: right, of torch's shape and type, and the inputs are left alone."""
    a, b = LAYOUTS[layout](dtype)
    kept = a.clone(), b.clone()

    c = tilewright.matmul(a, b)

    assert is_right(c, a, b)
    assert c.is_cuda
    assert torch.equal(a, kept[0])
    assert torch.equal(b, kept[1])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_inner_size_0_and_empty_results(dtype):
    """No products give 0, and then the epilogue; nothing gives nothing."""
    a, b = random(5, 0, dtype=dtype), random(0, 7, dtype=dtype)
    c, bias = random(5, 7, dtype=dtype), random(7, dtype=dtype)

    assert torch.equal(tilewright.matmul(a, b), torch.zeros(5, 7, dtype=dtype, device="cuda"))
    shifted = tilewright.matmul(a, b, c=c, beta=2, bias=bias)
    torch.testing.assert_close(shifted.double(), 2 * c.double() + bias.double(), rtol=2**-7, atol=0)
    assert tilewright.matmul(random(0, 4, dtype=dtype), random(4, 3, dtype=dtype)).shape == (0, 3)
    assert tilewright.matmul(random(2, 0, 4, dtype=dtype), random(4, 0, dtype=dtype)).shape == (2, 0, 0)


def with_epilogue(sizes, activation, dtype):
    """A product with all of an epilogue: A, B, c (repeated for all rows), bias (with gaps) and the result."""
    m, n, k = sizes
    a, b = random(m, k, dtype=dtype), random(k, n, dtype=dtype)
    c, bias = random(1, n, dtype=dtype), random(2 * n, dtype=dtype)[::2]
    return a, b, c, bias, tilewright.matmul(a, b, alpha=0.125, beta=-2, c=c, bias=bias, activation=activation)


EPILOGUES = list(product([(130, 70, 257), (256, 256, 512)], [None, "relu", "gelu", "silu"]))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("sizes", "activation"), EPILOGUES)
def test_epilogue(sizes, activation, dtype):
    """activation(alpha A B + beta c + bias), against float64."""
    a, b, c, bias, result = with_epilogue(sizes, activation, dtype)

    k = sizes[2]
    expected = 0.125 * (a.double() @ b.double()) - 2 * c.double() + bias.double()
    functions = {"relu": torch.relu, "gelu": torch.nn.functional.gelu, "silu": torch.nn.functional.silu}
    expected = functions.get(activation, lambda x: x)(expected)
    size = 0.125 * (a.double().abs() @ b.double().abs()) + 2 * c.double().abs() + bias.double().abs()
    loose = 2 * k * torch.finfo(torch.float32 if dtype != torch.float64 else dtype).eps
    assert bool(((result.double() - expected).abs() <= torch.finfo(dtype).eps * expected.abs() + loose * size).all())


@pytest.mark.parametrize("dtype", DTYPES[:2], ids=str)
def test_result_in_float32(dtype):
    """Not rounded to 16 bits."""
    a, b = random(200, 300, dtype=dtype), random(300, 100, dtype=dtype)

    c = tilewright.matmul(a, b, out_dtype=torch.float32)

    assert is_right(c, a, b, torch.float32)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_out(dtype):
    """Written where it lies, whatever its strides, and nothing round it; returned itself; it may be an input."""
    a, b = random(130, 130, dtype=dtype), random(130, 130, dtype=dtype)
    expected = tilewright.matmul(a, b)
    whole = torch.full((133, 400), 7.0, dtype=dtype, device="cuda")
    for out in (whole[1:131, 3:133], whole[1:131, 0:390:3], whole.T[5:135, 2:132]):
        whole.fill_(7)
        assert tilewright.matmul(a, b, out=out) is out
        assert is_right(out, a, b)
        out.fill_(7)
        assert bool((whole == 7).all())
    for which in (0, 1):
        pair = [a.clone(), b.clone()]
        tilewright.matmul(pair[0], pair[1], out=pair[which])
        assert torch.equal(pair[which], expected)
    c = random(130, 130, dtype=dtype)
    added = tilewright.matmul(a, b, c=c, beta=1)
    tilewright.matmul(a, b, c=c, beta=1, out=c)
    assert torch.equal(c, added)


class Interface:
    """A view of a tensor that says where it is by `__cuda_array_interface__` alone, with any strides."""

    def __init__(self, tensor, shape, strides, first, **changes):
        self.tensor = tensor
        size = tensor.element_size()
        self.__cuda_array_interface__ = {
            "shape": shape,
            "strides": tuple(stride * size for stride in strides),
            "typestr": f"<f{size}",
            "data": (tensor.data_ptr() + first * size, False),
            "version": 3,
            **changes,
        }


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64], ids=str)
def test_negative_strides(dtype):
    """Torch has none; other libraries do."""
    a, b = random(100, 60, dtype=dtype), random(60, 90, dtype=dtype)
    backwards = Interface(a, (100, 60), (-60, -1), a.numel() - 1)
    out = torch.empty(100, 90, dtype=dtype, device="cuda")

    c = tilewright.matmul(backwards, Interface(b, (60, 90), (90, 1), 0))
    tilewright.matmul(backwards, Interface(b, (60, 90), (90, 1), 0), out=Interface(out, (100, 90), (-90, -1), 8999))

    assert is_right(c, a.flip(0, 1), b)
    assert is_right(out.flip(0, 1), a.flip(0, 1), b)


def test_the_producers_stream_is_waited_for():
    """The interface names the stream that still writes the array."""
    side = torch.cuda.Stream()
    a, b = torch.zeros(128, 128, dtype=torch.float16, device="cuda"), random(128, 128, dtype=torch.float16)
    filled = random(128, 128, dtype=torch.float16)
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(CYCLES)
        a.copy_(filled)
    c = tilewright.matmul(
        Interface(a, (128, 128), (128, 1), 0, stream=side.cuda_stream), Interface(b, (128, 128), (128, 1), 0)
    )

    assert is_right(c, filled, b)


def test_cupy():
    """CuPy's arrays as they are; the result is CuPy's, and out stays itself."""
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    a, b = cupy.random.rand(65, 70).astype("f2"), cupy.random.rand(70, 75).astype("f2")
    out = cupy.zeros((65, 75), "f2")

    c = tilewright.matmul(a[::-1], b)
    assert tilewright.matmul(a[::-1], b, out=out) is out

    for result in (c, out):
        assert type(result) is cupy.ndarray
        assert is_right(torch.from_dlpack(result), torch.from_dlpack(a).flip(0), torch.from_dlpack(b))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_explain(dtype):
    """The launches that the call makes, and why; nothing runs."""
    plan = tilewright.explain(random(300, 200, dtype=dtype), random(200, 100, dtype=dtype))

    assert len(plan.launches) >= 1
    assert plan.reasons


def test_gradients_are_not_lost_in_silence():
    """They are recorded, or an `out` beside them is refused; under no_grad there are none."""
    a = random(8, 8).requires_grad_()
    assert tilewright.matmul(a, a).requires_grad
    with pytest.raises(tilewright.DtypeError, match="records no gradients"):
        tilewright.matmul(a, a, out=random(8, 8))
    with torch.no_grad():
        assert is_right(tilewright.matmul(a, a), a, a)
        assert not tilewright.matmul(a, a).requires_grad


def test_cpu_and_gpu_are_not_mixed():
    """Nothing is copied without being asked."""
    with pytest.raises(tilewright.DtypeError, match=r"torch tensor on cuda:0 and B is a torch tensor on cpu"):
        tilewright.matmul(random(4, 4), torch.ones(4, 4, dtype=torch.bfloat16))
