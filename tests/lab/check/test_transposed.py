"""Products of operands that lie transposed: different sizes say so themselves, squares need a word."""

from __future__ import annotations

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

SIZED = """__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m || j >= n) return;
    float sum = 0;
    for (int l = 0; l < k; ++l) sum += a[i * k + l] * b[j * k + l];
    c[i * n + j] = sum;
}
void run(const float *a, const float *b, float *c, int m, int n, int k) {
    dim3 block(16, 16), grid((n + 15) / 16, (m + 15) / 16);
    product<<<grid, block>>>(a, b, c, m, n, k);
}
"""
SQUARE = SIZED.replace(", int m, int n, int k", ", int n").replace(", m, n, k)", ", n)")
SQUARE = SQUARE.replace("i >= m", "i >= n").replace("l < k", "l < n").replace("* k", "* n").replace("(m +", "(n +")


@pytest.mark.parametrize(
    ("text", "is_right"), [(SIZED, True), ("// c = a times b transposed\n" + SQUARE, True), (SQUARE, False)]
)
def test_what_says_that_b_is_transposed(tmp_path, text, is_right):
    """A row of B times a row of A is meant, or an index of a square product is wrong."""
    path = tmp_path / "product.cu"
    path.write_text(text, encoding="utf-8")
    (result,) = check_file(path, Options(cause_seconds=0))

    assert result.is_well() == is_right
    assert ("transposed" in result.operation) == is_right


REDUCED = SIZED.replace("sum += a[i * k + l] * b[j * k + l]", "sum += (a[2 * i * k + l] + a[(2 * i + 1) * k + l]) * B")
REDUCED = REDUCED.replace("* B", "* (b[2 * j * k + l] + b[(2 * j + 1) * k + l])")


@pytest.mark.long
@pytest.mark.parametrize(("said", "is_known"), [("// A reduced product\n", True), ("", False)])
def test_a_reduced_product_of_columns_that_lie_in_a_row(tmp_path, said, is_known):
    """It is tried where the file speaks of one."""
    path = tmp_path / "product.cu"
    path.write_text(said + REDUCED, encoding="utf-8")
    (result,) = check_file(path, Options(cause_seconds=0))

    assert result.is_well() == is_known
    assert result.operation == ("reduced_matmul, A times the transposed B" if is_known else "")
