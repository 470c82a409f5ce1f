"""explain of arrays on a GPU, which the emulator stands for: the plan of what each function comes to."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import tilewright
from tests.arrays import emulated_gpu, fake_torch
from tests.arrays.emulated_gpu import EmulatedArray
from tests.arrays.fake_torch import Tensor
from tilewright.arrays.memory import memory
from tilewright.call import explain_on_gpu
from tilewright.launch.cuda import device as cuda_device


@pytest.fixture
def gpu(monkeypatch):
    """A GPU with torch's tensors in its memory, on which nothing may run."""
    found = emulated_gpu.install(monkeypatch)
    found.torch = fake_torch.install(monkeypatch, found)
    yield found
    assert found.runs == []
    cuda_device.cuda_device.cache_clear()


def tensor(gpu, *shape, dtype="float32", strides=None):
    """A tensor of zeros."""
    return Tensor(EmulatedArray(gpu, shape, dtype, strides))


def explained(a, b, operation="matmul", **options) -> Any:
    """The plan, of the one type that there is."""
    plan = tilewright.explain(a, b, operation=operation, **options)
    assert type(plan) is tilewright.Plan
    return plan


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_reduced_matmul(gpu, dtype):
    """The product of the sums of pairs, in float32, of half the rows and columns, for each batch."""
    plan = explained(tensor(gpu, 3, 96, 40, dtype=dtype), tensor(gpu, 40, 64, dtype=dtype), "reduced_matmul")
    same = explained(tensor(gpu, 3, 48, 40), tensor(gpu, 40, 32))
    assert plan.launches == same.launches
    assert plan.reasons[1:] == same.reasons
    assert (
        plan.reasons[0]
        == "torch adds the pairs of rows and of columns first, in float32, which takes k products and not 4 k."
    )


def test_dot_of_vectors(gpu):
    """A row times a column, wherever their elements lie; of many elements by parts."""
    short = explained(tensor(gpu, 300), tensor(gpu, 300, strides=(2,)), "dot")
    assert short.launches == explained(tensor(gpu, 1, 300), tensor(gpu, 300, 1, strides=(2, 1))).launches
    long = explained(tensor(gpu, 10000), tensor(gpu, 10000), "dot")
    assert long.launches == explained(tensor(gpu, 2, 1, 4096), tensor(gpu, 2, 4096, 1)).launches
    sentence = (
        "A sum of 10,000 products is made of 2 sums of 4,096, which torch adds, and the last 1808 by a product of"
    )
    assert long.reasons[0].startswith(sentence)


def test_dot_beyond_vectors(gpu):
    """Of matrices it is their product; other axes come together; a number has no plan."""
    a, b = tensor(gpu, 30, 40), tensor(gpu, 40, 50)
    assert explained(a, b, "dot") == explained(a, b)
    high = explained(tensor(gpu, 2, 3, 40), tensor(gpu, 5, 40, 4), "dot")
    assert high.launches == explained(tensor(gpu, 6, 40), tensor(gpu, 40, 20)).launches
    number = explained(tensor(gpu), a, "dot")
    assert (number.launches, number.reasons) == ((), ("A number scales the other: torch multiplies them.",))


def test_refusals_are_those_of_the_calls(gpu):
    """Shapes, kernels and machines."""
    a = tensor(gpu, 4, 5)
    with pytest.raises(tilewright.ShapeError, match="inner sizes"):
        explained(a, a)
    with pytest.raises(tilewright.ShapeError, match="even"):
        explained(tensor(gpu, 5, 5), tensor(gpu, 5, 5), "reduced_matmul")
    with pytest.raises(tilewright.ShapeError, match="the sizes 5 and 4 differ"):
        explained(a, a, "dot")
    with pytest.raises(tilewright.PlanError, match="runs on matmul's kernels"):
        explained(a, tensor(gpu, 5, 4), "dot", kernel="tiled")
    with pytest.raises(tilewright.PlanError, match="device is 'auto' or 'gpu'"):
        explained(a, tensor(gpu, 5, 4), "dot", device="host")


def test_weights_and_other_types(gpu):
    """A tensor that requires gradients lies as one that does not; what no kernel multiplies is said."""
    weight = Tensor(EmulatedArray(gpu, (8, 8), "float32"), requires_grad=True)
    assert explained(weight, weight) == explained(tensor(gpu, 8, 8), tensor(gpu, 8, 8))
    whole = tensor(gpu, 8, 8, dtype="int32")
    for operation in ("matmul", "reduced_matmul", "dot"):
        assert explained(whole, whole, operation).reasons == (
            "No kernel multiplies int32: torch adds up the products.",
        )


def test_arrays_of_a_library_that_is_not_known(gpu, monkeypatch):
    """As they lie for matmul; as the lender's for all else."""
    monkeypatch.setattr(explain_on_gpu, "borrowed", lambda array, _name: Tensor(array))
    monkeypatch.setattr(explain_on_gpu, "memory", lambda library: gpu if library == "cuda" else memory(library))
    a, b = EmulatedArray(gpu, (8, 6), "float32", (-6, 1)), EmulatedArray(gpu, (6, 4), "float32")
    assert explained(a, b).launches
    assert explained(a, b, "reduced_matmul").reasons[0].startswith("torch adds the pairs")
    whole = EmulatedArray(gpu, (6, 6), "int32")
    assert "No kernel multiplies int32" in str(explained(whole, whole))


def test_on_the_host():
    """Beyond two vectors dot is NumPy's product of matrices; a kernel by name goes with two vectors."""
    ones = numpy.ones
    for shapes, sizes in (
        (((3, 4), (4, 5)), (3, 5, 4)),
        (((2, 3, 4), (6, 4, 5)), (6, 30, 4)),
        (((4,), (4, 5)), (1, 5, 4)),
        (((3, 4), (4,)), (3, 1, 4)),
        (((), (3, 4)), (12, 1, 1)),
    ):
        plan = explained(ones(shapes[0]), ones(shapes[1]), "dot")
        assert (plan.kernel.name, plan.machine, plan.problem.sizes) == ("matmul/numpy", "host", sizes)
    with pytest.raises(tilewright.ShapeError, match="dot takes two vectors"):
        explained(ones((3, 4)), ones((4, 5)), "dot", kernel="tiled")
    with pytest.raises(tilewright.ShapeError, match="the sizes 4 and 3 differ"):
        explained(ones((3, 4)), ones((3, 4)), "dot")
