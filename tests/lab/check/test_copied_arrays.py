"""Copies of the host that are done too early, too late, or of another array than is meant."""

import pytest

from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile, open_file
from tilewright.lab.check.find.launches import FormulaLaunch
from tilewright.lab.check.find.roles import Roles
from tilewright.lab.check.judge.copied_arrays import misplaced_copies
from tilewright.lab.check.options import Options
from tilewright.lab.source.macros import code_only

KERNEL = """
__global__ void product(const float *a, const float *b, float *c, int n) { c[threadIdx.x] = a[0] * b[0]; }
"""
MADE = """
void run(const float *h_a, const float *h_b, float *h_c, int n) {
    float *d_a, *d_b, *d_c;
    CHECK(cudaMalloc(&d_a, 4 * n));
    cudaMalloc(&d_b, 4 * n);
    cudaMalloc(&d_c, 4 * n);
"""
TO_A, TO_B = (f"cudaMemcpy(d_{x}, h_{x}, 4 * n, cudaMemcpyHostToDevice);" for x in "ab")
LAUNCH, BACK = "product<<<1, 32>>>(d_a, d_b, d_c, n);", "cudaMemcpy(h_c, d_c, 4 * n, cudaMemcpyDeviceToHost);"
INTO = "cudaMemcpy(d_c, h_c, 4 * n, cudaMemcpyHostToDevice);"
FREE = "cudaFree(d_a); cudaFree(d_b); cudaFree(d_c);"


def marked(tmp_path, lines, made=MADE, kernel=KERNEL, words=("A", "B", "C", "inner")):
    """Which of a host's lines are named, from 0."""
    path = tmp_path / "kernel.cu"
    path.write_text(kernel + made + "\n".join(lines) + "\n}\n")
    opened = open_file(path)
    roles = Roles("matmul", words)
    found = Found(roles, FormulaLaunch("32", "1"), 32, {}, fits=True, how="")
    code = code_only(opened.file.text)
    first = (kernel + made).count("\n")
    read = KernelFile(opened, opened.kernels[0], Options())
    return [code.count("\n", 0, at) - first for at, _ in misplaced_copies(read, found, code)]


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        ([TO_A, TO_B, BACK, LAUNCH, FREE], [2]),
        ([TO_A, TO_B, LAUNCH, BACK.replace("d_c", "d_a"), FREE], [3]),
        ([TO_A, LAUNCH, TO_B, BACK, FREE], [2]),
        ([TO_A, TO_B.replace("h_b", "h_a"), LAUNCH, BACK, FREE], [1]),
        ([TO_A.replace("h_a", "h_b"), TO_B, LAUNCH, BACK, FREE], [0]),
        ([TO_A, TO_B, LAUNCH, "cudaMemset(d_c, 0, 4 * n);", BACK, FREE], [3]),
        ([TO_A, TO_B, LAUNCH, FREE, BACK], [3]),
        ([TO_A, TO_B, LAUNCH, INTO, FREE], [3]),
    ],
)
def test_a_copy_at_the_wrong_place_or_of_the_wrong_array(tmp_path, lines, named):
    """It is named."""
    assert marked(tmp_path, lines) == named


@pytest.mark.parametrize(
    "lines",
    [
        [TO_A, TO_B, LAUNCH, BACK, FREE],
        [TO_A, TO_B, LAUNCH, "cudaDeviceSynchronize();", BACK.replace("d_c", "d_a"), "show(d_c, n);", FREE],
        [TO_A, TO_B, BACK, f"for (int i = 0; i < 9; ++i) {{ {LAUNCH} }}", FREE],
        [TO_A, "fill<<<1, 32>>>(d_b);", LAUNCH, TO_B, BACK],
        [TO_A, TO_B, LAUNCH, "cudaMemset(d_c, 0, 4 * n);", LAUNCH, BACK, FREE],
        [TO_A, TO_B, LAUNCH, BACK, "cudaMemset(d_c, 0, 4 * n);", FREE],
        [TO_A, TO_B, INTO, LAUNCH, "show(d_c, n);", FREE],
        [TO_A, TO_B, LAUNCH, "cudaMemcpy2D(h_c, 4, d_c, 4, 4, n, cudaMemcpyDeviceToHost);", INTO, FREE],
        [TO_A, TO_B.replace("h_b", "h_a"), "compare(h_b);", LAUNCH.replace("d_b", "d_a"), BACK],
        [TO_A, "float *result = d_c;", TO_B, LAUNCH, "cudaMemcpy(h_c, result, 4 * n, cudaMemcpyDeviceToHost);"],
    ],
)
def test_a_host_that_may_be_right(tmp_path, lines):
    """Nothing is said of it."""
    assert marked(tmp_path, lines) == []


def test_a_square_of_one_matrix(tmp_path):
    """Both inputs are the same there, and there is no other."""
    made = MADE.replace("const float *h_b, ", "")
    assert marked(tmp_path, [TO_A, TO_B.replace("h_b", "h_a"), LAUNCH, BACK], made) == []


def test_a_result_that_nothing_takes(tmp_path):
    """A kernel takes what went into it in its place; one that takes all of that computes the same in another way."""
    kernel = KERNEL.replace("const float *b, ", "").replace("* b[0]", "")
    text = MADE.replace("float *d_a", "float *d_e, *d_a").replace(
        "    cudaMalloc(&d_b", "cudaMalloc(&d_e, 4); cudaMalloc(&d_b"
    )
    other = "multiply<<<1, 32>>>({}, d_b, d_e, n);"
    lines = [TO_A, TO_B, "product<<<1, 32>>>(d_a, d_c, n);"]
    for given, named in (("d_a", [3]), ("d_c", [])):
        assert marked(tmp_path, [*lines, other.format(given)], text, kernel, ("A", "C", "inner")) == named
    assert marked(tmp_path, [*lines, "copy<<<1, 32>>>(d_a, d_e, n);"], text, kernel, ("A", "C", "inner")) == []
