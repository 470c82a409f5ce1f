"""Our functions under torch's transformations (torch.func, dual tensors, torch.vmap), beside torch's own functions."""

from __future__ import annotations

import itertools

import pytest

import tilewright
from tests.call.torch.test_operators import DOTS, SHAPES, drawn, torch

__all__ = ["torch"]  # a fixture

pytestmark = [
    pytest.mark.slow,  # torch alone takes seconds to import, and only `make test-all` installs it
    # What torch itself uses for its forward mode.
    pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning"),
]

NAMES = ["matmul", "reduced_matmul", "dot", "vecdot", "tensordot"]


def ours_and_torchs(torch, name):
    """A function, and the same of torch's functions."""

    def reduced(a, b):
        return (a[..., 0::2, :] + a[..., 1::2, :]) @ (b[..., 0::2] + b[..., 1::2])

    def tensordot(a, b):
        return tilewright.tensordot(a, b, 1)

    of_torch = {
        "matmul": torch.matmul,
        "reduced_matmul": reduced,
        "dot": torch.matmul,
        "vecdot": lambda a, b: torch.linalg.vecdot(a, b.mT),
        "tensordot": lambda a, b: torch.tensordot(a, b, 1),
    }
    ours = {"tensordot": tensordot, "vecdot": lambda a, b: tilewright.vecdot(a, b.mT)}
    return ours.get(name, getattr(tilewright, name)), of_torch[name]


def transforms(torch):
    """What is done to a function of A (4, 6) and B (6, 4), and to a few of them at once."""
    func, forward = torch.func, torch.autograd.forward_ad
    many, turned = torch.randn(3, 4, 6).double(), torch.randn(6, 4, 3).double()

    def dual(f, a, b):
        with forward.dual_level():
            return forward.unpack_dual(f(forward.make_dual(a, a + 1), b)).tangent

    def squares(f):
        return lambda a, b: f(a, b).square().sum()

    return {
        "grad": lambda f, a, b: func.grad(squares(f), (0, 1))(a, b),
        "jvp": lambda f, a, b: func.jvp(f, (a, b), (b.mT, a.mT)),
        "dual": dual,
        "jacrev": lambda f, a, b: func.jacrev(f)(a, b),
        "jacfwd": lambda f, a, b: func.jacfwd(f, 1)(a, b),
        "forward over reverse": lambda f, a, b: func.hessian(squares(f))(a, b),
        "reverse over reverse": lambda f, a, b: func.jacrev(func.jacrev(squares(f)))(a, b),
        "forward over forward": lambda f, a, b: func.jacfwd(func.jacfwd(squares(f)))(a, b),
        "vmap of A": lambda f, _, b: torch.vmap(f, (0, None))(many, b),
        "vmap of B": lambda f, a, _: torch.vmap(f, (None, 2))(a, turned),
        "vmap of both": lambda f, *_: torch.vmap(f, (0, 2))(many, turned),
        "vmap of vmap": lambda f, *_: torch.vmap(lambda a: torch.vmap(lambda b: f(a, b), 2)(turned))(many),
        "gradients of each": lambda f, *_: torch.vmap(func.grad(squares(f)), (0, 2))(many, turned),
        "gradient of vmap": lambda f, *_: func.grad(lambda a: torch.vmap(squares(f), (0, 2))(a, turned).sum())(many),
    }


@pytest.mark.parametrize("name", NAMES)
def test_transformed_as_torchs(torch, name):
    """The same numbers, shapes and types from each transformation."""
    torch.manual_seed(4)
    a, b = drawn(torch, 4, 6, grad=False), drawn(torch, 6, 4, grad=False)
    ours, of_torch = ours_and_torchs(torch, name)
    for transform in transforms(torch).values():
        torch.testing.assert_close(transform(ours, a, b), transform(of_torch, a, b))


@pytest.mark.parametrize("back_end", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", ["matmul", "vecdot"])
def test_transformed_and_compiled(torch, name, back_end):
    """In code that torch.compile reads, too, where a tangent was once lost in silence."""
    a, b = drawn(torch, 4, 6, grad=False), drawn(torch, 6, 4, grad=False)
    ours, of_torch = ours_and_torchs(torch, name)
    every = transforms(torch)
    for transform in (every["grad"], every["jvp"], every["vmap of both"]):
        compiled = torch.compile(lambda a, b, by=transform: by(ours, a, b), fullgraph=True, backend=back_end)
        torch.testing.assert_close(compiled(a, b), transform(of_torch, a, b))
    torch.compiler.reset()


def test_the_operators_themselves_lose_no_tangent(torch):
    """Called without our functions around them."""
    a, b = drawn(torch, 4, 6, grad=False), drawn(torch, 6, 4, grad=False)
    plain = {"kernel_name": "auto", "tile": None, "device": "auto", "precision": "auto"}
    for operator in (torch.ops.tilewright.dot, torch.ops.tilewright.reduced_matmul):
        _, tangent = torch.func.jvp(lambda x, by=operator: by(x, b, **plain), (a,), (a,))
        torch.testing.assert_close(tangent, operator(a, b, **plain))


@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_tangents_of_matmul(torch, left, right):
    """By finite differences, of several at once and of the gradients', too."""
    a, b = drawn(torch, *left), drawn(torch, *right)
    options = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True}
    assert torch.autograd.gradcheck(tilewright.matmul, (a, b), **options)
    assert torch.autograd.gradgradcheck(tilewright.matmul, (a, b), check_fwd_over_rev=True)


def test_mapped_vectors_times_one_matrix_are_one_product(torch):
    """Their rows make one matrix, and no batch of matrices with a row each."""
    from torch.utils._python_dispatch import TorchDispatchMode

    shapes = []

    class Seen(TorchDispatchMode):  # type: ignore[misc, unused-ignore]
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            if function.name() == "tilewright::matmul":
                shapes.append([tuple(tensor.shape) for tensor in args[:2]])
            return function(*args, **(kwargs or {}))

    vectors, matrix = torch.randn(7, 4), torch.randn(4, 5)
    with Seen():
        torch.vmap(tilewright.matmul, (0, None))(vectors, matrix)
    assert shapes == [[(7, 4), (4, 5)]]


@pytest.mark.parametrize(("left", "right"), DOTS)
def test_tangents_of_dot(torch, left, right):
    """With a number that scales, and beyond matrices."""
    a, b = drawn(torch, *left), drawn(torch, *right)
    options = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True}
    assert torch.autograd.gradcheck(tilewright.dot, (a, b), **options)


@pytest.mark.parametrize("activation", [None, "relu", "gelu", "silu"])
def test_tangents_of_an_epilogue(torch, activation):
    """Of A, B, c and bias, together and each by itself; of a vector B, too."""
    torch.manual_seed(1)
    for shapes in (((2, 3, 4), (4, 5), (3, 1), (5,)), ((3, 4), (4,), (3,), (1,))):

        def product(a, b, c, bias):
            return tilewright.matmul(a, b, alpha=0.5, beta=-2, c=c, bias=bias, activation=activation)

        inputs = [drawn(torch, *shape) for shape in shapes]
        assert torch.autograd.gradcheck(product, inputs, check_forward_ad=True)
        for only in range(4):
            alone = [tensor.detach().requires_grad_(index == only) for index, tensor in enumerate(inputs)]
            assert torch.autograd.gradcheck(product, alone, check_forward_ad=True)


def test_tangents_of_complex_numbers(torch):
    """Forward mode conjugates nothing."""
    a, b = drawn(torch, 3, 4, dtype="complex128"), drawn(torch, 4, 2, dtype="complex128")
    assert torch.autograd.gradcheck(tilewright.matmul, (a, b), check_forward_ad=True)


def test_tangents_in_16_bits_are_rounded_once(torch):
    """That of a product of bfloat16 is summed in float32."""
    torch.manual_seed(5)
    a, b, of_a, of_b = (torch.randn(8, 8).bfloat16() for _ in range(4))
    for name in ("matmul", "dot"):
        _, tangent = torch.func.jvp(getattr(tilewright, name), (a, b), (of_a, of_b))
        torch.testing.assert_close(tangent, (of_a.float() @ b.float() + a.float() @ of_b.float()).bfloat16())


def test_what_is_mapped_over_may_be_any_of_the_four(torch):
    """Each of A, B, c and bias for all or for one, of vectors and of batches: as one product after another."""
    torch.manual_seed(6)
    shapes = [((3, 4), (4, 5), (3, 5)), ((4,), (4, 5), (5,)), ((3, 4), (4,), ()), ((2, 3, 4), (6, 1, 4, 5), (3, 1))]
    for (left, right, c_operand), mapped in itertools.product(shapes, itertools.product([None, 0], repeat=4)):
        if not any(at == 0 for at in mapped):
            continue
        bias = (right[-1] if len(right) > 1 else 1,)
        tensors = [
            torch.randn((7, *shape) if at == 0 else shape).double()
            for shape, at in zip((left, right, c_operand, bias), mapped, strict=True)
        ]

        def product(a, b, c, bias):
            return tilewright.matmul(a, b, alpha=2, beta=3, c=c, bias=bias, activation="silu")

        each = [
            product(*(tensor if at is None else tensor[index] for tensor, at in zip(tensors, mapped, strict=True)))
            for index in range(7)
        ]
        torch.testing.assert_close(torch.vmap(product, mapped)(*tensors), torch.stack(each))


@pytest.mark.parametrize(("left", "right"), DOTS)
def test_dot_mapped_over(torch, left, right):
    """Vectors, numbers and more axes, the mapped one anywhere; and a kernel by name."""
    for at_a, at_b in ((0, None), (None, 0), (0, 0), (len(left), len(right))):
        a, b = (
            torch.randn(shape if at is None else (*shape[:at], 3, *shape[at:])).double()
            for shape, at in ((left, at_a), (right, at_b))
        )
        each = [
            tilewright.dot(*(x if at is None else x.select(at, index) for x, at in ((a, at_a), (b, at_b))))
            for index in range(3)
        ]
        torch.testing.assert_close(torch.vmap(tilewright.dot, (at_a, at_b))(a, b), torch.stack(each))
    vectors = torch.randn(2, 5)
    named = torch.vmap(lambda x: tilewright.dot(x, x, kernel="sequential"))(vectors)
    torch.testing.assert_close(named, vectors.square().sum(1))


def test_what_does_not_fit_is_refused_under_vmap(torch):
    """In our words, of the shapes that the caller sees."""
    a = torch.randn(5, 3, 4)
    with pytest.raises(tilewright.ShapeError, match=r"A is \(3, 4\) .* the inner sizes 4 and 3 differ"):
        torch.vmap(tilewright.matmul)(a, a)
    with pytest.raises(tilewright.ShapeError, match=r"A is \(\) "):
        torch.vmap(tilewright.matmul)(a[:, 0, 0], a)
    with pytest.raises(tilewright.ShapeError, match=r"odd|even"):
        torch.vmap(tilewright.reduced_matmul)(a, a.mT)
    with pytest.raises(RuntimeError, match="out= records no gradients"):
        torch.vmap(lambda x: tilewright.matmul(x, x.mT, out=torch.empty(3, 3)))(a)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_gradients_in_16_bits_are_rounded_once(torch, dtype):
    """What is summed over rows and over a batch, and scaled, is float32 until the end."""
    kind = getattr(torch, dtype)
    generator = torch.Generator().manual_seed(4)
    a, b = torch.randn(40, 3, 50, generator=generator).to(kind), torch.randn(50, 7, generator=generator).to(kind)
    gradient = torch.randn(40, 3, 7, generator=generator).to(kind)
    b.requires_grad_()
    a.requires_grad_()
    tilewright.matmul(a, b, alpha=0.7).backward(gradient)

    with torch.no_grad():
        of_b = 0.7 * (a.double().reshape(-1, 50).mT @ gradient.double().reshape(-1, 7))
        of_a = 0.7 * (gradient.double() @ b.double().mT)
        for found, exact in ((a.grad, of_a), (b.grad, of_b)):
            once = exact.to(kind)
            differ = (found != once).double().mean().item()
            assert differ < 0.01, differ  # the float32 sums themselves turn a few roundings
            assert torch.allclose(found.double(), exact, rtol=2 * torch.finfo(kind).eps, atol=1e-3)
