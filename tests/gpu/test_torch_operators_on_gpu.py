"""torch's operators on a GPU: gradients, torch's own checks, compiled functions, and training in 16 bits."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

import tilewright  # noqa: E402  (torch decides whether there is anything to test)
from tilewright.launch.cuda.device import cuda_device  # noqa: E402
from tilewright.launch.machine import DeviceUnavailableError  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def operators():
    """Our operators, on a GPU that torch has."""
    try:
        cuda_device(0)
    except DeviceUnavailableError as unavailable:
        pytest.skip(str(unavailable))
    if not torch.cuda.is_available():
        pytest.skip("this torch has no CUDA")
    import tilewright.call.torch.operators  # noqa: F401

    return torch.ops.tilewright


def drawn(*shape, dtype=torch.float64):
    """Random numbers that record gradients."""
    return torch.randn(shape, dtype=dtype, device="cuda", requires_grad=True)


@pytest.mark.parametrize(
    ("left", "right"), [((3, 4), (4, 5)), ((4,), (2, 4, 3)), ((2, 1, 3, 4), (5, 4, 2)), ((4,), (4,))]
)
def test_gradients(left, right):
    """Of all, numerically; in float64, where kernels of ours compute them."""
    a, b = drawn(*left), drawn(*right)
    assert torch.autograd.gradcheck(tilewright.matmul, (a, b))
    assert torch.autograd.gradcheck(tilewright.dot, (a, b))
    if len(left) > 1:
        wide = drawn(*right[:-1], 2 * right[-1])
        tall = drawn(*left[:-2], 2 * left[-2], left[-1])
        assert torch.autograd.gradcheck(tilewright.reduced_matmul, (tall, wide))


def test_gradients_of_what_is_made_of_matmul():
    """Vecdot and tensordot are views and products."""
    a, b = drawn(3, 2, 4), drawn(2, 4)
    assert torch.autograd.gradcheck(tilewright.vecdot, (a, b))
    assert torch.autograd.gradcheck(lambda x, y: tilewright.tensordot(x, y, 2), (a, b))


@pytest.mark.parametrize("activation", ["relu", "gelu", "silu"])
def test_gradients_of_an_epilogue(activation):
    """Of c and bias, too."""
    inputs = drawn(2, 3, 4), drawn(4, 5), drawn(3, 5), drawn(5)

    def product(a, b, c, bias):
        return tilewright.matmul(a, b, alpha=0.5, beta=-2, c=c, bias=bias, activation=activation)

    assert torch.autograd.gradcheck(product, inputs)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("sizes", [(64, 128, 96), (65, 127, 33)])
def test_gradients_are_torchs(dtype, sizes):
    """Beside torch's in float64."""
    m, k, n = sizes
    a, b = drawn(3, m, k, dtype=dtype), drawn(k, n, dtype=dtype)
    result = tilewright.matmul(a, b)
    weight = torch.randn_like(result)
    (result * weight).sum().backward()
    tolerance = {torch.float16: 2e-3, torch.bfloat16: 1.6e-2, torch.float32: 1e-5}[dtype]
    exact_a = weight.double() @ b.detach().double().mT
    exact_b = (a.detach().double().mT @ weight.double()).sum(0)
    for mine, exact in ((a.grad, exact_a), (b.grad, exact_b)):
        assert mine.dtype == dtype
        assert float((mine.double() - exact).norm() / exact.norm()) < tolerance


def test_torchs_own_checks(operators):
    """Schema, strides and types known beforehand, registration of gradients, tracing."""
    options = {"kernel_name": "auto", "tile": None, "device": "auto", "precision": "auto"}
    plain = {"out_dtype": None, "alpha": 1.0, "beta": 0.0, "activation": None, **options}
    for dtype in (torch.float32, torch.bfloat16):
        a, b = (drawn(*shape, dtype=dtype).detach() for shape in ((8, 6), (6, 10)))
        a.requires_grad_()
        torch.library.opcheck(operators.matmul, (a, b, None, None), plain)
        turned = b.mT.detach().requires_grad_()
        torch.library.opcheck(operators.matmul, (turned, a.detach().mT, None, None), plain)
        torch.library.opcheck(operators.reduced_matmul, (a, b), options)
        torch.library.opcheck(operators.dot, (a.detach()[0], b[:, 0]), options)


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_tangents():
    """Of forward mode, for tensors whose layout is known; and of functions that are mapped."""
    a, b, of_a, of_b = (torch.randn(8, 8, device="cuda") for _ in range(4))
    multiply = tilewright.plan(a, b)
    expected = of_a.double() @ b.double() + a.double() @ of_b.double()
    forward = torch.autograd.forward_ad
    functions: tuple[Any, ...] = (tilewright.matmul, multiply, tilewright.dot)
    for function in functions:
        for _ in range(2):
            function(a, b)
        with forward.dual_level():
            primal, tangent = forward.unpack_dual(function(forward.make_dual(a, of_a), forward.make_dual(b, of_b)))
        torch.testing.assert_close(primal, function(a, b))
        torch.testing.assert_close(tangent.double(), expected, rtol=1e-5, atol=1e-5)
    x, y = drawn(4, 6), drawn(6, 4)
    options = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True}
    functions = (tilewright.matmul, tilewright.reduced_matmul, tilewright.dot)
    for function in functions:
        assert torch.autograd.gradcheck(function, (x, y), **options)


def test_modes_see_operators():
    """Tracing by torch.fx with real tensors, whose layout is known, finds our operator."""
    from torch.fx.experimental.proxy_tensor import make_fx

    def of_two(function):
        return lambda x, y: function(x, y) + 0

    a, b = (torch.randn(8, 8, device="cuda") for _ in range(2))
    multiply = tilewright.plan(a, b)
    for function in (tilewright.matmul, multiply):
        for _ in range(2):
            function(a, b)
        traced = make_fx(of_two(function))(a, b)
        assert "tilewright.matmul" in traced.code
        torch.testing.assert_close(traced(b, a), b @ a)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gradients_of_each_sample(dtype):
    """torch.func's: the gradients of a layer for each row of a batch, beside torch's own."""
    x, weight, bias = (torch.randn(*shape, device="cuda", dtype=dtype) for shape in ((16, 32), (32, 24), (24,)))

    def loss(multiply):
        return lambda weight, bias, row: multiply(weight, bias, row).float().square().sum()

    ours = loss(lambda weight, bias, row: tilewright.matmul(row, weight, bias=bias, activation="silu"))
    torchs = loss(lambda weight, bias, row: torch.nn.functional.silu(row @ weight + bias))
    each = [torch.vmap(torch.func.grad(f, (0, 1)), (None, None, 0))(weight, bias, x) for f in (ours, torchs)]
    tolerance = 1e-4 if dtype == torch.float32 else 5e-2
    for mine, its in zip(*each, strict=True):
        assert float((mine - its).double().norm() / its.double().norm()) < tolerance


# torch itself captures an empty graph before the first, and says so.
@pytest.mark.filterwarnings("default:The CUDA Graph is empty")
@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_compiled(mode):
    """A training step in one graph, through torch's own code generation, and replayed as a CUDA graph."""
    torch.manual_seed(1)
    weight, head = drawn(48, 64, dtype=torch.bfloat16), drawn(64, 16, dtype=torch.bfloat16)
    x = torch.randn(32, 48, device="cuda", dtype=torch.bfloat16)

    def loss(x, weight, head):
        hidden = tilewright.matmul(x, weight, activation="gelu")
        reduced = tilewright.reduced_matmul(hidden, hidden.mT)
        return tilewright.matmul(hidden, head).float().square().mean() + reduced.float().mean()

    compiled = torch.compile(loss, fullgraph=True, mode=mode)
    expected = loss(x, weight, head)
    own = torch.autograd.grad(expected, (weight, head))
    for _ in range(4):
        torch.compiler.cudagraph_mark_step_begin()
        result = compiled(x, weight, head)
        found = [gradient.clone() for gradient in torch.autograd.grad(result, (weight, head))]
        torch.testing.assert_close(result.detach().clone(), expected.detach(), rtol=2e-2, atol=2e-2)
        for mine, its in zip(found, own, strict=True):
            assert float((mine - its).double().norm() / its.double().norm()) < 1e-2
