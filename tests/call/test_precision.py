"""precision=: what is asked of a product of float32, and where it is refused."""

from dataclasses import replace

import numpy
import pytest

import tilewright
from tilewright.choose import EMULATOR_FACTS, HOST_FACTS, Problem, choose_plan, find_chip
from tilewright.choose.choice import PREFERENCE
from tilewright.kernels.operand import Operand

A, B = numpy.array([[1, 2], [3, 4]], "f4"), numpy.array([[5, 6], [7, 8]], "f4")
FUNCTIONS = (tilewright.matmul, tilewright.reduced_matmul, tilewright.dot)
IN_FLOAT32 = Problem.of("matmul", 64, 64, 64, "float32")
LARGE = Problem.of("matmul", 4096, 4096, 4096, "float32")


@pytest.mark.parametrize("precision", ["auto", "ieee"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_host_multiplies_as_sgemm(function, precision):
    """NumPy's BLAS is float32's own arithmetic."""
    assert numpy.array_equal(function(A, B, precision=precision), function(A, B))


@pytest.mark.parametrize("function", [*FUNCTIONS, tilewright.plan, tilewright.explain])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("tf32", "precision 'tf32'"),
        ("fast", "precision is 'fast', and one of 'auto', 'ieee', 'tf32', 'bf16x6', 'fp16x3' is accepted."),
        (32, "precision is 32"),
    ],
)
def test_what_the_host_refuses(function, given, said):
    """A sentence says what was given and what is accepted."""
    with pytest.raises(tilewright.PlanError) as refusal:
        function(A, B, precision=given)
    assert said in str(refusal.value)


@pytest.mark.parametrize("function", [*FUNCTIONS, tilewright.plan, tilewright.explain])
@pytest.mark.parametrize("dtype", ["float64", "float16", "int32"])
def test_other_types_have_none_to_choose(function, dtype):
    """float64 is multiplied in one way, and so are 16-bit types and integers."""
    with pytest.raises(tilewright.PlanError, match=f"'ieee', which is for float32, and {dtype} takes 'auto'"):
        function(A.astype(dtype), B.astype(dtype), precision="ieee")


def test_a_kernel_is_asked_for_with_a_precision():
    """Kernels that are looked at on the emulator have one, too."""
    assert numpy.array_equal(tilewright.matmul(A, B, kernel="tiled", device="emulator", precision="ieee"), A @ B)
    with pytest.raises(tilewright.PlanError, match="multiplies float32 with precision 'ieee' or 'auto', not 'tf32'"):
        tilewright.matmul(A, B, kernel="tiled", device="emulator", precision="tf32")


@pytest.mark.slow
def test_torch_multiplies_and_records_with_a_precision():
    """The operator takes it along, and its gradients do."""
    torch = pytest.importorskip("torch")
    a = torch.tensor(A, requires_grad=True)
    tilewright.matmul(a, torch.tensor(B), precision="ieee").sum().backward()
    assert torch.equal(a.grad, torch.ones(2, 2) @ torch.tensor(B).T)
    with pytest.raises(tilewright.PlanError, match="precision 'tf32'"):
        tilewright.matmul(a, torch.tensor(B), precision="tf32")


@pytest.mark.slow
def test_jax_traces_a_precision():
    """The compiled function calls back with it."""
    jax = pytest.importorskip("jax")
    traced = jax.jit(lambda a, b: tilewright.matmul(a, b, precision="ieee"))
    assert numpy.array_equal(traced(A, B), A @ B)
    with pytest.raises(tilewright.PlanError, match="precision is 'fast'"):
        jax.jit(lambda a, b: tilewright.matmul(a, b, precision="fast"))(A, B)


@pytest.mark.parametrize("facts", [HOST_FACTS, EMULATOR_FACTS, find_chip("t4"), find_chip("gtx-1050-mobile")])
@pytest.mark.parametrize("precision", ["auto", "ieee"])
def test_ieee_and_auto_are_planned_everywhere(facts, precision):
    """Where nothing else is as accurate as SGEMM, auto is ieee, and the plan's problem says so."""
    plan = choose_plan(replace(IN_FLOAT32, precision=precision), facts)
    assert plan.problem.precision == "ieee"


@pytest.mark.parametrize("kernel", [*PREFERENCE["float32"], "naive"])
def test_a_named_kernel_refuses_what_it_does_not_honour(kernel):
    """Nothing is multiplied less exactly than was asked for, nor more."""
    with pytest.raises(
        tilewright.PlanError, match=f"matmul/{kernel} multiplies float32 with precision 'ieee' or 'auto'"
    ):
        choose_plan(replace(IN_FLOAT32, precision="tf32"), find_chip("h200"), kernel)


def test_tf32_is_planned_on_hopper():
    """By its own kernel, which transposes an operand only where both lie across k; auto never chooses it."""
    plan = choose_plan(replace(LARGE, precision="tf32"), find_chip("h200"))
    assert plan.problem.precision == "tf32"
    by_columns = Operand(4096, 4096, 1, 4096)
    both_across = replace(plan.problem, a=by_columns)
    for problem, before in (
        (plan.problem, []),
        (replace(plan.problem, b=by_columns), []),
        (both_across, ["matmul/repack_float32"]),
    ):
        launches = choose_plan(problem, find_chip("h200")).launches
        assert [launch.kernel for launch in launches] == [*before, "matmul/wgmma"]
    for precision in ("auto", "ieee"):
        assert choose_plan(replace(LARGE, precision=precision), find_chip("h200")).kernel.name != "matmul/wgmma"


def test_few_rows_are_multiplied_in_more_bits_than_tf32():
    """To align A would take longer than to multiply; asked for by name, the kernel for tf32 does it all the same."""
    few = replace(Problem.of("matmul", 8192, 16, 8191, "float32"), precision="tf32")
    plan = choose_plan(few, find_chip("h200"))
    assert (plan.kernel.name, plan.problem.precision) == ("matmul/cuda_cores_float32", "ieee")
    assert "in all of float32's bits" in plan.reasons[0]
    assert choose_plan(few, find_chip("h200"), "wgmma").problem.precision == "tf32"
    with pytest.raises(tilewright.PlanError, match="matmul/cuda_cores_float32 multiplies float32 with precision"):
        choose_plan(few, find_chip("h200"), "cuda_cores_float32")


def test_without_an_inner_size_tf32_is_the_epilogue():
    """Another kernel computes the epilogue of zeros."""
    plan = choose_plan(replace(Problem.of("matmul", 5, 6, 0, "float32"), precision="tf32"), find_chip("h200"))
    assert [launch.kernel for launch in plan.launches] == ["matmul/cuda_cores_float32"]


@pytest.mark.slow
def test_tf32_is_taken_by_every_door():
    """All of matmul, explain, torch's tensors, JAX's arrays: on the emulator, which rounds as Hopper's copy engine."""
    assert tilewright.explain(A, B, precision="tf32", device="emulator").problem.precision == "tf32"
    assert numpy.array_equal(tilewright.matmul(A, B, precision="tf32", device="emulator"), A @ B)
    rounded = tilewright.matmul(A + numpy.float32(2.0**-11), B, precision="tf32", device="emulator")
    assert numpy.array_equal(rounded[1], (A @ B)[1])
    torch = pytest.importorskip("torch")
    of_torch = tilewright.matmul(torch.tensor(A), torch.tensor(B), precision="tf32", device="emulator")
    assert torch.equal(of_torch, torch.tensor(A @ B))
    jax = pytest.importorskip("jax")
    of_jax = tilewright.matmul(jax.numpy.array(A), jax.numpy.array(B), precision="tf32", device="emulator")
    assert numpy.array_equal(of_jax, A @ B)


@pytest.mark.parametrize("precision", ["tf32", "bf16x6", "fp16x3"])
def test_a_chip_without_a_kernel_says_what_it_takes(precision):
    """The sentence names what is accepted there."""
    with pytest.raises(tilewright.PlanError, match=f"precision '{precision}'.*; 'auto' and 'ieee' are accepted"):
        choose_plan(replace(IN_FLOAT32, precision=precision), find_chip("t4"))
