"""`tilewright.plan(..., constant=)`: what is made of an operand is made once, and every result stays what it was."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import tilewright
from tests.arrays import emulated_gpu
from tests.arrays.emulated_gpu import STREAM, EmulatedArray
from tests.arrays.fake_torch import Stream, Tensor
from tests.call.test_repeated_product import checks, gpu, numbers, tensor
from tests.launch import fake_driver
from tilewright.launch import DeviceUnavailableError, OutOfMemoryError

__all__ = ["checks", "gpu"]  # fixtures

OTHER = 64
PLAIN = pytest.mark.parametrize("gpu", ["python"], indirect=True)
"""What is the same with torch's guards and with the compiled extra."""
SPLITS = ("matmul/largest_exponents", "matmul/split_float32")


@pytest.fixture
def runs_nothing(monkeypatch):
    """A GPU that launches, and computes nothing."""
    monkeypatch.setattr(emulated_gpu, "run_on_emulator", lambda *_: None)


def reals(gpu, *shape, seed=0, strides=None, offset=0):
    """A tensor of normal numbers of float32, whose sums are rounded."""
    values = numpy.random.default_rng(seed).standard_normal(shape).astype("f4")
    return Tensor(gpu.array(values, "float32", strides, offset=offset))


def blocks(launches, *kernels):
    """How many blocks each of these kernels has."""
    return {launch.kernel: launch.grid[0] for launch in launches if launch.kernel in kernels}


@pytest.mark.parametrize(
    ("precision", "kernels", "constant"),
    [("fp16x3", SPLITS, "a"), ("fp16x3", SPLITS, "b"), ("bf16x6", SPLITS[1:], "b")],
)
def test_a_split_operand_is_kept(gpu, checks, precision, kernels, constant):
    """The same bits as without; the second call, as the first, splits the other operand alone."""
    a, b = reals(gpu, 66, 130), reals(gpu, 130, 70, seed=1)
    plain = tilewright.plan(a, b, precision=precision, kernel="wgmma_split")
    multiply = tilewright.plan(a, b, precision=precision, kernel="wgmma_split", constant=constant)
    (once,) = gpu.runs
    assert [launch.kernel for launch in once.launches] == list(kernels)
    assert multiply.plan.kept_bytes == once.workspace_bytes
    assert f"kept          {once.workspace_bytes:,} bytes of what is made of {constant.upper()}" in str(multiply)
    del checks[:]

    for seed in (2, 3):
        other = reals(gpu, 66, 130, seed=seed) if constant == "b" else reals(gpu, 130, 70, seed=seed)
        operands = (other, b) if constant == "b" else (a, other)
        expected = plain(*operands)
        del gpu.runs[:]
        result = multiply(other) if constant == "b" else multiply(b=other)
        numpy.testing.assert_array_equal(result.values, expected.values)
        (run,) = gpu.runs
        assert run is multiply.plan
        whole, ours, kept = (blocks(each.launches, *kernels) for each in (plain.plan, run, once))
        assert ours == {kernel: whole[kernel] - kept[kernel] for kernel in kernels}
    assert checks == []


@PLAIN
def test_a_repacked_operand_is_kept(gpu):
    """Rows that the copy engine cannot load, in 16 bits: the product is one launch, without a workspace."""
    a, b = tensor(gpu, 8, 128, dtype="bfloat16"), tensor(gpu, 128, 1001, dtype="bfloat16", seed=1)
    multiply = tilewright.plan(a, b, kernel="wgmma", constant="b")
    assert [launch.kernel for plan in gpu.runs for launch in plan.launches] == ["matmul/repack"]
    assert [launch.kernel for launch in multiply.plan.launches] == ["matmul/wgmma"]
    assert multiply.plan.workspace_bytes == 0
    numpy.testing.assert_array_equal(multiply(a).values, tilewright.matmul(a, b, kernel="wgmma").values)


@PLAIN
def test_rows_of_k_for_tf32_are_kept(gpu):
    """A of rows that begin anywhere is aligned once."""
    a, b = reals(gpu, 128, 65), reals(gpu, 65, 128, seed=1)
    options: dict[str, Any] = {"precision": "tf32", "kernel": "wgmma"}
    multiply = tilewright.plan(a, b, **options, constant="a")
    assert [launch.kernel for plan in gpu.runs for launch in plan.launches] == ["matmul/repack_float32"]
    assert [launch.kernel for launch in multiply.plan.launches] == ["matmul/wgmma"]
    numpy.testing.assert_array_equal(multiply(b=b).values, tilewright.matmul(a, b, **options).values)


@PLAIN
def test_batches_epilogues_and_outs(gpu):
    """Weights are broadcast over a batch and split once; c, bias and `out` are each call's own."""
    a, b = reals(gpu, 2, 65, 40), reals(gpu, 40, 67, seed=1)
    c, bias, out = reals(gpu, 2, 65, 67, seed=2), reals(gpu, 67, seed=3), reals(gpu, 2, 65, 67)
    options: dict[str, Any] = {
        "precision": "bf16x6",
        "kernel": "wgmma_split",
        "beta": 0.5,
        "c": c,
        "bias": bias,
        "activation": "relu",
    }
    multiply = tilewright.plan(a, b, **options, constant="b")
    expected = tilewright.matmul(a, b, **options)
    assert multiply(a, c=c, bias=bias, out=out) is out
    numpy.testing.assert_array_equal(out.values, expected.values)


@PLAIN
def test_numbers_that_parts_do_not_hold(gpu):
    """Flags are kept, too: rows and columns of infinities and NaN are computed again from the arrays themselves."""
    a, b = reals(gpu, 66, 66), reals(gpu, 66, 66, seed=1)
    values = b.values
    values[3, 5], values[9, 40] = numpy.inf, numpy.nan
    b.array.set(values)
    for precision in ("fp16x3", "bf16x6"):
        multiply = tilewright.plan(a, b, precision=precision, kernel="wgmma_split", constant="b")
        expected = tilewright.matmul(a, b, precision=precision, kernel="wgmma_split").values
        numpy.testing.assert_array_equal(multiply(a).values, expected)
        assert numpy.isinf(expected[:, 5]).all()
        assert numpy.isnan(expected[:, 40]).all()


@PLAIN
def test_an_array_that_is_changed_afterwards(gpu):
    """What was made of it stays as it was."""
    a, b = reals(gpu, 64, 64), reals(gpu, 64, 64, seed=1)
    multiply = tilewright.plan(a, b, precision="bf16x6", kernel="wgmma_split", constant="b")
    before = multiply(a).values
    b.array.set(b.values + 1)
    numpy.testing.assert_array_equal(multiply(a).values, before)
    numpy.testing.assert_array_equal(
        tilewright.plan(a, b, precision="bf16x6", kernel="wgmma_split", constant="b")(a).values,
        tilewright.matmul(a, b, precision="bf16x6", kernel="wgmma_split").values,
    )


@pytest.mark.parametrize("constant", ["a", "b"])
def test_another_array_is_refused(gpu, constant):
    """In one sentence that says what to do; the array itself and another view of its elements are taken."""
    a, b = tensor(gpu, 16, 16), tensor(gpu, 16, 16, seed=1)
    multiply = tilewright.plan(a, b, constant=constant)
    other = tensor(gpu, 16, 16, seed=2)
    given = (a, other) if constant == "b" else (other, b)
    with pytest.raises(
        tilewright.PlanError, match=rf"^{constant.upper()} is constant in this plan.*leave it out"
    ) as no:
        multiply(*given)
    assert "\n" not in str(no.value)
    with pytest.raises(tilewright.PlanError, match=r"has no [AB], and the plan was made with one"):
        multiply()
    assert gpu.runs == []
    expected = a.values @ b.values
    for left, right in ((a, b), (Tensor(a.array), Tensor(b.array))):
        numpy.testing.assert_array_equal(multiply(left, right).values, expected)
    with pytest.raises(tilewright.PlanError, match="'c', and 'a', 'b' or None is accepted"):
        tilewright.plan(a, b, constant="c")


def test_nothing_to_keep(gpu):
    """The plan says so, takes one operand all the same, and launches what a plan without would."""
    a, b = tensor(gpu, 16, 16), tensor(gpu, 16, 16, seed=1)
    multiply = tilewright.plan(a, b, constant="b")
    assert gpu.runs == []
    assert "Nothing of B is kept: no launch makes anything of it" in str(multiply)
    assert multiply.plan.launches == tilewright.plan(a, b).plan.launches
    numpy.testing.assert_array_equal(multiply(a).values, a.values @ b.values)


@PLAIN
def test_arrays_that_take_matmuls_way(gpu):
    """Arrays of the host, of other libraries, and those whose gradients are recorded: right, and the plan says why."""
    said = "Nothing of B is kept: each call with such arrays is one of matmul."
    a, b = numpy.arange(12.0).reshape(3, 4), numpy.arange(8.0).reshape(4, 2)
    multiply = tilewright.plan(a, b, constant="b")
    assert said in str(multiply)
    numpy.testing.assert_array_equal(multiply(a + 1), (a + 1) @ b)
    with pytest.raises(tilewright.PlanError, match="B is constant"):
        multiply(a, b + 1)

    left, right = (gpu.array(numbers(4, 4, seed=seed), "float32") for seed in range(2))
    multiply = tilewright.plan(left, right, constant="b", precision="bf16x6", kernel="wgmma_split")
    assert said in str(multiply)
    numpy.testing.assert_array_equal(multiply(left).values, left.values @ right.values)

    gaps = Tensor(EmulatedArray(gpu, (70,), "float32", (2,)).set(numpy.ones(70)))
    x, weights = reals(gpu, 66, 40), reals(gpu, 40, 70, seed=1)
    multiply = tilewright.plan(x, weights, bias=gaps, precision="bf16x6", kernel="wgmma_split", constant="b")
    assert said in str(multiply)
    expected = tilewright.matmul(x, weights, bias=gaps, precision="bf16x6", kernel="wgmma_split")
    numpy.testing.assert_array_equal(multiply(x, bias=gaps).values, expected.values)


@PLAIN
def test_an_out_that_is_an_input(gpu):
    """Right all the same, by way of a copy."""
    a, b = reals(gpu, 66, 66), reals(gpu, 66, 66, seed=1)
    expected = tilewright.matmul(a, b, precision="bf16x6", kernel="wgmma_split").values
    multiply = tilewright.plan(a, b, precision="bf16x6", kernel="wgmma_split", constant="b")
    assert multiply(a, out=a) is a
    numpy.testing.assert_array_equal(a.values, expected)


def test_streams(gpu, runs_nothing):
    """Made on the current stream; a product on another waits for it, and the memory is not freed under it."""
    del runs_nothing
    a, b = reals(gpu, 64, 64), reals(gpu, 64, 64, seed=1)
    gpu.driver.is_busy = True
    multiply = tilewright.plan(a, b, precision="bf16x6", kernel="wgmma_split", constant="b")
    assert gpu.streams == [STREAM]
    kept = multiply._constant and multiply._constant.kept
    assert kept
    multiply(a, stream=Stream(OTHER))
    multiply(a, stream=OTHER)
    multiply(a)
    if multiply._compiled is None:  # the compiled extra's stand-in knows one stream
        assert gpu.streams[1:] == [OTHER, OTHER, STREAM]
    assert gpu.driver.waits == [(OTHER, STREAM), (OTHER, STREAM), (STREAM, STREAM)]
    assert kept._tensor.used_on == {OTHER}

    gpu.driver.is_busy = False
    multiply(a, stream=OTHER)
    multiply(a)
    asked = gpu.driver.steps.count("cuEventQuery")
    multiply(a, stream=OTHER)
    multiply(a)
    assert gpu.driver.steps.count("cuEventQuery") == asked
    assert len(gpu.driver.waits) == 3
    del multiply, kept
    assert gpu.driver.steps.count("cuEventDestroy") == 1


def test_graphs(gpu, runs_nothing):
    """What is kept is not made in a capture; a product in one reads what has been made, for which the host waits."""
    del runs_nothing
    a, b = reals(gpu, 64, 64), reals(gpu, 64, 64, seed=1)
    multiply = tilewright.plan(a, b, precision="bf16x6", kernel="wgmma_split", constant="b")
    gpu.driver.captured, gpu.driver.is_busy = {STREAM}, True
    multiply(a)
    assert "cuEventSynchronize" in gpu.driver.steps
    assert gpu.driver.waits == []
    assert gpu.driver.mode == gpu.driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL
    with pytest.raises(tilewright.PlanError, match=r"being captured into a CUDA graph.*make the plan before"):
        tilewright.plan(a, b, precision="bf16x6", kernel="wgmma_split", constant="b")


def test_memory_and_forks(gpu, runs_nothing):
    """Memory that is not there is said when the plan is made; a forked child is told at its first call."""
    del runs_nothing
    a, b = reals(gpu, 64, 64), reals(gpu, 64, 64, seed=1)
    gpu.torch.limit_elements = 0
    with pytest.raises(OutOfMemoryError, match="bytes on GPU 0 failed"):
        tilewright.plan(a, b, precision="bf16x6", kernel="wgmma_split", constant="b")
    gpu.torch.limit_elements = 10**6
    multiply = tilewright.plan(a, b, precision="bf16x6", kernel="wgmma_split", constant="b")
    fake_driver.fork()
    with pytest.raises(DeviceUnavailableError, match="spawn"):
        multiply(a)
