"""Kernels whose sizes are numbers in their text: checked at those, or said what to do."""

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

pytestmark = pytest.mark.slow

KERNEL = """
__global__ void mul(const float *A, const float *B, float *C{parameters})
{{
    int row = blockIdx.y * 16 + threadIdx.y;
    int col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < {inner}; k++)
        sum += A[row * {inner} + k] * B[k * {cols} + col];
    C[row * {cols} + col] = sum;
}}
"""
MAIN = "int main() {{ float *a, *b, *c; mul<<<dim3({}, {}), dim3(16, 16)>>>(a, b, c{}); }}\n"


def checked(tmp_path, text, **options):
    """The result of the file's kernel."""
    path = tmp_path / "mul.cu"
    path.write_text(text)
    (result,) = check_file(path, Options(**options))
    return result


def sizes(result):
    """The problems that were run."""
    return [tuple(case.sizes.values()) for case in result.cases]


def test_numbers_in_the_kernel(tmp_path):
    """Rows come from the grid of the file's own launch."""
    result = checked(tmp_path, KERNEL.format(parameters="", inner=64, cols=48) + MAIN.format(3, 2, ""))

    assert (result.is_well(), sizes(result)) == (True, [(32, 64, 48)])
    assert result.how.endswith(" fits, with sizes that stand in the file: 32 x 64 times 64 x 48")
    assert "mul is held to sizes that stand in the file" in " ".join(result.notes)


def test_numbers_that_the_launch_passes(tmp_path):
    """As arguments."""
    text = KERNEL.format(parameters=", int k0, int n", inner="k0", cols="n")
    result = checked(tmp_path, text + MAIN.format(3, 2, ", 64, 48"))

    assert (result.is_well(), sizes(result)) == (True, [(32, 64, 48)])
    assert result.arguments.startswith("--operation matmul --args A,B,C,64,48")


def test_a_name_that_the_grid_does_not_follow(tmp_path):
    """The kernel could have another N, and the launch is for 64 x 64 alone."""
    text = "#define N 64\n" + KERNEL.format(parameters="", inner="N", cols="N") + MAIN.format(4, 4, "")
    result = checked(tmp_path, text)

    assert (result.is_well(), sizes(result)) == (True, [(64, 64, 64)])


def test_without_a_launch_each_number_may_be_the_rows(tmp_path):
    """The other two are given; rows are any."""
    result = checked(tmp_path, KERNEL.format(parameters="", inner=64, cols=32))

    assert result.is_well()
    assert sorted(sizes(result)) == [(16, 64, 32), (32, 64, 32), (64, 64, 32)]


def test_one_number_is_not_taken_for_any_square(tmp_path):
    """Right at the size of the first trial, and at no other."""
    result = checked(tmp_path, KERNEL.format(parameters="", inner=32, cols=32))

    assert result.is_well()
    assert {(inner, cols) for _, inner, cols in sizes(result)} == {(32, 32)}


def test_a_width_that_the_grid_gives_is_tried_at_several_sizes(tmp_path):
    """It has no number of its own."""
    width = "gridDim.x * blockDim.x"
    result = checked(tmp_path, KERNEL.format(parameters="", inner=f"({width})", cols=f"({width})"))

    assert result.is_well()
    assert len(sizes(result)) > 2


def test_a_wrong_kernel_is_named(tmp_path):
    """Half of C is right."""
    text = KERNEL.format(parameters="", inner=64, cols=48).replace("= sum;", "= row < 16 ? sum : 1;")
    result = checked(tmp_path, text + MAIN.format(3, 2, ""))

    assert (result.is_right, sizes(result)) == (False, [(32, 64, 48)])
    assert result.how.endswith(" comes nearest, with sizes that stand in the file: 32 x 64 times 64 x 48")
    assert result.cases[0].message.startswith("C[16][0] is 1 and should be")


def test_larger_numbers_are_refused_with_advice(tmp_path):
    """They would take the emulator minutes."""
    result = checked(tmp_path, KERNEL.format(parameters="", inner=4096, cols=4096))

    assert "check tries those up to 1,024" in result.refusal
