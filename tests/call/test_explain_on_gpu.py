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
    """Pairs are added in the inputs' type, then matmul's kernel for half the rows and columns, for each batch."""
    a, b = tensor(gpu, 3, 96, 40, dtype=dtype), tensor(gpu, 40, 64, dtype=dtype)
    plan = explained(a, b, "reduced_matmul", kernel="pair_sums")
    same = explained(tensor(gpu, 3, 48, 40, dtype=dtype), tensor(gpu, 40, 32, dtype=dtype))
    assert [launch.kernel for launch in plan.launches] == ["reduced_matmul/pair_sums", same.launches[0].kernel]
    assert plan.launches[1].macros == same.launches[0].macros
    size = 2 if dtype == "float16" else 4
    assert plan.workspace_bytes == (3 * 48 * 40 + 40 * 32) * size
    assert plan.reasons[2].startswith("Pairs are summed before the product, in one pass over A and B")
    assert [launch.kernel for launch in explained(a, b, "reduced_matmul").launches] == ["reduced_matmul/fused"]


def test_dot_of_vectors(gpu):
    """A row times a column, wherever their elements lie; one launch, and how it adds."""
    short = explained(tensor(gpu, 300), tensor(gpu, 300, strides=(2,)), "dot")
    assert short.launches == explained(tensor(gpu, 1, 300), tensor(gpu, 300, 1, strides=(2, 1))).launches
    long = explained(tensor(gpu, 10**6), tensor(gpu, 10**6), "dot")
    assert [launch.kernel for launch in long.launches] == ["dot/two_stage"]
    assert "share a product; one more adds their sums" in long.reasons[1]
    integers = explained(tensor(gpu, 300, dtype="int32"), tensor(gpu, 300, dtype="int32"), "dot")
    assert integers.reasons[-1] == "Integers are added in int32, modulo its range."


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
    assert explained(a, b, "reduced_matmul").launches[0].arguments["pairs_A.line_step"].value == -12
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
