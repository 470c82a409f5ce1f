"""Kernels of which nobody says how they are launched: right ones are right, wrong ones wrong, others a question."""

from pathlib import Path

import pytest

from tests.repeats import cause_seconds, sampled
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

HERE = Path(__file__).parent
RIGHT = sorted((HERE / "right").glob("*.cu"))
WRONG = sorted((HERE / "wrong").glob("*.cu"))
QUESTIONS = {"shared_not_synchronised", "transposed_with_wrong_stride"}
"""Wrong everywhere, under whatever is tried: it may as well be the launch that is not known."""


def the_result(path, **options):
    """The only kernel's."""
    (result,) = check_file(path, Options(**options))
    return result


@pytest.mark.slow
@pytest.mark.parametrize("path", sampled(RIGHT), ids=lambda path: path.stem)
def test_a_right_kernel_needs_no_flag(path):
    """Its block is found from the code, its grid from what the first blocks write."""
    result = the_result(path)

    assert result.is_well(), [result.refusal, *((f.kind, f.message) for f in result.findings)]


@pytest.mark.long
@pytest.mark.parametrize("path", sampled(WRONG), ids=lambda path: path.stem)
def test_a_wrong_kernel_is_wrong_or_a_question(path):
    """Findings come from a launch that explains what the kernel does, or there are none."""
    result = the_result(path)

    assert not result.is_well()
    assert bool(result.refusal) == (path.stem in QUESTIONS)


@pytest.mark.parametrize(
    ("name", "launch"),
    [
        ("block_32_by_8", '--block 32,8 --grid "ceil(cols/32),ceil(rows/32)"'),
        ("warp_per_element", '--block 256 --grid "ceil(rows*cols/8)"'),
        ("x_is_the_row", '--block 16,16 --grid "ceil(rows/16),ceil(cols/16)"'),
    ],
)
def test_the_launch_is_the_natural_one(name, launch):
    """Each element of C is written once, by the block that the code is made for."""
    result = the_result(HERE / "right" / f"{name}.cu")

    assert result.launch == launch
    assert result.is_well()


@pytest.mark.long
@pytest.mark.parametrize("path", sampled(sorted((HERE / "questions").glob("*.cu"))), ids=lambda path: path.stem)
def test_what_resembles_a_product_is_a_question(path):
    """Half of relu(A B) is right, and A B / 8 reads what A B does: neither is a wrong product."""
    result = the_result(path, cause_seconds=cause_seconds())

    assert result.refusal
    assert not result.findings


def test_row_lengths_that_equal_a_size(tmp_path):
    """Rows of A are as long as A is wide, as lda says; a number that is no formula of the sizes is the kernel's own."""
    path = tmp_path / "lda.cu"
    path.write_text(
        "__global__ void mm(const float *A, int lda, const float *B, int ldb, float *C, int ldc, int m, int n, int k)\n"
        "{\n    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (row >= m || col >= n) return;\n    float sum = 0;\n"
        "    for (int l = 0; l < k; ++l) sum += ONE * A[row * lda + l] * B[l * ldb + col];\n"
        "    C[row * ldc + col] = sum;\n}\n"
    )
    result = the_result(path, defines={"ONE": "1.0f"})

    assert result.is_well()
    assert result.how.endswith("--args A,inner,B,cols,C,cols,rows,cols,inner fits")


def test_nothing_that_explains_it_is_a_question(tmp_path):
    """A kernel that is wrong under every launch is not accused: what was tried is shown, and how to say it."""
    path = tmp_path / "noise.cu"
    path.write_text(
        "__global__ void mm(const float *A, const float *B, float *C, int m, int n, int k)\n{\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < m * n) C[i * 3 % (m * n)] = A[i % k] - B[i % n];\n}\n"
    )
    result = the_result(path, cause_seconds=cause_seconds())

    assert not result.findings
    assert "--block and --grid" in result.refusal
    assert "were guessed (--block" in result.refusal
