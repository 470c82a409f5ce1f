"""What torch's operators refuse, and calls that record gradients: in the words of those that do not."""

from __future__ import annotations

from functools import partial

import numpy
import pytest

import tilewright
from tests.call.torch.test_operators import drawn, torch

__all__ = ["torch"]  # a fixture

pytestmark = pytest.mark.slow  # torch alone takes seconds to import, and only `make test-all` installs it


@pytest.mark.parametrize(
    "options",
    [
        {"alpha": "2"},
        {"alpha": None},
        {"tile": True},
        {"beta": 1j},
        {"activation": 3},
        {"kernel": 3},
        {"device": None},
        {"tile": "x"},
        {"tile": 1.5},
        {"out_dtype": "bogus"},
        {"out_dtype": "str"},
        {"out_dtype": float},
    ],
)
def test_options_are_refused_with_gradients_as_without(torch, options):
    """In one sentence of the same kind, and not with an operator's schema."""
    a = drawn(torch, 4, 4, dtype="float32")
    with torch.no_grad(), pytest.raises((TypeError, ValueError)) as plain:
        tilewright.matmul(a, a, **options)
    with pytest.raises((TypeError, ValueError)) as recorded:
        tilewright.matmul(a, a, **options)
    assert recorded.type is plain.type
    assert "\n" not in str(recorded.value)
    if "tile" in options:
        with pytest.raises(tilewright.PlanError, match="tile is"):
            tilewright.dot(a, a, **options)


def test_types_by_any_name(torch):
    """Of NumPy, of torch, or as text."""
    a = drawn(torch, 4, 4, dtype="float16")
    for name in ("float32", numpy.float32, numpy.dtype("float32"), torch.float32):
        assert tilewright.matmul(a, a, out_dtype=name).dtype == torch.float32


# torch says so of the first of each in a process.
@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental", "ignore:The PyTorch API of nested tensors")
def test_tensors_that_numpy_has_no_words_for(torch):
    """Types that it lacks, and nested tensors, are refused by name."""
    a = torch.ones(4, 4)
    for dtype in (torch.float8_e4m3fn, torch.complex32):
        with pytest.raises(tilewright.DtypeError, match=rf"A is \(4, 4\) {dtype}, a type that NumPy lacks"):
            tilewright.matmul(a.to(dtype), a.to(dtype))
    with pytest.raises(tilewright.DtypeError, match="A is a nested tensor"):
        tilewright.matmul(torch.nested.nested_tensor([a, a[:2]]), a)


KINDS = {
    "nested": lambda torch, a: torch.nested.nested_tensor([a, a]),
    "jagged": lambda torch, a: torch.nested.nested_tensor([a, a], layout=torch.jagged),
    "sparse": lambda _, a: a.to_sparse(),
    "compressed": lambda _, a: a.to_sparse_csr(),
    "mkldnn": lambda _, a: a.to_mkldnn(),
    "quantized": lambda torch, a: torch.quantize_per_tensor(a, 0.1, 0, torch.quint8),
}
"""Kinds of tensors that are not dense; some have no shape, and some no strides or no memory."""


@pytest.mark.filterwarnings(
    "ignore:The PyTorch API of nested tensors", "ignore:Sparse CSR tensor support", "ignore:.*quantize_per_tensor"
)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_dense_is_refused_wherever_it_is_given(torch, kind):
    """As an operand, `out`, c or a bias, and to a plan, too: a sentence names it, and nothing of torch's breaks."""
    a = torch.ones(4, 4)
    given = KINDS[kind](torch, a)
    multiply = tilewright.plan(a, a)
    functions = tilewright.matmul, tilewright.reduced_matmul, tilewright.dot, tilewright.vecdot, tilewright.tensordot
    calls = {
        "A": [partial(function, given, a) for function in (*functions, multiply, tilewright.plan)],
        "B": (lambda: multiply(a, given), lambda: tilewright.matmul(a, given), lambda: tilewright.dot(a, given)),
        "out": (
            lambda: tilewright.matmul(a, a, out=given),
            lambda: tilewright.plan(a, a, out=given),
            lambda: tilewright.dot(a, a, out=given),
            lambda: tilewright.vecdot(a, a, out=given),
        ),
        "c": (lambda: tilewright.matmul(a, a, c=given, beta=1), lambda: tilewright.plan(a, a, c=given, beta=1)),
        "bias": (lambda: tilewright.matmul(a, a, bias=given),),
    }
    for name, refused in calls.items():
        for call in refused:
            with pytest.raises(tilewright.DtypeError, match=f"{name} is .*dense tensors are accepted"):
                call()
