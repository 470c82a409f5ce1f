"""Kernels that are no product, recorded: arrays by name, atomics, sums where there are some, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest

from tilewright.lab.check.find.launches import LaunchError
from tilewright.lab.check.find.roles import RolesError
from tilewright.lab.check.options import CheckError, Options
from tilewright.lab.check.run.execution import Pointer
from tilewright.lab.trace.document import document_of
from tilewright.lab.trace.naming import subject_named
from tilewright.lab.trace.other_subject import Given, other_subject
from tilewright.lab.trace.record import record
from tilewright.lab.trace.subject import TraceError

CORRECT = Path(__file__).parents[1] / "planted" / "correct"
HISTOGRAM, SMOOTH, SUM = (
    CORRECT / f"{name}.cu" for name in ("histogram_aggregated", "smooth_grid_stride", "sum_last_block")
)


def recorded(path, launch, **given):
    """Record a file's kernel. launch: block, grid, and other options."""
    return record(other_subject(path, Given(**given), Options(**launch)))


def test_atomics_say_what_each_lane_left():
    """Several lanes of a warp count in the same bin; the last step of a bin is what the launch left there."""
    x = numpy.arange(64, dtype=numpy.uint8)
    launch = {"block": "32", "grid": "2", "zero_output": True}
    trace = recorded(HISTOGRAM, launch, arrays={"x": x}, results={"bins": (64,)}, scalars={"n": 64})
    bins = next(number for number, array in enumerate(trace.arrays) if array.name == "bins")
    after: dict[int, float] = {}
    for block in trace.blocks:
        for step in block.steps:
            if step.kind == "atomic" and step.array == bins:
                after.update(zip(step.elements, (values[0] for values in step.values), strict=True))
    assert [after[bin_] for bin_ in range(64)] == list(trace.after[bins])
    assert list(trace.after[bins])[:17] == [4] * 16 + [0]


def test_a_document_of_another_kind_names_its_numbers():
    """No operation and no sizes; the scalars instead; what was expected decides about right and wrong."""
    given = {"arrays": {"x": (40,)}, "results": {"y": (40,)}, "scalars": {"n": 40}}
    trace = recorded(SMOOTH, {"block": "16", "grid": "2"}, **given)
    problem = document_of(trace)["problem"]
    assert (problem["operation"], problem["m"], problem["scalars"]) == ("", None, {"n": 40})
    assert problem["wrong_elements"] is None
    y = next(trace.after[number] for number, array in enumerate(trace.arrays) if array.name == "y")
    expect = numpy.array(y, numpy.float32)
    expect[3] += 1
    given = {"arrays": {"x": (40,)}, "expect": {"y": expect}, "scalars": {"n": 40}}
    assert recorded(SMOOTH, {"block": "16", "grid": "2"}, **given).wrong == 1


def test_made_up_numbers_are_small_and_have_the_parameters_types():
    """Whole numbers that can be read in a cell; those of integers, too."""
    given = Given(arrays={"x": (64,), "bins": (64,)}, scalars={"n": 64})
    subject = other_subject(HISTOGRAM, given, Options(block="32", grid="2"))
    x, bins = (argument.array for argument in subject.arguments if isinstance(argument, Pointer))
    assert [str(x.dtype), str(bins.dtype)] == ["uint8", "uint32"]
    assert 1 <= x.min() <= x.max() <= 9


def test_blocks_that_wait_for_no_other_are_recorded_each():
    """The last block of a sum adds up what the others left, with an atomic that wraps."""
    trace = recorded(
        SUM,
        {"block": "128", "grid": "2"},
        arrays={"x": (256,), "arrived": numpy.zeros(1, numpy.uint32)},
        results={"sums": (2,), "result": (1,)},
        scalars={"n": 256},
    )
    atomics = [step.values for block in trace.blocks for step in block.steps if step.kind == "atomic"]
    assert atomics == [[[1]], [[0]]]
    contents = {trace.arrays[number].name: values for number, values in trace.after.items()}
    assert contents["result"] == [sum(contents["x"])]


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({}, TraceError, "such as --array x=8x8 --result y=8x8 --scalar n=8"),
        ({"arrays": {"x": (40,)}}, CheckError, "Nothing says what"),
        ({"arrays": {"x": (40,)}, "results": {"y": (40,)}, "scalars": {"n": 40}}, CheckError, "--block"),
        ({"arrays": {"x": (40,)}, "results": {"x": (40,)}}, TraceError, "one of the two"),
        ({"arrays": {"x": (400, 400)}}, TraceError, "24,000 at most"),
        ({"arrays": {"x": (0,)}}, TraceError, "one element at least"),
        ({"arrays": {"x": (20_000,)}, "results": {"y": (20_000,)}, "scalars": {"n": 1}}, TraceError, "40,000 elements"),
    ],
)
def test_refusals(given, error, words):
    """Each says what to give."""
    with pytest.raises(error, match=words):
        record(subject_named(str(SMOOTH), None, given=Given(**given)))


def test_no_example_is_given_for_what_cannot_be_filled():
    """A struct by value, or a pointer to pointers, cannot be given by name either."""
    styles = CORRECT.parents[1] / "check" / "styles"
    for name in ("struct_nested", "double_pointers"):
        with pytest.raises(RolesError, match="which check can't fill") as refused:
            subject_named(str(styles / f"{name}.cu"), None)
        assert "such as --" not in str(refused.value)


def test_a_size_is_of_products():
    """It would be passed over silently otherwise."""
    with pytest.raises(TraceError, match="sizes among its numbers"):
        subject_named(str(SMOOTH), (4, 4, 4), given=Given(arrays={"x": (40,)}))


def test_a_shuffle_says_who_gives_what_to_whom(tmp_path):
    """Lanes behind the last one keep their own number; what is given is a float because it is added to one."""
    path = tmp_path / "shift.cu"
    path.write_text(
        "__global__ void shift(const float* x, float* y) {\n"
        "    float own = x[threadIdx.x];\n"
        "    y[threadIdx.x] = own + __shfl_down_sync(0xffffffff, own, 4);\n}\n"
    )
    x = numpy.arange(32, dtype=numpy.float32) + 0.5
    trace = recorded(path, {"block": "32", "grid": "1"}, arrays={"x": x}, results={"y": (32,)})
    (step,) = [step for step in trace.blocks[0].steps if step.kind == "give"]
    assert step.elements == [*range(4, 32), *range(28, 32)]
    assert [value for (value,) in step.values] == [source + 0.5 for source in step.elements]


def test_a_kind_that_check_recognises_needs_no_arrays():
    """The roles are found; the sizes stand in place of a product's, and results are compared with the kind's own."""
    trace = record(subject_named(str(CORRECT / "transpose_padded.cu"), None))
    problem = document_of(trace)["problem"]
    assert (problem["operation"], problem["m"], problem["wrong_elements"]) == ("", None, 0)
    assert set(problem["scalars"]) == {"rows", "cols"}


def test_a_launch_that_takes_no_small_problem_is_shown_the_least_that_it_takes(tmp_path):
    """A length of 64 has no block of 256 threads."""
    file = tmp_path / "dot.cu"
    file.write_text("""
__global__ void dot(const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, a[i] * b[i]);
}
void run(const float* a, const float* b, float* out, int n) {
    cudaMemset(out, 0, sizeof(float));
    dot<<<n / 256, 256>>>(a, b, out, n);
}
""")
    subject = subject_named(str(file), None)
    assert subject.product is not None
    assert (subject.product.sizes.inner, subject.geometry.grid) == (256, (1, 1, 1))
    with pytest.raises(LaunchError, match="at these sizes, and each must be 1 or more"):
        subject_named(str(file), (1, 1, 100))


def test_scratch_and_counters_of_a_product_are_arguments_as_in_check(tmp_path):
    """The last block adds up the others' sums, which lie in an array of their own."""
    file = tmp_path / "dot.cu"
    file.write_text(LAST_BLOCK)
    trace = record(subject_named(str(file), None))
    assert trace.wrong == 0


LAST_BLOCK = """
__global__ void dot(const float* a, const float* b, float* parts, unsigned* done, float* out, int n) {
    __shared__ float sums[64];
    __shared__ bool last;
    float sum = 0;
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += 64 * gridDim.x) sum += a[i] * b[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int s = 32; s > 0; s /= 2) {
        if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sums[0];
        __threadfence();
        last = atomicAdd(done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float all = 0;
        for (int i = 0; i < gridDim.x; i++) all += ((volatile float*)parts)[i];
        *out = all;
        *done = 0;
    }
}
void run(const float* a, const float* b, float* parts, unsigned* done, float* out, int n) {
    dot<<<(n + 63) / 64, 64>>>(a, b, parts, done, out, n);
}
"""
