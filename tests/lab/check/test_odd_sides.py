"""Odd sides of a reduced product, where the kernel asks whether a row or a column has a partner."""

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

FILE = """// m and n may be odd: a row or a column without a partner counts alone
__global__ void reduced(const float *A, const float *B, float *C, int m, int n, int k)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (m + 1) / 2 || j >= (n + 1) / 2) return;
    float s = 0;
    for (int p = 0; p < k; ++p) {
        float a = A[2 * i * k + p], b = B[p * n + 2 * j];
        if (2 * i + 1 < m) a += A[(2 * i + 1) * k + p];
        if (2 * j + 1 < n) b += B[p * n + 2 * j + 1];
        s += a * b;
    }
    C[i * ((n + 1) / 2) + j] = s;
}
void launch(const float *A, const float *B, float *C, int m, int n, int k)
{
    dim3 block(16, 16), grid(((n + 1) / 2 + 15) / 16, ((m + 1) / 2 + 15) / 16);
    reduced<<<grid, block>>>(A, B, C, m, n, k);
}
"""


def errors(tmp_path, *changes):
    """The lines of what is found in the file with some of its text changed."""
    text = FILE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "reduced.cu"
    path.write_text(text)
    (result,) = check_file(path, Options())
    assert result.operation == "reduced_matmul"
    lines = [each.place[1] for each in result.findings if each.severity == "error" and each.place[1] is not None]
    return [text.split("\n")[line - 1].strip() for line in lines]


def test_a_kernel_that_guards_both_partners_is_right(tmp_path):
    """At even and at odd sides."""
    assert errors(tmp_path) == []


@pytest.mark.parametrize("guard", ["if (2 * i + 1 < m) ", "if (2 * j + 1 < n) "])
def test_a_partner_that_is_not_there_is_outside(tmp_path, guard):
    """The last row's is behind A, the last column's behind B."""
    (line,) = errors(tmp_path, (guard, ""))
    assert f"if (2 * {'i' if ' i ' in guard else 'j'} + 1" not in line
    assert line.startswith("a += A" if " i " in guard else "b += B")


def test_without_a_word_of_odd_sides_none_are_tried(tmp_path):
    """They may be meant to be even."""
    assert errors(tmp_path, ("may be odd", "are sizes"), ("if (2 * j + 1 < n) ", "")) == []
