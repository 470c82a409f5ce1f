"""The proof's own proof, without a GPU: a correct product passes on the host's memory, each kind of mistake is seen."""

from __future__ import annotations

import ctypes
from math import prod
from random import Random

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")

from tests.gpu.guarded_product import GuardedProduct, Outcome  # noqa: E402  (they import torch)
from tests.gpu.product_cases import ProductCase, random_case, random_variant  # noqa: E402
from tilewright.choose.plan import Plan  # noqa: E402
from tilewright.kernels.launch import Launches  # noqa: E402
from tilewright.kernels.operand import Operand  # noqa: E402

WORKSPACE_BYTES = 64
PLAN = Launches((), WORKSPACE_BYTES, ())
KINDS = {"float16": "float16", "bfloat16": "uint16", "float32": "float32"}


def view(address, operand, dtype):
    """The matrix at an address of this process's memory."""
    size = np.dtype(KINDS[dtype]).itemsize
    one = np.frombuffer(memoryview((ctypes.c_char * size).from_address(address)), KINDS[dtype])
    strides = [size * stride for stride in (*operand.batch_strides, operand.row_stride, operand.column_stride)]
    return np.lib.stride_tricks.as_strided(one, operand.shape, strides, writeable=True)


def widened(values, dtype):
    """The values in float64."""
    if dtype == "bfloat16":
        return torch.from_numpy((values.astype(np.uint32) << 16).view(np.float32).astype(np.float64))
    return torch.from_numpy(values.astype(np.float64))


class HostProduct:
    """A product on the host, for one case; ``mistake`` is what it does wrong."""

    def __init__(self, case: ProductCase, mistake: str = "") -> None:
        self.product, self.mistake = case.multiplication(), mistake

    def __call__(self, plan: Plan | Launches, addresses: list[int]) -> None:
        """Compute C, and then make the mistake."""
        product, (a, b, c, c_operand, bias, workspace) = self.product, addresses
        epilogue = product.epilogue
        value = epilogue.alpha * (
            widened(view(a, product.a, product.dtype), product.dtype)
            @ widened(view(b, product.b, product.dtype), product.dtype)
        )
        if product.c_operand is not None:
            value += epilogue.beta * widened(view(c_operand, product.c_operand, product.out_dtype), product.out_dtype)
        if epilogue.bias:
            shifts = Operand(1, product.n, product.n, 1)
            value += widened(view(bias, shifts, product.out_dtype), product.out_dtype)[0]
        activations = {"relu": torch.relu, "gelu": torch.nn.functional.gelu, "silu": torch.nn.functional.silu}
        if epilogue.activation:
            value = activations[epilogue.activation](value)
        out = view(c, product.c, product.out_dtype)
        rounded = value.to({"float16": torch.float16, "bfloat16": torch.bfloat16}.get(product.out_dtype, torch.float32))
        out[...] = rounded.view(torch.int16).numpy().view(out.dtype) if out.itemsize == 2 else rounded.numpy()
        if self.mistake == "one wrong":
            out[(-1,) * out.ndim] = 77
        elif self.mistake == "one missing":
            out[(-1,) * out.ndim] = 0x7FFF if out.dtype == np.uint16 else np.nan
        elif self.mistake == "past the end":
            ctypes.memset(
                c + (product.c.rows - 1) * product.c.row_stride * out.itemsize + out.itemsize * product.n, 1, 2
            )
        elif self.mistake == "into A":
            ctypes.memset(a, 1, 2)
        elif self.mistake == "behind the workspace":
            ctypes.memset(workspace + plan.workspace_bytes, 0, 1)


def outcome(case: ProductCase, mistake: str = "") -> Outcome:
    """Run a case on the host."""
    return GuardedProduct(case, "cpu").run(PLAN, HostProduct(case, mistake))


@pytest.mark.slow
def test_a_correct_product_passes_whatever_the_case():
    """The cases' strides, offsets and epilogues, and the bound, are those of a product."""
    random = Random(5)
    torch.manual_seed(5)
    cases = [random_case(random, random_variant(random, ("auto",))) for _ in range(60)]
    for case in cases:
        came = outcome(case)
        assert came.wrong == "", (came, case)
        assert came.share <= 1
    strides = [stride for case in cases for placed in (case.a, case.b) for stride in placed.strides]
    assert min(strides) < 0
    assert 0 in strides
    assert any(case.c_operand and not case.in_place for case in cases)
    assert any(case.in_place for case in cases)
    assert any(case.variant.has_batch and len(case.a.shape) == 4 for case in cases)


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        ("one wrong", "1 elements are wrong"),
        ("one missing", "1 elements are wrong"),
        ("past the end", "1 elements outside C were written"),
        ("into A", "1 elements of an operand were written"),
        ("behind the workspace", "1 bytes behind the workspace were written"),
    ],
)
def test_each_mistake_is_seen(mistake, words):
    """One element is enough."""
    random = Random(1)
    torch.manual_seed(1)
    while True:
        case = random_case(random, random_variant(random, ("auto",)))
        plain = prod(case.c.shape) and case.c.strides == (case.c.shape[-1], 1) and not case.variant.has_batch
        if plain and case.variant.out_dtype != "float32" and case.a.strides[-1] == 1 and case.a.shape[0] > 1:
            break
    assert outcome(case).wrong == ""
    assert words in outcome(case, mistake).wrong
