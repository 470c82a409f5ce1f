"""torch's operators: their gradients, what torch's own checks say of them, and torch.compile over whole functions."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tilewright

pytestmark = pytest.mark.slow  # torch alone takes seconds to import, and only `make test-all` installs it


@pytest.fixture(scope="module")
def torch():
    """The real library, for the CPU, with our operators."""
    module = pytest.importorskip("torch", reason="torch is not installed: make test-all brings it")
    import tilewright.call.torch.operators  # noqa: F401

    return module


def drawn(torch, *shape, dtype="float64", grad=True):
    """Random numbers that record gradients."""
    return torch.randn(shape, dtype=getattr(torch, dtype), requires_grad=grad)


SHAPES = [
    ((3, 4), (4, 5)),
    ((4,), (4, 5)),
    ((3, 4), (4,)),
    ((4,), (4,)),
    ((2, 3, 4), (4, 5)),
    ((3, 4), (2, 4, 5)),
    ((2, 1, 3, 4), (5, 4, 2)),
    ((2, 3, 4), (4,)),
    ((4,), (2, 4, 3)),
    ((3, 0), (0, 2)),
]


@pytest.mark.parametrize(("tile", "given"), [(None, None), ([16], 16), ([64, 32], (64, 32))])
def test_tiles_of_operators(torch, monkeypatch, tile, given):
    """Torch's operators have lists of numbers: one is a tile's side, two are its sides. No gradient is recorded."""
    from tilewright.call.repeated_product import OPTIONS
    from tilewright.call.torch import operators

    seen = []

    def multiply(a, b, _c, _bias, _out, options):
        seen.append((dict(zip(OPTIONS, options, strict=True))["tile"], torch.is_grad_enabled()))
        return a @ b

    monkeypatch.setattr(operators, "multiply_here", multiply)
    a, b = drawn(torch, 3, 4), drawn(torch, 4, 5)
    options = {"alpha": 1.0, "beta": 0.0, "activation": None, "device": "auto", "precision": "auto", "out_dtype": None}
    c = torch.ops.tilewright.matmul(a, b, None, None, kernel_name="auto", tile=tile, **options)

    assert seen == [(given, False)]
    assert c.requires_grad


@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_gradients_of_matmul(torch, left, right):
    """Vectors, matrices, broadcast batches, transposed operands; and the gradients' own gradients."""
    a, b = drawn(torch, *left), drawn(torch, *right)
    assert torch.autograd.gradcheck(tilewright.matmul, (a, b))
    assert torch.autograd.gradgradcheck(tilewright.matmul, (a, b))
    if a.ndim > 1:
        turned = drawn(torch, *left[:-2], left[-1], left[-2])
        assert torch.autograd.gradcheck(lambda x, y: tilewright.matmul(x.mT, y), (turned, b))


@pytest.mark.parametrize("activation", [None, "relu", "gelu", "silu"])
@pytest.mark.parametrize("c_shape", [(3, 5), (5,), (2, 1, 5), (2, 3, 1)])
def test_gradients_of_an_epilogue(torch, activation, c_shape):
    """Of A, B, c and bias, each where it records them."""
    torch.manual_seed(1)
    inputs = drawn(torch, 2, 3, 4), drawn(torch, 4, 5), drawn(torch, *c_shape), drawn(torch, 5)

    def product(a, b, c, bias):
        return tilewright.matmul(a, b, alpha=0.5, beta=-2, c=c, bias=bias, activation=activation)

    assert torch.autograd.gradcheck(product, inputs)
    for only in range(4):
        alone = [tensor.detach().requires_grad_(index == only) for index, tensor in enumerate(inputs)]
        product(*alone).sum().backward()
        assert [tensor.grad is not None for tensor in alone] == [index == only for index in range(4)]


@pytest.mark.parametrize(("left", "right"), [((4, 3), (3, 6)), ((2, 4, 3), (3, 2)), ((2, 1, 2, 3), (3, 3, 4))])
def test_gradients_of_reduced_matmul(torch, left, right):
    """Both of a pair have the same; batches are summed."""
    a, b = drawn(torch, *left), drawn(torch, *right)
    assert torch.autograd.gradcheck(tilewright.reduced_matmul, (a, b))
    assert torch.autograd.gradgradcheck(tilewright.reduced_matmul, (a, b))
    tilewright.reduced_matmul(a, b).sum().backward()
    assert torch.equal(a.grad[..., 0::2, :], a.grad[..., 1::2, :])
    assert torch.equal(b.grad[..., 0::2], b.grad[..., 1::2])


DOTS = [
    ((5,), (5,)),
    ((3, 5), (5,)),
    ((5,), (5, 2)),
    ((3, 5), (5, 2)),
    ((2, 3, 4), (5, 4, 2)),
    ((), (3, 2)),
    ((3,), ()),
]


@pytest.mark.parametrize(("left", "right"), DOTS)
def test_gradients_of_dot(torch, left, right):
    """Vectors, matrices, more axes, and a number that scales."""
    a, b = drawn(torch, *left), drawn(torch, *right)
    assert torch.autograd.gradcheck(tilewright.dot, (a, b))
    assert torch.autograd.gradgradcheck(tilewright.dot, (a, b))


def test_gradients_of_complex_numbers(torch):
    """Conjugated where calculus has them so."""
    a, b = drawn(torch, 3, 4, dtype="complex128"), drawn(torch, 4, 2, dtype="complex128")
    assert torch.autograd.gradcheck(tilewright.matmul, (a, b))
    assert torch.autograd.gradcheck(tilewright.dot, (a[0], b[:, 0]))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_gradients_are_torchs(torch, dtype):
    """In types that gradcheck cannot look at: beside torch's own in float64; each of its tensor's type."""
    torch.manual_seed(2)
    a, b = drawn(torch, 6, 8, 16, dtype=dtype), drawn(torch, 16, 10, dtype=dtype)
    bias = drawn(torch, 10, dtype=dtype)
    result = tilewright.matmul(a, b, bias=bias, activation="silu")
    weight = torch.randn_like(result)
    (result * weight).sum().backward()
    exact = [tensor.detach().double().requires_grad_() for tensor in (a, b, bias)]
    (torch.nn.functional.silu(exact[0] @ exact[1] + exact[2]) * weight.double()).sum().backward()
    tolerance = {"float16": 2e-2, "bfloat16": 1e-1, "float32": 1e-4}[dtype]
    for mine, its in zip((a, b, bias), exact, strict=True):
        assert mine.grad.dtype == mine.dtype
        torch.testing.assert_close(mine.grad.double(), its.grad, rtol=tolerance, atol=tolerance * 4)


def test_gradients_of_a_result_in_float32(torch):
    """16-bit operands and out_dtype: the gradients come back in 16 bits."""
    a, b = drawn(torch, 4, 8, dtype="bfloat16"), drawn(torch, 8, 4, dtype="bfloat16")
    result = tilewright.matmul(a, b, out_dtype="float32")
    assert result.dtype == torch.float32
    result.sum().backward()
    torch.testing.assert_close(a.grad, b.detach().float().sum(1).bfloat16().expand(4, 8), rtol=2e-2, atol=1e-2)


def test_two_types(torch):
    """Each gradient has its operand's type."""
    a, b = drawn(torch, 4, 8, dtype="float32"), drawn(torch, 8, 4, dtype="float64")
    tilewright.matmul(a, b).sum().backward()
    assert (a.grad.dtype, b.grad.dtype) == (torch.float32, torch.float64)


def test_a_layer_learns(torch):
    """A linear map is found again by gradient descent through our products."""
    torch.manual_seed(3)
    truth, weight = torch.randn(4, 3), torch.nn.Parameter(torch.zeros(4, 3))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for _ in range(200):
        x = torch.randn(32, 4)
        loss = (tilewright.matmul(x, weight) - x @ truth).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert torch.allclose(weight, truth, atol=1e-2)


@pytest.mark.parametrize("name", ["matmul", "reduced_matmul", "dot"])
def test_out_and_gradients_are_refused(torch, name):
    """As torch does, in a sentence; without gradients it is written."""
    a, out = drawn(torch, 4, 4), torch.empty((2, 2) if name == "reduced_matmul" else (4, 4), dtype=torch.float64)
    function = getattr(tilewright, name)
    with pytest.raises(RuntimeError, match=rf"{name} with out= records no gradients"):
        function(a, a, out=out)
    with torch.no_grad():
        assert function(a, a, out=out) is out
        assert not function(a, a).requires_grad


def test_plain_tensors_do_not_come_here(torch, monkeypatch):
    """Neither tensors without gradients nor parameters under no_grad: the operators cost more."""
    monkeypatch.delattr(torch.ops.tilewright, "matmul", raising=False)
    monkeypatch.setattr("tilewright.call.torch.operators.matmul_by_operator", None)
    a, weight = torch.randn(3, 4), torch.nn.Parameter(torch.randn(4, 2))
    with torch.no_grad():
        torch.testing.assert_close(tilewright.matmul(a, weight), a @ weight)
    torch.testing.assert_close(tilewright.matmul(a, weight.detach()), a @ weight)


def calls(torch):
    """Operators with arguments, for torch's own checks."""
    options = {"kernel_name": "auto", "tile": None, "device": "auto", "precision": "auto"}
    plain = {"out_dtype": None, "alpha": 1.0, "beta": 0.0, "activation": None, **options}
    operators = torch.ops.tilewright
    for dtype, grad in (("float64", True), ("float32", False), ("bfloat16", True)):
        a, b = drawn(torch, 3, 4, dtype=dtype, grad=grad), drawn(torch, 4, 6, dtype=dtype, grad=grad)
        bias = drawn(torch, 6, dtype=dtype, grad=grad)
        yield operators.matmul, (a, b, None, None), plain
        yield operators.matmul, (b.mT, a.mT, None, None), plain
        yield operators.matmul, (a[:, ::2], b[::2], None, None), plain
        yield operators.matmul, (a.expand(2, 3, 4), b, None, bias), {**plain, "activation": "gelu"}
        yield operators.matmul, (a, b, bias, bias), {**plain, "beta": 2.0, "alpha": 0.5}
        yield operators.reduced_matmul, (a.repeat(2, 1), b), options
        yield operators.reduced_matmul, (b.mT, b[:, :4].mT.repeat(2, 1)[:4]), options
        yield operators.dot, (a[0], b[:, 0]), options
        yield operators.dot, (a.expand(2, 3, 4), b), options
    half = drawn(torch, 3, 4, dtype="float16", grad=False)
    yield operators.matmul, (half, half.mT, None, None), {**plain, "out_dtype": torch.float32}


def test_torchs_own_checks_of_operators(torch):
    """Schema, what is known of a result beforehand (strides too), gradients' registration, tracing with symbols."""
    for operator, arguments, options in calls(torch):
        leaves = [x if x is None else x.detach().requires_grad_(x.requires_grad) for x in arguments]
        torch.library.opcheck(operator, tuple(leaves), options)


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_without_a_break(torch, dynamic):
    """A function with all three, as one graph, with gradients and without; other shapes, too."""

    def layer(x, weight, bias):
        hidden = tilewright.matmul(x, weight, bias=bias, activation="gelu")
        reduced = tilewright.reduced_matmul(hidden, hidden.mT, kernel="auto")
        return reduced * tilewright.dot(hidden[0], hidden[1]) + 1

    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager", dynamic=dynamic)
    for rows in (4, 6):
        arguments = drawn(torch, rows, 5), drawn(torch, 5, 8), drawn(torch, 8)
        expected, result = layer(*arguments), compiled(*arguments)
        torch.testing.assert_close(result, expected)
        own = torch.autograd.grad(expected.sum(), arguments)
        for mine, its in zip(torch.autograd.grad(result.sum(), arguments), own, strict=True):
            torch.testing.assert_close(mine, its)
        with torch.no_grad():
            torch.testing.assert_close(compiled(*arguments), expected)


@pytest.mark.usefixtures("torch")
def test_a_compiled_function_as_the_first_to_call():
    """In a process where nothing of ours has been called, nor the operators imported."""
    code = """
import torch, tilewright
def f(a, b): return tilewright.matmul(a, b, alpha=2.0)
a = torch.randn(3, 3)
torch.testing.assert_close(torch.compile(f, fullgraph=True, backend="aot_eager")(a, a), 2 * a @ a)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_compiled_by_torchs_own_code_generation(torch):
    """Inductor lowers what the other back ends only trace; without loops of its own, no C++ is compiled."""

    def layers(x, weight):
        reduced = tilewright.reduced_matmul(tilewright.matmul(x, weight, activation="silu"), weight)
        return tilewright.dot(reduced, reduced)

    with torch.no_grad():
        x, weight = torch.randn(4, 4), torch.randn(4, 4)
        torch.testing.assert_close(torch.compile(layers, fullgraph=True)(x, weight), layers(x, weight))


def test_compiled_code_has_no_stream(torch):
    """A call with a stream is not compiled; where torch goes on without, our sentence says so."""
    a = drawn(torch, 3, 3, grad=False)
    with pytest.raises(tilewright.PlanError, match=r"code that torch\.compile reads"):
        torch.compile(lambda: tilewright.matmul(a, a, stream=8), backend="eager")()


def test_without_values(torch):
    """Fake tensors have shapes and types; what does not fit is refused as it is with values."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        a, b = torch.empty(2, 4, 6), torch.empty(6, 8)
        assert tilewright.matmul(a, b).shape == (2, 4, 8)
        assert tilewright.reduced_matmul(a, b).shape == (2, 2, 4)
        assert tilewright.dot(a, b).shape == (2, 4, 8)
        assert tilewright.matmul(a.half(), b.half(), out_dtype=torch.float32).dtype == torch.float32
        with pytest.raises(tilewright.ShapeError, match="inner sizes"):
            tilewright.matmul(a, a)
        with pytest.raises(tilewright.PlanError, match="activation"):
            tilewright.matmul(a, b, activation="tanh")


@pytest.mark.parametrize("records", [False, True])
def test_operations_are_counted(torch, records):
    """By torch's counter as its own products are, gradients and batches included; also by one that began before us."""
    from torch.utils.flop_counter import FlopCounterMode

    a, b = torch.randn(6, 4, 5), torch.randn(5, 3, requires_grad=records)

    def counted(multiply):
        with FlopCounterMode(display=False) as counter:
            result = multiply(a, b)
            if records:
                result.sum().backward()
        return counter.get_total_flops()

    assert counted(tilewright.matmul) == counted(torch.matmul) == (2 if records else 1) * 2 * 6 * 4 * 5 * 3
    assert counted(lambda x, y: tilewright.dot(x[0], y)) == (2 if records else 1) * 2 * 4 * 5 * 3
    program = (
        "import torch, tilewright\nfrom torch.utils.flop_counter import FlopCounterMode\n"
        "with FlopCounterMode(display=False) as c: tilewright.matmul(torch.ones(4, 5), torch.ones(5, 3))\n"
        "print(c.get_total_flops())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["120"]
